from rlve.envs.arithmetic.max_multiplication_fixed_sum import (
    MaxMultiplicationFixedSum,
)

PROBLEM = MaxMultiplicationFixedSum(MAX_N=10, N=7, reference_answer=12)
SCHEDULE = {
    d: {"MAX_N": n} for d, n in ((0, 10), (1, 15), (2, 22), (3, 33), (12, 1234), (19, 21079))
}
REWARDS = {1.0: ["12", "+012"], 0.0: ["10", "-12"], -1.0: ["3*4", "3 4", "12.0", ""]}


def test_product_is_the_best_of_all_first_terms():
    best = [1]
    for n in range(1, 150):
        best.append(max(a * best[n - a] for a in range(1, n + 1)))
    for seed in range(150):
        problem = MaxMultiplicationFixedSum.generate(difficulty=seed % 7, seed=seed)
        assert problem.N >= 4
        assert problem.reference_answer == best[problem.N]
