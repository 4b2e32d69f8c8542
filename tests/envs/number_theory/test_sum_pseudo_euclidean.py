from random import Random

from rlve.envs.number_theory.sum_pseudo_euclidean import SumPseudoEuclidean

PROBLEM = SumPseudoEuclidean(MAX_N=7, N=6, reference_answer=8)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = {
    1.0: ["8"],
    (8 / 9) ** 10: ["9"],
    (1 / 2) ** 10: ["4"],
    0.0: ["0", "9" * 1000],
    -1.0: ["-8", "8.0", ""],
}


def test_answer_is_the_number_of_steps_of_all_pairs():
    totals = [0]
    for n in range(1, 125):  # the pairs in which n is the larger number, or both are n
        totals.append(totals[-1] + sum(steps(a, n) + steps(n, a) for a in range(1, n)))
    assert totals[6] == PROBLEM.reference_answer
    for seed in range(150):
        problem = SumPseudoEuclidean.sample(Random(seed), MAX_N=5 + seed * 4 // 5)
        assert 5 <= problem.N <= problem.MAX_N
        assert problem.reference_answer == totals[problem.N]


def steps(a, b):
    seen = set()
    while a != b:
        if (a, b) in seen:
            return 0
        seen.add((a, b))
        a, b = (a - b, 2 * b) if a > b else (2 * a, b - a)
    return len(seen)
