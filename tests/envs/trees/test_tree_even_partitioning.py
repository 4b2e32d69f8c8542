from itertools import combinations

import pytest

from rlve.envs.trees.tree_even_partitioning import TreeEvenPartitioning

# The path 5 - 1 - 4 - 2 - 6 - 3.
PROBLEM = TreeEvenPartitioning(
    MAX_N=3,
    MAX_K=2,
    N=3,
    K=2,
    edges=[(1, 5), (1, 4), (2, 4), (2, 6), (3, 6)],
    reference_answer="2 4\n1 5\n6 3",
)


@pytest.mark.parametrize(
    ("d", "MAX_N", "MAX_K"), [(0, 3, 2), (1, 3, 3), (2, 4, 3), (3, 4, 4), (4, 5, 4), (20, 13, 12)]
)
def test_schedule(d, MAX_N, MAX_K):
    assert TreeEvenPartitioning.level(d) == [{"MAX_N": MAX_N, "MAX_K": MAX_K}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2 4\n1 5\n6 3", 1.0),
        ("3 6\n\n4 2\n5 1\n", 1.0),
        ("1 4\n2 5\n3 6", (2 / 3) ** 5),
        ("1 2\n4 6\n3 5", 0.0),
        ("2 4\n1 5\n6 6", -0.5),
        ("2 4\n1 5\n6 7", -0.5),
        ("2 4\n1 5\n2 4", -0.5),
        ("2 4\n1 5", -1.0),
        ("2 4\n1 5\n6 3\n1 2", -1.0),
        ("2 4 1\n5\n6 3", -1.0),
        ("2 4 1 5 6 3", -1.0),
        ("2, 4\n1, 5\n6, 3", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_planted_partition_is_the_only_one():
    for seed in range(120):
        problem = TreeEvenPartitioning.generate(difficulty=seed % 4, seed=seed)
        planted = {frozenset(map(int, row.split())) for row in problem.reference().splitlines()}
        assert 2 <= problem.N <= problem.MAX_N
        assert 2 <= problem.K <= problem.MAX_K
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        partitions = [
            parts
            for cut in combinations(problem.edges, problem.N - 1)
            for parts in [components(problem, cut)]
            if {len(part) for part in parts} == {problem.K}
        ]
        assert partitions == [planted]


def components(problem, cut):
    part = {v: {v} for v in range(1, problem.N * problem.K + 1)}
    for u, v in problem.edges:
        if (u, v) not in cut:
            whole = part[u] | part[v]
            part |= dict.fromkeys(whole, whole)
    return {frozenset(p) for p in part.values()}
