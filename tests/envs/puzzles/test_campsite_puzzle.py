from rlve.envs.puzzles.campsite_puzzle import CampsitePuzzle
from support.grids import fillings

PROBLEM = CampsitePuzzle(
    MAX_N_M=3,
    sparsity=0.9,
    N=3,
    M=3,
    matrix=["***", "***", "**0"],
    row_counts=[1, 1, 1],
    col_counts=[1, 1, 1],
    reference_answer="010\n001\n100",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 3), (1, 4), (3, 6), (20, 23))
}
REWARDS = {
    1.0: [
        "010\n001\n100",
        "001\n100\n010",  # another solution
        "001\n010\n100",  # ones may touch diagonally
        " 001\n\n010\n100 ",
    ],
    (4 / 6) ** 10: ["001\n010\n000"],
    0.0: ["000\n000\n000"],
    -0.5: [
        "010\n100\n001",  # a given is changed
        "110\n000\n010",  # touching in a row
        "010\n010\n100",  # touching in a column
    ],
    -1.0: [
        "010\n001",
        "010\n001\n100\n100",
        "010\n001\n10",
        "010\n001\n1*0",
        "0 1 0\n0 0 1\n1 0 0",
        "",
    ],
}
SAMPLES = {100: {"MAX_N_M": range(2, 5), "sparsity": [0.3, 0.4, 0.5, 0.6]}}


def test_exactly_the_valid_fillings_are_right(problem):
    for text in fillings("\n".join(problem.matrix), "*", "01"):
        yield text, is_solution(problem, text)


def is_solution(problem, text):
    rows = text.split("\n")
    ones = {(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "1"}
    return (
        not any((i + 1, j) in ones or (i, j + 1) in ones for i, j in ones)
        and [sum(i == x for x, _ in ones) for i in range(problem.N)] == problem.row_counts
        and [sum(j == y for _, y in ones) for j in range(problem.M)] == problem.col_counts
    )
