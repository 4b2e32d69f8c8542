from random import Random

from rlve.envs.grids.maze import Maze, carved, shortest_walk

PROBLEM = Maze(N=3, density=0.2, maze=["..#", "#..", "..."], reference_answer="RDRD")
SCHEDULE = {
    d: {"N": n, "density": [0.1, 0.2, 0.3, 0.4]}
    for d, n in ((0, 4), (1, 5), (6, 10), (7, 12), (20, 56))
}
REWARDS = {
    1.0: ["RDRD", "RDDR"],
    (4 / 6) ** 3: [
        "RLRDDR",
        "RDRDUD",  # passes over the goal and comes back
    ],
    -0.2: ["", "RD"],
    -0.5: [
        "L",
        "RDRDD",
        "RDRDR",
        "RRDD",
        "D?",  # the illegal move comes first
    ],
    -1.0: ["R?", "rdrd", "R D R D", "right"],
}
SAMPLES = {120: {"N": range(4, 9), "density": [0.1, 0.2, 0.3, 0.4]}}


def test_walk_is_shortest(problem):
    maze = problem.maze
    far = 10**6
    free = [(i, j) for i, row in enumerate(maze) for j, cell in enumerate(row) if cell == "."]
    steps = dict.fromkeys(free, far) | {(0, 0): 0}
    for _ in free:
        for i, j in free:
            beside = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            steps[i, j] = min(steps[i, j], *(steps.get(cell, far) + 1 for cell in beside))
    assert len(problem.reference_answer) == steps[len(maze) - 1, len(maze) - 1]


def test_a_carved_maze_is_passable():
    for seed in range(20):
        rng = Random(seed)
        walled = [".####", "#####", "#####", "#####", "####."]
        assert len(shortest_walk(carved(rng, walled))) == 8
