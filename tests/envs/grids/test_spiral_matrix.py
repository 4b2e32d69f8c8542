from random import Random

import pytest

from rlve.envs.grids.spiral_matrix import SpiralMatrix

PROBLEM = SpiralMatrix(
    MAX_M_N=3,
    M=2,
    N=3,
    matrix=[[4, 1, 6], [5, 2, 5]],
    gold_answer=[4, 1, 6, 5, 2, 5],
    reference_answer="4 1 6 5 2 5",
)


def test_schedule():
    sizes = [SpiralMatrix.level(d)[0]["MAX_M_N"] for d in (0, 1, 2, 7, 8, 20)]
    assert sizes == [3, 4, 5, 10, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4 1 6 5 2 5", 1.0),
        ("4 1 6\n5 2 5", 1.0),
        ("4 1 6 5 2 6", (5 / 6) ** 5),
        ("4 6 1 5 2 5", (4 / 6) ** 5),
        ("5 2 5 6 1 4", 0.0),
        ("4 1 6 5 2", -0.5),
        ("4 1 6 5 2 5 5", -0.5),
        ("", -0.5),
        ("4, 1, 6, 5, 2, 5", -1.0),
        ("4 1 6 5 2 x", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_what_a_walker_meets_who_turns_right_when_blocked():
    for seed in range(120):
        problem = SpiralMatrix.sample(Random(seed), MAX_M_N=2 + seed % 9)
        assert problem.gold_answer == walk(problem.matrix)
        assert problem.reference_answer == " ".join(map(str, problem.gold_answer))


def walk(matrix):
    unvisited = {(i, j): x for i, row in enumerate(matrix) for j, x in enumerate(row)}
    i, j, down, right = 0, -1, 0, 1
    met = []
    while unvisited:
        if (i + down, j + right) not in unvisited:
            down, right = right, -down
        i, j = i + down, j + right
        met.append(unvisited.pop((i, j)))
    return met
