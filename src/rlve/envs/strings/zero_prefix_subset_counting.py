from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw, spread
from rlve.sampling.strings import random_string
from rlve.text import lines, spaced
from rlve.work import Work, add_all, show_sum, state


class ZeroPrefixSubsetCounting(Environment[int]):
    """Count the non-empty subsets of strings in which none is a prefix of another.

    The answers of a few draws are equally likely, as one is much too frequent at difficulty 0.
    """

    N: int
    array: list[str]
    reference_answer: int

    max_difficulty = 200  # at 250, a prompt exceeds 32,000 characters

    template = """
        Here are {N} different strings of the letters a and b, numbered from 1 to {N}:

        {array}

        How many non-empty subsets of these strings are there in which no string is a prefix of
        another string of the subset? A subset of a single string always counts.

        Output format: one integer, the number of subsets.
        """

    def prompt(self) -> str:
        return self.fill(array=lines(f"{i}: {word}" for i, word in enumerate(self.array, 1)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            array = redraw(
                lambda: words_with_prefixes(rng, N), until=lambda words: len(set(words)) == N
            )
            return cls(N=N, array=array, reference_answer=count_prefix_free_subsets(array))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        words = sorted(self.array)
        yield state("Sorted", words)
        yield "A prefix of a word is also one of all words between them. So a subset, in this"
        yield "order, is fine exactly if no word is a prefix of the next one. Count subsets by"
        yield "their last word: this word alone, and after the subsets of each earlier word that"
        yield "is not its prefix."
        counts: list[int] = []
        for word in words:
            before = [i for i in range(len(counts)) if not word.startswith(words[i])]
            counts.append(1 + sum(counts[i] for i in before))
            after = f"after {spaced(words[i] for i in before)}" if before else "after none"
            yield f"{word} {after}: {show_sum([1, *(counts[i] for i in before)])}"
        return str((yield from add_all(counts)))


def words_with_prefixes(rng: Random, N: int) -> list[str]:
    """Different random words and some of their prefixes, which may repeat, in random order."""
    words: list[str] = []
    for _ in range(N - int(N * rng.uniform(0.1, 0.9))):
        words.append(
            redraw(
                lambda: random_string(rng, rng.randint(2, N), 0.5, "ab"),
                until=lambda word: word not in words,
            )
        )
    whole = [rng.choice(words) for _ in range(N - len(words))]
    prefixes = [word[: rng.randint(1, len(word) - 1)] for word in whole]
    return rng.sample(words + prefixes, N)


def count_prefix_free_subsets(array: list[str]) -> int:
    """In sorted order, a prefix of a word is also a prefix of all words between them.

    So only consecutive words of the subset matter.
    """
    words = sorted(array)
    subsets: list[int] = []  # by their last word
    for word in words:
        before = zip(subsets, words, strict=False)
        subsets.append(1 + sum(count for count, w in before if not word.startswith(w)))
    return sum(subsets)
