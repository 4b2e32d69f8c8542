from itertools import chain

from rlve.envs.puzzles.eight_digit_puzzle import EightDigitPuzzle
from support.searching import ways

PROBLEM = EightDigitPuzzle(
    MAX_N_M=3,
    steps=3,
    N=2,
    M=3,
    start_grid=[[1, 2, 3], [4, 0, 5]],
    zero_i=1,
    zero_j=1,
    destination_grid=[[1, 3, 0], [4, 2, 5]],
    reference_answer="UR",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "steps": [2, 3, 5, 10, 15, 20, 25, 30]}
    for d, n in ((0, 3), (1, 4), (4, 7), (20, 23))
}
REWARDS = {
    1.0: ["UR", " UR\n", "LRUR", "LR" * 4_999 + "UR"],
    (4 / 6) ** 10: ["U"],
    (3 / 6) ** 10: ["", "RU"],
    -0.5: [
        "D",
        "RR",
        "URU",
        "Dx",  # what follows a move out of the grid is not read
    ],
    -1.0: [
        "xD",
        "U R",
        "ur",
        "U,R",
        "URx",
        "LR" * 5_000 + "UR",  # more than 10,000 moves
    ],
}
SAMPLES = {100: {"MAX_N_M": [2, 3], "steps": range(2, 7)}}


def test_shortest_moves_found_by_search_are_right(problem):
    moves = search(problem)
    assert len(moves) <= problem.steps
    assert problem.verify(f"<answer>{moves}</answer>").reward == 1.0
    assert not problem.verify(f"<answer>{moves[:-1]}</answer>").correct


def search(problem):
    """A shortest way, with the tiles in one row."""
    N, M = problem.N, problem.M
    start, goal = (tuple(chain(*rows)) for rows in (problem.start_grid, problem.destination_grid))

    def slides(tiles):
        place = tiles.index(0)
        i, j = divmod(place, M)
        for move, x, y in (("U", i - 1, j), ("D", i + 1, j), ("L", i, j - 1), ("R", i, j + 1)):
            if 0 <= x < N and 0 <= y < M:
                slid = list(tiles)
                slid[place], slid[x * M + y] = slid[x * M + y], 0
                yield move, tuple(slid)

    return "".join(next(way for tiles, way in ways(start, slides) if tiles == goal))
