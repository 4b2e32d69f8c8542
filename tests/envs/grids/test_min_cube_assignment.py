from itertools import product
from random import Random

from rlve.envs.grids.min_cube_assignment import MinCubeAssignment

PROBLEM = MinCubeAssignment(
    MAX_P_Q_R=3,
    P=2,
    Q=2,
    R=3,
    costs=[[[1, 3, 4], [4, 2, 1]], [[1, 3, 3], [2, 2, 4]]],
    D=1,
    gold_answer=6,
)
SCHEDULE = {0: {"MAX_P_Q_R": 2}, 1: {"MAX_P_Q_R": 3}, 7: {"MAX_P_Q_R": 9}, 17: {"MAX_P_Q_R": 19}}
REWARDS = {
    1.0: ["0 1\n0 0", "0 1\n\n0 1\n"],
    (6 / 8) ** 5: ["0 0\n0 0"],
    -0.5: [
        "0 2\n0 1",  # a difference of 2 in a row
        "1 2\n1 0",  # and in a column
        "0 1\n0 3",
        "0 1\n0 -1",
        "0 1",
        "0 1 0 0",
        "0 1\n0",
        "",
    ],
    -1.0: ["0 1\n0 x", "0, 1\n0, 0"],
}


def test_gold_is_the_minimum_over_all_assignments():
    problems = [MinCubeAssignment.sample(Random(s), MAX_P_Q_R=2 + s % 2) for s in range(200)]
    small = [problem for problem in problems if problem.R ** (problem.P * problem.Q) <= 729]
    assert len(small) > 100
    for problem in [PROBLEM, *small]:
        assert problem.gold_answer == brute_force(problem)


def brute_force(problem):
    P, Q, D = problem.P, problem.Q, problem.D
    cells = [(i, j) for i in range(P) for j in range(Q)]
    sides = [(p, q) for p in cells for q in cells if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1]
    best = None
    for values in product(range(problem.R), repeat=P * Q):
        f = dict(zip(cells, values, strict=True))
        if all(abs(f[p] - f[q]) <= D for p, q in sides):
            total = sum(problem.costs[i][j][f[i, j]] for i, j in cells)
            best = total if best is None else min(best, total)
    return best
