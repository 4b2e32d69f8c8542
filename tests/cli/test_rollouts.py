import json

import msgspec
import pytest

import rlve as package
from rlve.reports.pages import verdict_word
from rlve.train.history import GroupSample
from support import evaluation_folders
from support.run_folders import run_folder

EVIL = "\x1b[2J\x1b]0;title\x07 \u202eabc\u202c \x9b31m caf\u00e9\tand\nmore"


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


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("-e Sorting -n 0", ["step 1: Sorting", "step 10: Sorting"]),
        ("--step 1", ["step 1: Sorting", "step 1: SAT"]),
        ("--step 2..15", ["step 10: Sorting"]),
        ("-e SAT -n 1", ["step 20: SAT"]),
        ("-d 2 --step 10..20", ["step 10: Sorting", "step 20: SAT"]),
    ],
)
def test_they_are_chosen_by_environment_step_and_difficulty(rlve, folder, flags, shown):
    result = rlve("rollouts", folder, *flags.split())
    assert headings(result) == [f"{text}, difficulty 2" for text in shown]


def test_they_are_chosen_by_verdict(rlve, folder):
    result = rlve("rollouts", folder, "--verdict", "correct")
    assert "ill-formed" not in result.out
    assert result.out.count(", correct") == 3
    assert rlve("rollouts", folder, "--verdict", "wrong").code == 2


def test_json_has_only_the_outputs_with_the_verdict(rlve, folder):
    def verdicts(*flags):
        text = rlve("rollouts", folder, "--json", "-n", "1", *flags).out
        sample = msgspec.json.decode(text, type=GroupSample)
        return [verdict_word(output.verdict) for output in sample.outputs]

    assert sorted(verdicts()) == ["correct", "ill-formed"]
    assert verdicts("--verdict", "ill-formed") == ["ill-formed"]
    assert verdicts("--verdict", "correct") == ["correct"]
    place = folder / "rollouts.jsonl"
    sample = json.loads(place.read_text().splitlines()[-1])
    verdict = {"reward": 0.2, "correct": False, "well_formed": True}
    wrong = [
        {
            "text": f"wrong {i}",
            "place": i,
            "reward": 0.1 * i,
            "verdict": verdict | {"reward": 0.1 * i},
        }
        for i in (3, 4, 5)
    ]
    place.write_text(json.dumps(sample | {"others": wrong}) + "\n")
    assert verdicts("--verdict", "wrong") == ["wrong"] * 3
    shown = rlve("rollouts", folder, "--verdict", "wrong").out
    assert [shown.count(output["text"]) for output in wrong] == [1, 1, 1]


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


def test_a_run_may_have_many_steps(rlve, folder):
    result = rlve("rollouts", folder, "--step", "2..20000")
    assert headings(result) == ["step 10: Sorting, difficulty 2", "step 20: SAT, difficulty 2"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--count -1", "count must be at least 0, not -1"),
        ("--characters -5", "characters must be at least 0, not -5"),
        ("--step abc", "a step must be an integer such as 10, or a range 10..20, not abc"),
        ("--step 20..10", "the range of steps 20..10 is empty"),
        ("-d abc", "a difficulty must be an integer"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, folder, flags, message):
    result = rlve("rollouts", folder, *flags.split())
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_what_there_is_not_is_said(rlve, folder, tmp_path):
    result = rlve("rollouts", folder, "-d", "9")
    assert result.code == 2
    assert "there are steps 1 to 20 and difficulties 2 to 2 of SAT, Sorting" in result.err
    assert "is not the folder of a training run" in rlve("rollouts", tmp_path).err
    empty = run_folder(tmp_path / "empty")
    assert "has no rollouts yet" in rlve("rollouts", empty).err


def test_a_terminal_is_not_commanded_by_outputs(rlve, folder):
    place = folder / "rollouts.jsonl"
    record = json.loads(place.read_text().splitlines()[-1])
    record["best"]["text"] = record["prompt"] = record["reference"] = EVIL
    place.write_text(json.dumps(record) + "\n")
    shown = rlve("rollouts", folder).out
    assert all(character.isprintable() or character in "\n\t" for character in shown)
    assert (
        shown.count(
            "\\u001b[2J\\u001b]0;title\\u0007 \\u202eabc\\u202c \\u009b31m caf\u00e9\tand\nmore"
        )
        == 3
    )


def test_json_is_a_line_for_each_problem(rlve, folder):
    lines = rlve("rollouts", folder, "--json", "-n", "2").out.splitlines()
    assert [json.loads(line)["step"] for line in lines] == [10, 20]


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
    few = rlve("rollouts", folder, "-o", made, "--per-problem", "1", "-e", "SAT", "--step", "20")
    assert "1 outputs for 1 problems" in few.err
    assert rlve("rollouts", folder, "-o", made, "--step", "2").code == 2


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
