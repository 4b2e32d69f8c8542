from random import Random
from typing import Self

import rlve
from rlve.answers import letters


class RingTuringMachine(rlve.Environment[str]):
    """Run a Turing machine on a circular tape for a number of steps."""

    cell_num: int
    symbol_num: int
    steps: int
    tape: str
    head: int
    rules: list[list[int]]  # for state * symbol_num + symbol: symbol written, move (-1 or 1), next state
    reference_answer: str

    max_difficulty = 40
    template = """
        A Turing machine works on a circular tape of {cell_num} cells, numbered from 0 to {last}. The right neighbour of cell {last} is cell 0, and the left neighbour of cell 0 is cell {last}. Every cell holds one of the symbols {symbols}. The states of the machine are named by capital letters.

        In one step, the machine looks up the rule for its state and for the symbol in the cell under its head. It writes the symbol given by the rule into this cell, then moves its head by one cell to the left (L) or to the right (R), and takes the next state given by the rule.

        The rules are (state and symbol read: symbol written, move, next state):

        {table}

        At the beginning the tape is, from cell 0 to cell {last}:

        {tape}

        The head is at cell {head}, and the state is A. The machine makes exactly {steps} steps. What is on the tape then?

        Output format: one word of exactly {cell_num} digits without spaces, the symbols in the cells 0 to {last} in this order.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "cell_num": 7 + d,
                "state_num": 2 + d // 5,
                "symbol_num": 3 + d // 10,
                "steps": 4 + 5 * d,
                "spread": 3 + d // 2,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, cell_num: int, state_num: int, symbol_num: int, steps: int, spread: int
    ) -> Self:
        best = None
        best_key = (False, 0)
        attempt = 0
        while best is None or (attempt < 60 and not best_key[0]):
            attempt += 1
            rules = [
                [rng.randrange(symbol_num), rng.choice([-1, 1]), rng.randrange(state_num)]
                for _ in range(state_num * symbol_num)
            ]
            start = [rng.randrange(symbol_num) for _ in range(cell_num)]
            head = rng.randrange(cell_num)
            tape, place, state = list(start), head, 0
            seen = {(tuple(tape), place, state)}
            used = set()
            visited = {place}
            for _ in range(steps):
                index = state * symbol_num + tape[place]
                used.add(index)
                written, move, state = rules[index]
                tape[place] = written
                place = (place + move) % cell_num
                visited.add(place)
                seen.add((tuple(tape), place, state))
            changed = sum(1 for a, b in zip(start, tape) if a != b)
            lively = (
                2 * len(used) >= len(rules)
                and len(visited) >= min(cell_num, spread)
                and changed >= 2
                and len(seen) == steps + 1
            )
            if changed and (lively, changed) > best_key:
                best_key = (lively, changed)
                best = cls(
                    cell_num=cell_num,
                    symbol_num=symbol_num,
                    steps=steps,
                    tape="".join(map(str, start)),
                    head=head,
                    rules=rules,
                    reference_answer="".join(map(str, tape)),
                )
        return best

    def prompt(self) -> str:
        lines = []
        for index, (written, move, following) in enumerate(self.rules):
            state, symbol = divmod(index, self.symbol_num)
            direction = "L" if move < 0 else "R"
            lines.append(f"{'ABCDEFGHIJ'[state]} {symbol}: {written} {direction} {'ABCDEFGHIJ'[following]}")
        return self.fill(
            table="\n".join(lines),
            last=str(self.cell_num - 1),
            symbols=", ".join(map(str, range(self.symbol_num))),
        )

    def parse(self, text: str) -> str:
        return letters(text, "0123456789"[: self.symbol_num])

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
