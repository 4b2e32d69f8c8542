from math import factorial, gcd, prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.work import Work, multiply_mod, state


class HeapCounting(Environment[int]):
    """Count the permutations that are heaps, modulo a prime.

    The prime is greater than N, as smaller ones usually divide the number of heaps.
    """

    MAX_N: int
    N: int
    P: int  # the modulus
    reference_answer: int

    max_difficulty = 70  # at 90, generating a problem takes too long

    template = """
        Count the permutations A[1] to A[{N}] of the integers 1 to {N} such that
        A[i] > A[floor(i / 2)] for every i from 2 to {N}. Here floor(i / 2) is i / 2, rounded down.

        Give the number of permutations modulo the prime {P}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.P - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        P = rng.choice([prime for prime in primes_up_to(5 * N) if prime > N])
        return cls(MAX_N=MAX_N, N=N, P=P, reference_answer=heaps(N) % P)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        if not 0 <= answer < self.P:
            return INVALID
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        N = self.N
        yield "A[i] must be the smallest of its subtree, the indices i, 2 * i, 2 * i + 1 and so on."
        yield "In a random order, that has the chance 1 / size, and says nothing about the order of"
        yield f"the rest of the subtree. So the number is {N}! divided by all sizes."
        yield f"{N} // 2 = {N // 2}, so the subtrees of larger indices have the size 1."
        sizes = [1] * (N + 1)
        for i in range(N // 2, 0, -1):
            below = [sizes[j] for j in (2 * i, 2 * i + 1) if j <= N]
            sizes[i] += sum(below)
            yield f"Size of {i}: 1 + {' + '.join(map(str, below))} = {sizes[i]}"
        factors = list(range(2, N + 1))
        yield state("Factors", factors)
        for size in sorted((s for s in sizes[1:] if s > 1), reverse=True):
            rest, steps = size, list[str]()
            for at in sorted(range(len(factors)), key=lambda i: -gcd(factors[i], size)):
                shared = gcd(rest, factors[at])
                if shared > 1:
                    steps.append(f"{factors[at]} / {shared} = {factors[at] // shared}")
                    factors[at] //= shared
                    rest //= shared
            yield f"Divide by {size}: {', '.join(steps)}"
        left = [factor for factor in factors if factor > 1]
        yield state("Factors", left)
        result = 1
        for factor in left:
            result = yield from multiply_mod(result, factor, self.P)
        yield f"So the number is {result}"
        return str(result)


def heaps(N: int) -> int:
    """The number of heaps: N! divided by the size of each subtree, whose root is its minimum."""
    sizes = [1] * (N + 1)
    for i in range(N, 1, -1):
        sizes[i // 2] += sizes[i]
    return factorial(N) // prod(sizes[1:])
