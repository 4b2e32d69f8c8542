from collections.abc import Mapping
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integers
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.text import lines, spaced
from rlve.work import Work, deduce, state

CLAUSES_PER_VARIABLE = tuple(tenths / 10 for tenths in range(10, 51))

Literal: TypeAlias = tuple[int, bool]  # (index, is positive)
Clause: TypeAlias = tuple[Literal, Literal]


class TwoSAT(Environment[list[int]]):
    """Find values of Boolean variables that satisfy every clause of two literals."""

    N: int
    M: int
    x: list[int]  # the planted values
    clauses: list[Clause]
    reference_answer: str

    max_difficulty = 35  # at 45, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} Boolean variables, x[0] to x[{last}], each 0 (false) or 1 (true).
        Each of the {M} lines below is a clause. It is true if at least one of its two parts, which
        are separated by |, is true: x[i] is true if x[i] = 1, and !x[i] is true if x[i] = 0.

        {clauses}

        Find values that make all clauses true. At least one solution exists; any of them is right.

        Output format: one line with the {N} values, 0 or 1, of x[0] to x[{last}] in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        clauses = (f"({written(a)}) | ({written(b)})" for a, b in self.clauses)
        return self.fill(last=self.N - 1, clauses=lines(clauses))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(m * N)} for m in CLAUSES_PER_VARIABLE]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        x = [rng.randint(0, 1) for _ in range(N)]
        clauses = [random_clause(rng, x) for _ in range(M)]
        return cls(N=N, M=M, x=x, clauses=clauses, reference_answer=spaced(x))

    def parse(self, text: str) -> list[int]:
        values = integers(text)
        if len(values) != self.N or not {0, 1}.issuperset(values):
            raise Unparseable(f"expected {self.N} values, each 0 or 1")
        return values

    def score(self, answer: list[int]) -> float:
        satisfied = sum(any(answer[i] == sign for i, sign in clause) for clause in self.clauses)
        return ratio(satisfied, self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "A variable is forced if a clause whose other part is false needs it."

        def conflict(values: Mapping[int, int], variable: int, value: int) -> str | None:
            tried = {**values, variable: value}
            for a, b in self.clauses:
                if all(i in tried and tried[i] != positive for i, positive in (a, b)):
                    return f"({written(a)}) | ({written(b)}) would be false"
            return None

        found = yield from deduce(
            range(self.N),
            lambda variable: (0, 1),
            conflict,
            name=lambda variable: f"x[{variable}]",
            show=lambda values: state(
                "Set so far", (f"x[{i}]={v}" for i, v in sorted(values.items()))
            ),
        )
        if found is None:
            return None
        yield state(f"x[0] to x[{self.N - 1}]", (found[i] for i in range(self.N)))
        return spaced(found[i] for i in range(self.N))


def random_clause(rng: Random, x: list[int]) -> Clause:
    """A random clause that the values x satisfy: at least one of its two literals is true."""
    i, j = rng.sample(range(len(x)), 2)
    first, second = rng.choice([(True, True), (True, False), (False, True)])
    return (i, first == bool(x[i])), (j, second == bool(x[j]))


def written(literal: Literal) -> str:
    index, positive = literal
    return f"x[{index}]" if positive else f"!x[{index}]"
