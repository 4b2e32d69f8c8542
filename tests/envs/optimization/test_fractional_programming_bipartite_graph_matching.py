from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from rlve.envs.optimization.fractional_programming_bipartite_graph_matching import (
    FractionalProgramming_BipartiteGraphMatching,
)

PROBLEM = FractionalProgramming_BipartiteGraphMatching(
    N=2,
    B=[[1, 2], [2, 1]],
    A=[[2, 1], [1, 1]],
    reference_answer="0 1",
    gold_SumA=3,
    gold_SumB=2,
)


def test_schedule():
    sizes = [FractionalProgramming_BipartiteGraphMatching.level(d)[0]["N"] for d in (0, 1, 8, 20)]
    assert sizes == [3, 4, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1", 1.0),
        ("1 0", (2 / 4 * 2 / 3) ** 5),
        ("0", -0.5),
        ("0 1 1", -0.5),
        ("0 0", -0.5),
        ("1 2", -0.5),
        ("", -0.5),
        ("0 one", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_highest_of_all_ratios():
    for seed in range(100):
        problem = FractionalProgramming_BipartiteGraphMatching.sample(Random(seed), N=3 + seed % 3)
        highest = max(
            Fraction(
                sum(row[j] for row, j in zip(problem.A, P, strict=True)),
                sum(row[j] for row, j in zip(problem.B, P, strict=True)),
            )
            for P in permutations(range(problem.N))
        )
        assert Fraction(problem.gold_SumA, problem.gold_SumB) == highest
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
