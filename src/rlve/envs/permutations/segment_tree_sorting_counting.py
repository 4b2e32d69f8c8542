from math import factorial
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import counted, indexed, spaced
from rlve.work import Work, show_sum


class SegmentTreeSortingCounting(Environment[int]):
    """Count the ways to sort an array by swapping segments, at most one swap per length.

    Rare answers are about as likely as the answer 1, which most short arrays have.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 9  # 2,048 entries fit in a prompt; the 4,096 of the next level do not
    picture = Bars(first=1)

    template = """
        A is this permutation of the integers 1 to {size} (which is 2^{N}), indexed from 1:

        {A}

        There are {N} types of operation, 1 to {N}. An operation of type i divides the current array
        into 2^({N} - i + 1) consecutive segments of length 2^(i - 1) each, and swaps two different
        segments of your choice. Each type can be used at most once, and types can be used in any
        order.

        Count the sequences of operations, which may be empty, that sort the array in ascending
        order. Two sequences are different if their lengths differ, or if at some step their types
        differ or their two swapped segments differ (which of the two is named first does not
        matter).

        Output format: one integer, the exact count.
        """

    def prompt(self) -> str:
        return self.fill(size=2**self.N, A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = list(range(1, 2**N + 1))
            for operation in rng.sample(range(N), rng.randint(1, N)):
                length = 2**operation
                i, j = (length * s for s in rng.sample(range(len(A) // length), 2))
                A[i : i + length], A[j : j + length] = A[j : j + length], A[i : i + length]
            count = sorting_sequences([value - 1 for value in A])
            return cls(N=N, A=A, reference_answer=count)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "A swap of long segments moves the short ones in them whole, so the same swaps can be"
        yield "made in any order, each where its segments are then. Use type 1 first, then 2, and"
        yield "so on, and count k! orders for k swaps. Type 1 must make all pairs whole: 1 2, 3 4,"
        yield "5 6 and so on. Then number the pairs, and type 2 does the same with them."
        return str((yield from sort_ways(self.A, 1, 0)))


def sort_ways(segments: list[int], kind: int, used: int) -> Work[int]:
    """In how many ways the segments can be sorted by types from `kind` on."""
    if len(segments) == 1:
        orders = counted(factorial(used), "order")
        yield f"Sorted with {counted(used, 'type')}, in {used}! = {orders}"
        return factorial(used)
    pairs = [segments[i : i + 2] for i in range(0, len(segments), 2)]
    torn = [i for i, pair in enumerate(pairs) if not is_whole(pair)]
    broken = ", ".join(spaced(pairs[i]) for i in torn) or "none"
    yield f"Type {kind}, {', '.join(map(spaced, pairs))}; not whole: {broken}"
    if not torn:
        return (yield from sort_ways([pair[1] // 2 for pair in pairs], kind + 1, used))
    if len(torn) > 2:
        yield "One swap mends at most two: 0"
        return 0
    counts: list[int] = []
    first, last = 2 * torn[0], 2 * torn[-1]
    swaps = [(x, y) for x in (first, first + 1) for y in (last, last + 1) if x < y]
    for x, y in swaps if len(torn) == 2 else [(first, first + 1)]:
        after = segments[:]
        after[x], after[y] = after[y], after[x]
        halves = [after[i : i + 2] for i in range(0, len(after), 2)]
        if all(map(is_whole, halves)):
            yield f"Type {kind}, swap {segments[x]} and {segments[y]}: whole"
            counts.append(
                (yield from sort_ways([pair[1] // 2 for pair in halves], kind + 1, used + 1))
            )
        else:
            yield f"Type {kind}, swap {segments[x]} and {segments[y]}: not whole"
    if len(counts) > 1:
        yield f"Type {kind}, together: {show_sum(counts)}"
    return sum(counts)


def is_whole(pair: list[int]) -> bool:
    return pair[0] % 2 == 1 and pair[1] == pair[0] + 1


def sorting_sequences(segments: list[int], used: int = 0) -> int:
    """The number of sequences that sort the segments 0, 1, ..., after `used` types have been used.

    Whatever the order of the operations, the swapped segments can be chosen to do the same in the
    order of the types, so m types count m! times. The type of the shortest segments comes first,
    and must leave only pairs 2k, 2k + 1, each of which is one segment of the next type.
    """
    if len(segments) == 1:
        return factorial(used)
    torn = [
        i
        for i in range(0, len(segments), 2)
        if segments[i] % 2 or segments[i + 1] != segments[i] + 1
    ]
    match torn:
        case []:
            return sorting_sequences([first // 2 for first in segments[::2]], used)
        case [i]:
            swaps = [(i, i + 1)]
        case [i, j]:
            swaps = [(x, y) for x in (i, i + 1) for y in (j, j + 1)]
        case _:
            return 0
    count = 0
    for x, y in swaps:
        after = segments[:]
        after[x], after[y] = after[y], after[x]
        if all(after[i] % 2 == 0 and after[i + 1] == after[i] + 1 for i in torn):
            count += sorting_sequences([first // 2 for first in after[::2]], used + 1)
    return count
