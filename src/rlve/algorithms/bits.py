"""The bits of integers, and XORs: of sets of integers, along paths, of all pairs of two ranges."""

from collections.abc import Iterable, Iterator

from rlve.algorithms.graphs import WeightedEdge


def set_bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class XorBasis:
    """Integers from which others are made by XOR, no two of them with the same highest bit."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self.vectors: dict[int, int] = {}  # by bit length
        for value in values:
            self.add(value)

    @property
    def rank(self) -> int:
        return len(self.vectors)

    def add(self, value: int) -> bool:
        """Add the value >= 0 to the span; return False if it was already in it."""
        while value:
            length = value.bit_length()
            if length not in self.vectors:
                self.vectors[length] = value
                return True
            value ^= self.vectors[length]
        return False

    def largest(self, start: int = 0) -> int:
        """The largest XOR of start and any set of the values."""
        for length in sorted(self.vectors, reverse=True):
            start = max(start, start ^ self.vectors[length])
        return start


def path_xors(edges: Iterable[WeightedEdge], source: int) -> dict[int, int]:
    """The XOR of the weights on some path from the source to each vertex connected to it."""
    neighbours: dict[int, list[tuple[int, int]]] = {}  # with weights
    for u, v, w in edges:
        neighbours.setdefault(u, []).append((v, w))
        neighbours.setdefault(v, []).append((u, w))
    xors = {source: 0}
    reached = [source]
    for u in reached:
        for v, w in neighbours.get(u, ()):
            if v not in xors:
                xors[v] = xors[u] ^ w
                reached.append(v)
    return xors


def aligned_blocks(n: int) -> Iterator[tuple[int, int]]:
    """0 .. n-1 cut into ranges (first, size), each size a power of two that divides its first."""
    first = 0
    for bit in reversed(range(n.bit_length())):
        size = 1 << bit
        if n & size:
            yield first, size
            first += size


def xor_ranges(n: int, m: int, shift: int = 0) -> Iterator[tuple[int, int, int]]:
    """The values i XOR j XOR shift of all 0 <= i < n, 0 <= j < m, as (first, size, times).

    Each of first .. first + size - 1 is the value of this many more pairs.
    """
    for i, height in aligned_blocks(n):
        for j, width in aligned_blocks(m):
            size, times = max(height, width), min(height, width)
            yield (i ^ j ^ shift) & -size, size, times
