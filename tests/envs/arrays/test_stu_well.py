from itertools import pairwise, product

from rlve.envs.arrays.stu_well import STUWell

PROBLEM = STUWell(N=4, X=[5, 2, 6, 3], M=6, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["2", "-3"], -1.0: ["3.0", "3 3", ""]}
SAMPLES = {150: {"N": range(2, 5)}}


def test_answer_is_the_smallest_step_of_all_results(problem):
    """The results can be negative, to some extent."""
    assert min(problem.X) <= problem.M <= sum(problem.X)
    found = []
    for result in product(*(range(-1, x + 1) for x in problem.X)):
        if 0 in result and sum(problem.X) - sum(result) <= problem.M:
            found.append(max(abs(a - b) for a, b in pairwise(result)))
    assert problem.reference_answer == min(found)
