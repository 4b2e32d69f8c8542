from itertools import pairwise
from random import Random

from rlve.envs.graphs.tournament_longest_path import Tournament_LongestPath, longest_tournament_path

# 0 -> 1 -> 2 -> 0, and 3 loses to all of them.
PROBLEM = Tournament_LongestPath(
    N=4,
    TO=[
        [False, True, False, True],
        [False, False, True, True],
        [True, False, False, True],
        [False, False, False, False],
    ],
    S=1,
    gold_answer=4,
    reference_answer="1 2 0 3",
)
SCHEDULE = {0: {"N": 3}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["1 2 0 3"],
    (3 / 4) ** 5: ["1 2 3"],
    (1 / 4) ** 5: ["1"],
    -0.5: [
        "0 1 2 3",  # another start
        "1 0 3",  # against an edge
        "1 2 0 1 3",  # a vertex twice
        "1 2 0 4",
        "1 2 -4 3",
    ],
    -1.0: ["", "1 -> 2"],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_is_the_longest_of_all_paths(problem):
    assert problem.gold_answer == longest(problem.TO, [problem.S])


def longest(to, path):
    further = [v for v in range(len(to)) if to[path[-1]][v] and v not in path]
    return max((longest(to, [*path, v]) for v in further), default=len(path))


def test_paths_in_large_tournaments_are_simple_and_reach_all_that_can_be_reached():
    for seed in range(50):
        rng = Random(seed)
        n, upwards = rng.randint(10, 30), rng.choice([0.1, 0.5, 0.9])
        to = [[False] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                to[i][j] = rng.random() < upwards
                to[j][i] = not to[i][j]
        start = rng.randrange(n)
        path = longest_tournament_path(to, start)
        reached = {start}
        for _ in range(n):
            reached |= {t for s in reached for t in range(n) if to[s][t]}
        assert path[0] == start
        assert len(path) == len(set(path)) == len(reached)
        assert all(to[s][t] for s, t in pairwise(path))
