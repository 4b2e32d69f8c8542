from rlve.envs.number_theory.integer_factorization_counting import (
    IntegerFactorizationCounting,
    count_ways,
)

PROBLEM = IntegerFactorizationCounting(MAX_N=24, N=24, reference_answer=4)
PRIME = IntegerFactorizationCounting(MAX_N=16, N=13, reference_answer=0)
SCHEDULE = {d: {"MAX_N": n} for d, n in enumerate([16, 24, 36, 54, 81, 121])}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (3 / 4) ** 10: ["3"],
            (1 / 2) ** 10: ["8"],
            0.0: ["0"],
            -1.0: ["-4", "2 * 12", ""],
        },
    ),
    (PRIME, {1.0: ["0"], 0.0: ["1"]}),
]


def brute_force(N, above=1):
    """Factorisations of N into increasing factors, N itself included."""
    return 1 + sum(brute_force(N // f, f) for f in range(above + 1, N) if f * f < N and N % f == 0)


def test_gold_counts_the_ways():
    for N in (*range(2, 250), 720, 1024, 1260, 1440):
        assert count_ways(N) == brute_force(N) - 1
    for seed in range(100):
        problem = IntegerFactorizationCounting.generate(difficulty=seed % 7, seed=seed)
        assert 4 <= problem.N <= problem.MAX_N
        assert problem.reference_answer == brute_force(problem.N) - 1
