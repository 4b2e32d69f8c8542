from itertools import permutations
from math import gcd
from random import Random

from rlve.envs.optimization.box_scheduling import BoxScheduling

# The residues modulo 2 decide: slot 3 is reserved, so that one odd slot is left.
PROBLEM = BoxScheduling(
    MAX_N=4, N=4, C=[1, 1, 2], D=2, S=3, gold_answer=[1, 2, 0], reference_answer="1 2 0"
)
SCHEDULE = {0: {"MAX_N": 3}, 1: {"MAX_N": 4}, 2: {"MAX_N": 5}, 8: {"MAX_N": 12}, 20: {"MAX_N": 50}}
REWARDS = {
    1.0: ["1 2 0"],
    (1 / 3) ** 10: ["1 0 2"],
    0.0: ["2 0 1"],
    -0.5: [
        "1 2",
        "1 2 0 0",
        "1 2 3",  # uses the reserved slot
        "1 2 2",
        "1 2 4",
        "",
    ],
    -1.0: ["1 2 a"],
}


def test_gold_is_the_smallest_of_all_ways():
    assert smallest(PROBLEM) == PROBLEM.gold_answer
    coprime = 0
    for seed in range(150):
        problem = BoxScheduling.sample(Random(seed), MAX_N=3 + seed % 4)
        assert smallest(problem) == problem.gold_answer
        coprime += gcd(problem.D, problem.N) == 1
    assert 0 < coprime < 150


def smallest(problem):
    free = [slot for slot in range(problem.N) if slot != problem.S]
    ways = []
    for slots in permutations(free):
        moves = [move(problem, c, slot) for c, slot in zip(problem.C, slots, strict=True)]
        ways.append(([y for y, _ in moves], [x for _, x in moves], slots))
    return list(min(ways)[2])


def move(problem, c, slot):
    """The smallest Y that can lead to a slot, and the smallest X with it."""
    N = range(problem.N)
    return min((y, x) for y in N for x in N if (c + problem.D * x + y) % problem.N == slot)
