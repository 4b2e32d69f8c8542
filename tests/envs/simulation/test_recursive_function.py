from random import Random

from rlve.envs.simulation.recursive_function import RecursiveFunction

# f(0, f(0, 1)) + f(0, f(0, 1)) = 3 + 3
PROBLEM = RecursiveFunction(MAX_M_N=3, M=1, N=2, reference_answer=6)
SCHEDULE = {d: {"MAX_M_N": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {1.0: ["6", "+6"], 0.0: ["5", "-6", "9" * 1000], -1.0: ["6.0", "f(1, 2) = 6", ""]}


def test_value_is_that_of_a_table():
    table = {}
    # By hand: f(1, n) = n + floor(n / 2) + 3 for n >= 1.
    table[0] = range(1, 40_000)
    table[1] = [2, *(n + n // 2 + 3 for n in range(1, 20_000))]
    for m in range(2, 12):
        below, half = table[m - 1], table[m // 2]
        table[m] = [below[1]]
        for n in range(1, 20_000):
            inner = half[n // 2], half[n - 1]
            if max(inner) >= len(half):
                break
            table[m].append(half[inner[0]] + half[inner[1]])
    seen = 0
    for seed in range(200):
        problem = RecursiveFunction.sample(Random(seed), MAX_M_N=3 + seed % 9)
        assert 1 <= min(problem.M, problem.N) <= max(problem.M, problem.N) <= problem.MAX_M_N
        known = table[problem.M]
        if len(known) > problem.N:
            seen += 1
            assert problem.reference_answer == known[problem.N]
    assert seen >= 150
