import msgspec

from rlve.envs.trees.gas_fire_extinguishers import GasFireExtinguishers
from support.graphs import distances

# The path 3 - 0 - 1 - 2.
PROBLEM = GasFireExtinguishers(
    N=4,
    edges=[(0, 3), (0, 1), (1, 2)],
    K=1,
    S=3,
    valid_P=[[0, 1, 3], [0, 1, 2], [1, 2], [0, 3]],
    gold_answer=2,
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
EARNED = {
    1.0: ["0 0 1 0", "0 1 1 0"],
    (2 / 3) ** 3: ["0 1 2 0"],
    (2 / 4) ** 3: ["0 1 2 3"],
    -0.5: [
        "0 0 0 0",  # 2 is too far from 0
        "0 0 1",
        "0 0 1 0 0",
        "0 0 4 0",
        "0 0 -1 0",
        "",
    ],
    -1.0: ["0 0 1 x"],
}
REWARDS = [(PROBLEM, EARNED), (msgspec.structs.replace(PROBLEM, valid_P=[]), EARNED)]


def test_gold_is_the_best_of_all_assignments():
    for seed in range(150):
        problem = GasFireExtinguishers.generate(difficulty=seed % 5, seed=seed)
        vertices = range(problem.N)
        far = distances(vertices, problem.edges)
        near = [[v for v in vertices if far[u, v] <= problem.K] for u in vertices]
        assert problem.valid_P == near
        counts = {(0,) * problem.N}
        for allowed in near:
            counts = {
                (*count[:v], count[v] + 1, *count[v + 1 :]) for count in counts for v in allowed
            }
        gold = min(sum((c + problem.S - 1) // problem.S for c in count) for count in counts)
        assert problem.gold_answer == gold
