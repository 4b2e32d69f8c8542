from functools import cache
from random import Random

from rlve.envs.arrays.baj_bytecomputer import BAJBytecomputer, can_be_ordered

PROBLEM = BAJBytecomputer(N=6, X=[-1, 1, 0, -1, 0, 1], reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["2", "4", "-3"], -1.0: ["3.0", "3 3", ""]}


def test_answer_is_the_shortest_way_in_the_graph_of_arrays():
    assert distance(tuple(PROBLEM.X[:5])) == 3
    answers = set()
    for seed in range(150):
        problem = BAJBytecomputer.sample(Random(seed), N=3 + seed % 2)
        assert set(problem.X) <= {-1, 0, 1}
        assert problem.reference_answer == distance(tuple(problem.X))
        answers.add(problem.reference_answer)
    assert len(answers) > 4


def test_an_array_that_starts_with_zeros_and_a_minus_one_cannot_be_ordered():
    assert not can_be_ordered([0, 0, -1, 1])
    assert distance((0, -1, 1)) is None
    assert can_be_ordered([0, 1, -1])
    assert can_be_ordered([0, 0, 0])
    assert can_be_ordered([1, -1, -1])


@cache
def distance(start, farthest=5):
    """By breadth-first search; None if no array in order is found."""
    found = {start: 0}
    queue = [start]
    for X in queue:
        if list(X) == sorted(X):
            return found[X]
        for i in range(len(X) - 1):
            after = (*X[: i + 1], X[i + 1] + X[i], *X[i + 2 :])
            if after not in found and abs(after[i + 1]) <= farthest:
                found[after] = found[X] + 1
                queue.append(after)
    return None
