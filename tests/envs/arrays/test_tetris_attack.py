from functools import cache
from random import Random

from rlve.envs.arrays.tetris_attack import TetrisAttack

PROBLEM = TetrisAttack(N=3, A=[1, 0, 2, 1, 0, 2], gold_answer=3, reference_answer="2 1 1")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["2 1 1"],
    (3 / 5) ** 5: ["0 0 2 1 1"],
    -0.2: ["2 1", "", "0 0"],
    -0.5: ["5", "-1", "2 1 1 0", "2 1 3"],
    -1.0: ["2, 1, 1"],
}


def test_gold_is_the_shortest_way_in_the_graph_of_arrays():
    for problem in (PROBLEM, *(generated(seed) for seed in range(120))):
        assert len(vanish(problem.A)) == 2 * problem.N
        assert problem.gold_answer == distance(tuple(problem.A))
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def generated(seed):
    return TetrisAttack.sample(Random(seed), N=4 if seed % 12 == 0 else 3)


@cache
def distance(start):
    found, queue = {start: 0}, [start]
    for array in queue:
        if not array:
            return found[array]
        for i in range(len(array) - 1):
            after = vanish([*array[:i], array[i + 1], array[i], *array[i + 2 :]])
            if after not in found:
                found[after] = found[array] + 1
                queue.append(after)
    raise AssertionError("the array cannot be emptied")


def vanish(array):
    array = list(array)
    while pairs := [i for i in range(len(array) - 1) if array[i] == array[i + 1]]:
        del array[pairs[0] : pairs[0] + 2]
    return tuple(array)


def test_references_of_large_arrays_are_right():
    for seed in range(30):
        problem = TetrisAttack.generate(difficulty=seed % 21, seed=seed)
        places = {value: [i for i, a in enumerate(problem.A) if a == value] for value in problem.A}
        spans = list(places.values())
        crossing = [(p, q) for p in spans for q in spans if p[0] < q[0] < p[1] < q[1]]
        assert problem.gold_answer == len(crossing)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
