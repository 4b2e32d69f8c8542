from itertools import product

from rlve.envs.puzzles.star_battle import StarBattle

PROBLEM = StarBattle(
    MAX_N_M=4,
    sparsity=0.1,
    N=3,
    M=5,
    grid=[list("....."), list("...X."), list(".....")],
    reference_answer="*....\n..*X.\n....*",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9]}
    for d, n in ((0, 4), (1, 5), (3, 7), (20, 24))
}
REWARDS = {
    1.0: [
        "*....\n..*X.\n....*",
        " ...*.\n\n*..X.\n..*..",  # another solution
    ],
    0.0: [
        "*....\n..*X.\n*....",  # twice in a column
        "*....\n.*.X.\n....*",  # touching
        "*....\n*..X.\n....*",
        "*..*.\n.*.X.\n....*",  # two in a row
        "*....\n...X.\n....*",  # none in a row
        ".....\n...X.\n.....",
    ],
    -0.5: [
        "*....\n...*.\n....*",  # on a blocked cell
        "*....\n..*..\n....*",  # no longer blocked
        "*...X\n..*X.\n....*",  # blocked
    ],
    -1.0: [
        "*....\n..*X.",
        "*....\n..*X.\n....*\n.....",
        "*....\n..*X.\n....",
        "*....\n..*X.\n....x",
        "* . . . .\n. . * X .\n. . . . *",
        "",
    ],
}
SAMPLES = {100: {"MAX_N_M": [4, 5], "sparsity": [0.3, 0.5, 0.7]}}


def test_exactly_the_valid_placements_are_right(problem):
    N, M = problem.N, problem.M
    for columns in product(range(M), repeat=N):
        if any(problem.grid[i][j] == "X" for i, j in enumerate(columns)):
            continue
        rows = [list(row) for row in problem.grid]
        for row, j in zip(rows, columns, strict=True):
            row[j] = "*"
        apart = all(
            abs(i - x) > 1 or abs(j - y) > 1
            for i, j in enumerate(columns)
            for x, y in enumerate(columns)
            if i != x
        )
        yield "\n".join(map("".join, rows)), apart and len(set(columns)) == N
