from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work


class DoublePalindromicStringCounting(Environment[int]):
    """Count the strings of bounded length that are two palindromes, one after the other."""

    MAX_N: int
    C: int  # the number of symbols
    N: int  # the largest length
    reference_answer: int

    max_difficulty = 45  # at 55, generating a problem takes too long

    template = """
        Consider the non-empty strings of at most {N} symbols, where each symbol is one of the
        integers from 1 to {C}.

        How many different strings among them can be split into two non-empty parts, a first and a
        second, that are both palindromes? A palindrome reads the same forwards and backwards; one
        symbol alone is a palindrome. A string that can be split so in several ways counts once.

        Output format: one integer, the number of strings.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d), "C": C} for C in (2, 3, 4, 5)]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, C: int) -> Self:
        N = rng.randint(2, MAX_N)
        return cls(MAX_N=MAX_N, C=C, N=N, reference_answer=count_double_palindromes(C, N))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str | None]:
        C, N = self.C, self.N
        if C > 2 and C ** ((N + 2) // 2) > 1000:
            return None  # powers that are not for the head
        yield "For now, the first part may be empty. Parts x and y of w are palindromes exactly if"
        yield "w reversed is y x, which is w rotated. Unless w is a shorter string repeated, its"
        yield "rotations all differ, so at most one split is good; if one is, k copies of w have k."
        yield "A palindrome is fixed by its first half, rounded up. For each length n, R is the"
        yield "number of strings with a good split that are no shorter one repeated, and Q the"
        yield "number of palindromes among these."
        yield "For R, add up over first parts of 0 to n - 1 symbols, then take off k * R for each"
        yield "shorter length of which n is k times; for Q, take off the Q of these lengths."
        yield f"Each of these R counts, and so do its copies of up to {N} symbols. Only a"
        yield "palindrome by itself would need the empty part, so take off Q."
        R: dict[int, int] = {}
        Q: dict[int, int] = {}
        total = 0
        for n in range(1, N + 1):
            divisors = [m for m in range(1, n) if n % m == 0]
            powers = [(i + 1) // 2 + (n - i + 1) // 2 for i in range(n)]
            R[n] = sum(C**e for e in powers) - sum(n // m * R[m] for m in divisors)
            less = "".join(f" - {n // m} * {R[m]}" for m in divisors)
            yield f"n = {n}: R = {' + '.join(f'{C}^{e}' for e in powers)}{less} = {R[n]}"
            Q[n] = C ** ((n + 1) // 2) - sum(Q[m] for m in divisors)
            yield f"Q = {C}^{(n + 1) // 2}{''.join(f' - {Q[m]}' for m in divisors)} = {Q[n]}"
            copies = N // n
            yield f"{R[n]} * {copies} - {Q[n]} = {R[n] * copies - Q[n]}, total " + (
                f"{total} + {R[n] * copies - Q[n]} = {total + R[n] * copies - Q[n]}"
            )
            total += R[n] * copies - Q[n]
        return str(total)


def count_double_palindromes(C: int, N: int) -> int:
    """Count the strings of at most N symbols that are two palindromes, neither of them empty.

    At first, only the second palindrome may not be empty. A string that is not a power of a shorter
    one can be split like this in at most one way, and its k-th power then in exactly k ways; its
    powers are the only strings with a period that divides their length. Of all these strings, only
    palindromes that are not powers need the empty part.
    """
    splits = [0] * (N + 1)  # pairs of a string and a split, by length
    palindromes = [0] * (N + 1)
    for n in range(1, N + 1):
        # The first part has 0 to n - 1 symbols.
        splits[n] = sum(C ** ((i + 1) // 2 + (n - i + 1) // 2) for i in range(n))
        palindromes[n] = C ** ((n + 1) // 2)
    count = 0
    for n in range(1, N + 1):
        # Primitive strings of length n are left; subtract them from the counts of their powers.
        count += splits[n] * (N // n) - palindromes[n]
        for k in range(2, N // n + 1):
            splits[k * n] -= k * splits[n]
            palindromes[k * n] -= palindromes[n]
    return count
