from itertools import pairwise, product
from random import Random

from rlve.envs.arrays.stu_well import STUWell, smallest_step

PROBLEM = STUWell(N=4, X=[5, 2, 6, 3], M=6, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["2", "-3"], -1.0: ["3.0", "3 3", ""]}


def test_answer_is_the_smallest_step_of_all_results():
    assert smallest(PROBLEM.X, PROBLEM.M) == 3
    random = Random(0)
    for _ in range(150):
        X = [random.randint(1, 6) for _ in range(random.randint(2, 4))]
        M = random.randint(min(X), sum(X))
        assert smallest_step(X, M) == smallest(X, M)


def smallest(X, M):
    """The results can be negative, to some extent."""
    found = []
    for result in product(*(range(-1, x + 1) for x in X)):
        if 0 in result and sum(X) - sum(result) <= M:
            found.append(max(abs(a - b) for a, b in pairwise(result)))
    return min(found)


def test_problems_are_as_announced():
    for seed in range(100):
        problem = STUWell.generate(difficulty=seed % 8, seed=seed)
        assert 1 <= min(problem.X) <= max(problem.X) <= 4 * problem.N
        assert min(problem.X) <= problem.M <= sum(problem.X)
        assert problem.reference_answer == smallest_by_envelopes(problem.X, problem.M)


def smallest_by_envelopes(X, M):
    places = range(len(X))
    for step in range(max(X) + 1):
        for zero in places:
            low = [0 if i == zero else x for i, x in enumerate(X)]
            kept = sum(min(low[j] + step * abs(i - j) for j in places) for i in places)
            if sum(X) - kept <= M:
                return step
    raise AssertionError("no step is large enough")
