from fractions import Fraction

from rlve.envs.trees.mitter_transportation import MitterTransportation

# 0 has the children 1 and 2, and 1 has the child 3.
PROBLEM = MitterTransportation(N=4, parents=[None, 0, 0, 1], A=[6, 3, 2, 2], reference_answer=2)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["2"], 0.0: ["1", "4", "-1"], -1.0: ["2.0", "2 2", ""]}
SAMPLES = {150: {"difficulty": range(6)}}


def test_gold_follows_from_all_vertices_that_may_stay(problem):
    assert problem.reference_answer == min(changes(problem, v) for v in range(problem.N))


def changes(problem, anchor):
    """How many values change if that of the anchor does not."""
    below = [[c for c, p in enumerate(problem.parents) if p == v] for v in range(problem.N)]
    value = Fraction(problem.A[anchor])
    while problem.parents[anchor] is not None:
        anchor = problem.parents[anchor]
        value *= len(below[anchor])
    values = {0: value}
    for v in range(problem.N):
        values |= {child: values[v] / len(below[v]) for child in below[v]}
    return sum(values[v] != problem.A[v] for v in range(problem.N))
