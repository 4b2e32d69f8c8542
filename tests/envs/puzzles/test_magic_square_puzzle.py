from itertools import permutations

from rlve.envs.puzzles.magic_square_puzzle import MagicSquarePuzzle

PROBLEM = MagicSquarePuzzle(
    N=3,
    sparsity=0.8,
    grid=[[0, 0, 0], [0, 5, 0], [0, 0, 8]],
    reference_answer="2 7 6\n9 5 1\n4 3 8",
)
SCHEDULE = {
    d: {"N": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in enumerate(
        [3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 23, 24, 25, 27, 28, 29]
    )
}
REWARDS = {
    1.0: [
        "2 7 6\n9 5 1\n4 3 8",
        "2 9 4\n7 5 3\n6 1 8",  # another solution
        " 2 9 4\n\n7  5 3\n6 1 8 ",
    ],
    (5 / 8) ** 10: ["2 7 6\n9 5 1\n3 4 8"],
    -0.5: [
        "6 7 2\n1 5 9\n8 3 4",  # a given is changed
        "2 7 6\n9 5 1\n4 4 8",
        "2 7 6\n9 5 0\n4 3 8",
        "2 7 6\n9 5 10\n4 3 8",
        "2 7 6\n9 5 -1\n4 3 8",
        "2 7 6\n9 5 " + "1" * 900 + "\n4 3 8",
    ],
    -1.0: [
        "2 7 6\n9 5 1",
        "2 7 6\n9 5 1\n4 3",
        "2 7 6\n9 5 1\n4 3 8\n1",
        "2 7 6 9 5 1 4 3 8",
        "2 7 6\n9 5 1\n4 3 x",
        "",
    ],
}
SAMPLES = {100: {"N": range(3, 6), "sparsity": 0.2}}


def test_exactly_the_magic_completions_are_right(problem):
    blanks = sum(row.count(0) for row in problem.grid)
    assert blanks == int(problem.N**2 * problem.sparsity)
    given = {value for row in problem.grid for value in row}
    missing = [value for value in range(1, problem.N**2 + 1) if value not in given]
    for values in permutations(missing):
        rest = iter(values)
        square = [[value or next(rest) for value in row] for row in problem.grid]
        yield square, is_magic(square)


def is_magic(square):
    N = len(square)
    values = {value for row in square for value in row}
    sums = {sum(square[i][j] for j in range(N)) for i in range(N)}
    sums |= {sum(square[i][j] for i in range(N)) for j in range(N)}
    sums |= {sum(square[i][i] for i in range(N)), sum(square[i][N - 1 - i] for i in range(N))}
    return values == set(range(1, N * N + 1)) and len(sums) == 1
