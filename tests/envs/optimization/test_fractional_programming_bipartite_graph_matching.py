from fractions import Fraction
from itertools import permutations

from rlve.envs.optimization.fractional_programming_bipartite_graph_matching import (
    FractionalProgramming_BipartiteGraphMatching,
)

PROBLEM = FractionalProgramming_BipartiteGraphMatching(
    N=2, B=[[1, 2], [2, 1]], A=[[2, 1], [1, 1]], reference_answer="0 1", gold_SumA=3, gold_SumB=2
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 1"],
    (2 / 4 * 2 / 3) ** 5: ["1 0"],
    -0.5: ["0", "0 1 1", "0 0", "1 2", ""],
    -1.0: ["0 one"],
}
SAMPLES = {100: {"N": range(3, 6)}}


def test_gold_is_the_highest_of_all_ratios(problem):
    highest = max(
        Fraction(
            sum(row[j] for row, j in zip(problem.A, P, strict=True)),
            sum(row[j] for row, j in zip(problem.B, P, strict=True)),
        )
        for P in permutations(range(problem.N))
    )
    assert Fraction(problem.gold_SumA, problem.gold_SumB) == highest
