from itertools import permutations
from random import Random

from rlve.envs.puzzles.skyscraper_puzzle import SkyscraperPuzzle

PROBLEM = SkyscraperPuzzle(
    N=3,
    left=[2, 3, 1],
    right=[2, 1, 2],
    top=[2, 1, 2],
    bottom=[1, 3, 2],
    reference_answer="1 2 0\n0 1 2\n2 0 1",
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["1 2 0\n0 1 2\n2 0 1", " 1 2  0\n\n0 1 2\n2 0 1 "],
    (6 / 12) ** 10: ["2 0 1\n0 1 2\n1 2 0"],
    -0.5: [
        "1 2 0\n0 1 2\n2 1 0",
        "1 2 0\n1 2 0\n1 2 0",
        "2 3 1\n1 2 3\n3 1 2",
        "1 2 0\n0 1 2\n2 0 -1",
        "1 2 0\n0 1 2\n2 0 " + "1" * 900,
    ],
    -1.0: [
        "1 2 0\n0 1 2",
        "1 2 0\n0 1 2\n2 0",
        "1 2 0\n0 1 2\n2 0 1\n0 1 2",
        "1 2 0 0 1 2 2 0 1",
        "120\n012\n201",
        "1 2 0\n0 1 2\n2 0 x",
        "",
    ],
}


def test_exactly_the_squares_with_these_numbers_are_right():
    squares = {n: list(latin_squares(n)) for n in (3, 4)}
    for seed in range(100):
        problem = SkyscraperPuzzle.sample(Random(seed), N=3 + (seed % 20 == 0))
        found = []
        for square in squares[problem.N]:
            text = "\n".join(" ".join(map(str, row)) for row in square)
            solved = agrees(problem, square)
            assert problem.verify(f"<answer>{text}</answer>").correct == solved
            found += [text] * solved
        assert problem.reference() in found


def test_the_planted_square_is_right():
    for seed in range(20):
        problem = SkyscraperPuzzle.generate(difficulty=seed % 8, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 1.0


def latin_squares(n, rows=()):
    if len(rows) == n:
        yield rows
        return
    for row in permutations(range(n)):
        if all(x != y for above in rows for x, y in zip(row, above, strict=True)):
            yield from latin_squares(n, (*rows, row))


def agrees(problem, square):
    n = problem.N
    for k in range(n):
        row = [square[k][j] for j in range(n)]
        column = [square[i][k] for i in range(n)]
        counts = [seen(row), seen(row[::-1]), seen(column), seen(column[::-1])]
        if counts != [problem.left[k], problem.right[k], problem.top[k], problem.bottom[k]]:
            return False
    return True


def seen(heights):
    return sum(all(other <= height for other in heights[:i]) for i, height in enumerate(heights))
