from itertools import product
from random import Random

from rlve.envs.puzzles.hitori_puzzle import Fences, HitoriPuzzle

PROBLEM = HitoriPuzzle(
    MAX_N_M=4, N=3, M=3, matrix=[[1, 1, 2], [0, 2, 0], [2, 0, 1]], reference_answer="*..\n..*\n..."
)
SCHEDULE = {0: {"MAX_N_M": 4}, 1: {"MAX_N_M": 5}, 20: {"MAX_N_M": 24}}
REWARDS = {
    1.0: ["*..\n..*\n..."],
    (5 / 6) ** 10: ["*..\n...\n..."],
    (4 / 6) ** 10: [" ...\n\n...\n... "],
    -0.5: [
        ".*.\n..*\n...",  # the corner at the top right is cut off
        ".*.\n*..\n...",
        "**.\n..*\n...",  # adjacent in a row
        "*..\n*.*\n...",  # adjacent in a column
        "***\n***\n***",
    ],
    -1.0: [
        "*..\n..*",
        "*..\n..*\n...\n...",
        "*..\n..*\n..",
        "*..\n..*\n..x",
        "* . .\n. . *\n. . .",
        "",
    ],
}
SAMPLES = {100: {"MAX_N_M": [2, 3]}}


def test_exactly_the_valid_blackouts_are_right(problem):
    white = "\n".join(["." * problem.M] * problem.N)
    assert not problem.verify(f"<answer>{white}</answer>").correct
    for cells in product(".*", repeat=problem.N * problem.M):
        rows = ["".join(cells[i * problem.M : (i + 1) * problem.M]) for i in range(problem.N)]
        yield "\n".join(rows), is_solution(problem.matrix, rows)


def test_fences_refuse_exactly_what_touches_or_parts():
    for seed in range(60):
        rng = Random(seed)
        N, M = rng.randint(2, 6), rng.randint(2, 6)
        fences, rows = Fences(N, M), [["."] * M for _ in range(N)]
        for place in rng.sample(range(N * M), N * M):
            i, j = divmod(place, M)
            rows[i][j] = "*"
            allowed = is_untouched(rows) and is_whole(rows)
            assert fences.add((i, j)) == allowed
            if not allowed:
                rows[i][j] = "."


def is_solution(matrix, rows):
    white = [(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "."]
    clash = any(
        matrix[i][j] == matrix[x][y] and (i == x or j == y)
        for i, j in white
        for x, y in white
        if (i, j) != (x, y)
    )
    return not clash and is_untouched(rows) and is_whole(rows)


def is_untouched(rows):
    black = {(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "*"}
    return not any((i + 1, j) in black or (i, j + 1) in black for i, j in black)


def is_whole(rows):
    white = {(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "."}
    if not white:
        return False
    rest = [white.pop()]
    while rest:
        i, j = rest.pop()
        beside = white & {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)}
        white -= beside
        rest += beside
    return not white
