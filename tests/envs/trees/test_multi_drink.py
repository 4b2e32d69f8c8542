from itertools import permutations
from random import Random

from rlve.envs.trees.multi_drink import MultiDrink

# The path 2 - 0 - 3 - 1 - 4.
PROBLEM = MultiDrink(N=5, edges=[(0, 2), (1, 3), (0, 3), (1, 4)], reference_answer="2 0 3 1 4")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2 0 3 1 4", "4 1 3 0 2", "2 3 4 1 0", "0 2 3 1 4"],
    (3 / 4) ** 5: ["0 2 1 3 4"],
    (2 / 4) ** 5: ["2 4 0 3 1"],
    -0.5: ["2 0 3 1", "2 0 3 1 4 4", "2 0 3 1 1", "1 2 3 4 5", ""],
    -1.0: ["2, 0, 3, 1, 4"],
}


def test_planted_order_is_right():
    for seed in range(150):
        problem = MultiDrink.generate(difficulty=seed % 8, seed=seed)
        assert len(problem.edges) == problem.N - 1
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_score_counts_the_pairs_that_are_near():
    for seed in range(100):
        problem = MultiDrink.generate(difficulty=seed % 4, seed=seed)
        n = problem.N
        far = [[0 if u == v else 99 for v in range(n)] for u in range(n)]
        for u, v in problem.edges:
            far[u][v] = far[v][u] = 1
        for m in range(n):
            for u, v in permutations(range(n), 2):
                far[u][v] = min(far[u][v], far[u][m] + far[m][v])
        order = Random(seed).sample(range(n), n)
        near = sum(far[order[i]][order[i + 1]] <= 2 for i in range(n - 1))
        assert problem.score(order) == (near / (n - 1)) ** 5
