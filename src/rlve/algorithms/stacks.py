"""A queue rearranged by stacks."""

from rlve.errors import Unparseable
from rlve.rewards import INVALID


class StackMachine:
    """A queue of 0 .. n-1, 0 in front, which goes through stacks to an output.

    The first letter moves the front of the queue onto the first stack, and the second moves the top
    of that stack to the output. The next two letters do the same with the second stack.
    """

    def __init__(self, n: int, letters: str) -> None:
        self.size = n
        self.letters = letters
        self.front = 0
        self.stacks: list[list[int]] = [[] for _ in letters[::2]]
        self.output: list[int] = []

    def can(self, letter: str) -> bool:
        stack, is_pop = divmod(self.letters.index(letter), 2)
        return bool(self.stacks[stack]) if is_pop else self.front < self.size

    def do(self, letter: str) -> None:
        stack, is_pop = divmod(self.letters.index(letter), 2)
        if is_pop:
            self.output.append(self.stacks[stack].pop())
        else:
            self.stacks[stack].append(self.front)
            self.front += 1

    def run(self, text: str) -> list[int] | None:
        """The output after these untrusted letters; None if one is impossible when its turn comes.

        Any other character makes the text ill-formed; after an impossible letter, with the
        published reward for that.
        """
        possible = True
        for letter in text:
            if letter not in self.letters:
                reason = f"not one of the letters {self.letters}: {letter!r}"
                raise Unparseable(reason, reward=-1.0 if possible else INVALID)
            possible = possible and self.can(letter)
            if possible:
                self.do(letter)
        return self.output if possible else None
