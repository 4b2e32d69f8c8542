"""Random operations on stacks."""

from random import Random

from rlve.algorithms.stacks import StackMachine


def random_operations(rng: Random, machine: StackMachine, weights: list[int]) -> str:
    """Operations that move the whole queue to the output, drawn by weight from those possible."""
    done: list[str] = []
    while len(machine.output) < machine.size:
        possible = [
            (letter, weight)
            for letter, weight in zip(machine.letters, weights, strict=True)
            if machine.can(letter)
        ]
        letters, likely = zip(*possible, strict=True)
        (letter,) = rng.choices(letters, likely)
        machine.do(letter)
        done.append(letter)
    return "".join(done)
