from itertools import combinations

from rlve.envs.optimization.hur_warehouse_store import HURWarehouseStore

PROBLEM = HURWarehouseStore(
    N=4, A=[2, 0, 1, 0], B=[2, 1, 1, 1], gold_answer=3, reference_answer="2 3 4"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["2 3 4", "4 2 3"],
    (2 / 3) ** 5: ["1 3"],
    (1 / 3) ** 5: ["3"],
    0.0: [""],
    -0.5: [
        "1 2",  # nothing is left on day 2
        "1 2 3",  # a later delivery does not help
        "0 1",
        "5",
        "3 3",
    ],
    -1.0: ["day 3"],
}
SAMPLES = {150: {"N": range(3, 8)}}


def test_gold_is_the_largest_of_all_choices(problem):
    days = range(1, problem.N + 1)
    largest = max(
        size
        for size in range(problem.N + 1)
        if any(possible(problem, served) for served in combinations(days, size))
    )
    assert problem.gold_answer == largest >= 1


def possible(problem, served):
    """Whether no day hands out more, up to then, than has been delivered."""
    return all(
        sum(problem.B[i - 1] for i in served if i <= day) <= sum(problem.A[:day])
        for day in range(1, problem.N + 1)
    )
