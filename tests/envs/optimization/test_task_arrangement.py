from itertools import combinations

from rlve.envs.optimization.task_arrangement import TaskArrangement

PROBLEM = TaskArrangement(
    N=3, S=1, T=[1, 3, 2], F=[4, 1, 2], reference_answer="1 3", reference_answer_cost=32
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 6: {"N": 10}, 20: {"N": 56}}
REWARDS = {
    1.0: ["1 3", "1 2 3"],
    (32 / 41) ** 3: ["2 3"],
    (32 / 49) ** 3: ["3"],
    -0.5: ["1 2", "3 1", "1 1 3", "0 3", "-1 3", "1 3 4", "1 4"],
    -1.0: ["", "1, 3"],
}
SAMPLES = {100: {"N": range(4, 8)}}


def test_gold_is_the_smallest_over_all_divisions(problem):
    inner = range(1, problem.N)
    assert problem.reference_answer_cost == min(
        cost(problem, {*ends, problem.N})
        for count in range(problem.N)
        for ends in combinations(inner, count)
    )


def cost(problem, ends):
    total = time = 0
    batch = []
    for i in range(1, problem.N + 1):
        batch.append(i - 1)
        if i in ends:
            time += problem.S
            for j in batch:
                time += problem.T[j]
            for j in batch:
                total += time * problem.F[j]
            batch = []
    return total
