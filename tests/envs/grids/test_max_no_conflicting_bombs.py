from itertools import combinations
from random import Random

import pytest

from rlve.envs.grids.max_no_conflicting_bombs import MaxNoConflictingBombs

PROBLEM = MaxNoConflictingBombs(
    MAX_N_M=3, N=2, M=4, grid=[["*", "#", "*", "x"], ["*", "x", "*", "*"]], gold_answer=3
)
NO_PLACE = MaxNoConflictingBombs(MAX_N_M=3, N=2, M=2, grid=[["#", "x"], ["x", "x"]], gold_answer=0)


def test_schedule():
    sizes = [MaxNoConflictingBombs.level(d)[0]["MAX_N_M"] for d in (0, 1, 7, 8, 20)]
    assert sizes == [3, 4, 10, 12, 50]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "B#Bx\n*x*B", 1.0),
        (PROBLEM, "B#Bx\n\n*x*B\n", 1.0),
        (PROBLEM, "B#Bx\n*x**", (2 / 3) ** 3),
        (PROBLEM, "*#*x\n*x**", 0.0),
        (PROBLEM, "B#Bx\nBx*B", -0.5),  # two B in a column, and an x between two in a row
        (PROBLEM, "*#*x\nBx*B", -0.5),
        (PROBLEM, "B#BB\n*x**", -0.5),  # an x is replaced
        (PROBLEM, "BBBx\n*x**", -0.5),  # a # is replaced
        (PROBLEM, "B#Bx\nxx*B", -0.5),  # a * is replaced by x
        (PROBLEM, "B#?x\n*x*B", -0.5),
        (PROBLEM, "b#*x\n*x**", -0.5),
        (PROBLEM, "B#Bx", -1.0),
        (PROBLEM, "B#Bx\n*x*", -1.0),
        (PROBLEM, "B # B x\n* x * B", -1.0),
        (PROBLEM, "", -1.0),
        (NO_PLACE, "#x\nxx", 1.0),
        (NO_PLACE, "#B\nxx", -0.5),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_most_over_all_sets_of_places():
    problems = [MaxNoConflictingBombs.sample(Random(s), MAX_N_M=2 + s % 3) for s in range(150)]
    for problem in [PROBLEM, NO_PLACE, *problems]:
        assert problem.gold_answer == most_bombs(problem.grid)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_reference_is_right():
    for seed in range(40):
        problem = MaxNoConflictingBombs.generate(difficulty=seed % 10, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def most_bombs(grid):
    cells = [(i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell == "*"]
    conflicts = {
        (p, q)
        for p, q in combinations(cells, 2)
        if (p[0] == q[0] and "#" not in grid[p[0]][p[1] : q[1]])
        or (p[1] == q[1] and "#" not in [grid[i][p[1]] for i in range(p[0], q[0])])
    }
    independent = [()]
    for cell in cells:
        independent += [
            (*chosen, cell)
            for chosen in independent
            if not any((other, cell) in conflicts for other in chosen)
        ]
    return max(map(len, independent))


def test_a_record_may_have_its_rows_as_texts():
    recorded = PROBLEM.parameters() | {"grid": ["*#*x", "*x**"]}
    problem = MaxNoConflictingBombs.from_parameters(recorded)
    assert problem.prompt() == PROBLEM.prompt()
    assert problem.reference() == PROBLEM.reference()
    assert problem.verify("<answer>B#Bx\n*x*B</answer>").correct
    assert MaxNoConflictingBombs.from_parameters(problem.parameters()) == problem
