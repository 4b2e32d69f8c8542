from random import Random

from rlve.envs.graphs.power_shortcut import PowerShortcut

# A path 0 2 3 1 4 5, of five edges.
PROBLEM = PowerShortcut.from_parameters(
    {
        "N": 6,
        "edge_density": 0.01,
        "K": 1,
        "edges": [[0, 2], [2, 3], [3, 1], [1, 4], [4, 5]],
        "achievable": [],  # not trusted
        "gold_answer": 4,
        "reference_answer": "0 3 4 5",
    }
)
SCHEDULE = {
    d: {"N": n, "edge_density": [0.01, 0.02, 0.03], "K": [1, 2, 3]}
    for d, n in ((0, 4), (1, 5), (8, 14), (20, 56))
}
REWARDS = {
    1.0: ["0 3 4 5", "0 2 1 5"],
    (4 / 5) ** 5: ["0 2 3 1 5"],
    (4 / 6) ** 5: ["0 2 3 1 4 5"],
    -0.5: [
        "0 4 5",  # four edges from 0 to 4
        "0 1 5",  # three
        "2 1 5",
        "0 3 4",
        "0",
        "0 6 5",
        "0 -3 5",
        "0 3 3 4 5",
    ],
    -1.0: ["", "[0, 3, 4, 5]"],
}


def test_gold_is_the_length_of_a_breadth_first_search():
    for seed in range(150):
        rng = Random(seed)
        density = rng.choice([0.03, 0.2, 0.4])
        problem = PowerShortcut.sample(rng, rng.randint(4, 9), density, rng.randint(1, 3))
        ends = [walk_ends(problem, s) for s in range(problem.N)]
        expected = [[t in ends[s] for t in range(problem.N)] for s in range(problem.N)]
        assert problem.achievable == expected
        layers = [{0}]
        while problem.N - 1 not in layers[-1]:
            layers.append(layers[-1].union(*(ends[s] for s in layers[-1])))
        assert problem.gold_answer == len(layers)


def walk_ends(problem, s):
    """Where the walks from s end after 1, 2, 4, ..., 2^K edges, edge by edge."""
    found, ends = set(), {s}
    for length in range(1, 2**problem.K + 1):
        ends = {t for a, t in problem.edges if a in ends}
        if length in (1, 2, 4, 8):
            found |= ends
    return found
