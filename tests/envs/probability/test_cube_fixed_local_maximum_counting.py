from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

from rlve.envs.probability.cube_fixed_local_maximum_counting import (
    PRIME,
    Cube_FixedLocalMaximumCounting,
    probability,
)

PROBLEM = Cube_FixedLocalMaximumCounting(
    MAX_N_M_L=3, N=2, M=2, L=2, K=2, reference_answer=pow(7, -1, PRIME)
)
SCHEDULE = {d: {"MAX_N_M_L": n} for d, n in ((0, 3), (1, 4), (2, 5), (7, 10), (8, 12))}
REWARDS = {
    1.0: ["855638017"],
    0.0: ["855638018", "0", "998244352"],
    -0.5: ["998244353", str(855638017 + PRIME), "-1"],
    -1.0: ["1/7", ""],
}


def test_probability_is_that_of_filling_from_the_largest_number_down():
    sizes = [size for size in product(range(1, 6), repeat=3) if size[0] * size[1] * size[2] <= 10]
    sizes += [(2, 2, 3), (3, 2, 2)]
    checked = 0
    for size in sizes:
        shares = dominant_shares(size)
        for K in range(min(size) + 2):
            assert probability(*size, K) == shares[K]
            checked += 1
    assert checked >= 100


def test_generated_answers():
    checked = 0
    for seed in range(100):
        problem = Cube_FixedLocalMaximumCounting.generate(difficulty=seed % 3, seed=seed)
        size = tuple(sorted((problem.N, problem.M, problem.L)))
        assert 2 <= problem.K <= size[0]
        if size in {(2, 2, 2), (2, 2, 3)}:
            share = dominant_shares(size)[problem.K]
            assert problem.reference_answer * share.denominator % PRIME == share.numerator
            checked += 1
    assert checked >= 10


@cache
def dominant_shares(size):
    """The probability of each number of dominant cells, with the largest numbers placed first.

    A cell is dominant if it is the first of all that share a coordinate with it.
    """
    cells = list(product(*map(range, size)))
    bits = range(len(cells))
    rivals = [
        sum(1 << j for j in bits if any(a == b for a, b in zip(cell, cells[j], strict=True)))
        for cell in cells
    ]
    counts = {0: Counter({0: 1})}
    for placed in range(1 << len(cells)):
        for i in bits:
            if not placed >> i & 1:
                dominant = not placed & rivals[i]
                target = counts.setdefault(placed | 1 << i, Counter())
                for k, ways in counts[placed].items():
                    target[k + dominant] += ways
    last = counts[(1 << len(cells)) - 1]
    return Counter({k: Fraction(ways, last.total()) for k, ways in last.items()})
