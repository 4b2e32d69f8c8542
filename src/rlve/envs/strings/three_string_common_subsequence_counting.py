from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import next_occurrences
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.work import Work, add_all


class ThreeStringCommonSubsequenceCounting(Environment[int]):
    """Count the different common subsequences of three strings.

    Each letter has a probability of at least a quarter, and the answers of a few draws are equally
    likely; otherwise the strings would often be nearly constant, and the answer their length.
    """

    MAX_N: int
    S: list[str]
    reference_answer: int

    max_difficulty = 60  # at 70, generating a problem takes too long

    template = """
        Here are three strings A, B and C of the letters a and b:

        A = {A}
        B = {B}
        C = {C}

        A subsequence of a string is what remains of it when any number of letters (also none) are
        deleted and the others keep their order.

        How many different non-empty strings are subsequences of all three strings A, B and C? A
        string that can be obtained in several ways counts once.

        Output format: one integer, the number of strings.
        """

    def prompt(self) -> str:
        A, B, C = self.S
        return self.fill(A=A, B=B, C=C)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        def draw() -> Self:
            chance = rng.uniform(0.25, 0.75)
            S = [random_string(rng, rng.randint(3, MAX_N), chance, "ab") for _ in range(3)]
            return cls(MAX_N=MAX_N, S=S, reference_answer=count_common_subsequences(S))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "A longer common subsequence is a shorter one with one more letter. So extend them."
        level, counts = [""], list[int]()
        while level:
            tried: list[str] = []
            longer: list[str] = []
            for text in (start + letter for start in level for letter in "ab"):
                wholes = zip("ABC", self.S, strict=True)
                missing = [name for name, whole in wholes if not is_subsequence(text, whole)]
                tried.append(f"{text} not in {missing[0]}" if missing else text)
                longer += [] if missing else [text]
            yield f"Length {len(counts) + 1}: {', '.join(tried)}; {len(longer)} found"
            counts.append(len(longer))
            level = longer
        return str((yield from add_all(counts)))


def is_subsequence(text: str, whole: str) -> bool:
    rest = iter(whole)
    return all(letter in rest for letter in text)


def count_common_subsequences(S: list[str]) -> int:
    """Letter by letter: how many strings, matched as early as possible, end at each position."""
    following = [next_occurrences(text) for text in S]
    count = 0
    level = Counter({(0,) * len(S): 1})
    while level:
        longer: Counter[tuple[int, ...]] = Counter()
        for positions, strings in level.items():
            tables = [table[position] for table, position in zip(following, positions, strict=True)]
            for letter in "ab":
                if all(letter in table for table in tables):
                    longer[tuple(table[letter] + 1 for table in tables)] += strings
        count += longer.total()
        level = longer
    return count
