from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.work import Work, state


class FBI_BinaryTree(Environment[str]):
    """Label the tree of all halves of a binary string in postorder.

    Strings of only zeros or only ones, the majority of short ones, are redrawn. A string of other
    characters is ill-formed, with the published reward of -0.5.
    """

    N: int
    string: str  # 2^N characters, each 0 or 1
    reference_answer: str

    max_difficulty = 8  # the answer has 2^(d+3) - 1 letters: 2,047 here, and over 4,000 beyond

    template = """
        A string of 0 and 1 has the type B if all its characters are 0, the type I if all are 1, and
        the type F if it has both.

        From a binary string whose length is a power of two, a binary tree is built like this. The
        root stands for the whole string, and is labelled with its type. If the string has more than
        one character, the left subtree is built in the same way from its left half, and the right
        subtree from its right half. A string of one character is a leaf.

        Build the tree of this string of length 2^{N} = {length}:

        {string}

        Give the labels of all nodes in postorder: of each tree first its left subtree, then its
        right subtree, then its root. For the string 10, that is IBF.

        Output format: one line of {nodes} letters F, B or I, without anything between them.
        """

    def prompt(self) -> str:
        return self.fill(length=2**self.N, nodes=2 ** (self.N + 1) - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        string = prefer(lambda: sticky_string(rng, 2**N), until=lambda s: len(set(s)) == 2)
        return cls(N=N, string=string, reference_answer=labels(string))

    def parse(self, text: str) -> str:
        return letters(text, "FBI", reward=INVALID)

    def score(self, answer: str) -> float:
        if len(answer) != len(self.reference_answer):
            return INVALID
        right = sum(a == b for a, b in zip(answer, self.reference_answer, strict=True))
        return ratio(right, len(answer)) ** 5

    def work(self) -> Work[str]:
        yield "From single characters to longer pieces: two equal types give the same, others F."
        yield "In postorder, a piece is its left half, its right half, then its own type."
        types = ["BI"[int(character)] for character in self.string]
        written = types
        yield state("Length 1, types", types)
        while len(types) > 1:
            pairs = zip(types[::2], types[1::2], strict=True)
            types = [left if left == right else "F" for left, right in pairs]
            halves = zip(written[::2], written[1::2], types, strict=True)
            written = ["".join(parts) for parts in halves]
            length = len(self.string) // len(types)
            yield state(f"Length {length}, types", types)
            yield state(f"Length {length}, postorder", written)
        return written[0]


def sticky_string(rng: Random, length: int) -> str:
    """A random string of 0 and 1 in which most characters repeat the one before."""
    characters = [rng.choice("01")]
    while len(characters) < length:
        repeated = rng.random() < 0.7
        characters.append(characters[-1] if repeated else rng.choice("01"))
    return "".join(characters)


def labels(string: str) -> str:
    """The labels in postorder; the recursion is as deep as the length has bits."""
    if len(string) == 1:
        return "BI"[int(string)]
    middle = len(string) // 2
    left, right = labels(string[:middle]), labels(string[middle:])
    return left + right + (left[-1] if left[-1] == right[-1] else "F")
