from itertools import product

from rlve.envs.optimization.stunt_flying import StuntFlying

PROBLEM = StuntFlying(N=5, K=3, C=[1, 3, 2], gold_answer=16)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 6: {"N": 10}, 20: {"N": 56}}
REWARDS = {
    1.0: ["1 2 0 2 1", "1 2 1 2 1"],
    (14 / 16) ** 5: ["2 1 0 1 2"],
    (12 / 16) ** 5: ["1 1 1 1 1"],
    (5 / 16) ** 5: ["0 1 1 2 2"],
    -0.5: ["1 2 0 2", "1 2 0 2 1 1", "1 2 3 2 1", "1 2 -1 2 1", ""],
    -1.0: ["1, 2, 0, 2, 1"],
}
SAMPLES = {100: {"N": range(2, 5)}}


def test_gold_is_the_largest_over_all_sequences(problem):
    sequences = product(range(problem.K), repeat=problem.N)
    assert problem.gold_answer == max(total(problem.C, sequence) for sequence in sequences)


def total(C, sequence):
    value, last = 0, {}
    for i, x in enumerate(sequence):
        value += C[x] * (i - last.get(x, i))
        last[x] = i
    return value
