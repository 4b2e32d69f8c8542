from itertools import combinations

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
SCHEDULE = {
    0: {"MAX_N": 3, "MAX_K": 2},
    1: {"MAX_N": 3, "MAX_K": 3},
    2: {"MAX_N": 4, "MAX_K": 3},
    3: {"MAX_N": 4, "MAX_K": 4},
    4: {"MAX_N": 5, "MAX_K": 4},
    20: {"MAX_N": 13, "MAX_K": 12},
}
REWARDS = {
    1.0: ["2 4\n1 5\n6 3", "3 6\n\n4 2\n5 1\n"],
    (2 / 3) ** 5: ["1 4\n2 5\n3 6"],
    0.0: ["1 2\n4 6\n3 5"],
    -0.5: ["2 4\n1 5\n6 6", "2 4\n1 5\n6 7", "2 4\n1 5\n2 4"],
    -1.0: [
        "2 4\n1 5",
        "2 4\n1 5\n6 3\n1 2",
        "2 4 1\n5\n6 3",
        "2 4 1 5 6 3",
        "2, 4\n1, 5\n6, 3",
        "",
    ],
}
SAMPLES = {120: {"difficulty": range(4)}}


def test_planted_partition_is_the_only_one(problem):
    planted = {frozenset(map(int, row.split())) for row in problem.reference().splitlines()}
    assert 2 <= problem.N <= problem.MAX_N
    assert 2 <= problem.K <= problem.MAX_K
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
