from itertools import product
from operator import eq, ge, gt, le, lt

from rlve.envs.optimization.difference_constraint_system_dag import DifferenceConstraintSystemDAG

# x[0] < x[1], x[2] = x[1]
PROBLEM = DifferenceConstraintSystemDAG(
    N=3, M=2, relations=[(2, 0, 1), (1, 2, 1)], reference_answer="1 2 2", gold_answer=5
)
HOLDS = {1: eq, 2: lt, 3: ge, 4: gt, 5: le}
SCHEDULE = {
    0: {"N": 3, "M": [3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6]},
    20: {"N": 50, "M": range(50, 101, 5)},
}
REWARDS = {
    1.0: ["1 2 2"],
    0.5 + 0.5 * (5 / 8) ** 5: ["2 3 3"],
    0.5: ["9" * 900 + " 1" + "0" * 900 + " 1" + "0" * 900],
    0.5 * (1 / 2) ** 5: ["1 1 1", "1 2 " + "9" * 900],
    0.0: [
        "2 1 3",  # no relation holds
        "0 1 1",  # not positive
    ],
    -1.0: ["1 2", "1 2 2 2", "", "1 2 2.0"],
}
SAMPLES = {100: {"N": 3, "M": range(3, 7)}, 101: {"N": 4, "M": range(4, 9)}}


def test_gold_is_the_smallest_of_all_solutions(problem):
    sums = [
        sum(x)
        for x in product(range(1, problem.N + 1), repeat=problem.N)
        if all(HOLDS[code](x[a], x[b]) for code, a, b in problem.relations)
    ]
    assert problem.gold_answer == min(sums)
