from rlve.envs.number_theory.add_multiple_divisible_counting import (
    AddMultiple_Divisible_Counting,
    count_pairs,
)

PROBLEM = AddMultiple_Divisible_Counting(MAX_N=16, N=15, reference_answer=4)
SCHEDULE = {d: {"MAX_N": n} for d, n in enumerate([16, 24, 36, 54, 81, 121])}
REWARDS = {1.0: ["4"], (3 / 4) ** 10: ["3"], (1 / 2) ** 10: ["8"], -1.0: ["0", "-4", "four", ""]}


def test_gold_counts_the_pairs():
    counts = [0]
    for b in range(1, 201):
        counts.append(counts[-1] + sum(a * b % (a + b) == 0 for a in range(1, b)))
    assert [count_pairs(N) for N in range(1, 201)] == counts[1:]
    for seed in range(100):
        problem = AddMultiple_Divisible_Counting.generate(difficulty=seed % 6, seed=seed)
        assert 6 <= problem.N <= problem.MAX_N
        assert problem.reference_answer == counts[problem.N]
