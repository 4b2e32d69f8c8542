"""An environment that nobody solves without a hint."""

from rlve.contract import ILL_FORMED
from support.successor import Successor

FIRST = "1 2 3 4"


class Guided(Successor):
    """Say which digit comes after a given one, after some digits that nobody would guess."""

    def work(self):
        yield f"Count: {FIRST}"
        yield "Count: 5 6"
        yield "Count: 7 8"
        yield f"So {self.digit} {(self.digit + 1) % 10}"
        return str((self.digit + 1) % 10)

    def verify(self, output, **options):
        digits = "".join(letter if letter.isdigit() else " " for letter in output).split()
        known = digits[:4] == FIRST.split()
        return super().verify(output, **options) if known else ILL_FORMED
