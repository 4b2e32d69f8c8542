from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import PalindromicTree
from rlve.answers import letters
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, state

SHORT = 14


class Longest_RepeatedPalindrome(Environment[str]):
    """Find a longest substring of the form X + rev(X) + X + rev(X).

    A string of other characters is ill-formed, with the published reward of -0.5. In short strings,
    T is 0000, 1111 or nearly all of S; these are made equally likely.
    """

    N: int
    S: str
    gold_answer: int  # the largest length

    guessable = (
        "Up to difficulty 2, the string is too short for anything but 0000 and 1111; at d = 3, "
        "these and S itself are each right in a third of the problems."
    )

    max_difficulty = 50  # at 65, numbers have more than 4,000 digits
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string S of {N} digits, each 0 or 1:

        {S}

        Find a string T that is a non-empty contiguous substring of S and has the form
        X + rev(X) + X + rev(X) for some string X, where + joins strings and rev(X) is X written
        backwards. Make T as long as possible. At least one such T exists; if there are several
        longest ones, any of them is right.

        Output format: one line with the string T, without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        if N > SHORT:
            return cls.draw(rng, N)

        def kind(problem: Self) -> str:
            T = problem.reference()
            return T if len(T) == 4 else f"{N - len(T)} more digits"

        return spread(rng, lambda: cls.draw(rng, N), by=kind, draws=24)

    @classmethod
    def draw(cls, rng: Random, N: int) -> Self:
        chance = rng.uniform(0.1, 0.9)
        quarter = rng.randint(1, N // 4)
        X = random_string(rng, quarter, chance)
        before = rng.randint(0, N - 4 * quarter)
        S = (
            random_string(rng, before, chance)
            + 2 * (X + X[::-1])
            + random_string(rng, N - 4 * quarter - before, chance)
        )
        return cls(N=N, S=S, gold_answer=len(longest_repeated_palindrome(S)))

    def parse(self, text: str) -> str:
        return letters(text, "01", reward=INVALID)

    def score(self, answer: str) -> float:
        if not 0 < len(answer) <= self.N or len(answer) % 4 or answer not in self.S:
            return INVALID
        X = answer[: len(answer) // 4]
        if answer != 2 * (X + X[::-1]):
            return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return longest_repeated_palindrome(self.S)

    def work(self) -> Work[str | None]:
        yield "T consists of four parts of equal length, of which the first is X. Its length is a"
        yield "multiple of 4. Try the longest substrings first."
        for quarter in range(self.N // 4, 0, -1):
            for start in range(self.N - 4 * quarter + 1):
                text = self.S[start : start + 4 * quarter]
                first = text[:quarter]
                wanted = 2 * (first + first[::-1])
                yield (
                    f"{spaced(text)}: X = {spaced(first)} needs {spaced(wanted)}, "
                    f"{'yes' if text == wanted else 'no'}"
                )
                if text == wanted:
                    yield state("T", text)
                    return text
        return None


def longest_repeated_palindrome(S: str) -> str:
    """A palindrome is of this form if and only if its half is a palindrome of even length."""
    tree = PalindromicTree(S)
    fitting = [
        palindrome
        for palindrome in range(1, len(tree))
        if tree.length[palindrome] % 4 == 0
        and 2 * tree.length[tree.half(palindrome)] == tree.length[palindrome]
    ]
    return tree[max(fitting, key=lambda palindrome: tree.length[palindrome])]
