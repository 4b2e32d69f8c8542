from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, say


class HalvingChainCounting(Environment[int]):
    """Count the sequences starting at N in which every element is at most half the one before."""

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 25  # at 32, generating a problem takes too long

    template = """
        Consider the finite sequences of positive integers for which both of these hold:
        - the first element is {N};
        - each later element is at most half of the element immediately before it (after 7, for
          example, comes 1, 2 or 3, if anything).

        The sequence that consists of {N} alone is one of them. Count these sequences.

        Output format: one integer, the exact number of different sequences.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(16, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(1, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=chains(N))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Let f(n) be the number of sequences that begin with n, and S(n) = f(1) + ... + f(n)."
        yield "After n comes nothing, or one of 1 to n // 2: f(n) = 1 + S(n // 2)."
        S = [0]
        yield "S(0) = 0"
        for n in range(1, self.N // 2 + 1):
            f = 1 + S[n // 2]
            yield f"f({n}) = 1 + S({n // 2}) = 1 + {S[n // 2]} = {f}"
            yield f"S({n}): {yield from say('+', S[-1], f)}"
            S.append(S[-1] + f)
        half = self.N // 2
        yield (
            f"{self.N} // 2 = {half}, so f({self.N}) = 1 + S({half}) "
            f"= 1 + {S[half]} = {1 + S[half]}"
        )
        return str(1 + S[half])


def chains(N: int) -> int:
    """The number of sequences starting at N: one, plus those from each integer up to N / 2."""
    total = [0]  # numbers of sequences starting at 1, 2, ..., n
    for n in range(1, N // 2 + 1):
        total.append(total[-1] + 1 + total[n // 2])
    return 1 + total[-1]
