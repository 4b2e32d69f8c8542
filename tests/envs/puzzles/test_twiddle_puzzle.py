from itertools import chain, product

from rlve.envs.puzzles.twiddle_puzzle import TwiddlePuzzle
from support.searching import ways

PROBLEM = TwiddlePuzzle(
    MAX_N_M=3,
    steps=2,
    N=2,
    M=3,
    K=2,
    start_grid=[[0, 1, 2], [3, 4, 5]],
    destination_grid=[[1, 2, 5], [0, 4, 3]],
    reference_answer="0 0\n0 1",
)
SCHEDULE = {d: {"MAX_N_M": n, "steps": range(2, 11)} for d, n in ((0, 3), (1, 4), (3, 6), (20, 23))}
REWARDS = {
    1.0: ["0 0\n0 1", " 0  0\n\n0 1 ", "0 1\n" * 4 + "0 0\n0 1", "0 1\n" * 996 + "0 0\n0 1"],
    (2 / 6) ** 5: ["0 0", "0 1\n0 0"],
    (1 / 6) ** 5: [""],
    -0.5: [
        "0 1\n" * 1000 + "0 0\n0 1",  # too many moves
        "1 0",
        "0 2",
        "0 -1",
        "0 " + "9" * 900,
    ],
    -1.0: ["0 0 0 1", "0", "0 0\n0", "(0, 0)", "0 x"],
}
SAMPLES = {100: {"MAX_N_M": 3, "steps": range(2, 6)}}


def test_shortest_moves_found_by_search_are_right(problem):
    moves = search(problem)
    assert 0 < len(moves) <= problem.steps
    text = "\n".join(f"{i} {j}" for i, j in moves)
    assert problem.verify(f"<answer>{text}</answer>").reward == 1.0
    shorter = "\n".join(f"{i} {j}" for i, j in moves[:-1])
    assert not problem.verify(f"<answer>{shorter}</answer>").correct


def search(problem):
    """A shortest way; a move takes the number at (x, y) of its block to (K - 1 - y, x)."""
    N, M, K = problem.N, problem.M, problem.K
    start, goal = (tuple(chain(*rows)) for rows in (problem.start_grid, problem.destination_grid))

    def turns(grid):
        for i, j in product(range(N - K + 1), range(M - K + 1)):
            after = list(grid)
            for x, y in product(range(K), repeat=2):
                after[(i + K - 1 - y) * M + j + x] = grid[(i + x) * M + j + y]
            yield (i, j), tuple(after)

    return next(way for grid, way in ways(start, turns) if grid == goal)
