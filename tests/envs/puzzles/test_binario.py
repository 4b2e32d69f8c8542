from itertools import groupby

from rlve.envs.puzzles.binario import Binario
from support.grids import fillings

PROBLEM = Binario(
    MAX_N_M=4,
    sparsity=0.9,
    N=3,
    M=4,
    matrix=["1***", "****", "****"],
    row_counts=[2, 2, 2],
    col_counts=[2, 1, 1, 2],
    reference_answer="1001\n0101\n1010",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 2), (1, 3), (3, 5), (20, 22))
}
REWARDS = {
    1.0: [
        "1001\n0101\n1010",
        "1001\n1010\n0101",  # another solution
        " 1001 \n\n1010\n0101\n",  # white space around lines does not count
        "1010\n0101\n1001",
    ],
    (5 / 7) ** 10: ["1001\n0110\n1010"],
    -0.5: [
        "0101\n1001\n1010",  # a given is changed
        "1000\n0101\n1010",  # three equal cells of a row
        "1001\n1010\n1010",  # three equal cells of a column
    ],
    -1.0: [
        "1001\n0101",
        "1001\n0101\n1010\n1010",
        "1001\n0101\n101",
        "1001\n0101\n10101",
        "1001\n0101\n101*",
        "1 0 0 1\n0 1 0 1\n1 0 1 0",
        "",
    ],
}
SAMPLES = {100: {"MAX_N_M": range(2, 5), "sparsity": [0.3, 0.4, 0.5, 0.6]}}


def test_exactly_the_valid_fillings_are_right(problem):
    for text in fillings("\n".join(problem.matrix), "*", "01"):
        yield text, is_solution(problem, text)


def is_solution(problem, text):
    rows = text.split("\n")
    columns = ["".join(row[j] for row in rows) for j in range(problem.M)]
    runs = (len(list(run)) for line in rows + columns for _, run in groupby(line))
    ones = [sum(map(int, line)) for line in rows + columns]
    return max(runs) <= 2 and ones == problem.row_counts + problem.col_counts
