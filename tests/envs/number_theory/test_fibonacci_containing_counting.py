from rlve.envs.number_theory.fibonacci_containing_counting import (
    FibonacciContainingCounting,
    count_pairs,
)

PROBLEM = FibonacciContainingCounting(MAX_K=10, K=4, reference_answer=4)
SCHEDULE = {d: {"MAX_K": n} for d, n in enumerate([10, 15, 22, 33, 49])}
REWARDS = {
    1.0: ["4"],
    (3 / 4) ** 10: ["3"],
    (1 / 2) ** 10: ["8"],
    0.0: ["0"],
    -1.0: ["-4", "four", ""],
}


def contains(a, b, K):
    a, b = b, a + b
    while b < K:
        a, b = b, a + b
    return b == K


def test_gold_counts_the_pairs():
    counts = {
        K: sum(contains(a, b, K) for a in range(1, K) for b in range(1, K)) for K in range(2, 112)
    }
    assert {K: count_pairs(K) for K in counts} == counts
    assert counts[PROBLEM.K] == PROBLEM.reference_answer
    for seed in range(100):
        problem = FibonacciContainingCounting.generate(difficulty=seed % 6, seed=seed)
        assert 2 <= problem.K <= problem.MAX_K
        assert problem.reference_answer == counts[problem.K]
