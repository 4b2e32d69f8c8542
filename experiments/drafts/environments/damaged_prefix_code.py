from random import Random
from typing import Self

import rlve
from rlve.answers import letters

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def random_code(rng: Random, count: int) -> list[str]:
    """A full prefix code of that many words, none longer than 6 bits."""
    leaves = ["0", "1"]
    for _ in range(count - 2):
        leaf = rng.choice([leaf for leaf in leaves if len(leaf) < 6])
        leaves.remove(leaf)
        leaves += [leaf + "0", leaf + "1"]
    rng.shuffle(leaves)
    return leaves


class DamagedPrefixCode(rlve.Environment[str]):
    """Repair damaged bits by parity and decode a message in a prefix code."""

    max_difficulty = 20

    symbols: str
    codes: list[str]
    message_length: int
    grid: list[str]  # rows of 0, 1 and ?
    reference_answer: str

    template = """
        A message of exactly {message_length} letters was written in this prefix code:

        {table}

        The code words of the letters of the message were written one after the other, from the first letter to the last. These bits were filled into a table of {row_num} rows and {column_num} columns, row by row from the top, each row from left to right; the places left over at the end were filled with 0. Then one parity bit was added at the right end of each row, so that each row has an even number of ones. Then one more row of parity bits was added at the bottom, so that each column, including the added one, has an even number of ones; this last row has an even number of ones, too.

        Then some bits were damaged; they are shown as ?. All other bits are right. This is the table with the parity bits at the right and at the bottom:

        {rows}

        Repair the damaged bits, which is possible in exactly one way, and decode the message. The parity bits, and the zeros that fill up the table after the last letter, do not belong to the message.

        Output format: the {message_length} capital letters of the message, without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "symbol_num": 4 + d // 2,
                "message_length": 3 + d,
                "column_num": 4 + d // 4,
                "damage_num": 1 + d // 2,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, symbol_num: int, message_length: int, column_num: int, damage_num: int
    ) -> Self:
        symbols = "".join(sorted(rng.sample(CAPITALS, symbol_num)))
        codes = random_code(rng, symbol_num)
        for _ in range(200):
            message = "".join(rng.choices(symbols, k=message_length))
            if len(set(message)) > 1:
                break
        else:
            message = (symbols * message_length)[:message_length]
        stream = "".join(codes[symbols.index(letter)] for letter in message)
        bit_num = len(stream)
        row_num = max(2, -(-bit_num // column_num))
        stream = stream.ljust(row_num * column_num, "0")

        bits = [[int(bit) for bit in stream[i * column_num : (i + 1) * column_num]] for i in range(row_num)]
        for row in bits:
            row.append(sum(row) % 2)
        bits.append([sum(column) % 2 for column in zip(*bits)])

        # Damaged places are edges between rows and columns; without a cycle the repair is unique.
        group = list(range(row_num + 1 + column_num + 1))

        def join(row: int, column: int) -> bool:
            one, two = group[row], group[row_num + 1 + column]
            if one == two:
                return False
            for index, name in enumerate(group):
                if name == two:
                    group[index] = one
            return True

        inside = [divmod(i, column_num) for i in range(bit_num)]
        everywhere = [(i, j) for i in range(row_num + 1) for j in range(column_num + 1)]
        rng.shuffle(inside)
        rng.shuffle(everywhere)
        damaged: list[tuple[int, int]] = []
        for places, wanted in ((inside, (damage_num + 1) // 2), (everywhere, damage_num)):
            for row, column in places:
                if len(damaged) < wanted and join(row, column):
                    damaged.append((row, column))
        grid = [
            "".join("?" if (i, j) in damaged else str(bit) for j, bit in enumerate(row)) for i, row in enumerate(bits)
        ]
        return cls(
            symbols=symbols, codes=codes, message_length=message_length, grid=grid, reference_answer=message
        )

    def prompt(self) -> str:
        return self.fill(
            table="\n".join(f"{symbol} {code}" for symbol, code in zip(self.symbols, self.codes)),
            row_num=str(len(self.grid) - 1),
            column_num=str(len(self.grid[0]) - 1),
            rows="\n".join(self.grid),
        )

    def parse(self, text: str) -> str:
        answer = "".join(letters(text, CAPITALS))
        if len(answer) != self.message_length:
            raise rlve.Unparseable("not the right number of letters")
        return answer

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
