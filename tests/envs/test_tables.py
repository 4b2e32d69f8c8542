"""Every environment and every dialogue has a test file, with its tables and a brute force.

A brute force is a test that goes over at least a hundred instances: it takes a `problem` and there
are SAMPLES, or it loops. Where another way is taken, the file says why:
BRUTE_FORCE = "There is one problem for each N ...".
"""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from rlve.catalogue import CATALOGUE, DIALOGUES
from rlve.envs.arrays.sorting import Sorting
from rlve.envs.dialogues.guess_number import GuessNumber
from support.tables import (
    check_answers,
    check_replies,
    check_rewards,
    check_samples,
    check_schedule,
    settings,
    written,
)

HERE = Path(__file__).parent
INSTANCES = 100


@pytest.mark.parametrize("name", [*CATALOGUE, *DIALOGUES])
def test_every_environment_has_its_test_file(name):
    dialogue = name in DIALOGUES
    family, file = (DIALOGUES if dialogue else CATALOGUE)[name].module.split(".")[-2:]
    path = HERE / family / f"test_{file}.py"
    assert path.is_file(), f"{name} has no test file: write tests/envs/{family}/test_{file}.py"
    body = ast.parse(path.read_text("utf-8")).body
    declared = {
        target.id for node in body if isinstance(node, ast.Assign) for target in node.targets
    }
    tests = [
        node for node in body if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"
    ]
    declared |= {node.name.removeprefix("test_").upper() for node in tests}
    assert declared >= {"REPLIES" if dialogue else "REWARDS", "SCHEDULE"}, f"{name}: {path}"
    gone_over = max(map(longest_range, tests), default=0)
    if any(argument.arg == "problem" for test in tests for argument in test.args.args):
        gone_over = max(gone_over, samples(body))
    assert gone_over >= INSTANCES or "BRUTE_FORCE" in declared, f"{name} has no brute force: {path}"


def samples(body):
    """The number of SAMPLES that a file declares."""
    [table] = (
        node.value
        for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SAMPLES"
    )
    return sum(count.value for count in table.keys)


def longest_range(test):
    """The highest number of a range in a test."""
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    ranges = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "range"]
    ends = [end.value for call in ranges for end in call.args if isinstance(end, ast.Constant)]
    return max(ends, default=0)


SORTING = Sorting(N=2, array=[9, 2], gold_answer=[2, 9], reference_answer="2 9")
GUESS = GuessNumber(N=100, lies=0, secret=42, lies_at=[])


@pytest.mark.parametrize(
    ("check", "tables", "complaint"),
    [
        (
            check_rewards,
            {"REWARDS": {0.5: ["9 2", "2 9"]}},
            r"'2 9' should earn 0\.5: .* Sorting\(",
        ),
        (check_rewards, {"REWARDS": {1.0: ["2 9"]}, "PASSING": 2}, r"'2 9' should earn 1\.0"),
        (check_rewards, {"REWARDS": [(SORTING, {-0.5: ["2, 9"]})]}, r"'2, 9' should earn -0\.5"),
        (
            check_schedule,
            {"REWARDS": {}, "SCHEDULE": {1: {"N": 3}}},
            r"(?s)Sorting.*level\(1\) .*4",
        ),
    ],
)
def test_a_wrong_table_names_the_environment_and_the_answer(check, tables, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check(SimpleNamespace(PROBLEM=SORTING, **tables))


@pytest.mark.parametrize(
    ("outcome", "conversation"),
    [("higher", "50"), ("lower...", "1"), (None, "50"), (1.0, "41"), (1.0, "42 / 42"), ("", "x")],
)
def test_a_wrong_table_of_replies_names_the_dialogue_and_the_moves(outcome, conversation):
    module = SimpleNamespace(PROBLEM=GUESS, REPLIES={outcome: [conversation]})
    with pytest.raises(AssertionError, match=rf"'{conversation}' should end .* GuessNumber\("):
        check_replies(module)


def test_a_test_goes_over_the_problems_of_the_tables_and_the_samples():
    tables = {"PROBLEM": SORTING, "REWARDS": {}, "SAMPLES": {4: {"N": range(3, 6)}}}
    seen = []
    check_samples(SimpleNamespace(**tables), lambda problem, seed: seen.append((seed, problem.N)))
    assert seen == [(0, 2), (0, 3), (1, 4), (2, 5), (3, 3)]
    easy = tables | {"SAMPLES": {2: {"difficulty": [0, 8]}}}

    def no_more_than_three(problem):
        assert problem.N <= 3

    with pytest.raises(AssertionError) as failure:
        check_samples(SimpleNamespace(**easy), no_more_than_three)
    assert "Sorting(N=12" in failure.value.__notes__[0]


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ([("2 9", True), ([9, 2], True)], "9 2"),
        ([((2, 9), False)], "2 9"),
        ([("9 2", False)], "the reference is none"),
    ],
)
def test_answers_that_are_judged_otherwise_show(answers, complaint):
    check_answers(SORTING, [([2, 9], True), ([9, 2], False)])
    with pytest.raises(AssertionError, match=complaint):
        check_answers(SORTING, answers)
    assert written([["a", "b"], ["c"]]) == "a b\nc"


def test_a_level_is_written_out():
    assert settings({"N": 3}) == [{"N": 3}]
    assert settings([{"N": 3}, {"N": 4}]) == [{"N": 3}, {"N": 4}]
    assert settings({"N": 3, "M": range(2), "K": [5]}) == [
        {"N": 3, "M": 0, "K": 5},
        {"N": 3, "M": 1, "K": 5},
    ]
