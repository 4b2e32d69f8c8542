from itertools import combinations

from rlve.envs.puzzles.queen_placement import QueenPlacement

PROBLEM = QueenPlacement(
    N=4,
    grid=[list("...."), list("...Q"), list("Q..."), list("....")],
    K=2,
    reference_answer=".Q..\n...Q\nQ...\n..Q.",
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: [".Q..\n...Q\nQ...\n..Q.", " .Q..\n\n...Q\nQ...\n..Q. "],
    0.0: [
        ".Q..\n...Q\nQ...\n....",  # one queen too few
        "....\n...Q\nQ...\n....",
        "Q...\n...Q\nQ...\n....",  # a column
        ".Q..\n...Q\nQ.Q.\n....",  # a row, and a diagonal
        ".Q..\n...Q\nQ...\n.Q..",  # a diagonal
        "Q..Q\n....\n....\n....",  # what comes first decides
    ],
    -0.5: [
        ".Q..\n....\nQ...\n..Q.",  # a given queen is missing
        "Q...\n....\nQ...\n....",
    ],
    -1.0: [
        ".Q..\n...Q\nQ...",
        ".Q..\n...Q\nQ...\n..Q.\n....",
        ".Q..\n...Q\nQ...\n..Q",
        ".Q..\n...Q\nQ...\n..q.",
        ". Q . .\n. . . Q\nQ . . .\n. . Q .",
        "",
    ],
}
SAMPLES = {100: {"N": [4, 5]}}


def test_exactly_the_peaceful_placements_are_right(problem):
    cells = [(i, j) for i in range(problem.N) for j in range(problem.N)]
    given = [(i, j) for i, j in cells if problem.grid[i][j] == "Q"]
    for added in combinations([cell for cell in cells if cell not in given], problem.K):
        queens = [*given, *added]
        text = "\n".join(
            "".join("Q" if (i, j) in queens else "." for j in range(problem.N))
            for i in range(problem.N)
        )
        yield text, not any(attacks(a, b) for a, b in combinations(queens, 2))


def attacks(a, b):
    down, right = b[0] - a[0], b[1] - a[1]
    return down == 0 or right == 0 or abs(down) == abs(right)
