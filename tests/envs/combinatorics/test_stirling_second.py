from itertools import product

from rlve.envs.combinatorics.stirling_second import StirlingSecond

PROBLEM = StirlingSecond(MAX_N=7, MAX_R=2, N=3, R=2, reference_answer=6)
SCHEDULE = {
    0: {"MAX_N": 7, "MAX_R": 2},
    1: {"MAX_N": 8, "MAX_R": 3},
    2: {"MAX_N": 9, "MAX_R": 4},
    3: {"MAX_N": 10, "MAX_R": 5},
}
REWARDS = {
    1.0: ["6"],
    0.0: [
        "3",  # of boxes that are all alike
        "0",
        "1000000006",
    ],
    -0.5: ["1000000007", "-6"],
    -1.0: ["6.0", ""],
}
SAMPLES = {150: {"MAX_N": range(5, 8), "MAX_R": range(2, 5)}}


def test_gold_counts_the_ways(problem):
    assert 2 <= problem.N <= problem.MAX_N
    assert 2 <= problem.R <= min(problem.N, problem.MAX_R)
    if problem.R**problem.N <= 3000:
        ways = product(range(problem.R), repeat=problem.N)
        assert problem.reference_answer == sum(len(set(boxes)) == problem.R for boxes in ways)


def test_large_counts_are_reduced():
    for seed in range(20):
        p = StirlingSecond.generate(difficulty=20, seed=seed)
        onto = [1] + [0] * p.R  # ball by ball, by the number of boxes in use
        for _ in range(p.N):
            onto = [0] + [k * onto[k] + (p.R - k + 1) * onto[k - 1] for k in range(1, p.R + 1)]
        assert p.reference_answer == onto[p.R] % (10**9 + 7)
