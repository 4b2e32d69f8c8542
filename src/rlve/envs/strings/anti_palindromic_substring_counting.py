from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.work import Work, add_cases

COMPLEMENT = str.maketrans("01", "10")


class AntiPalindromicSubstringCounting(Environment[int]):
    """Count the substrings whose reversal is their bitwise complement.

    The answers of a few draws are equally likely, as one is much too frequent at low levels.
    """

    N: int
    S: str
    reference_answer: int

    max_difficulty = 60  # at 77, generating a problem takes too long

    template = """
        A non-empty string of the digits 0 and 1 is anti-palindromic if reversing it gives the same
        string as changing every 0 to 1 and every 1 to 0. For example, 0011 and 1010 are
        anti-palindromic; 1001 and 010 are not.

        Here is a string S of {N} digits:

        {S}

        How many non-empty contiguous substrings of S are anti-palindromic? Count them by position:
        equal substrings at different positions are counted separately.

        Output format: one integer, the number of anti-palindromic substrings.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = string_of_blocks(rng, N)
            return cls(N=N, S=S, reference_answer=count_anti_palindromes(S))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Digits at mirrored places must differ, so none is in the middle. From each gap"
        yield "between digits, go outwards as long as the two differ: each step is one substring."
        cases: list[tuple[str, int]] = []
        for gap in range(1, self.N):
            found, steps = 0, list[str]()
            for left, right in zip(reversed(self.S[:gap]), self.S[gap:], strict=False):
                steps.append(f"{left} {right}")
                if left == right:
                    break
                found += 1
            cases.append((f"Gap {gap}: {', '.join(steps)}: {found}", found))
        return str((yield from add_cases(cases)))


def string_of_blocks(rng: Random, N: int) -> str:
    cuts = sorted(rng.sample(range(1, N), rng.randint(0, N - 1)))
    chance = rng.random()
    blocks = pairwise([0, *cuts, N])
    return "".join(random_block(rng, end - start, chance) for start, end in blocks)


def random_block(rng: Random, length: int, chance: float) -> str:
    """Random digits; an even number of them is anti-palindromic."""
    if length % 2:
        return random_string(rng, length, chance)
    first = random_string(rng, length // 2, chance)
    return first + first[::-1].translate(COMPLEMENT)


def count_anti_palindromes(S: str) -> int:
    """Around each gap between two digits, those up to a certain length."""
    count = 0
    for gap in range(1, len(S)):
        for left, right in zip(reversed(S[:gap]), S[gap:], strict=False):
            if left == right:
                break
            count += 1
    return count
