from rlve.envs.number_theory.fibonacci import Fibonacci, term

PROBLEM = Fibonacci(MAX_N=3, N=3, A1=2, A2=9999, P=3, Q=4, reference_answer=5)  # 29997 + 8
SCHEDULE = {0: {"MAX_N": 3}, 1: {"MAX_N": 6}, 2: {"MAX_N": 12}, 20: {"MAX_N": 3 * 2**20}}
REWARDS = {
    1.0: ["5", "0005"],
    0.0: [
        "30005",  # not reduced
        "-9995",
    ],
    -1.0: ["5.0", "5 mod 10000", ""],
}


def test_gold_follows_the_recurrence():
    for seed in range(120):
        p = Fibonacci.generate(difficulty=seed % 9, seed=seed)
        a, b = p.A1, p.A2
        for _ in range(p.N - 1):
            a, b = b, p.P * b + p.Q * a  # exact integers, reduced at the end
        assert p.reference_answer == a % 10_000
    assert [term(N, 1, 1, 1, 1) for N in range(1, 8)] == [1, 1, 2, 3, 5, 8, 13]
