from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import joined, lines, listed, spaced
from rlve.work import Work, show_sum


class BitwiseOperationSequenceCounting(Environment[int]):
    """Count the ways to put AND or OR between binary strings that produce a given result.

    At low levels, most problems would have the answer 1 or 2, so the answers of several draws are
    made equally likely.
    """

    MAX_N_M: int
    N: int
    M: int
    A: list[str]  # N + 1 strings
    R: str
    reference_answer: int

    max_difficulty = 35  # at 42, a prompt exceeds 32,000 characters

    template = """
        Here are {count} binary strings of length {M}, A[0] to A[{N}]:

        {A}

        Between each two consecutive strings, one of the operators AND and OR (both bitwise) is put,
        {N} in all: {expression}. The expression is evaluated strictly from
        left to right: neither operator takes precedence over the other.

        How many of the 2^{N} sequences of operators give the result {R}?

        Output format: one integer, the exact number of sequences.
        """

    def prompt(self) -> str:
        A = lines(f"A[{i}]={string}" for i, string in enumerate(self.A))
        return self.fill(count=self.N + 1, A=A, expression=listed("A[{}]", 0, self.N, " ? "))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            rows = [[0] * M]
            result = rows[0]
            and_share = rng.random()
            for _ in range(N):
                density = rng.random()
                row = [int(rng.random() < density) for _ in range(M)]
                operate = int.__and__ if rng.random() < and_share else int.__or__
                result = list(map(operate, result, row))
                rows.append(row)
            A, R = list(map(joined, rows)), joined(result)
            return cls(MAX_N_M=MAX_N_M, N=N, M=M, A=A, R=R, reference_answer=count_sequences(A, R))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Keep all results so far, each with the number of sequences that give it."
        ways = {self.A[0]: 1}
        yield f"A[0] = {spaced(self.A[0])} with 1"
        for i, string in enumerate(self.A[1:], 1):
            after: dict[str, list[int]] = {}
            shown: list[str] = []
            for result, count in ways.items():
                bits = list(zip(map(int, result), map(int, string), strict=True))
                both, either = joined(x & y for x, y in bits), joined(x | y for x, y in bits)
                after.setdefault(both, []).append(count)
                after.setdefault(either, []).append(count)
                shown.append(f"{spaced(result)}: AND {spaced(both)}, OR {spaced(either)}")
            yield f"With A[{i}] = {spaced(string)}: {'; '.join(shown)}"
            ways = {result: sum(counts) for result, counts in after.items()}
            yield "Now: " + "; ".join(
                f"{spaced(result)} with {show_sum(counts)}" for result, counts in after.items()
            )
        count = ways.get(self.R, 0)
        yield f"So {spaced(self.R)} comes from {count} sequences"
        return str(count)


def count_sequences(A: list[str], R: str) -> int:
    """Read operators as a binary number, the last one first, with 1 for AND and 0 for OR.

    In each column, the last row whose bit differs from its operator decides: OR 1 gives 1, AND 0
    gives 0. So the result is 1 where the operators are below the column, read from its last row up.
    """
    columns = [int(joined(reversed(column)), 2) for column in zip(*A[1:], strict=True)]
    ones = [column for column, bit in zip(columns, R, strict=True) if bit == "1"]
    zeros = [column for column, bit in zip(columns, R, strict=True) if bit == "0"]
    return max(0, min(ones, default=2 ** (len(A) - 1)) - max(zeros, default=0))
