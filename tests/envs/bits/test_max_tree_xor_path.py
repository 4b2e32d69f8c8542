from random import Random

from rlve.envs.bits.max_tree_xor_path import MaxTreeXorPath

PROBLEM = MaxTreeXorPath(
    N=4,
    edges=[(1, 2, 6), (0, 1, 1), (1, 3, 5)],
    Xor=[0, 1, 7, 4],
    gold_answer=7,
    reference_answer="0 2",
)
BARE = MaxTreeXorPath(N=4, edges=PROBLEM.edges, gold_answer=7, reference_answer="0 2")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 8: {"N": 14}, 20: {"N": 56}}
TABLE = {
    1.0: ["0 2", "2 0"],
    (6 / 7) ** 5: ["1 2"],
    (3 / 7) ** 5: ["2 3"],
    0.0: ["3 3"],
    -1.0: ["0 4", "-1 2", "0", "0 1 2", "0, 2", ""],
}
REWARDS = [(PROBLEM, TABLE), (BARE, TABLE)]  # a record need not have the XORs


def test_gold_is_the_largest_of_all_paths():
    for seed in range(120):
        N = 2 + seed % 12
        problem = MaxTreeXorPath.sample(Random(seed), N=N)
        paths = {(u, v): x for u in range(N) for v, x in walk(problem.edges, u, None)}
        assert len(paths) == N * N  # a tree
        assert problem.gold_answer == max(paths.values())
        assert problem.Xor == [paths[0, v] for v in range(N)]
        assert all(u < v for u, v, _ in problem.edges)
        assert all(1 <= w <= 30 for _, _, w in problem.edges)


def walk(edges, start, before):
    """Each vertex that is reached without going back, and the XOR of the way to it."""
    yield start, 0
    for u, v, w in edges:
        if start in (u, v) and u + v - start != before:
            for end, x in walk(edges, u + v - start, start):
                yield end, x ^ w
