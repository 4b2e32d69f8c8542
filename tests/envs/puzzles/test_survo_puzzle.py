from itertools import permutations

from rlve.envs.puzzles.survo_puzzle import SurvoPuzzle

PROBLEM = SurvoPuzzle(
    MAX_N_M=3,
    sparsity=0.9,
    N=2,
    M=3,
    matrix=[[5, -1, -1], [-1, -1, -1]],
    row_sums=[9, 6],
    col_sums=[5, 5, 5],
    reference_answer="5 1 3\n0 4 2",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 3), (1, 4), (4, 7), (20, 23))
}
REWARDS = {
    1.0: [
        "5 1 3\n0 4 2",
        " 5 3  1\n\n0 2 4 ",  # another solution
    ],
    (3 / 5) ** 5: ["5 1 2\n0 4 3"],  # the columns
    (2 / 5) ** 5: ["5 0 4\n1 2 3"],  # the rows
    (1 / 5) ** 5: ["5 4 3\n2 1 0"],
    -0.5: [
        "1 0 3\n5 4 2",  # a given is changed
        "5 1 3\n0 4 4",
        "5 1 3\n0 4 6",
        "5 1 3\n0 4 -2",
        "5 1 3\n0 4 " + "2" * 900,
    ],
    -1.0: ["5 1 3", "5 1 3\n0 4", "5 1 3\n0 4 2\n6 7 8", "5 1 3 0 4 2", "5 1 3\n0 4 x", ""],
}
SAMPLES = {100: {"MAX_N_M": range(2, 5), "sparsity": 0.3}}


def test_exactly_the_completions_with_these_sums_are_right(problem):
    given = {value for row in problem.matrix for value in row}
    missing = [value for value in range(problem.N * problem.M) if value not in given]
    for values in permutations(missing):
        rest = iter(values)
        rows = [[next(rest) if x == -1 else x for x in row] for row in problem.matrix]
        columns = zip(*rows, strict=True)
        sums = [*map(sum, rows)], [*map(sum, columns)]
        yield rows, sums == (problem.row_sums, problem.col_sums)
