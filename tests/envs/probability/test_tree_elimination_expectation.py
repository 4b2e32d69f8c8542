from fractions import Fraction
from functools import cache

from rlve.envs.probability.tree_elimination_expectation import PRIME, TreeElimination_Expectation

# The path 1 - 3 - 2: 1/3 + 1/2 + 1 = 11/6.
PROBLEM = TreeElimination_Expectation(N=3, parents=[(1, 3), (3, 2)], reference_answer=833333341)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["833333341"],
    0.0: [
        "333333338",  # the star
        "0",
        "1000000006",
    ],
    -0.5: ["1000000007", "1833333348", "-1"],
    -1.0: ["11/6", ""],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_expectation_follows_from_all_sets_of_coloured_vertices(problem):
    steps = expected_steps(tuple(problem.parents))
    assert (problem.reference_answer * steps.denominator - steps.numerator) % PRIME == 0


def expected_steps(parents):
    above = {child: parent for parent, child in parents}

    def to_root(v):
        return {v} | (to_root(above[v]) if v in above else set())

    @cache
    def steps(rest):
        if not rest:
            return Fraction(0)
        return 1 + sum(steps(rest - to_root(v)) for v in rest) / len(rest)

    return steps(frozenset({1, *above}))
