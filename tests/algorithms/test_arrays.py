from itertools import combinations, pairwise, permutations, product
from random import Random

import pytest

from rlve.algorithms.arrays import (
    MonotoneQueue,
    cheapest_blocks,
    heaviest_chains,
    increasing_lengths,
    inversions,
    is_increasing,
    is_non_decreasing,
    is_permutation,
)


def test_inversions_are_pairs_in_the_wrong_order():
    for seed in range(100):
        rng = Random(seed)
        values = [rng.randint(0, 8) for _ in range(seed % 12)]
        assert inversions(values) == sum(a > b for a, b in combinations(values, 2))


@pytest.mark.parametrize("first", [0, 1])
def test_permutations_have_every_value_once(first):
    values = range(-1, 5)
    for n in range(4):
        right = set(permutations(range(first, first + n)))
        for length in range(5):
            for tried in product(values, repeat=length):
                assert is_permutation(tried, n, first=first) == (tried in right)


@pytest.mark.parametrize("strictly", [True, False])
def test_increasing_lengths_follow_from_their_definition(strictly):
    for seed in range(100):
        rng = Random(seed)
        values = [rng.randint(0, 9) for _ in range(seed % 12)]
        lengths = increasing_lengths(values, strictly=strictly)
        assert len(lengths) == len(values)
        for i, length in enumerate(lengths):
            before = [lengths[j] for j in range(i) if values[j] + strictly <= values[i]]
            assert length == 1 + max(before, default=0)


def test_what_increases_and_what_does_not_decrease():
    assert all(map(is_increasing, ([], [5], [-1, 0, 7])))
    assert not is_increasing([1, 1])
    assert all(map(is_non_decreasing, ([], [1, 1, 2])))
    assert not is_non_decreasing([1, 2, 1])


def test_the_heaviest_chain_is_that_of_all_subsets():
    for seed in range(100):
        rng = Random(seed)
        n = seed % 8
        weights = [rng.randint(1, 9) for _ in range(n)]
        allowed = {pair for pair in combinations(range(n), 2) if rng.random() < 0.5}
        chains = heaviest_chains(weights, lambda i, j, allowed=allowed: (i, j) in allowed)
        found = chains.heaviest()
        assert all(pair in allowed for pair in pairwise(found))
        every = [
            sum(weights[i] for i in part)
            for k in range(n + 1)
            for part in combinations(range(n), k)
            if all(pair in allowed for pair in pairwise(part))
        ]
        assert sum(weights[i] for i in found) == max(every)
        for place, weight in enumerate(chains.weights):
            assert chains.to(place)[-1] == place
            assert sum(weights[i] for i in chains.to(place)) == weight


def test_the_cheapest_blocks_are_those_of_all_ways_to_cut():
    for seed in range(100):
        rng = Random(seed)
        n = seed % 8
        costs = {pair: rng.randint(-9, 9) for pair in combinations(range(n + 1), 2)}

        def total(ends, costs=costs):
            return sum(costs[block] for block in zip([0, *ends], ends, strict=False))

        ends = cheapest_blocks(n, lambda start, stop, costs=costs: costs[start, stop])
        if n == 0:
            assert ends == []
            continue
        assert ends[-1] == n
        ways = [(*cuts, n) for k in range(n) for cuts in combinations(range(1, n), k)]
        assert total(ends) == min(map(total, ways))


def test_a_monotone_queue_knows_the_least_value_of_its_window():
    for seed in range(100):
        rng = Random(seed)
        values = [rng.randint(0, 5) for _ in range(12)]
        queue = MonotoneQueue()
        start = 0
        for i, value in enumerate(values):
            queue.push(i, value)
            start = rng.randint(start, i)
            queue.drop(start)
            window = values[start : i + 1]
            least, place = queue.least()
            assert least == min(window) == values[place]
            assert min(window) not in values[place + 1 : i + 1]
