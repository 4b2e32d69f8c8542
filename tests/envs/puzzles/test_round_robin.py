from itertools import combinations, product

from rlve.envs.puzzles.round_robin import RoundRobin

PROBLEM = RoundRobin(N=3, W=[3, 3, 3], reference_answer="020\n002\n200")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: [
        "020\n002\n200",
        " 002\n\n200\n020 ",  # another solution
    ],
    (1 / 3) ** 5: ["022\n002\n000"],
    0.0: ["011\n101\n110"],
    -0.5: [
        "120\n002\n200",  # the diagonal
        "021\n002\n200",  # a game with three points in the table
        "000\n000\n000",
    ],
    -1.0: [
        "020\n002",
        "020\n002\n200\n000",
        "020\n002\n20",
        "020\n003\n200",
        "0 2 0\n0 0 2\n2 0 0",
        "",
    ],
}
SAMPLES = {100: {"N": [4, *[3] * 9]}}


def test_exactly_the_results_with_these_scores_are_right(problem):
    N = problem.N
    games = list(combinations(range(N), 2))
    for results in product(("win", "draw", "loss"), repeat=len(games)):
        table = [["0"] * N for _ in range(N)]
        scores = [0] * N
        for (i, j), result in zip(games, results, strict=True):
            table[i][j], table[j][i] = {"win": "20", "draw": "11", "loss": "02"}[result]
            scores[i] += {"win": 3, "draw": 1, "loss": 0}[result]
            scores[j] += {"win": 0, "draw": 1, "loss": 3}[result]
        yield "\n".join(map("".join, table)), scores == problem.W
