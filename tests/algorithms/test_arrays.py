from itertools import combinations
from random import Random

from rlve.algorithms.arrays import increasing_lengths, inversions


def test_inversions_are_pairs_in_the_wrong_order():
    for seed in range(100):
        rng = Random(seed)
        values = [rng.randint(0, 8) for _ in range(seed % 12)]
        assert inversions(values) == sum(a > b for a, b in combinations(values, 2))


def test_increasing_lengths_follow_from_their_definition():
    for seed in range(100):
        rng = Random(seed)
        values = [rng.randint(0, 9) for _ in range(seed % 12)]
        lengths = increasing_lengths(values)
        assert len(lengths) == len(values)
        for i, length in enumerate(lengths):
            before = [lengths[j] for j in range(i) if values[j] < values[i]]
            assert length == 1 + max(before, default=0)
