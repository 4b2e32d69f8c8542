from fractions import Fraction
from functools import cache

from rlve.envs.probability.binary_tree_leaf_num_expectation import BinaryTreeLeafNumExpectation

PROBLEM = BinaryTreeLeafNumExpectation(
    MAX_N=5, N=3, gold_answer={"A": 6, "B": 5}, reference_answer="6/5"
)
SCHEDULE = {d: {"MAX_N": n} for d, n in enumerate([5, 7, 10, 15, 22, 33])}
REWARDS = {
    1.0: ["6/5", " 12 / 10 "],
    0.0: ["5/6", "6/6"],
    -1.0: ["-6/-5", "0/5", "6/0", "6", "1.2", "6/5/1", "6 5", "6.0/5", ""],
}


def test_expectation_is_the_mean_over_all_trees():
    seen = set()
    for seed in range(120):
        problem = BinaryTreeLeafNumExpectation.generate(difficulty=seed % 3, seed=seed)
        leaves = leaf_counts(problem.N)
        mean = Fraction(sum(leaves), len(leaves))
        assert problem.gold_answer == {"A": mean.numerator, "B": mean.denominator}
        seen.add(problem.N)
    assert seen == set(range(1, 11))


@cache
def leaf_counts(n):
    """The number of leaves of each binary tree with n nodes."""
    if n <= 1:
        return [n]
    return [a + b for i in range(n) for a in leaf_counts(i) for b in leaf_counts(n - 1 - i)]
