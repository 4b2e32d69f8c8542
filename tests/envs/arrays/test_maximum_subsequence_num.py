from itertools import combinations, product

from rlve.envs.arrays.maximum_subsequence_num import Maximum_SubsequenceNum, distinct_subsequences

PROBLEM = Maximum_SubsequenceNum(N=2, M=2, K=3, A=[0, 1], gold_answer=14, reference_answer="2 0")
SCHEDULE = {
    0: {"N": 2, "M": 2, "K": 2},
    1: {"N": 3, "M": 3, "K": [2, 3]},
    2: {"N": 4, "M": 4, "K": [2, 4]},
    20: {"N": 45, "M": 45, "K": [2, 4, 9, 13, 22, 45]},
}
REWARDS = {
    1.0: ["2 0"],
    (13 / 14) ** 5: ["2 1"],
    (11 / 14) ** 5: ["0 1"],
    (7 / 14) ** 5: ["1 1"],
    -0.5: ["2", "2 0 1", "2 3", "-1 2", ""],
    -1.0: ["2, 0"],
}
SAMPLES = {120: {"N": range(1, 4), "M": range(1, 5), "K": [2, 3, 2, 3, 3]}}


def test_gold_is_the_greatest_number_of_all_extensions(problem):
    extensions = product(range(problem.K), repeat=problem.N)
    best = max(number([*problem.A, *appended]) for appended in extensions)
    assert problem.gold_answer == best


def number(values):
    return len({part for k in range(1, len(values) + 1) for part in combinations(values, k)})


def test_a_worse_extension_is_never_right_however_close_it_comes():
    best = list(range(60))
    worse = [*range(58), 59, 58]
    gold = distinct_subsequences(best + best)
    problem = Maximum_SubsequenceNum(
        N=60, M=60, K=60, A=best, gold_answer=gold, reference_answer=" ".join(map(str, best))
    )
    assert 0 < gold - distinct_subsequences(best + worse) < gold * 1e-15
    assert not problem.verify(f"<answer>{' '.join(map(str, worse))}</answer>").correct
    assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
