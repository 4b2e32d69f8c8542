from collections import deque
from random import Random

from rlve.envs.puzzles.eight_digit_puzzle import EightDigitPuzzle

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


def test_the_planted_moves_lead_to_the_destination():
    for seed in range(100):
        problem = EightDigitPuzzle.generate(difficulty=seed % 6, seed=seed)
        assert problem.start_grid[problem.zero_i][problem.zero_j] == 0
        assert problem.start_grid != problem.destination_grid
        moves = problem.reference()
        assert len(moves) == problem.steps
        assert not any(undo in moves for undo in ("UD", "DU", "LR", "RL"))
        assert problem.verify(f"<answer>{moves}</answer>").reward == 1.0


def test_shortest_moves_found_by_search_are_right():
    for seed in range(100):
        problem = EightDigitPuzzle.sample(Random(seed), MAX_N_M=2 + seed % 2, steps=2 + seed % 5)
        moves = search(problem)
        assert len(moves) <= problem.steps
        assert problem.verify(f"<answer>{moves}</answer>").reward == 1.0
        assert not problem.verify(f"<answer>{moves[:-1]}</answer>").correct


def search(problem):
    """Breadth first, on strings of tiles."""
    N, M = problem.N, problem.M
    start, goal = (
        tuple(x for row in rows for x in row)
        for rows in (problem.start_grid, problem.destination_grid)
    )
    found = {start: ""}
    queue = deque([start])
    while goal not in found:
        tiles = queue.popleft()
        place = tiles.index(0)
        ways = {
            "U": place - M if place >= M else None,
            "D": place + M if place < M * (N - 1) else None,
            "L": place - 1 if place % M else None,
            "R": place + 1 if place % M < M - 1 else None,
        }
        for move, other in ways.items():
            if other is not None:
                swapped = list(tiles)
                swapped[place], swapped[other] = swapped[other], swapped[place]
                if tuple(swapped) not in found:
                    found[tuple(swapped)] = found[tiles] + move
                    queue.append(tuple(swapped))
    return found[goal]
