from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add, binomial, is_easy, modulo, multiply

MODULI = (666623333, 998244353, 1000000007)


class DerangementExtension(Environment[int]):
    """Count the permutations with a given number of fixed points, modulo a prime.

    M = N and M = N - 1, with the answers 1 and 0, are redrawn once.
    """

    N: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A fixed point of a permutation p[1] to p[{N}] of the integers 1 to {N} is an index i
        with p[i] = i. How many permutations of 1 to {N} have exactly {points}? Give their
        number modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(points=counted(self.M, "fixed point"), last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        M = prefer(lambda: rng.randint(0, N), until=lambda M: M < N - 1, tries=2)
        MOD = rng.choice(MODULI)
        return cls(N=N, M=M, MOD=MOD, reference_answer=comb(N, M) * derangements(N - M) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        rest = self.N - self.M
        yield (
            f"Choose the {counted(self.M, 'fixed point')}; the others, "
            f"{self.N} - {self.M} = {rest}, have none."
        )
        yield "Let D(n) be the number of ways for n. The first goes to the place of one of n - 1"
        yield "others. That one goes to the first place, or not (as if that were its own place):"
        yield "D(n) = (n - 1) * (D(n - 2) + D(n - 1))."
        before, now = 1, 0
        yield "D(0) = 1, D(1) = 0"
        for n in range(2, rest + 1):
            total = before + now
            if is_easy("+", before, now) and is_easy("*", n - 1, total):
                yield f"D({n}) = {n - 1} * ({before} + {now}) = {(n - 1) * total}"
            else:
                yield f"D({n}) = {n - 1} * ({before} + {now})"
                yield from multiply(n - 1, (yield from add(before, now)))
            before, now = now, (n - 1) * total
        ways = yield from binomial(self.N, self.M)
        product = yield from multiply(ways, now if rest else before)
        answer = yield from modulo(product, self.MOD)
        yield f"So the number is {answer}"
        return str(answer)


def derangements(n: int) -> int:
    """The number of permutations of n things without a fixed point."""
    count = 1
    for i in range(1, n + 1):
        count = count * i + (-1) ** i
    return count
