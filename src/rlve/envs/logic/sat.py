from itertools import product
from math import comb
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integers
from rlve.errors import Unparseable
from rlve.rewards import ratio
from rlve.text import lines, spaced
from rlve.work import Work, state

DENSITIES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
CLAUSES_PER_VARIABLE = tuple(tenths / 10 for tenths in range(10, 51))

Clause: TypeAlias = list[tuple[int, bool]]  # (index, is positive), by increasing index


class SAT(Environment[list[int]]):
    """Find values of Boolean variables that satisfy every clause.

    High densities make long clauses that most values satisfy. The schedule is left as it is: at
    every d up to 20, a constant answer is right in less than a third of the problems.
    """

    N: int
    M: int
    density: float  # the probability that a variable occurs in a clause
    clauses: list[Clause]
    reference_answer: str

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} Boolean variables, x[0] to x[{last}], each 0 (false) or 1 (true).
        Each of the {M} lines below is a clause. It is true if at least one of its parts, which are
        separated by |, is true: x[i] is true if x[i] = 1, and !x[i] is true if x[i] = 0.

        {clauses}

        Find values that make all clauses true. At least one solution exists; any of them is right.

        Output format: one line with the {N} values, 0 or 1, of x[0] to x[{last}] in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, clauses=lines(map(written, self.clauses)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [
            {"N": N, "M": int(m * N), "density": density}
            for density, m in product(DENSITIES, CLAUSES_PER_VARIABLE)
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int, density: float) -> Self:
        hidden = [rng.randint(0, 1) for _ in range(N)]
        clauses = [random_clause(rng, hidden, density) for _ in range(M)]
        return cls(N=N, M=M, density=density, clauses=clauses, reference_answer=spaced(hidden))

    def parse(self, text: str) -> list[int]:
        values = integers(text)
        if len(values) != self.N or not {0, 1}.issuperset(values):
            raise Unparseable(f"expected {self.N} values, each 0 or 1")
        return values

    def score(self, answer: list[int]) -> float:
        satisfied = sum(any(answer[i] == sign for i, sign in clause) for clause in self.clauses)
        return ratio(satisfied, self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "Write i for x[i], !i for !x[i]. Drop clauses that are true and parts that are false."
        yield "A part that is alone in its clause must be true. Where there is none, try 0, then 1,"
        yield "for the first variable left. A clause with no parts left is false: go back."
        yield f"Clauses: {short(self.clauses)}"
        found = yield from satisfy(self.clauses)
        if found is None:
            return None
        if free := [i for i in range(self.N) if i not in found]:
            yield f"{spaced(f'x[{i}]' for i in free)}: any value will do, say 0"
        values = [found.get(i, 0) for i in range(self.N)]
        yield state(f"x[0] to x[{self.N - 1}]", values)
        return spaced(values)


def satisfy(clauses: list[Clause]) -> Work[dict[int, int] | None]:
    """Values that make the clauses true; a variable that does not matter has none."""
    if not clauses:
        return {}
    alone = next((clause[0] for clause in clauses if len(clause) == 1), None)
    if alone:
        i, positive = alone
        tries = [(f"x[{i}] must be {int(positive)}", positive)]
    else:
        i = min(clause[0][0] for clause in clauses)
        tries = [(f"Try x[{i}] = 0", False), (f"Back: x[{i}] = 1", True)]
    for heading, value in tries:
        left = [
            [part for part in clause if part[0] != i]
            for clause in clauses
            if (i, value) not in clause
        ]
        yield f"{heading}: {short(left)}"
        if [] not in left:
            found = yield from satisfy(left)
            if found is not None:
                return {i: int(value), **found}
    return None


def short(clauses: list[Clause]) -> str:
    """Clauses in a line, without what stands for variables in the prompt."""
    texts = (spaced(f"{i}" if positive else f"!{i}" for i, positive in c) for c in clauses)
    return "; ".join(text or "false" for text in texts) or "all are true"


def random_clause(rng: Random, hidden: list[int], density: float) -> Clause:
    """A random clause that has at least two literals and that the hidden values satisfy.

    The distribution is that of drawing each variable with probability `density`, and each sign with
    a fair coin, until the clause qualifies. Of the 2 ** k choices of k signs, only one fails.
    """
    n = len(hidden)
    sizes = range(2, n + 1)
    weights = [comb(n, k) * density**k * (1 - density) ** (n - k) * (1 - 0.5**k) for k in sizes]
    [size] = rng.choices(sizes, weights)
    indices = sorted(rng.sample(range(n), size))
    true_parts = rng.randrange(1, 1 << size)  # as bits
    return [(i, hidden[i] == true_parts >> bit & 1) for bit, i in enumerate(indices)]


def written(clause: Clause) -> str:
    return " | ".join(f"x[{i}]" if positive else f"!x[{i}]" for i, positive in clause)
