import math
from functools import cache

from rlve.envs.combinatorics.no_double_triple_counting import NoDoubleTripleCounting, count_subsets

PROBLEM = NoDoubleTripleCounting(MAX_N=10, N=4, reference_answer=8)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 10), (1, 15), (2, 22), (3, 33), (4, 49), (18, 14053))}
REWARDS = {1.0: ["8"], (1 / 2) ** 10: ["4", "16"], -1.0: ["0", "-8", "2^3", ""]}


def test_gold_counts_the_subsets():
    expected = {N: math.prod(map(good_subsets, components(N))) for N in range(1, 50)}
    assert expected[11] == good_subsets(tuple(range(1, 12)))
    assert {N: count_subsets(N) for N in expected} == expected
    for seed in range(100):
        p = NoDoubleTripleCounting.generate(difficulty=seed % 5, seed=seed)
        assert 3 <= p.N <= p.MAX_N
        assert p.reference_answer == expected[p.N]


def components(N):
    left = set(range(1, N + 1))
    while left:
        component, new = set(), {min(left)}
        while new:
            component |= new
            new = {y for x in new for y in (2 * x, 3 * x, x / 2, x / 3)} & left - component
        left -= component
        yield tuple(sorted(map(int, component)))


@cache
def good_subsets(numbers):
    good = [frozenset()]
    for x in numbers:
        good += [chosen | {x} for chosen in good if not chosen & {x / 2, x / 3}]
    return len(good)
