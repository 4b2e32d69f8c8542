from functools import cache

from rlve.envs.arrays.tetris_attack import TetrisAttack
from support.searching import ways

PROBLEM = TetrisAttack(N=3, A=[1, 0, 2, 1, 0, 2], gold_answer=3, reference_answer="2 1 1")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["2 1 1"],
    (3 / 5) ** 5: ["0 0 2 1 1"],
    -0.2: ["2 1", "", "0 0"],
    -0.5: ["5", "-1", "2 1 1 0", "2 1 3"],
    -1.0: ["2, 1, 1"],
}
SAMPLES = {120: {"N": [4, *[3] * 11]}}


def test_gold_is_the_shortest_way_in_the_graph_of_arrays(problem):
    assert len(vanish(problem.A)) == 2 * problem.N
    assert problem.gold_answer == distance(tuple(problem.A))


@cache
def distance(start):
    return next(len(way) for array, way in ways(start, swaps) if not array)


def swaps(array):
    for i in range(len(array) - 1):
        yield i, vanish([*array[:i], array[i + 1], array[i], *array[i + 2 :]])


def vanish(array):
    array = list(array)
    while pairs := [i for i in range(len(array) - 1) if array[i] == array[i + 1]]:
        del array[pairs[0] : pairs[0] + 2]
    return tuple(array)
