from itertools import product

from rlve.envs.grids.grid_parity_construction import GridParityConstruction

PROBLEM = GridParityConstruction(
    MAX_N_M=3, N=2, M=3, parity=[[1, 1, 1], [0, 1, 0]], reference_answer="010\n000"
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 7: {"MAX_N_M": 10}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["010\n000", "\n 010 \n\n000\n"],
    (3 / 6) ** 5: ["110\n000"],
    (2 / 6) ** 5: ["000\n000"],
    -1.0: [
        "010",
        "0100\n000",
        "0 1 0\n0 0 0",
        "020\n000",
        "0\uff110\n000",  # a full-width digit one
        "",
    ],
}
SAMPLES = {100: {"MAX_N_M": [2, 3]}}


def test_all_matrices_with_the_parities_are_right_and_no_others(problem):
    for bits in product("01", repeat=problem.N * problem.M):
        rows = ["".join(bits[i * problem.M :][: problem.M]) for i in range(problem.N)]
        yield "\n".join(rows), has_parities(rows, problem.parity)


def has_parities(rows, parity):
    ones = {(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "1"}
    return all(
        len(ones & {(i, j), (i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)}) % 2 == wanted
        for i, row in enumerate(parity)
        for j, wanted in enumerate(row)
    )
