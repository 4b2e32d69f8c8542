from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import next_occurrences
from rlve.answers import letters
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import prefer
from rlve.sampling.strings import random_string
from rlve.work import Work, show_sum


class KthSubsequence(Environment[str]):
    """Find the subsequence of a string that has a given rank in lexicographic order.

    A string of one repeated letter is redrawn.
    """

    N: int
    S: str
    K: int
    reference_answer: str

    max_difficulty = 70  # at 85, numbers have more than 4,000 digits

    template = """
        Here is a string S of {N} letters, each a or b:

        {S}

        A subsequence of S is a non-empty string that remains when any number of letters (also none)
        are deleted from S and the others keep their order. List all different subsequences of S,
        each once, in lexicographic order: a comes before b, and a string comes before the longer
        strings that start with it.

        Which string is number {K} in this list, if the first one is number 1?

        Output format: one line with this string alone.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        S = prefer(
            lambda: random_string(rng, N, rng.random(), "ab"), lambda text: len(set(text)) > 1
        )
        K = rng.randint(1, subsequence_counts(S)[0] - 1)  # the empty one is not listed
        return cls(N=N, S=S, K=K, reference_answer=kth_subsequence(S, K))

    def parse(self, text: str) -> str:
        return letters(text, "ab")

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Number the letters from 0. c[i] counts the different subsequences from letter i on,"
        yield "with the empty one: 1, plus c[j + 1] for the next a at j, and for the next b."
        following, counts = next_occurrences(self.S), subsequence_counts(self.S)
        yield f"c[{self.N}] = 1"
        for i in reversed(range(self.N)):
            after = sorted(following[i].items())
            where = ", ".join(f"{letter} at {j}" for letter, j in after)
            yield f"c[{i}]: {where}, {show_sum([1, *(counts[j + 1] for _, j in after)])}"
        found, i, rank = "", 0, self.K
        while rank:
            for letter, j in sorted(following[i].items()):
                size = counts[j + 1]
                text = f"Number {rank}: {size} begin with {found}{letter}"
                if rank <= size:
                    found, i = found + letter, j + 1
                    first = f"the first of these is {found}"
                    yield f"{text}, and so does it; {first}" + (
                        f", {rank} - 1 = {rank - 1}" if rank > 1 else ""
                    )
                    break
                yield f"{text}, {rank} - {size} = {rank - size}"
                rank -= size
            rank -= 1
        yield f"So it is {found}"
        return found


def subsequence_counts(S: str) -> list[int]:
    """How many different subsequences each suffix S[i:] has, including the empty one."""
    following = next_occurrences(S)
    counts = [1] * (len(S) + 1)
    for i in range(len(S) - 1, -1, -1):
        counts[i] += sum(counts[j + 1] for j in following[i].values())
    return counts


def kth_subsequence(S: str, K: int) -> str:
    following, counts = next_occurrences(S), subsequence_counts(S)
    letters: list[str] = []
    i, rank = 0, K  # among the subsequences of S[i:], the empty one having rank 0
    while rank:
        rank -= 1
        for letter, j in sorted(following[i].items()):
            if rank < counts[j + 1]:
                letters.append(letter)
                i = j + 1
                break
            rank -= counts[j + 1]
    return "".join(letters)
