from itertools import chain

from rlve.envs.puzzles.nine_puzzle import NinePuzzle
from support.searching import ways

PROBLEM = NinePuzzle(
    MAX_N_M=3,
    steps=2,
    N=2,
    M=3,
    row_K=1,
    col_K=1,
    start_grid=[[0, 1, 2], [3, 4, 5]],
    destination_grid=[[3, 0, 1], [2, 4, 5]],
    reference_answer="row 0 1\ncolumn 0 1",
)
SCHEDULE = {d: {"MAX_N_M": n, "steps": range(2, 11)} for d, n in ((0, 3), (1, 4), (3, 6), (20, 23))}
REWARDS = {
    1.0: [
        "row 0 1\ncolumn 0 1",
        " row 0  -1 \n\nrow 0 -1\ncolumn 0 -1\n",
        "row 1 0\nrow 0 1\ncolumn 0 1",  # a shift by nothing
    ],
    (4 / 6) ** 10: ["row 0 1"],
    (2 / 6) ** 10: ["", "row 0 -1"],
    -0.5: ["row 2 1", "row -1 1", "column 3 1", "row 0 2", "column 0 -2", "row 0 " + "9" * 900],
    -1.0: [
        "row 2 1\nrow 0",
        "row 0",
        "row 0 1 1",
        "Row 0 1",
        "diagonal 0 1",
        "row 0 x",
        "row 0 0.5",
        "0 1 2",
    ],
}
SAMPLES = {100: {"MAX_N_M": [2, 3], "steps": [2, 3]}}


def test_shortest_actions_found_by_search_are_right(problem):
    actions = search(problem)
    assert 0 < len(actions) <= problem.steps
    text = "\n".join(actions)
    assert problem.verify(f"<answer>{text}</answer>").reward == 1.0
    shorter = "\n".join(actions[:-1])
    assert not problem.verify(f"<answer>{shorter}</answer>").correct


def search(problem):
    """A shortest way; each action says, for every cell, from which one its number comes."""
    N, M = problem.N, problem.M
    cells = [(i, j) for i in range(N) for j in range(M)]
    sources = {}
    for s in range(-max(N, M), max(N, M) + 1):
        if abs(s) <= problem.row_K:
            for r in range(N):
                sources[f"row {r} {s}"] = [(i, (j - s) % M if i == r else j) for i, j in cells]
        if abs(s) <= problem.col_K:
            for c in range(M):
                sources[f"column {c} {s}"] = [((i - s) % N if j == c else i, j) for i, j in cells]
    start, goal = (tuple(chain(*rows)) for rows in (problem.start_grid, problem.destination_grid))

    def shifts(grid):
        for action, source in sources.items():
            yield action, tuple(grid[i * M + j] for i, j in source)

    return next(way for grid, way in ways(start, shifts) if grid == goal)
