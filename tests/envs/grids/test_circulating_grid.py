from rlve.envs.grids.circulating_grid import CirculatingGrid

PROBLEM = CirculatingGrid(
    MAX_R_C=3, R=2, C=3, grid=[["R", "R", "L"], ["D", "L", "L"]], gold_answer=1
)
UNCHANGED = CirculatingGrid(MAX_R_C=3, R=2, C=2, grid=[["R", "L"], ["L", "R"]], gold_answer=0)
SCHEDULE = {0: {"MAX_R_C": 3}, 1: {"MAX_R_C": 4}, 7: {"MAX_R_C": 10}, 20: {"MAX_R_C": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["RRD\nDLL", "\nRRD\n\n DLL \n"],
            (1 / 2) ** 5: ["RRR\nLLL"],
            (1 / 4) ** 5: ["RRR\nRRR"],
            -0.5: ["RRL\nDLL", "RRL\nLLL"],
            -1.0: ["RRR", "RRRR\nLLL", "RRX\nLLL", "rrr\nlll", "R R R\nL L L", ""],
        },
    ),
    (UNCHANGED, {1.0: ["RL\nLR"], 0.0: ["RL\nRL"]}),
]
SAMPLES = {150: {"MAX_R_C": [2, 3]}}


def test_gold_is_the_minimum_over_all_grids(problem):
    """Try all letters, cell by cell, that lead to a cell to which no other one leads yet."""
    grid = problem.grid
    R, C = len(grid), len(grid[0])

    def search(k, entered):
        if k == R * C:
            return 0
        i, j = divmod(k, C)
        best = R * C + 1
        for letter, x, y in (("L", i, j - 1), ("R", i, j + 1), ("U", i - 1, j), ("D", i + 1, j)):
            target = x % R, y % C
            if target not in entered:
                best = min(best, (letter != grid[i][j]) + search(k + 1, entered | {target}))
        return best

    assert problem.gold_answer == search(0, frozenset())
