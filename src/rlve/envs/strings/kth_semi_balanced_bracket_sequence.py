from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.rewards import INVALID, ratio
from rlve.work import Work, show_sum


class Kth_SemiBalancedBracketSequence(Environment[str]):
    """Find the bracket sequence of a given rank among those that are one bracket off balance.

    A string of other characters is ill-formed, with the published reward of -0.5.
    """

    N: int  # odd
    K: int
    reference_answer: str

    max_difficulty = 800  # at 955, generating a problem takes too long

    template = """
        A string of the characters ( and ) is balanced if it has as many ( as ), and no prefix of it
        has more ) than (. The empty string is balanced. A string is semi-balanced if deleting
        exactly one suitable character from it leaves a balanced string.

        List all semi-balanced strings of exactly {N} characters in lexicographic order, where
        ( comes before ).

        Which string is number {K} in this list, if the first one is number 1?

        Output format: one line with this string of {N} characters.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(1, completions(N, 0, 0))
        return cls(N=N, K=K, reference_answer=kth_semi_balanced(N, K))

    def parse(self, text: str) -> str:
        return letters(text, "()", reward=INVALID)

    def score(self, answer: str) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == y for x, y in zip(answer, self.reference_answer, strict=True))
        return ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        yield "The height of a prefix is its number of ( less that of ). A string is semi-balanced"
        yield "exactly if its heights stay at 0 or more and end at 1, so that the last ( from 0 can"
        yield "go, or stay at -1 or more and end at -1, so that the first ) to -1 can go."
        yield "w(r, s) is the number of ways from height s to 0 in r steps, never below 0: the sum"
        yield "of w(r - 1, s + 1) and w(r - 1, s - 1), and w(0, 0) = 1."
        ways: dict[tuple[int, int], int] = {(0, 0): 1}
        for r in range(1, self.N + 1):
            shown: list[str] = []
            for s in range(r % 2, r + 1, 2):
                terms = [ways[r - 1, t] for t in (s + 1, s - 1) if (r - 1, t) in ways]
                ways[r, s] = sum(terms)
                shown.append(f"w({r}, {s}): {show_sum(terms)}")
            yield "; ".join(shown)
        yield "From height h with r steps left, w(r, h + 1) ways end at -1. If the height was never"
        yield "-1, w(r + 1, h) ways end at 1: one more step would lead to 0."
        text, height, low, rank = "", 0, 0, self.K
        for left in reversed(range(self.N)):
            terms = [ways.get((left, height + 2), 0)]
            terms += [] if low else [ways.get((left + 1, height + 1), 0)]
            count = sum(terms)
            if rank <= count:
                text, height = text + "(", height + 1
                yield f"Number {rank}: {show_sum(terms)} begin with {text}"
            else:
                yield f"Number {rank}: {show_sum(terms)} begin with {text}("
                yield f"Number {rank} - {count} = {rank - count} of those with {text})"
                text, height, rank = text + ")", height - 1, rank - count
                low = min(low, height)
        yield f"So it is {text}"
        return text


def kth_semi_balanced(N: int, K: int) -> str:
    """The K-th semi-balanced string, by the heights of prefixes: how far ( outnumbers ).

    A string is semi-balanced if its heights never fall below 0 and end at 1, where one ( can go, or
    if they never fall below -1 and end at -1, where one ) can go.
    """
    characters: list[str] = []
    height = lowest = 0
    rank = K - 1
    while len(characters) < N:
        opened = completions(N - len(characters) - 1, height + 1, lowest)
        if rank < opened:
            characters.append("(")
            height += 1
        else:
            rank -= opened
            characters.append(")")
            height -= 1
            lowest = min(lowest, height)
    return "".join(characters)


def completions(length: int, height: int, lowest: int) -> int:
    """How many strings of this length make a prefix of these heights semi-balanced."""
    count = paths(length, height + 1, 0) if lowest >= -1 else 0
    return count + (paths(length, height, 1) if lowest >= 0 else 0)


def paths(length: int, start: int, end: int) -> int:
    """How many paths of +1 and -1 lead from start to end without falling below 0 (reflection)."""
    rise = length + end - start
    if start < 0 or rise < 0 or rise % 2:
        return 0
    return comb(length, rise // 2) - comb(length, rise // 2 + start + 1)
