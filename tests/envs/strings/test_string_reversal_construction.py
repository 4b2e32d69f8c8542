from itertools import product

import pytest

from rlve.envs.strings.string_reversal_construction import StringReversalConstruction

PROBLEM = StringReversalConstruction(n=3, s="abc", t="cab", max_k=9, reference_answer="1")
EQUAL = StringReversalConstruction(n=3, s="aba", t="aba", max_k=9, reference_answer="3")


@pytest.mark.parametrize(("d", "n"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, n):
    assert StringReversalConstruction.level(d) == [{"n": n}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "1", 1.0),
        (PROBLEM, "1 1 1 1", 1.0),
        (PROBLEM, "0 1 0", 1.0),
        (PROBLEM, "1 1 1 1 0 0 0 0 0", 1.0),
        (PROBLEM, "1 1 1 1 0 0 0 0 0 0", -0.5),
        (PROBLEM, "2", 0.0),
        (PROBLEM, "", 0.0),
        (PROBLEM, "4", -0.5),
        (PROBLEM, "-1", -0.5),
        (PROBLEM, "1, 1", -1.0),
        (PROBLEM, "cab", -1.0),
        (EQUAL, "", 1.0),
        (EQUAL, "3", 1.0),
        (EQUAL, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_planted_shifts_are_correct():
    for seed in range(100):
        problem = StringReversalConstruction.generate(difficulty=seed % 21, seed=seed)
        assert problem.max_k == 3 * problem.n
        assert problem.s != problem.t
        assert 1 <= len(problem.reference_answer.split()) <= max(1, problem.n // 2)
        assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct


def test_shifts_are_judged_by_what_they_do():
    for seed in range(100):
        problem = StringReversalConstruction.generate(difficulty=seed % 3, seed=seed)
        for shifts in product(range(problem.n + 1), repeat=2):
            letters = list(problem.s)
            for x in shifts:
                ends = [letters.pop() for _ in range(x)]
                letters = ends + letters
            assert problem.score(list(shifts)) == ("".join(letters) == problem.t)
