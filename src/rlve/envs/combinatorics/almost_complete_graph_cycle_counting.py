from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, add_to, modulo, multiply, say, subtract

MAX_MOD = 1_000_000


class AlmostCompleteGraphCycleCounting(Environment[int]):
    """Count the simple cycles of a complete graph that lacks one edge, modulo an odd number.

    At difficulty 0 there are 4 or 5 vertices, so 3 and 22 are practically the only answers.
    """

    MAX_N: int
    N: int
    MOD: int
    reference_answer: int

    max_difficulty = 25  # at 33, generating a problem takes too long

    template = """
        An undirected graph has the vertices 1, 2, ..., {N}. Every two of them are joined by an
        edge, except that there is no edge between 1 and {N}.

        Count the simple cycles of the graph. A simple cycle has at least 3 vertices and visits none
        of them twice. Two cycles are the same if they have the same set of edges, so neither the
        vertex where a cycle starts nor its direction matters.

        Give the number of different simple cycles modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N, MOD = rng.randint(4, MAX_N), 2 * rng.randint(1, MAX_MOD // 2) + 1
        return cls(MAX_N=MAX_N, N=N, MOD=MOD, reference_answer=count_cycles(N, MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        N = self.N
        yield "Let p(n) be the number of sequences of different vertices out of n, the empty one"
        yield "too. After the first vertex comes a sequence out of n - 1: p(n) = n * p(n - 1) + 1."
        yield "With all edges, vertex n + 1 closes a cycle with each sequence of at least two of 1"
        yield "to n, and each cycle comes twice, once in each direction. So add up"
        yield f"(p(n) - 1 - n) / 2 until n + 1 is {N}."
        total, before, p = 0, 1, 2
        yield "p(0) = 1, p(1) = 2"
        for n in range(2, N):
            product = yield from multiply(n, p)
            before, p = p, product + 1
            yield f"p({n}) = {product} + 1 = {p}, less 1 and {n}: {product} - {n} = {product - n}"
            half = yield from say("/", product - n, 2)
            total = yield from add_to(total, (product - n) // 2, half)
        yield (
            f"Take away those with the edge between 1 and {N}, one "
            "for each sequence of at least one"
        )
        yield f"of the other vertices: p({N - 2}) - 1 = {before} - 1 = {before - 1}"
        total = yield from subtract(total, before - 1)
        answer = yield from modulo(total, self.MOD)
        yield f"So the number is {answer}"
        return str(answer)


def count_cycles(N: int, MOD: int) -> int:
    """Count the cycles of the complete graph, minus those that contain one edge, for N >= 2.

    Let p(n) be the number of ordered selections of any length from n vertices, so p(n) = n * p(n -
    1) + 1. Vertex n + 1 closes a cycle with each selection of two or more of the n vertices before
    it, and each cycle arises twice. A fixed edge closes a cycle with each selection of one or more
    of the other N - 2 vertices.
    """
    double = 2 * MOD  # twice the number of cycles is kept modulo this
    previous, selections, twice = 1, 1, 0  # p(n - 1), p(n), and for the cycles of n + 1 vertices
    for n in range(1, N):
        previous, selections = selections, (n * selections + 1) % double
        twice = (twice + selections - 1 - n) % double
    return (twice // 2 - (previous - 1)) % MOD
