from collections.abc import Iterator
from functools import cache
from itertools import count, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import listed, spaced
from rlve.work import Work, add_all, multiply, state


class NoDoubleTripleCounting(Environment[int]):
    """Count the subsets of 1..N that contain no number together with its double or triple.

    The exact count is asked for at all levels; it has about 0.23 N digits.
    """

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 18  # N up to 14,053 and 3,237 digits; the next level would exceed 4,000

    template = """
        Count the subsets S of {{{numbers}}} such that for every x in S neither 2x nor 3x is
        in S. The empty set is one of them.

        Output format: one positive integer, the exact count.
        """

    def prompt(self) -> str:
        return self.fill(numbers=listed("{}", 1, self.N))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=count_subsets(N))

    def parse(self, text: str) -> int:
        return integer(text, low=1, max_digits=4000)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield state("The numbers", range(1, self.N + 1))
        yield (
            "Group them by what is left without the factors 2 and "
            "3; only numbers of a group conflict."
        )
        yield "Write a group in rows: each number is double the one before it, and the row below"
        yield "begins with three times the first number. Multiply the choices of all groups."
        yield "A choice from a row has no two neighbours. In the first row it has 1 way; below, add"
        yield "up the ways for all choices from the row above that have no third of its numbers."
        counts: dict[int, tuple[int, int]] = {}  # by the size of the group, with the first such r
        total = 1
        for r in (r for r in range(1, self.N + 1) if r % 2 and r % 3):
            rows = list(group(r, self.N))
            size = sum(map(len, rows))
            if size not in counts:
                counts[size] = (yield from count_choices(rows)), r
            number, first = counts[size]
            like = f", like that of {first}" if first < r else ""
            yield f"Group of {r}, {' / '.join(map(spaced, rows))}{like}: {number} choices"
            total = yield from multiply(total, number)
        yield f"So the number of subsets is {total}"
        return str(total)


def group(r: int, N: int) -> Iterator[list[int]]:
    """The numbers r * 2^a * 3^b up to N, a row for each b."""
    while r <= N:
        yield [r << a for a in range((N // r).bit_length())]
        r *= 3


def count_choices(rows: list[list[int]]) -> Work[int]:
    """The subsets without doubles (next to each other) and triples (below each other)."""
    ways: dict[tuple[int, ...], int] = {(): 1}
    for row in rows:
        after: dict[tuple[int, ...], int] = {}
        shown: list[str] = []
        for chosen in choices(row):
            terms = [n for before, n in ways.items() if not {3 * x for x in before} & {*chosen}]
            after[chosen] = sum(terms)
            sums = f"{' + '.join(map(str, terms))} = " if len(terms) > 1 else ""
            shown.append(f"{spaced(chosen) or 'none'}: {sums}{after[chosen]}")
        yield f"Row {spaced(row)}. {'; '.join(shown)}"
        ways = after
    return (yield from add_all(list(ways.values())))


def choices(row: list[int]) -> list[tuple[int, ...]]:
    """The subsets of a row without neighbours."""
    if not row:
        return [()]
    rest = choices(row[1:])
    return rest + [(row[0], *chosen) for chosen in choices(row[2:])]


def count_subsets(N: int) -> int:
    """A product: for each r coprime to 6, the numbers r * 2^a * 3^b are independent of all others.

    How many of these numbers there are, and so how many subsets of them, depends only on the
    largest 2^a * 3^b up to N / r.
    """
    powers = range(N.bit_length() + 1)
    smooth = sorted(2**a * 3**b for a in powers for b in powers)
    product = 1
    for least, above in pairwise(smooth):
        roots = coprime_to_6(N // least) - coprime_to_6(N // above)
        if roots:
            product *= count_staircase_subsets(least) ** roots
    return product


def coprime_to_6(n: int) -> int:
    """How many of 1..n are coprime to 6."""
    return (n + 1) // 6 + (n + 5) // 6


@cache
def count_staircase_subsets(limit: int) -> int:
    """The subsets of the numbers 2^a * 3^b up to the limit, column by column (by a)."""
    ways = {0: 1}  # by the set of b that the last column takes
    size = limit
    while size:
        height = next(b for b in count() if 3**b > size)
        column = [taken for taken in range(1 << height) if not taken & (taken << 1)]
        ways = {
            taken: sum(number for left, number in ways.items() if not left & taken)
            for taken in column
        }
        size //= 2
    return sum(ways.values())
