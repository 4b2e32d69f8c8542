from random import Random
from typing import Self

import rlve
from rlve.answers import letters
from rlve.text import quantity


def evolve(row: str, rule: int, steps: int) -> list[str]:
    """The rows after 0, 1, ..., steps steps."""
    rows = [row]
    n = len(row)
    for _ in range(steps):
        old = rows[-1]
        new = []
        for i in range(n):
            index = 4 * int(old[i - 1]) + 2 * int(old[i]) + int(old[(i + 1) % n])
            new.append(str(rule >> index & 1))
        rows.append("".join(new))
    return rows


def turned(a: str, b: str) -> bool:
    """Whether a is a rotation of b."""
    return len(a) == len(b) and a in b + b


class RingAutomaton(rlve.Environment[str]):
    """Run an elementary cellular automaton on a ring."""

    cell_num: int
    steps: int
    rule: int
    row: str
    reference_answer: str

    template = """
        A row of {cell_num} cells, numbered from 0 to {last}, is closed to a ring: the left neighbour of cell 0 is cell {last}, and the right neighbour of cell {last} is cell 0. Each cell holds 0 or 1. In one step, all cells change at the same time. Let l, c and r be the old values of the left neighbour of a cell, of the cell itself, and of its right neighbour. The new value of the cell is given by the rule number {rule}: write this number with eight binary digits (with zeros in front if needed); these digits, from left to right, are the new values for l c r = 111, 110, 101, 100, 011, 010, 001, 000.{table}

        At the beginning the row is, from cell 0 to cell {last}:

        {row}

        What is the row after exactly {step_text}?

        Output format: one word of exactly {cell_num} digits 0 and 1 without spaces, the values of the cells 0 to {last} in this order.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"cell_num": 8 + d, "steps": 1 + d // 2}]

    @classmethod
    def sample(cls, rng: Random, cell_num: int, steps: int) -> Self:
        for attempt in range(300):
            strict = attempt < 200
            rule = rng.randint(1, 254) if strict else rng.choice([30, 45, 75, 86, 89, 101, 110, 124, 135, 149])
            row = "".join(rng.choice("01") for _ in range(cell_num))
            rows = evolve(row, rule, steps)
            final = rows[-1]
            other = "".join("1" if cell == "0" else "0" for cell in row)
            if len(set(final)) == 1 or turned(final, row) or turned(final, other):
                continue
            if strict:
                if 4 * sum(1 for a, b in zip(rows[-2], final) if a != b) < cell_num:
                    continue
                if steps >= 3 and any(turned(final, earlier) for earlier in rows[-4:-1]):
                    continue
            break
        else:  # a single 1 among zeros grows into a wider pattern under these rules
            rule = rng.choice([30, 86])
            place = rng.randrange(cell_num)
            row = "0" * place + "1" + "0" * (cell_num - place - 1)
            final = evolve(row, rule, steps)[-1]
        return cls(cell_num=cell_num, steps=steps, rule=rule, row=row, reference_answer=final)

    def prompt(self) -> str:
        table = ""
        if self.cell_num < 11:
            parts = [f"{index:03b} gives {self.rule >> index & 1}" for index in range(7, -1, -1)]
            table = " So " + ", ".join(parts) + "."
        return self.fill(last=str(self.cell_num - 1), table=table, step_text=quantity(self.steps, "step"))

    def parse(self, text: str) -> str:
        return letters(text, "01")

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
