from functools import cache

from rlve.envs.arrays.baj_bytecomputer import BAJBytecomputer
from support.searching import ways

PROBLEM = BAJBytecomputer(N=6, X=[-1, 1, 0, -1, 0, 1], reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["2", "4", "-3"], -1.0: ["3.0", "3 3", ""]}
SAMPLES = {150: {"N": range(3, 5)}}


def test_answer_is_the_shortest_way_in_the_graph_of_arrays(problem):
    assert set(problem.X) <= {-1, 0, 1}
    assert problem.reference_answer == distance(tuple(problem.X))


@cache
def distance(start):
    return next(len(way) for X, way in ways(start, additions) if list(X) == sorted(X))


def additions(X, farthest=5):
    for i in range(len(X) - 1):
        if abs(X[i] + X[i + 1]) <= farthest:
            yield i, (*X[: i + 1], X[i] + X[i + 1], *X[i + 2 :])
