from itertools import combinations
from random import Random

from rlve.envs.grids.double_cross_counting import DoubleCrossCounting

PROBLEM = DoubleCrossCounting(  # only y = 3 is possible, with u, d = 1, 2 or 1, 3 or 2, 3
    MAX_N_M=7, N=5, M=7, zero_coordinates=[(0, 0), (2, 2), (2, 4)], reference_answer=3
)
NONE = DoubleCrossCounting(MAX_N_M=5, N=5, M=5, zero_coordinates=[(2, 2)], reference_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 6), (2, 7), (5, 10), (6, 12), (20, 62))}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3"],
            (3 / 4) ** 3: ["4"],
            (2 / 3) ** 3: ["2"],
            0.0: ["0"],
            -1.0: ["-3", "three", ""],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]


def test_answer_counts_all_tuples():
    for seed in range(120):
        problem = DoubleCrossCounting.draw(Random(seed), MAX_N_M=5 + seed % 4)
        assert problem.reference_answer == brute_force(problem)


def brute_force(problem):
    zeros = set(problem.zero_coordinates)

    def ones(rows, columns):
        return not any((i, j) in zeros for i in rows for j in columns)

    count = 0
    for top, upper, lower, bottom in combinations(range(problem.N), 4):
        for y in range(problem.M):
            if lower == upper + 1 or not ones(range(top, bottom + 1), [y]):
                continue
            arms = range(1, min(y, problem.M - 1 - y) + 1)
            count += sum(
                ones([upper], range(y - u, y + u + 1)) and ones([lower], range(y - d, y + d + 1))
                for u, d in combinations(arms, 2)
            )
    return count
