from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import joined, spaced
from rlve.work import Work


class DeltaMinPopcount(Environment[int]):
    """Find how few bits of a number can change when a given number is added to it.

    At low levels, few answers are possible and one would be frequent, so the answers of several
    draws are made equally likely.
    """

    digit_num: int
    binary_string: str
    reference_answer: int

    max_difficulty = 70  # at 85, generating a problem takes too long

    template = """
        Let popcount(x) be the number of ones in the binary notation of x. For example,
        popcount(5) = 2, because 5 is 101 in binary notation.

        The number d is, in binary notation, {binary_string}

        What is the minimum of popcount(n XOR (n + d)) over all integers n >= 0? XOR is bitwise.

        Output format: one integer in decimal notation, the minimum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"digit_num": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, digit_num: int) -> Self:
        binary_string = spread(
            rng,
            lambda: "1" + joined(rng.choice("01") for _ in range(digit_num - 1)),
            by=fewest_changes,
            draws=40,
        )
        return cls(
            digit_num=digit_num,
            binary_string=binary_string,
            reference_answer=fewest_changes(binary_string),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "From n to n + d, some bits appear and some vanish. So d is a sum of powers of 2"
        yield "with signs, one for each change, and n can be made of those with a minus."
        yield "For the fewest, drop zeros at the end. If d then ends in 0 1 or is 1, add a power."
        yield "If it ends in 1 1, subtract a power, which leaves d + 1. The other sign would leave"
        yield "a 1 at the next place: that needs one more power, and can save at most one later."
        rest = self.binary_string.rstrip("0")
        if rest != self.binary_string:
            yield f"{spaced(self.binary_string)}, drop zeros: {spaced(rest)}"
        count = 0
        while rest:
            count += 1
            if rest.endswith("11"):
                after = f"{int(rest, 2) + 1:b}"
                left = after.rstrip("0")
                yield (
                    f"{spaced(rest)}: ends in 1 1, subtract a power, count {count}, "
                    f"left {spaced(after)}, drop zeros: {spaced(left)}"
                )
            else:
                left = rest[:-1].rstrip("0")
                yield f"{spaced(rest)}: add a power, count {count}, left: {spaced(left) or 'none'}"
            rest = left
        return str(count)


def fewest_changes(binary_string: str) -> int:
    """The fewest non-zero digits with which d can be written in base 2 with digits -1, 0 and 1.

    The bits that appear in n + d minus those that vanish from n are d, written in such digits. The
    form without two adjacent non-zero digits has the fewest: the set bits of 3d XOR d.
    """
    d = int(binary_string, 2)
    return (3 * d ^ d).bit_count()
