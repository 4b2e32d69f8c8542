from itertools import product
from random import Random

import pytest

from rlve.envs.permutations.double_stack_sorting import DoubleStackSorting

PROBLEM = DoubleStackSorting(N=4, reference_answer="aacdbabb", output_sequence=[2, 1, 3, 0])


def test_schedule():
    assert [DoubleStackSorting.level(d)[0]["N"] for d in (0, 1, 2, 3, 20)] == [4, 5, 6, 7, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("aaabbabb", 1.0),
        ("aaabbabbb", -0.5),
        ("aacdbabb", 1.0),
        ("cacdbcdd", 1.0),
        ("aaabbbab", (2 / 4) ** 10),
        ("abababab", (1 / 4) ** 10),
        ("abaaabbb", 0.0),
        ("aaabbab", -0.5),
        ("b", -0.5),
        ("aaaaa", -0.5),
        ("aaaaax", -0.5),
        ("bx", -0.5),
        ("", -0.5),
        ("axb", -1.0),
        ("aaab babb", -1.0),
        ("AAABBABB", -1.0),
        ("aaabbabb.", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_planted_operations_are_correct():
    for seed in range(210):
        problem = DoubleStackSorting.generate(difficulty=seed % 21, seed=seed)
        assert sorted(problem.output_sequence) == list(range(problem.N))
        assert len(problem.reference_answer) == 2 * problem.N
        assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct


def test_verdicts_agree_with_all_strings():
    outputs = {"".join(string): by_moving(string) for string in product("abcd", repeat=6)}
    for seed in range(100):
        problem = DoubleStackSorting.sample(Random(seed), N=3)
        for string in Random(seed).sample(list(outputs), 50):
            verdict = problem.verify(f"<answer>{string}</answer>")
            assert verdict.correct == (outputs[string] == problem.output_sequence)
            assert (verdict.reward == -0.5) == (outputs[string] is None)
        assert outputs[problem.reference_answer] == problem.output_sequence


def by_moving(string):
    queue, first, second, output = [2, 1, 0], [], [], []
    routes = {
        "a": (queue, first),
        "b": (first, output),
        "c": (queue, second),
        "d": (second, output),
    }
    for letter in string:
        source, target = routes[letter]
        if not source:
            return None
        target.append(source.pop())
    return output if len(output) == 3 else None
