from itertools import product

from rlve.envs.trees.tree_center import TreeCenter

# The path 1 - 0 - 2.
PROBLEM = TreeCenter(
    N=3, C=[1, 2, 4], edges=[(0, 2, 3), (0, 1, 1)], reference_answer=2, gold_answer=11
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2"],
    (11 / 14) ** 8: ["0"],
    (11 / 17) ** 8: ["1"],
    -1.0: ["3", "-1", "2 2", "two", ""],
}


def test_gold_is_the_best_of_all_vertices():
    for seed in range(120):
        problem = TreeCenter.generate(difficulty=seed % 5, seed=seed)
        n = problem.N
        far = [[0 if u == v else 10**6 for v in range(n)] for u in range(n)]
        for u, v, w in problem.edges:
            far[u][v] = far[v][u] = w
        for m, u, v in product(range(n), repeat=3):
            far[u][v] = min(far[u][v], far[u][m] + far[m][v])
        sums = [sum(map(int.__mul__, problem.C, far[r])) for r in range(n)]
        assert problem.gold_answer == min(sums)
        assert sums[problem.reference_answer] == min(sums)
        assert [problem.score(r) == 1 for r in range(n)] == [s == min(sums) for s in sums]
