from itertools import product
from random import Random

import pytest

from rlve.envs.permutations.single_stack_sorting import SingleStackSorting

PROBLEM = SingleStackSorting(N=4, output_sequence=[2, 1, 3, 0], reference_answer="aaabbabb")


def test_schedule():
    assert [SingleStackSorting.level(d)[0]["N"] for d in (0, 1, 2, 3, 20)] == [3, 4, 5, 6, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("aaabbabb", 1.0),
        ("aaabbbab", (2 / 4) ** 10),
        ("abababab", (1 / 4) ** 10),
        ("abaaabbb", 0.0),
        ("aaabbab", -0.5),
        ("aaabbabbb", -0.5),
        ("b", -0.5),
        ("aaaaa", -0.5),
        ("aaaaax", -0.5),
        ("bx", -0.5),
        ("", -0.5),
        ("axb", -1.0),
        ("aaab babb", -1.0),
        ("aaab\nbabb", -1.0),
        ("AAABBABB", -1.0),
        ("c", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_the_planted_operations_are_the_only_ones():
    outputs = {}
    for n in range(3, 6):
        for string in map("".join, product("ab", repeat=2 * n)):
            output = by_moving(string, n)
            if output is not None:
                outputs.setdefault((n, tuple(output)), []).append(string)
    for seed in range(150):
        problem = SingleStackSorting.sample(Random(seed), N=3 + seed % 3)
        only = outputs[problem.N, tuple(problem.output_sequence)]
        assert only == [problem.reference_answer]
        assert problem.verify(f"<answer>{only[0]}</answer>").correct


def by_moving(string, n):
    queue, stack, output = list(range(n))[::-1], [], []
    routes = {"a": (queue, stack), "b": (stack, output)}
    for letter in string:
        source, target = routes[letter]
        if not source:
            return None
        target.append(source.pop())
    return output if len(output) == n else None
