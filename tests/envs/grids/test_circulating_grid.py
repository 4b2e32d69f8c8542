from random import Random

import pytest

from rlve.envs.grids.circulating_grid import CirculatingGrid

PROBLEM = CirculatingGrid(
    MAX_R_C=3, R=2, C=3, grid=[["R", "R", "L"], ["D", "L", "L"]], gold_answer=1
)
UNCHANGED = CirculatingGrid(MAX_R_C=3, R=2, C=2, grid=[["R", "L"], ["L", "R"]], gold_answer=0)


def test_schedule():
    assert [CirculatingGrid.level(d)[0]["MAX_R_C"] for d in (0, 1, 7, 20)] == [3, 4, 10, 23]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "RRD\nDLL", 1.0),
        (PROBLEM, "\nRRD\n\n DLL \n", 1.0),
        (PROBLEM, "RRR\nLLL", (1 / 2) ** 5),
        (PROBLEM, "RRR\nRRR", (1 / 4) ** 5),
        (PROBLEM, "RRL\nDLL", -0.5),
        (PROBLEM, "RRL\nLLL", -0.5),
        (PROBLEM, "RRR", -1.0),
        (PROBLEM, "RRRR\nLLL", -1.0),
        (PROBLEM, "RRX\nLLL", -1.0),
        (PROBLEM, "rrr\nlll", -1.0),
        (PROBLEM, "R R R\nL L L", -1.0),
        (PROBLEM, "", -1.0),
        (UNCHANGED, "RL\nLR", 1.0),
        (UNCHANGED, "RL\nRL", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_grids():
    problems = [CirculatingGrid.sample(Random(seed), MAX_R_C=2 + seed % 2) for seed in range(150)]
    for problem in [PROBLEM, UNCHANGED, *problems]:
        assert problem.gold_answer == fewest_changes(problem.grid)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_reference_is_right():
    for seed in range(40):
        problem = CirculatingGrid.generate(difficulty=seed % 8, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def fewest_changes(grid):
    """Try all letters, cell by cell, that lead to a cell to which no other one leads yet."""
    R, C = len(grid), len(grid[0])

    def search(k, entered):
        if k == R * C:
            return 0
        i, j = divmod(k, C)
        best = R * C + 1
        for letter, x, y in (("L", i, j - 1), ("R", i, j + 1), ("U", i - 1, j), ("D", i + 1, j)):
            target = x % R, y % C
            if target not in entered:
                best = min(best, (letter != grid[i][j]) + search(k + 1, entered | {target}))
        return best

    return search(0, frozenset())
