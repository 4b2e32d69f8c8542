import json

import pytest

import rlve as package
from support import evaluation_folders
from support.run_folders import run_folder


@pytest.fixture
def folder(tmp_path):
    samples = [(1, "Sorting"), (1, "SAT"), (10, "Sorting"), (20, "SAT")]
    return run_folder(tmp_path / "run", samples=samples)


def headings(result):
    return [line.strip("─ ") for line in result.out.splitlines() if line.startswith("── step")]


def test_the_latest_rollouts_are_shown_with_their_verdicts(rlve, folder):
    result = rlve("rollouts", folder)
    assert headings(result) == [
        "step 1: SAT, difficulty 2",
        "step 10: Sorting, difficulty 2",
        "step 20: SAT, difficulty 2",
    ]
    assert result.out.count(", correct, reward 1 ─") == 3
    assert result.out.count(", ill-formed, reward -1 ─") == 3
    assert "[... 8,000 characters left out ...]" in result.out
    assert "x" * 10_000 in rlve("rollouts", folder, "--characters", "0").out


def test_they_are_chosen_by_environment_and_difficulty(rlve, folder):
    chosen = rlve("rollouts", folder, "-e", "Sorting", "-d", "2..3", "-n", "0")
    assert headings(chosen) == ["step 1: Sorting, difficulty 2", "step 10: Sorting, difficulty 2"]
    none = rlve("rollouts", folder, "-d", "9")
    assert none.code == 2
    assert "none of the rollouts in" in none.err


def test_it_is_said_why_an_output_is_wrong(rlve, folder):
    place = folder / "rollouts.jsonl"
    record = json.loads(place.read_text().splitlines()[0])
    problem = package.environment("Sorting").generate(difficulty=2, seed=1)
    verdict = {"reward": -0.5, "correct": False, "well_formed": True}
    worst = {"text": "\\boxed{1 2}", "verdict": verdict, "place": 1, "reward": verdict["reward"]}
    record |= {"prompt": problem.prompt(), "worst": worst}
    other = {"worst": worst | {"verdict": verdict | {"reward": -0.25}}}
    elsewhere = {"prompt": "Another problem."}
    place.write_text("".join(json.dumps(record | e) + "\n" for e in ({}, other, elsewhere)))
    shown = rlve("rollouts", folder).out
    why = f"\n\n[The answer has 2 values, {problem.N} expected."
    assert shown.count(why) == 1  # and not where the run had another verdict or another problem


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--count -1", "count must be at least 0, not -1"),
        ("--characters -5", "characters must be at least 0, not -5"),
        ("-d abc", "a difficulty must be an integer"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, folder, flags, message):
    result = rlve("rollouts", folder, *flags.split())
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_what_has_no_rollouts_is_said(rlve, tmp_path):
    assert "is not the folder of a training run" in rlve("rollouts", tmp_path).err
    assert "has no rollouts yet" in rlve("rollouts", run_folder(tmp_path / "empty")).err


# Examples to learn from.


def examples(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_correct_outputs_of_a_run_become_examples(rlve, folder, tmp_path):
    config = {"kind": "train", "policy": {"format": "plain"}, "data": {}, "rollout": {}}
    (folder / "config.json").write_text(json.dumps(config))
    made = tmp_path / "examples.jsonl"
    result = rlve("rollouts", folder, "-o", made)
    assert "2 outputs for 2 problems written to" in result.err  # the same one twice counts once
    rows = examples(made)
    assert [row["environment"] for row in rows] == ["Sorting", "SAT"]
    for row in rows:
        assert row["completion"] == "<script>alert('x')</script> & </pre>"
        assert row["difficulty"] == 2
        assert row["prompt"].endswith("inside \\boxed{}.")
        assert set(row) == {"id", "environment", "difficulty", "seed", "prompt", "completion"}
    few = rlve("rollouts", folder, "-o", made, "--per-problem", "1", "-e", "SAT")
    assert "1 outputs for 1 problems" in few.err
    assert rlve("rollouts", folder, "-o", made, "-d", "9").code == 2


def test_correct_finished_outputs_of_an_evaluation_become_examples(rlve, tmp_path):
    folder = evaluation_folders.write(tmp_path / "eval", 1.3, samples=3)
    lines = (folder / "outputs.jsonl").read_text().splitlines()
    stored = [json.loads(line) for line in lines]
    for number, output in enumerate(stored):
        output["output"] = f"output {number % 2}"
        output["finish"] = "length" if output["id"] == "Sorting-0-0" else "stop"
    (folder / "outputs.jsonl").write_text("".join(json.dumps(o) + "\n" for o in stored))
    made = tmp_path / "examples.jsonl"
    assert "38 outputs for 19 problems" in rlve("rollouts", folder, "-o", made).err
    rows = examples(made)
    assert "Sorting-0-0" not in {row["id"] for row in rows}
    assert {row["completion"] for row in rows} == {"output 0", "output 1"}
    assert all("parameters" in row for row in rows)
    one = rlve("rollouts", folder, "-o", made, "-e", "Division", "-d", "1", "--per-problem", "1")
    assert "5 outputs for 5 problems" in one.err
