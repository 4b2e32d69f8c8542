from itertools import permutations

from rlve.envs.combinatorics.tree_topological_sequence_counting import (
    TreeTopologicalSequenceCounting,
)

PROBLEM = TreeTopologicalSequenceCounting(
    N=3, MOD=1000, edges=[(0, "<", 1), (1, ">", 2)], reference_answer=2
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["2"], 0.0: ["1", "0", "999"], -0.5: ["1000", "-2"], -1.0: ["two", ""]}
SAMPLES = {150: {"N": range(3, 7)}}


def test_gold_counts_the_permutations(problem):
    assert len(problem.edges) == problem.N - 1
    assert all(u < v for u, _, v in problem.edges)
    joined = {0}
    for _ in problem.edges:
        joined |= {x for u, _, v in problem.edges if {u, v} & joined for x in (u, v)}
    assert joined == set(range(problem.N))
    count = sum(
        all((order[u] < order[v]) == (sign == "<") for u, sign, v in problem.edges)
        for order in permutations(range(problem.N))
    )
    assert count > 0
    assert problem.reference_answer == count % problem.MOD
