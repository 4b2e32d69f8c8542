from math import lcm
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import WRONG, ratio
from rlve.sampling.rejection import redraw, spread
from rlve.text import counted
from rlve.work import Work, least_multiple, modulo, multiply, multiply_mod, power, say

MAX_DIGITS = 4000


class PowerCycle(Environment[int]):
    """Find the period of the last digits of the powers of a number.

    Short periods are frequent, so the problem is chosen from several draws so that none dominates.
    """

    digit_num: int  # the most digits N can have, and the largest K
    N: int
    K: int
    reference_answer: int

    max_difficulty = 65  # 3,669 digits; the next level exceeds the limit for answers

    template = """
        Let N = {N}. Consider the last {digits} of each of the powers N^1, N^2, N^3, ...
        (shorter powers are padded with leading zeros).

        Find the smallest integer L >= 1 such that N^(a + L) and N^a agree in the last {digits}
        for every integer a >= 1, that is, from the first power on. Such an L exists. For example,
        the powers of 109 end in 9, 1, 9, 1, ..., so that for their last digit alone L = 2.

        Output format: one positive integer, only the value of L.
        """

    def prompt(self) -> str:
        return self.fill(digits="decimal digit" if self.K == 1 else f"{self.K} decimal digits")

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"digit_num": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, digit_num: int) -> Self:
        def draw() -> tuple[int, int]:
            return redraw(
                lambda: (rng.randint(1, 10**digit_num - 1), rng.randint(1, digit_num)),
                until=lambda pair: is_periodic(*pair),
            )

        N, K = spread(rng, draw, by=lambda pair: period(*pair))
        return cls(digit_num=digit_num, N=N, K=K, reference_answer=period(N, K))

    def parse(self, text: str) -> int:
        return integer(text, low=1, max_digits=MAX_DIGITS)

    def score(self, answer: int) -> float:
        if answer % self.reference_answer:
            return WRONG
        return ratio(self.reference_answer, answer)

    def work(self) -> Work[str]:
        digits = "digit repeats" if self.K == 1 else f"{self.K} digits repeat"
        yield f"The last {digits} when the remainders modulo 2^{self.K} and 5^{self.K} both do."
        yield "So L is the least common multiple of their periods. A period is 1 if all powers are"
        yield "0, and otherwise the smallest positive e for which N^e gives 1."
        periods: list[int] = []
        for p in (2, 5):
            modulus = yield from power(p, self.K)
            rest = yield from modulo(self.N, modulus)
            if rest == 0:
                yield f"All powers are 0 modulo {modulus}: period 1"
                periods.append(1)
            else:
                periods.append((yield from find_order(rest, p, self.K)))
        length = yield from least_multiple(max(periods), min(periods))
        yield f"So L = {length}"
        return str(length)


def find_order(base: int, p: int, K: int) -> Work[int]:
    """The period of the powers of a base that p does not divide, modulo p^K."""
    modulus: int = p**K
    small = p if p > 2 else min(4, modulus)
    e, value = 1, base
    if (value - 1) % small:
        divides = f", and it divides the one modulo {modulus}" if modulus > small else ""
        yield f"The period modulo {small} is {'1 or 2' if p == 2 else '1, 2 or 4'}{divides}."
    while (value - 1) % small:
        yield f"{value} is not 1 modulo {small}, so take the square"
        value = yield from multiply_mod(value, value, modulus)
        e *= 2
    if value == 1:
        yield f"So N^{e} gives 1 modulo {modulus}"
        yield f"The period modulo {modulus} is {e}"
        return e
    yield f"So N^{e} gives {value} modulo {modulus}, which is 1 modulo {small}"
    rest, j = value - 1, 0
    yield f"{value} - 1 = {rest}"
    while rest % p == 0:
        yield f"{yield from say('/', rest, p)}"
        rest, j = rest // p, j + 1
    yield f"So N^{e} - 1 has {counted(j, f'factor {p}', f'factors {p}')}, and {K} are needed."
    yield f"As N^{e} is 1 modulo {small}, raising to the power {p} adds exactly one more:"
    yield f"the period is {e} * {p}^({K} - {j})"
    return (yield from multiply(e, (yield from power(p, K - j))))


def is_periodic(N: int, K: int) -> bool:
    """Whether the powers are periodic modulo 2^K and 5^K from the first on."""
    return all(N % p or N % p**K == 0 for p in (2, 5))


def period(N: int, K: int) -> int:
    """The order of N modulo the part of 10^K coprime to N; its powers are 0 modulo the rest."""
    return lcm(*(order(N, p, K) for p in (2, 5) if N % p))


def order(N: int, p: int, K: int) -> int:
    """The order of N modulo p^K: its order modulo p, which is 1, 2 or 4, times a power of p.

    If N^e is 1 modulo p^j and not modulo p^(j + 1), then N^(e p) is 1 modulo p^(j + 1) and not
    modulo p^(j + 2). For p = 2 this holds from j = 2 on, so e starts as the order modulo 4.
    """
    modulus: int = p**K
    first = p if p > 2 else min(4, modulus)
    exponent = next(e for e in (1, 2, 4) if pow(N, e, first) == 1)
    rest = (pow(N, exponent, modulus) - 1) % modulus
    if rest == 0:
        return exponent
    j = 0
    while rest % p == 0:
        rest //= p
        j += 1
    return exponent * p ** (K - j)
