from rlve.envs.trees.tree_dynamic_xor_zero_path import TreeDynamic_XORZeroPath

# The path 0 - 1 - 2 - 3: 0 - 2 and 2 - 3 have XOR 0, and so has 0 - 3.
PROBLEM = TreeDynamic_XORZeroPath(
    N=4,
    edges=[(0, 1, 3), (2, 3, 0), (1, 2, 3)],
    removes=[0, 2, 1],
    gold_answer=[3, 1, 1, 0],
    reference_answer="3 1 1 0",
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["3 1 1 0"],
    (3 / 4) ** 5: ["3 1 0 0"],
    (1 / 4) ** 5: ["0 0 0 0"],
    0.0: ["9 9 9 9"],
    -0.5: ["3 1 1", "3 1 1 0 0", ""],
    -1.0: ["3, 1, 1, 0"],
}
SAMPLES = {120: {"difficulty": range(6)}}


def test_gold_follows_from_walks_after_each_deletion(problem):
    assert sorted(problem.removes) == list(range(problem.N - 1))
    for t, gold in enumerate(problem.gold_answer):
        kept = [problem.edges[i] for i in problem.removes[t:]]
        assert gold == sum(zeros(kept, start) for start in range(problem.N)) // 2


def zeros(edges, start):
    """The vertices, other than the start, to which the path has XOR 0."""
    xors, stack = {start: 0}, [start]
    while stack:
        at = stack.pop()
        for u, v, w in edges:
            for a, b in ((u, v), (v, u)):
                if a == at and b not in xors:
                    xors[b] = xors[a] ^ w
                    stack.append(b)
    return list(xors.values()).count(0) - 1
