from itertools import combinations

import pytest

from rlve.envs.strings.binary_alternation import BinaryAlternation

PROBLEM = BinaryAlternation(zero_count=2, string="0110", gold_answer=1, reference_answer="0 1")
DONE = BinaryAlternation(zero_count=2, string="01010", gold_answer=0, reference_answer="")


@pytest.mark.parametrize(("d", "zero_count"), [(0, 2), (1, 3), (8, 10), (9, 12)])
def test_schedule(d, zero_count):
    assert BinaryAlternation.level(d) == [{"zero_count": zero_count}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "0 1", 1.0),
        (PROBLEM, "\n 3 2 \n\n", 1.0),
        (PROBLEM, "0 3\n0 1", (1 / 2) ** 5),
        (PROBLEM, "1 1\n0 1\n2 2", (1 / 3) ** 5),
        (PROBLEM, "", -0.5),  # not yet alternating
        (PROBLEM, "0 2", -0.5),
        (PROBLEM, "0 4", -0.5),  # no such position
        (PROBLEM, "-4 1", -0.5),
        (PROBLEM, "0 1 2", -1.0),
        (PROBLEM, "0\n1", -1.0),
        (PROBLEM, "0, 1", -1.0),
        (DONE, "", 1.0),
        (DONE, "1 1", 0.0),
        (DONE, "0 1", -0.5),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_distance_in_the_graph_of_swaps():
    for seed in range(100):
        problem = BinaryAlternation.generate(difficulty=seed % 3, seed=seed)
        assert problem.string.count("0") == problem.zero_count
        assert problem.gold_answer == distance(problem.string) > 0
        assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct


def distance(string):
    level, seen, steps = {string}, {string}, 0
    while not any("00" not in text and "11" not in text for text in level):
        level = {swapped for text in level for swapped in neighbours(text)} - seen
        seen |= level
        steps += 1
    return steps


def neighbours(text):
    for i, j in combinations(range(len(text)), 2):
        yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
