from functools import cache

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
SAMPLES = {150: {"MAX_A_B": range(1, 51)}}


def test_answer_sums_over_all_signed_triples(problem):
    assert 1 <= problem.A <= problem.B <= problem.MAX_A_B
    assert problem.reference_answer == sum(map(norms, range(problem.A, problem.B + 1)))


@cache
def norms(k):
    signed = [t for t in range(-k, k + 1) if t and k % t == 0]
    return sum(
        (abs(x) + abs(y) + abs(z)) ** 2
        for x in signed
        for y in signed
        for z in signed
        if x * y * z == k
    )
