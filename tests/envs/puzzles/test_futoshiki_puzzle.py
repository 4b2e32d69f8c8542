from itertools import chain, permutations, product

from rlve.envs.puzzles.futoshiki_puzzle import FutoshikiPuzzle
from support.grids import latin_squares

PROBLEM = FutoshikiPuzzle(
    N=3,
    sparsity=0.9,
    matrix=[[-1, -1, -1], [-1, 2, -1], [-1, -1, -1]],
    inequalities=[(0, 0, 1, 0), (1, 0, 2, 0)],
    reference_answer="0 1 2\n1 2 0\n2 0 1",
)
SCHEDULE = {
    d: {"N": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 3), (1, 4), (4, 7), (20, 23))
}
REWARDS = {
    1.0: ["0 1 2\n1 2 0\n2 0 1", " 0  1 2\n\n1 2 0\n2 0 1\n"],
    (1 / 2) ** 5: ["1 0 2\n0 2 1\n2 1 0"],
    0.0: ["2 0 1\n1 2 0\n0 1 2"],
    -0.5: [
        "0 2 1\n1 0 2\n2 1 0",  # a given is changed
        "0 1 2\n1 2 0\n2 0 0",
        "0 1 2\n0 2 1\n2 0 1",  # a value is twice in a column
        "1 2 3\n2 3 1\n3 1 2",
        "0 1 2\n1 2 0\n2 0 -1",
        "0 1 2\n1 2 0\n2 0 " + "1" * 900,
    ],
    -1.0: [
        "0 1 2\n1 2 0",
        "0 1 2\n1 2 0\n2 0",
        "0 1 2\n1 2 0\n2 0 1 1",
        "0 1 2 1 2 0 2 0 1",
        "0 1 2\n1 2 0\n2 0 x",
        "",
    ],
}
SAMPLES = {100: {"N": [3, 4], "sparsity": [0.3, 0.4, 0.5]}}


def test_exactly_the_squares_that_satisfy_everything_are_right(problem):
    assert 1 <= len(problem.inequalities) <= 2 * problem.N
    assert len(set(problem.inequalities)) == len(problem.inequalities)
    latin = set(latin_squares(problem.N))
    for square in latin if problem.N == 4 else product(permutations(range(3)), repeat=3):
        yield square, square in latin and satisfies(problem, square)


def satisfies(problem, square):
    cells = dict(zip(product(range(problem.N), repeat=2), chain(*square), strict=True))
    return all(problem.matrix[i][j] in (-1, x) for (i, j), x in cells.items()) and all(
        cells[a, b] < cells[c, d] for a, b, c, d in problem.inequalities
    )
