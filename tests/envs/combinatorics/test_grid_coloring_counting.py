from itertools import combinations
from math import prod

from rlve.envs.combinatorics.grid_coloring_counting import GridColoringCounting, paintings

PROBLEM = GridColoringCounting(MAX_N_M=3, N=2, M=2, C=2, Xs=[1, 1], MOD=3, reference_answer=1)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {1.0: ["1"], 0.0: ["0", "2"], -0.5: ["3", "4", "-2"], -1.0: ["a"]}
SAMPLES = {150: {"MAX_N_M": [3, 4]}}


def test_number_of_paintings(problem):
    assert problem.C == len(problem.Xs) <= min(problem.N, problem.M)
    assert 0 < problem.reference_answer < problem.MOD
    if problem.N * problem.M <= 12:
        count = enumerated(problem.N, problem.M, problem.Xs)
        assert problem.reference_answer == count % problem.MOD


def test_one_colour_and_single_cells():
    assert paintings(50, 50, [1] * 3, 9999) == prod(n**2 for n in (50, 49, 48)) % 9999
    assert paintings(20, 30, [2], 10000) == 600 * 599 // 2 % 10000


def enumerated(N, M, Xs):
    """Colour by colour, all sets of cells in rows and columns that are still empty."""

    def count(colour, rows, columns):
        if colour == len(Xs):
            return 1
        cells = [(i, j) for i in rows for j in columns]
        return sum(
            count(colour + 1, rows - {i for i, _ in chosen}, columns - {j for _, j in chosen})
            for chosen in combinations(cells, Xs[colour])
        )

    return count(0, set(range(N)), set(range(M)))
