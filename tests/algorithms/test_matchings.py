from random import Random

from rlve.algorithms.matchings import bipartite_matching


def test_bipartite_matching_is_largest():
    for seed in range(200):
        rng = Random(seed)
        n, m = rng.randint(0, 5), rng.randint(1, 5)
        near = [[v for v in range(m) if rng.random() < 0.4] for _ in range(n)]
        partners = bipartite_matching(near, m)
        matched = [(u, v) for u, v in enumerate(partners) if v is not None]
        assert all(v in near[u] for u, v in matched)
        assert len({v for _, v in matched}) == len(matched) == largest(near, frozenset())


def largest(near, taken):
    """Try each choice for the first vertex, and none."""
    if not near:
        return 0
    rest = near[1:]
    return max(
        [largest(rest, taken), *(1 + largest(rest, taken | {v}) for v in near[0] if v not in taken)]
    )
