from random import Random

import pytest

from rlve.envs.grids.maze import Maze, carved, shortest_walk

PROBLEM = Maze(N=3, density=0.2, maze=["..#", "#..", "..."], reference_answer="RDRD")


def test_schedule():
    densities = (0.1, 0.2, 0.3, 0.4)
    for d, N in {0: 4, 1: 5, 6: 10, 7: 12, 20: 56}.items():
        assert Maze.level(d) == [{"N": N, "density": density} for density in densities]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("RDRD", 1.0),
        ("RDDR", 1.0),
        ("RLRDDR", (4 / 6) ** 3),
        ("RDRDUD", (4 / 6) ** 3),  # passes over the goal and comes back
        ("", -0.2),
        ("RD", -0.2),
        ("L", -0.5),
        ("RDRDD", -0.5),
        ("RDRDR", -0.5),
        ("RRDD", -0.5),
        ("D?", -0.5),  # the illegal move comes first
        ("R?", -1.0),
        ("rdrd", -1.0),
        ("R D R D", -1.0),
        ("right", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_walk_is_shortest():
    for seed in range(120):
        density = (0.1, 0.2, 0.3, 0.4)[seed % 4]
        problem = Maze.sample(Random(seed), N=4 + seed % 5, density=density)
        assert len(problem.reference_answer) == relaxed(problem.maze)
        assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct


def test_a_carved_maze_is_passable():
    for seed in range(20):
        rng = Random(seed)
        walled = [".####", "#####", "#####", "#####", "####."]
        assert len(shortest_walk(carved(rng, walled))) == 8


def relaxed(maze):
    far = 10**6
    free = [(i, j) for i, row in enumerate(maze) for j, cell in enumerate(row) if cell == "."]
    steps = dict.fromkeys(free, far) | {(0, 0): 0}
    for _ in free:
        for i, j in free:
            beside = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            steps[i, j] = min(steps[i, j], *(steps.get(cell, far) + 1 for cell in beside))
    return steps[len(maze) - 1, len(maze) - 1]
