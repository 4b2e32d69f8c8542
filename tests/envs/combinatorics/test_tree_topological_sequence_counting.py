from itertools import permutations
from random import Random

from rlve.envs.combinatorics.tree_topological_sequence_counting import (
    TreeTopologicalSequenceCounting,
)

PROBLEM = TreeTopologicalSequenceCounting(
    N=3, MOD=1000, edges=[(0, "<", 1), (1, ">", 2)], reference_answer=2
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["2"], 0.0: ["1", "0", "999"], -0.5: ["1000", "-2"], -1.0: ["two", ""]}


def test_gold_counts_the_permutations():
    for seed in range(150):
        p = TreeTopologicalSequenceCounting.sample(Random(seed), N=3 + seed % 4)
        assert len(p.edges) == p.N - 1
        assert all(u < v for u, _, v in p.edges)
        joined = {0}
        for _ in p.edges:
            joined |= {x for u, _, v in p.edges if {u, v} & joined for x in (u, v)}
        assert joined == set(range(p.N))
        count = sum(
            all((order[u] < order[v]) == (sign == "<") for u, sign, v in p.edges)
            for order in permutations(range(p.N))
        )
        assert count > 0
        assert p.reference_answer == count % p.MOD
