from itertools import permutations
from random import Random

from rlve.algorithms.primes import is_prime
from rlve.envs.combinatorics.heap_counting import HeapCounting, heaps

PROBLEM = HeapCounting(MAX_N=10, N=5, P=7, reference_answer=1)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 10), (1, 12), (2, 14), (6, 23), (20, 103))}
REWARDS = {1.0: ["1"], 0.0: ["0", "6"], -0.5: ["7", "8", "-6"], -1.0: ["one"]}


def test_number_of_heaps():
    counts = {N: enumerated(N) for N in range(3, 8)}
    assert counts == {N: inserted(N) for N in range(3, 8)}
    counts |= {N: inserted(N) for N in range(8, 13)}
    for seed in range(100):
        problem = HeapCounting.sample(Random(seed), MAX_N=3 + seed % 10)
        assert problem.N < problem.P <= 5 * problem.N
        assert is_prime(problem.P)
        assert problem.reference_answer == counts[problem.N] % problem.P
        assert problem.reference_answer > 0
    assert [heaps(N) for N in (1, 2)] == [1, 1]


def enumerated(N):
    return sum(
        all(A[i - 1] > A[i // 2 - 1] for i in range(2, N + 1)) for A in permutations(range(N))
    )


def inserted(N):
    """1, 2, 3, ... are placed one by one, each below a place that is filled."""
    ways = {frozenset(): 1}
    for _ in range(N):
        longer = {}
        for filled, count in ways.items():
            for i in range(1, N + 1):
                if i not in filled and (i == 1 or i // 2 in filled):
                    longer[filled | {i}] = longer.get(filled | {i}, 0) + count
        ways = longer
    (count,) = ways.values()
    return count
