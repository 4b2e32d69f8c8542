from rlve.envs.puzzles.skyscraper_puzzle import SkyscraperPuzzle
from support.grids import latin_squares, sides

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
SAMPLES = {100: {"N": [4, *[3] * 19]}}


def test_exactly_the_squares_with_these_numbers_are_right(problem):
    shown = [problem.left, problem.right, problem.top, problem.bottom]
    for square in latin_squares(problem.N):
        yield square, [list(map(seen, lines)) for lines in sides(square)] == shown


def seen(heights):
    return sum(all(other <= height for other in heights[:i]) for i, height in enumerate(heights))
