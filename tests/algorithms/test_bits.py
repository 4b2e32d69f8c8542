from collections import Counter
from itertools import product
from random import Random

from rlve.algorithms.bits import XorBasis, aligned_blocks, path_xors, set_bits, xor_ranges


def test_set_bits():
    assert list(set_bits(0)) == []
    assert list(set_bits(0b10010001 << 100)) == [100, 104, 107]


def test_basis_spans_all_xors():
    rng = Random(0)
    for _ in range(200):
        bits = rng.randint(1, 6)
        values = [rng.randrange(2**bits) for _ in range(rng.randint(0, 6))]
        span, basis = {0}, XorBasis()
        for value in values:
            assert basis.add(value) == (value not in span)
            span |= {value ^ x for x in span}
            assert len(span) == 2**basis.rank
        start = rng.randrange(2**bits)
        assert basis.largest(start) == max(start ^ x for x in span)
        assert XorBasis(values).largest() == max(span)


def test_path_xors():
    edges = [(2, 1, 6), (0, 1, 3), (4, 3, 1), (1, 5, 3), (0, 2, 5)]
    assert path_xors(edges, 0) == {0: 0, 1: 3, 2: 5, 5: 0}
    assert path_xors(edges, 4) == {4: 0, 3: 1}
    assert path_xors([], 7) == {7: 0}


def test_aligned_blocks_cut_the_range():
    for n in range(100):
        blocks = list(aligned_blocks(n))
        assert [x for first, size in blocks for x in range(first, first + size)] == list(range(n))
        assert all(size & (size - 1) == 0 and first % size == 0 for first, size in blocks)


def test_xor_ranges_hold_the_xors_of_all_pairs():
    for n, m, shift in product(range(14), range(14), (0, 1, 5, 12)):
        values = Counter()
        for first, size, times in xor_ranges(n, m, shift):
            values.update(dict.fromkeys(range(first, first + size), times))
        assert values == Counter(i ^ j ^ shift for i in range(n) for j in range(m))
