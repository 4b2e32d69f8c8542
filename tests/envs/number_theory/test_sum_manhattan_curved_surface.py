from random import Random

from rlve.envs.number_theory.sum_manhattan_curved_surface import SumManhattan_CurvedSurface

# Of k = 1 there are 4 triples of norm 3, of k = 2 there are 12 of norm 4.
PROBLEM = SumManhattan_CurvedSurface(MAX_A_B=5, A=1, B=2, reference_answer=4 * 9 + 12 * 16)
SCHEDULE = {d: {"MAX_A_B": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = {
    1.0: ["228"],
    (228 / 229) ** 10: ["229"],
    (1 / 4) ** 10: ["57"],
    0.0: ["0", "9" * 1000],
    -1.0: ["-228", "228.0", ""],
}


def test_answer_sums_over_all_signed_triples():
    sums = [0, *map(norms, range(1, 62))]
    for seed in range(150):
        problem = SumManhattan_CurvedSurface.sample(Random(seed), MAX_A_B=1 + seed // 3)
        assert 1 <= problem.A <= problem.B <= problem.MAX_A_B
        assert problem.reference_answer == sum(sums[problem.A : problem.B + 1])


def norms(k):
    signed = [t for t in range(-k, k + 1) if t and k % t == 0]
    return sum(
        (abs(x) + abs(y) + abs(z)) ** 2
        for x in signed
        for y in signed
        for z in signed
        if x * y * z == k
    )
