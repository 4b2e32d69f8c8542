from itertools import product

from rlve.envs.puzzles.minesweeping import Minesweeping

PROBLEM = Minesweeping(
    MAX_N_M=4,
    density=0.6,
    N=2,
    M=4,
    grid=[[-1, 2, -1, -1], [-1, -1, -1, 1]],
    reference_answer="*.*.\n....",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "density": [0.6, 0.7, 0.8, 0.9, 0.95]}
    for d, n in ((0, 4), (1, 5), (3, 7), (20, 24))
}
REWARDS = {
    1.0: [
        "*.*.\n....",
        "....\n.**.",  # another solution
        " ....\n\n*.*. ",
    ],
    (1 / 2) ** 10: ["*...\n*..."],
    0.0: ["....\n...."],
    -0.5: [
        "***.\n....",  # a mine on a number
        "*.*.\n...*",
    ],
    -1.0: ["*.*.", "*.*.\n....\n....", "*.*.\n...", "*.*.\n...1", "* . * .\n. . . .", ""],
}
SAMPLES = {100: {"MAX_N_M": [2, 3], "density": [0.6, 0.7, 0.8]}}


def test_exactly_the_placements_that_agree_with_the_numbers_are_right(problem):
    for cells in product("*.", repeat=problem.N * problem.M):
        rows = ["".join(cells[i * problem.M :][: problem.M]) for i in range(problem.N)]
        yield "\n".join(rows), agrees(problem.grid, rows)


def agrees(numbers, rows):
    mines = [(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "*"]
    return all(
        number == -1
        or (
            (i, j) not in mines
            and sum(max(abs(i - x), abs(j - y)) == 1 for x, y in mines) == number
        )
        for i, row in enumerate(numbers)
        for j, number in enumerate(row)
    )
