import pytest

from rlve.envs.puzzles.sudoku import Sudoku
from rlve.text import grid

# Boxes of 2 rows and 3 columns.
SOLVED = """\
1 2 3 4 5 6
4 5 6 1 2 3
2 3 1 5 6 4
5 6 4 2 3 1
3 1 2 6 4 5
6 4 5 3 1 2"""

PROBLEM = Sudoku(
    MAX_N_M=3,
    sparsity=0.9,
    N=2,
    M=3,
    NM=6,
    sudoku=[[1, 0, 0, 0, 0, 0]] + [[0] * 6] * 4 + [[0, 0, 0, 0, 0, 2]],
    reference_answer=SOLVED,
)


def test_schedule():
    level = Sudoku.level(3)
    assert [setting["sparsity"] for setting in level] == [
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
        0.6,
        0.7,
        0.8,
        0.9,
    ]
    assert {setting["MAX_N_M"] for setting in level} == {5}
    assert [Sudoku.level(d)[0]["MAX_N_M"] for d in (0, 1, 8)] == [2, 3, 10]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        (SOLVED, 1.0),
        (SOLVED.replace("\n", "\n\n"), 1.0),  # blank lines do not count
        (SOLVED.translate(str.maketrans("35", "53")), 1.0),  # another completion
        (SOLVED.replace("4 5 6 1 2 3\n2 3 1 5 6 4", "2 3 1 5 6 4\n4 5 6 1 2 3"), 0.0),  # boxes
        (SOLVED.replace("4 5 6 1 2 3", "4 5 6 1 3 2"), 0.0),  # columns
        (SOLVED.replace("2 3 4", "2 3 2"), 0.0),  # a row
        (SOLVED.translate(str.maketrans("12", "21")), -0.5),  # changes givens
        (SOLVED.replace("4", "7"), -0.5),
        (SOLVED.replace("4", "0"), -0.5),
        (SOLVED.replace("4", "-4"), -0.5),
        (SOLVED.replace("4", "4" * 900), -0.5),
        (SOLVED[:-12], -1.0),  # a line is missing
        (SOLVED + "\n6", -1.0),
        (SOLVED + " 6", -1.0),
        (SOLVED.replace("\n", " "), -1.0),
        (SOLVED.replace(" ", ", "), -1.0),
        (SOLVED.replace("4", "x"), -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_the_planted_grid_is_right():
    for seed in range(100):
        problem = Sudoku.generate(difficulty=seed % 5, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").reward == 1.0
        emptied = sum(row.count(0) for row in problem.sudoku)
        assert emptied == max(1, int(problem.NM**2 * problem.sparsity))


def test_boxes_have_both_shapes():
    shapes = {(p.N, p.M) for p in (Sudoku.generate(difficulty=1, seed=s) for s in range(60))}
    assert shapes == {(2, 2), (2, 3), (3, 2), (3, 3)}


def test_exactly_the_completions_found_by_search_are_right():
    for seed in range(100):
        problem = Sudoku.generate(difficulty=0, seed=seed)
        cells = [list(row) for row in problem.sudoku]
        found = list(completions(cells, [(r, c) for r in range(4) for c in range(4)]))
        assert problem.reference_answer in found
        assert all(problem.verify(f"<answer>{text}</answer>").correct for text in found)


def completions(cells, rest):
    """All 4 x 4 grids in which no two cells that see each other are equal."""
    if not rest:
        yield grid(cells)
        return
    (r, c), rest = rest[0], rest[1:]
    given = cells[r][c]
    for value in [given] if given else range(1, 5):
        clash = any(
            cells[i][j] == value and (i == r or j == c or (i // 2, j // 2) == (r // 2, c // 2))
            for i in range(4)
            for j in range(4)
            if (i, j) != (r, c)
        )
        if not clash:
            cells[r][c] = value
            yield from completions(cells, rest)
            cells[r][c] = given
