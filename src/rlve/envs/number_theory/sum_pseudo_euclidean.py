from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import counted
from rlve.work import Work, add_to


class SumPseudoEuclidean(Environment[int]):
    """Sum, over all pairs, the steps until subtracting and doubling makes both numbers equal.

    N alone determines the problem: there is one at difficulty 0, and there are three at 1.
    """

    MAX_N: int
    N: int
    reference_answer: int

    guessable = "The schedule leaves one problem at difficulty 0."

    max_difficulty = 45  # at 57, generating a problem takes too long

    template = """
        The following process acts on a pair of positive integers (a, b). It stops as soon as a = b.
        Otherwise it makes one step, and goes on with the new pair:
        - if a > b, the pair becomes (a - b, 2b);
        - if a < b, the pair becomes (2a, b - a).

        Let f(a, b) be the number of steps that the process makes before it stops, and f(a, b) = 0
        if it never stops. For example, (1, 3) becomes (2, 2), so f(1, 3) = 1; while (1, 2) becomes
        (2, 1), then (1, 2) again, and so on for ever, so f(1, 2) = 0.

        Compute the sum of f(i, j) over all ordered pairs of integers (i, j) with 1 <= i <= {N} and
        1 <= j <= {N}.

        Output format: one integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(5, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=step_sum(N))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        N = self.N
        yield "A step keeps s = a + b and doubles both modulo s. So a pair stops after k steps"
        yield "exactly if 2^k * a is s / 2 modulo s. With a and b coprime, and so a and s, this"
        yield "means s = 2 * 2^k. Both orders and all multiples of a pair take equally many steps."
        yield "Below, // rounds down."
        total, k = 0, 1
        while 2**k < N:
            s = 2 ** (k + 1)
            yield f"k = {k}, s = 2^{k + 1} = {s}: a is odd, and b > s / 2 is at most {N}"
            b = min(s, N)
            for odd in range(b - 1 + b % 2, s // 2, -2):
                step = f"{b} - {b - odd} = {odd}" if odd < b else f"{odd}"
                yield f"b = {step}, a = {s} - {odd} = {s - odd}"
                b = odd
                multiples = N // b
                yield f"{N} // {b} = {counted(multiples, 'multiple')} in two orders"
                value = 2 * multiples * k
                total = yield from add_to(total, value, f"2 * {multiples} * {k} = {value}")
            k += 1
        yield f"k = {k}: s / 2 = 2^{k} = {2**k} >= {N}, so there is no such b"
        yield f"So the sum is {total}"
        return str(total)


def step_sum(N: int) -> int:
    """The sum of f over all pairs.

    A coprime pair keeps its sum, and stops if and only if that is a power of two, 2^(k+1), after k
    steps. Its larger number is odd and in 2^k .. 2^(k+1), and each such number y has exactly one
    partner. So, with both orders and all multiples of the pair, y adds 2 * k * (N // y).
    """
    total = 0
    for k in range(1, N.bit_length()):
        for first, last in quotient_blocks(min(N, 2 ** (k + 1) - 1), N, start=2**k):
            odd = (last + 1) // 2 - first // 2
            total += 2 * k * odd * (N // first)
    return total
