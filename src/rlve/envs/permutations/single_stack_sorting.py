from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.stacks import StackMachine
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.stacks import random_operations
from rlve.text import spaced
from rlve.work import Work

LETTERS = "ab"


class SingleStackSorting(Environment[list[int] | None]):
    """Pass a queue through a stack to put it into a given order.

    A parsed answer is what the operations output, or None if one of them is impossible.
    """

    N: int
    output_sequence: list[int]
    reference_answer: str

    max_difficulty = 60  # at 72, a prompt exceeds 32,000 characters

    template = """
        A queue holds the {N} numbers 0 to {last}, with 0 at the front, then 1, and so on. There are
        a stack and an output sequence, both empty. There are two operations:

        a: move the number at the front of the queue onto the top of the stack
        b: move the number at the top of the stack to the end of the output

        An operation that takes a number from an empty queue or stack is not allowed.

        Give operations, in order, that produce exactly this output sequence:

        {output_sequence}

        Output format: one line of {N} letters a and {N} letters b, with nothing between them.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, output_sequence=spaced(self.output_sequence))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        weights = [rng.randint(1, N) for _ in LETTERS]
        machine = StackMachine(N, LETTERS)
        operations = random_operations(rng, machine, weights)
        return cls(N=N, output_sequence=machine.output, reference_answer=operations)

    def parse(self, text: str) -> list[int] | None:
        return StackMachine(self.N, LETTERS).run(text)

    def score(self, answer: list[int] | None) -> float:
        if answer is None or len(answer) != self.N:
            return INVALID
        right = sum(x == wanted for x, wanted in zip(answer, self.output_sequence, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str]:
        yield "For each number of the output: a until it is on top of the stack, then b."
        letters, stack, front = "", list[int](), 0
        for wanted in self.output_sequence:
            moves = ""
            while not stack or stack[-1] != wanted:
                stack.append(front)
                front += 1
                moves += "a"
            stack.pop()
            letters += f"{moves}b"
            yield f"{wanted}: {moves}b, stack: {spaced(stack) or 'empty'}"
        yield f"Operations: {letters}"
        return letters
