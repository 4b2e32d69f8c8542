from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.primes import is_prime
from rlve.dialogue import Command, Dialogue, Player, command, numbers_in
from rlve.rewards import exact
from rlve.text import lines

OPERATIONS = ("add", "multiply")


class DebugProgram(Dialogue[Command]):
    """Find the line of a program that does not do what it says."""

    L: int
    M: int
    program: list[tuple[str, int]]
    line: int  # the one that is broken, counted from 1
    constant: int  # that it really uses

    template = """
        This program has one variable, which holds an integer modulo {M}; {M} is prime. Each line
        adds a constant to it, or multiplies it by a constant, modulo {M}:

        {program}

        But the machine that runs it has a fault: in one line it uses another constant, from 1 to
        {highest}. Everything else works as written. You may run the program: name the value x of
        the variable at the start, from 0 to {highest}, and a number k of lines, from 0 to {L}. I
        tell you the value that the machine has after the first k lines. When you know the fault,
        name the line and the constant that the machine really uses there; that ends the dialogue.

        Output format: `run`, x and k, such as `run 5 2`; or `answer`, the number of the line and
        the constant, such as `answer 3 4`.
        """

    def opening(self) -> str:
        listing = (f"line {i}: {name} {c}" for i, (name, c) in enumerate(self.program, 1))
        return self.fill(program=lines(listing), highest=self.M - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        L = 3 + 2 * d
        return [{"L": L, "M": next(m for m in range(4 * L, 10 * L) if is_prime(m))}]

    @classmethod
    def sample(cls, rng: Random, L: int, M: int) -> Self:
        program = [(rng.choice(OPERATIONS), rng.randrange(2, M)) for _ in range(L)]
        line = rng.randint(1, L)
        wrong = rng.choice([c for c in range(1, M) if c != program[line - 1][1]])
        return cls(L=L, M=M, program=program, line=line, constant=wrong)

    @property
    def turns(self) -> int:
        return (self.L - 1).bit_length() + 2  # a search for the line, its value, and the answer

    def parse(self, text: str) -> Command:
        return command(text, run=2, answer=2)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            return exact(values == [self.line, self.constant])
        x, count = values
        if not 0 <= x < self.M or not 0 <= count <= self.L:
            return f"Not allowed: x is from 0 to {self.M - 1}, and k from 0 to {self.L}."
        faulty = list(self.program)
        faulty[self.line - 1] = faulty[self.line - 1][0], self.constant
        return str(_states(faulty, x, self.M)[count])

    def play(self) -> Player:
        """Run from a value that no line multiplies when it is 0, and halve the lines."""
        x = next(x for x in range(self.M) if 0 not in _states(self.program, x, self.M))
        right = _states(self.program, x, self.M)
        low, high, seen = 1, self.L, dict[int, int]()
        while low < high or high not in seen:
            middle = (low + high) // 2
            [seen[middle]] = numbers_in((yield f"run {x} {middle}"))
            if seen[middle] == right[middle]:
                low = middle + 1
            else:
                high = middle
        before, after = right[high - 1], seen[high]
        adds = self.program[high - 1][0] == "add"
        constant = after - before if adds else after * pow(before, -1, self.M)
        yield f"answer {high} {constant % self.M}"


def _states(program: list[tuple[str, int]], x: int, M: int) -> list[int]:
    """The value before the first line and after each."""
    states = [x]
    for name, constant in program:
        states.append((states[-1] + constant if name == "add" else states[-1] * constant) % M)
    return states
