from itertools import combinations
from random import Random

import pytest

from rlve.algorithms.search import lightest_cover


def test_lightest_cover_is_the_lightest_of_all_choices():
    rng = Random(1)
    for _ in range(200):
        n, m = rng.randint(1, 7), rng.randint(1, 7)
        sets = [rng.randrange(1 << n) for _ in range(m)]
        costs = [rng.randint(1, 4) for _ in range(m)]
        covers = [
            sum(costs[i] for i in chosen)
            for size in range(m + 1)
            for chosen in combinations(range(m), size)
            if all(any(sets[i] >> e & 1 for i in chosen) for e in range(n))
        ]
        if not covers:
            with pytest.raises(ValueError, match="do not cover"):
                lightest_cover((1 << n) - 1, sets, costs)
            continue
        found = lightest_cover((1 << n) - 1, sets, costs)
        assert found == sorted(set(found))
        assert all(any(sets[i] >> e & 1 for i in found) for e in range(n))
        assert sum(costs[i] for i in found) == min(covers)


def test_nothing_is_covered_by_no_set():
    assert lightest_cover(0, [1, 2], [1, 1]) == []
