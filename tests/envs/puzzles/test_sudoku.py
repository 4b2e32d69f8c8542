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
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in ((0, 2), (1, 3), (3, 5), (8, 10))
}
REWARDS = {
    1.0: [
        SOLVED,
        SOLVED.replace("\n", "\n\n"),  # blank lines do not count
        SOLVED.translate(str.maketrans("35", "53")),  # another completion
    ],
    0.0: [
        SOLVED.replace("4 5 6 1 2 3\n2 3 1 5 6 4", "2 3 1 5 6 4\n4 5 6 1 2 3"),  # boxes
        SOLVED.replace("4 5 6 1 2 3", "4 5 6 1 3 2"),  # columns
        SOLVED.replace("2 3 4", "2 3 2"),  # a row
    ],
    -0.5: [
        SOLVED.translate(str.maketrans("12", "21")),  # changes givens
        SOLVED.replace("4", "7"),
        SOLVED.replace("4", "0"),
        SOLVED.replace("4", "-4"),
        SOLVED.replace("4", "4" * 900),
    ],
    -1.0: [
        SOLVED[:-12],  # a line is missing
        SOLVED + "\n6",
        SOLVED + " 6",
        SOLVED.replace("\n", " "),
        SOLVED.replace(" ", ", "),
        SOLVED.replace("4", "x"),
        "",
    ],
}


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
