from rlve.envs.puzzles.light_up_puzzle import LightUpPuzzle
from support.grids import fillings

PROBLEM = LightUpPuzzle(
    MAX_N_M=3, density=0.9, N=3, M=3, grid=["WWW", "WB1", "W2W"], reference_answer="WLW\nWB1\nL2L"
)
SCHEDULE = {
    d: {"MAX_N_M": n, "density": [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]}
    for d, n in ((0, 3), (1, 4), (3, 6), (20, 23))
}
REWARDS = {
    1.0: ["WLW\nWB1\nL2L", " WLW\n\nWB1\nL2L "],
    (1 / 2) ** 10: [
        "LWW\nWB1\nW2L",  # the digit 2 has one bulb
        "WLW\nLB1\nW2L",
        "WWL\nWB1\nL2L",  # the digit 1 has two bulbs
    ],
    -0.5: [
        "LWL\nWB1\nW2L",  # bulbs see each other
        "WLW\nWB1\nL2W",  # a cell is not lit
        "WWW\nWB1\nW2W",
        "WLW\nWL1\nL2L",  # a bulb on a black cell
        "WLW\nWB2\nL2L",
        "WLW\nBB1\nL2L",
        "W*W\nWB1\nL2L",
    ],
    -1.0: ["WLW\nWB1", "WLW\nWB1\nL2L\nWWW", "WLW\nWB1\nL2", "W L W\nW B 1\nL 2 L", ""],
}
SAMPLES = {100: {"MAX_N_M": range(2, 6), "density": 0.5}}


def test_exactly_the_valid_placements_are_right(problem):
    text = "\n".join(problem.grid)
    if text.count("W") > 8:  # too many to try
        text = problem.reference()
    for answer in fillings(text, "W", "WL"):
        yield answer, is_solution(answer.split("\n"))


def test_not_every_white_cell_needs_a_bulb(problem):
    assert not is_solution([row.replace("W", "L") for row in problem.grid])


def is_solution(rows):
    cells = {(i, j): x for i, row in enumerate(rows) for j, x in enumerate(row)}
    for (i, j), x in cells.items():
        if x in "WL":
            seen = [bulb for bulb, y in cells.items() if y == "L" and sees(cells, (i, j), bulb)]
            if bool(seen) == (x == "L"):
                return False
        elif x != "B":
            around = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            if sum(cells.get(cell) == "L" for cell in around) != int(x):
                return False
    return True


def sees(cells, a, b):
    """Whether two different cells are in one line with only white cells between them."""
    (i, j), (x, y) = sorted((a, b))
    if a == b or (i != x and j != y):
        return False
    between = [(k, j) for k in range(i, x)] + [(i, k) for k in range(j, y)]
    return all(cells[cell] in "WL" for cell in between)
