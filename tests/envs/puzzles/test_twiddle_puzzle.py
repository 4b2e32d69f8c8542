from collections import deque
from random import Random

from rlve.envs.puzzles.twiddle_puzzle import TwiddlePuzzle

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


def test_the_planted_moves_lead_to_the_destination():
    for seed in range(100):
        problem = TwiddlePuzzle.generate(difficulty=seed % 6, seed=seed)
        assert problem.start_grid != problem.destination_grid
        assert 2 <= problem.K <= min(problem.N, problem.M)
        assert len(problem.reference().split("\n")) == problem.steps
        assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 1.0
        assert not problem.verify("<answer></answer>").correct


def test_shortest_moves_found_by_search_are_right():
    for seed in range(100):
        problem = TwiddlePuzzle.sample(Random(seed), MAX_N_M=3, steps=2 + seed % 4)
        moves = search(problem)
        assert 0 < len(moves) <= problem.steps
        text = "\n".join(f"{i} {j}" for i, j in moves)
        assert problem.verify(f"<answer>{text}</answer>").reward == 1.0
        shorter = "\n".join(f"{i} {j}" for i, j in moves[:-1])
        assert not problem.verify(f"<answer>{shorter}</answer>").correct


def search(problem):
    """Breadth first; a move takes the number at (x, y) of its block to (K - 1 - y, x)."""
    N, M, K = problem.N, problem.M, problem.K
    start, goal = (
        tuple(x for row in rows for x in row)
        for rows in (problem.start_grid, problem.destination_grid)
    )
    found = {start: []}
    queue = deque([start])
    while goal not in found:
        grid = queue.popleft()
        for i in range(N - K + 1):
            for j in range(M - K + 1):
                after = list(grid)
                for x in range(K):
                    for y in range(K):
                        after[(i + K - 1 - y) * M + j + x] = grid[(i + x) * M + j + y]
                if tuple(after) not in found:
                    found[tuple(after)] = [*found[grid], (i, j)]
                    queue.append(tuple(after))
    return found[goal]
