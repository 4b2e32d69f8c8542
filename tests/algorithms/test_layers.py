from itertools import combinations, count
from random import Random

from rlve.algorithms.layers import fewest_layers


def test_fewer_layers_never_contain_all_ones():
    for seed in range(100):
        rng = Random(seed)
        size = rng.randint(2, 6)
        ones = [tuple(rng.randrange(size) for _ in range(3)) for _ in range(rng.randint(1, 12))]
        found = fewest_layers(ones)
        assert all(any(one[axis] == place for axis, place in found) for one in ones)
        assert len(found) == fewest(ones)


def fewest(ones):
    """Try all sets of layers, the smaller ones first."""
    layers = {(axis, one[axis]) for one in ones for axis in range(3)}
    inside = [{one for one in ones if one[axis] == place} for axis, place in layers]
    return next(
        k
        for k in count()
        if any(set().union(*chosen) == set(ones) for chosen in combinations(inside, k))
    )
