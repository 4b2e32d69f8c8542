import json

import msgspec
import pytest

import rlve as package
from rlve.reports.pages import verdict_word
from rlve.train.history import GroupSample
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
        {"text": f"wrong {i}", "place": i, "verdict": verdict | {"reward": 0.1 * i}}
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
    worst = {"text": "\\boxed{1 2}", "verdict": verdict, "place": 1}
    record |= {"prompt": problem.prompt(), "worst": worst}
    other = {"worst": worst | {"verdict": verdict | {"reward": -0.25}}}
    elsewhere = {"prompt": "Another problem."}
    place.write_text("".join(json.dumps(record | e) + "\n" for e in ({}, other, elsewhere)))
    shown = rlve("rollouts", folder).out
    why = "\n\n[The answer breaks a rule of the problem: len(answer) != self.N (sorting.py, line "
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
        shown.count("\\x1b[2J\\x1b]0;title\\x07 \\u202eabc\\u202c \\x9b31m caf\u00e9\tand\nmore")
        == 3
    )


def test_json_is_a_line_for_each_problem(rlve, folder):
    lines = rlve("rollouts", folder, "--json", "-n", "2").out.splitlines()
    assert [json.loads(line)["step"] for line in lines] == [10, 20]
