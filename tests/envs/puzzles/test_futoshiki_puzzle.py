from itertools import permutations, product
from random import Random

from rlve.envs.puzzles.futoshiki_puzzle import FutoshikiPuzzle

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


def test_exactly_the_squares_that_satisfy_everything_are_right():
    for seed in range(100):
        N = 3 + seed % 2
        problem = FutoshikiPuzzle.sample(Random(seed), N=N, sparsity=0.3 + seed % 3 / 10)
        assert 1 <= len(problem.inequalities) <= 2 * N
        assert len(set(problem.inequalities)) == len(problem.inequalities)
        found = ["\n".join(" ".join(map(str, row)) for row in rows) for rows in squares(problem)]
        assert problem.reference_answer in found
        assert all(problem.verify(f"<answer>{text}</answer>").correct for text in found)


def test_no_other_square_is_right():
    every = product(permutations(range(3)), repeat=3)
    texts = ["\n".join(" ".join(map(str, row)) for row in rows) for rows in every]
    for seed in range(20):
        problem = FutoshikiPuzzle.sample(Random(seed), N=3, sparsity=0.9)
        found = {"\n".join(" ".join(map(str, row)) for row in rows) for rows in squares(problem)}
        right = {text for text in texts if problem.verify(f"<answer>{text}</answer>").correct}
        assert right == found


def test_the_planted_square_is_right():
    for seed in range(30):
        problem = FutoshikiPuzzle.generate(difficulty=seed % 10, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 1.0
        blanks = sum(row.count(-1) for row in problem.matrix)
        assert blanks == max(1, int(problem.N**2 * problem.sparsity))


def squares(problem, rows=()):
    """All completions, row by row."""
    i = len(rows)
    if i == problem.N:
        if all(rows[a][b] < rows[x][y] for a, b, x, y in problem.inequalities):
            yield rows
        return
    for row in permutations(range(problem.N)):
        if all(given in (-1, x) for x, given in zip(row, problem.matrix[i], strict=True)) and all(
            x != y for above in rows for x, y in zip(row, above, strict=True)
        ):
            yield from squares(problem, (*rows, row))
