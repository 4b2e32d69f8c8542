from random import Random

from rlve.envs.dialogues.hidden_permutation import HiddenPermutation
from support.tables import told

PROBLEM = HiddenPermutation(N=4, p=[3, 1, 4, 2])
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REPLIES = {
    "0": ["ask 1 1", "ask 2 3"],
    "1": ["ask 1 2", "ask 2 4", "ask 1 1 / ask 1 3"],
    "3": ["ask 1 4"],
    "Not allowed: ...": ["ask 0 1", "ask 3 2", "ask 4 5"],
    None: ["ask 1", "ask 1 2 3", "answer 3 1 4", "swap 1 2", ""],
    1.0: ["answer 3 1 4 2", "ask 1 2 / ask 1 3 / ask 1 4 / answer 3 1 4 2"],
    0.0: ["answer 1 2 3 4", "answer 3 3 4 2", "ask 1 2 / ask 1 2 / ask 1 2 / ask 1 2"],
}
SAMPLES = {100: {"difficulty": range(12)}}


def test_replies_are_the_swaps_that_sort_a_segment(problem, seed):
    assert sorted(problem.p) == list(range(1, problem.N + 1))
    left, right = sorted(Random(seed).choices(range(1, problem.N + 1), k=2))
    rest, swaps = problem.p[left - 1 : right], 0
    while rest:  # bring the smallest to the front
        swaps += rest.index(min(rest))
        rest.remove(min(rest))
    assert told(problem, [f"ask {left} {right}"]) == [str(swaps)]
