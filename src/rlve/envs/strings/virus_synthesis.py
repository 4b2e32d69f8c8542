from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import PalindromicTree
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work


class VirusSynthesis(Environment[int]):
    """Find the fewest operations that build a string when reversed copies may be attached.

    The answers of many draws are equally likely; difficulties 0 and 1 have only two answers each.
    """

    loose_MAX_N: int
    S: str
    reference_answer: int

    max_difficulty = 45  # at 55, generating a problem takes too long

    template = """
        You start with the empty string. One operation does one of these:
        - it adds one digit, 0 or 1, at the beginning or at the end of the current string;
        - it attaches the reversal of the whole current string to the string, either before it or
          after it, which doubles the length.

        What is the smallest number of operations after which the current string is exactly this
        one?

        {S}

        Output format: one integer, the smallest number of operations.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"loose_MAX_N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, loose_MAX_N: int) -> Self:
        def draw() -> Self:
            S = random_target(rng, loose_MAX_N)
            return cls(loose_MAX_N=loose_MAX_N, S=S, reference_answer=fewest_operations(S))

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=40)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "What is built is always a part of the result. Its last operation added the first"
        yield "or the last digit, or doubled a half (if the other half is its reversal). So find"
        yield "the fewest for all parts, by length: look up the part without its first digit, that"
        yield "without its last, and such a half; add 1 to the smallest. The empty string needs 0."
        n = len(self.S)
        fewest = {"": 0}
        for start, length in ((i, k) for k in range(1, n + 1) for i in range(n - k + 1)):
            part = self.S[start : start + length]
            if part in fewest:
                continue
            half = part[: len(part) // 2]
            options = [fewest[part[1:]], fewest[part[:-1]]]
            text = f"{spaced(part)}: {options[0]} and {options[1]}"
            if part == half + half[::-1]:
                options.append(fewest[half])
                text += f", half {fewest[half]}"
            fewest[part] = min(options) + 1
            yield f"{text}; {min(options)} + 1 = {fewest[part]}"
        return str(fewest[self.S])


def random_target(rng: Random, shortest: int) -> str:
    """The result of random operations until the string is long enough."""
    weights = [rng.randint(1, shortest) for _ in range(4)]
    text = ""
    while len(text) < shortest:
        # Reversing the empty string would change nothing.
        operations = range(4) if text else range(2)
        operation = rng.choices(operations, weights[: len(operations)])[0]
        added = rng.choice("01") if operation < 2 else text[::-1]
        text = added + text if operation % 2 == 0 else text + added
    return text


def fewest_operations(S: str) -> int:
    """The last copy made is an even palindrome; the other digits of S are added one by one.

    An even palindrome is its half with a copy attached. The half is that of its inner palindrome
    with one more digit, or grows from the longest palindrome it ends with.
    """
    tree = PalindromicTree(S)
    cost = [max(1, length) for length in tree.length]  # for the empty one, the copy to come
    best = len(S)
    for palindrome in range(2, len(tree)):
        length = tree.length[palindrome]
        if length % 2:
            continue
        core = tree.half(palindrome)
        grown = cost[core] + length // 2 - tree.length[core] + 1
        cost[palindrome] = min(cost[tree.inner[palindrome]] + 1, grown)
        best = min(best, cost[palindrome] + len(S) - length)
    return best
