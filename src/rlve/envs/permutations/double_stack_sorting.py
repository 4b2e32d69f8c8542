from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.stacks import StackMachine
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.stacks import random_operations
from rlve.text import joined, spaced
from rlve.work import Work, search, state

LETTERS = "abcd"


class DoubleStackSorting(Environment[list[int] | None]):
    """Pass a queue through two stacks to put it into a given order.

    A parsed answer is what the operations output, or None if one of them is impossible.
    """

    N: int
    reference_answer: str
    output_sequence: list[int]

    max_difficulty = 60  # at 70, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        A queue holds the {N} numbers 0 to {last}, with 0 at the front, then 1, and so on. There are
        two stacks, S1 and S2, and an output sequence, all empty at first. There are four
        operations:

        a: move the number at the front of the queue onto the top of S1
        b: move the number at the top of S1 to the end of the output
        c: move the number at the front of the queue onto the top of S2
        d: move the number at the top of S2 to the end of the output

        An operation that takes a number from an empty queue or stack is not allowed.

        Give operations, in order, that produce exactly this output sequence:

        {output_sequence}

        Any such operations are accepted.

        Output format: one line of the letters a, b, c and d, with nothing between them, such as
        acdb
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, output_sequence=spaced(self.output_sequence))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        weights = [rng.randint(1, N) for _ in LETTERS]
        machine = StackMachine(N, LETTERS)
        operations = random_operations(rng, machine, weights)
        return cls(N=N, reference_answer=operations, output_sequence=machine.output)

    def parse(self, text: str) -> list[int] | None:
        return StackMachine(self.N, LETTERS).run(text)

    def score(self, answer: list[int] | None) -> float:
        if answer is None or len(answer) != self.N:
            return INVALID
        right = sum(x == wanted for x, wanted in zip(answer, self.output_sequence, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str | None]:
        yield "Choose S1 or S2 for one number after the other, and output what is wanted next as"
        yield "soon as it is on top. A number must not cover one that comes out before it."
        place = {number: i for i, number in enumerate(self.output_sequence)}

        def conflict(chosen: list[int], stack: int) -> str | None:
            number = len(chosen)
            top = self.stacks(chosen)[1][stack - 1][-1:]
            if top and place[top[0]] < place[number]:
                return f"{number} would cover {top[0]}"
            return None

        found = yield from search(
            lambda chosen: range(1, 3),
            conflict,
            lambda chosen: len(chosen) == self.N,
            lambda stack: f"S{stack}",
        )
        if found is None:
            return None
        steps, _ = self.stacks(found)
        for number, letters in enumerate(steps):
            first, second = self.stacks(found[: number + 1])[1]
            left = f"{state('S1', first)}; {state('S2', second)}"
            yield f"{number} onto S{found[number]}: {letters}, left on {left}"
        yield f"Operations: {joined(steps)}"
        return joined(steps)

    def stacks(self, chosen: list[int]) -> tuple[list[str], tuple[list[int], list[int]]]:
        """The operations for each number put onto a stack, and what is left on the stacks."""
        stacks: tuple[list[int], list[int]] = [], []
        steps: list[str] = []
        done = 0
        for number, stack in enumerate(chosen):
            stacks[stack - 1].append(number)
            steps.append("ac"[stack - 1])
            while done < self.N and (tops := [s[-1:] for s in stacks]):
                wanted = self.output_sequence[done : done + 1]
                if wanted not in tops:
                    break
                stacks[tops.index(wanted)].pop()
                steps[-1] += "bd"[tops.index(wanted)]
                done += 1
        return steps, stacks
