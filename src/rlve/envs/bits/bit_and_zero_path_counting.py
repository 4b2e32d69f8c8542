from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import redraw, spread
from rlve.text import spaced
from rlve.work import Work, modulo, show_sum

MODULUS = 10_000


class BitAndZero_PathCounting(Environment[int]):
    """Count the paths between two integers in the graph that joins integers with disjoint bits.

    The answers of several draws are made equally likely, as 2 would be frequent at low levels.
    Problems with the answer 0 or 1 are redrawn, except at d = 0, where only one would be left.
    """

    max_length: int
    S: str
    T: str
    reference_answer: int

    max_difficulty = 35  # at 42, generating a problem takes too long

    template = """
        The vertices of a directed graph are the non-negative integers. There is an edge from s to t
        if and only if s < t and (s AND t) = 0, where AND is bitwise.

        Count the paths along edges from S to T, where, in binary notation,

        S = {S}
        T = {T}

        Two paths are different if their sequences of vertices are.
        Give the number of paths modulo 10000; if there is none, the answer is 0.

        Output format: one integer from 0 to 9999 in decimal notation, the number of paths modulo
        10000.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"max_length": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, max_length: int) -> Self:
        def draw() -> Self:
            numbers = random_binary(rng, max_length), random_binary(rng, max_length)
            S, T = sorted(numbers, key=lambda digits: int(digits, 2))
            return cls(max_length=max_length, S=S, T=T, reference_answer=count_paths(S, T))

        def is_acceptable(problem: Self) -> bool:
            if max_length > 3:
                return problem.reference_answer > 1
            return problem.S != problem.T

        return spread(
            rng,
            lambda: redraw(draw, until=is_acceptable),
            by=lambda problem: problem.reference_answer,
            draws=24,
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)

    def work(self) -> Work[str | None]:
        if len(self.T) > 10:
            return None  # too many numbers
        yield "Numbers of equal length share their first 1, so each step leads to a longer number."
        yield "The paths to t are those to all s before it that have no 1 in common with t. Left"
        yield "out are numbers to which no path leads, and those as long as T, except T itself."
        S, T = int(self.S, 2), int(self.T, 2)
        ways = {S: 1}
        yield f"{spaced(self.S)}: 1 path"
        for t in (*range(2 ** len(self.S), 2 ** (len(self.T) - 1)), T):
            before = [s for s in ways if not s & t]
            if t == S or (t < T and not before):
                continue
            ways[t] = sum(ways[s] for s in before)
            shown = ", ".join(spaced(f"{s:b}") for s in before) or "none"
            sums = show_sum(ways[s] for s in before)
            yield f"{spaced(f'{t:b}')}: from {shown}, paths {sums}"
        if ways[T] < MODULUS:
            return str(ways[T])
        return str((yield from modulo(ways[T], MODULUS)))


def random_binary(rng: Random, max_length: int) -> str:
    return "1" + "".join(rng.choice("01") for _ in range(rng.randint(0, max_length - 1)))


def count_paths(S: str, T: str) -> int:
    """The number of paths modulo the modulus.

    Numbers of equal length share their highest bit, so each vertex is longer than the one before.
    Write the path as one row of bits per vertex. A column is then any sequence of bits without two
    adjacent ones, except that it is 0 at vertices too short for it. Going down from the highest
    column, each column holds the highest bit of at most one more vertex: the one before those seen
    so far.
    """
    if len(S) >= len(T):
        return int(S == T)
    columns = disjoint_columns(len(T))
    gap = len(T) - len(S)
    ways = {1: 1}  # by the number of vertices seen: at first only T
    for bit in T[1:gap]:
        seen: dict[int, int] = {}
        for rows, count in ways.items():
            column = columns[rows]
            stays = column["0", bit] + column["1", bit]
            seen[rows] = (seen.get(rows, 0) + count * stays) % MODULUS
            seen[rows + 1] = count * columns[rows + 1]["1", bit] % MODULUS
        ways = seen
    total = 0
    for rows, count in ways.items():
        for first, last in zip(S, T[gap:], strict=True):
            count = count * columns[rows + 1][first, last] % MODULUS
        total += count
    return total % MODULUS


def disjoint_columns(longest: int) -> list[dict[tuple[str, str], int]]:
    """The number of 0/1 sequences without two adjacent ones, by length, first and last element."""
    columns: list[dict[tuple[str, str], int]] = [{}]
    columns.append({("0", "0"): 1, ("0", "1"): 0, ("1", "0"): 0, ("1", "1"): 1})
    for length in range(2, longest + 1):
        shorter = columns[length - 1]
        columns.append({})
        for last in "01":
            columns[length]["0", last] = shorter["0", last] + shorter["1", last]
            columns[length]["1", last] = shorter["0", last]
    return columns
