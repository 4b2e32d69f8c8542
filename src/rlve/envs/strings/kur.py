from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer, redraw
from rlve.work import Work, state


class KUR(Environment[int]):
    """Count the occurrences of a pattern in a long string of bits defined by a rule.

    A pattern of one bit, which occurs P or N - P times, is redrawn.
    """

    MAX_N: int
    MAX_M: int
    N: int
    A: int
    B: int
    P: int
    T: str
    reference_answer: int

    max_difficulty = 30  # at 37, generating a problem takes too long

    template = """
        A string C of {N} bits, numbered from 0 to {last}, is given by this rule:
        bit C[i] is 0 if ({A} * i + {B}) mod {N} is less than {P}, and 1 otherwise.
        ({A} and {N} are coprime.)

        Here is a pattern T of {length} bits:

        {T}

        At how many positions does T occur in C as a contiguous substring? Occurrences may overlap,
        and they do not wrap around from the end of C to its start.

        Output format: one integer, the number of occurrences.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, length=len(self.T))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 8 * 2**d, "MAX_M": grow(8, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_M: int) -> Self:
        def draw_rule() -> tuple[int, int, int, int]:
            N = rng.randint(8, MAX_N)
            return N, rng.randint(2, N - 1), rng.randint(0, N - 1), rng.randint(1, N - 1)

        def draw() -> Self:
            N, A, B, P = redraw(draw_rule, until=lambda rule: gcd(rule[0], rule[1]) == 1)
            start = rng.randint(0, N - 2)
            bits = [int((A * i + B) % N >= P) for i in range(start, min(start + MAX_M, N))]
            by_count: dict[int, list[str]] = {}
            for length in range(1, len(bits) + 1):
                pattern = "".join(map(str, bits[:length]))
                by_count.setdefault(occurrences(N, A, B, P, pattern), []).append(pattern)
            count = rng.choice(list(by_count))
            return cls(
                MAX_N=MAX_N,
                MAX_M=MAX_M,
                N=N,
                A=A,
                B=B,
                P=P,
                T=rng.choice(by_count[count]),
                reference_answer=count,
            )

        return prefer(draw, lambda problem: len(problem.T) > 1)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield f"Start with {self.B} and add {self.A} each time, less {self.N} if that is reached."
        yield "Where the last bits are T, note from where."
        yield state("T", self.T)
        value, bits, starts = self.B, "", list[int]()
        text = f"i = 0: {value}"
        for i in range(self.N):
            bits += "0" if value < self.P else "1"
            note = ""
            if bits.endswith(self.T):
                starts.append(i + 1 - len(self.T))
                note = f", T from {starts[-1]}"
            yield f"{text} {'<' if value < self.P else '>='} {self.P}, bit {bits[-1]}{note}"
            text = f"i = {i + 1}: {value} + {self.A} = {value + self.A}"
            value += self.A
            if value >= self.N:
                text += f", {value} - {self.N} = {value - self.N}"
                value -= self.N
        yield f"{state('T occurs from', starts)}. Count: {len(starts)}"
        return str(len(starts))


def occurrences(N: int, A: int, B: int, P: int, T: str) -> int:
    """Count the values v = (A*i + B) mod N, one for each start i, that no bit rules out.

    Bit j of the pattern needs (v + A*j) mod N on its side of P, so it rules out an interval of v,
    which can wrap around. Each start too near the end rules out one v.
    """
    ruled_out = [(v, v + 1) for v in ((A * i + B) % N for i in range(N - len(T) + 1, N))]
    for j, bit in enumerate(T):
        low, high = (P, N) if bit == "0" else (0, P)
        start = (low - A * j) % N
        end = start + high - low
        ruled_out.append((start, min(end, N)))
        if end > N:
            ruled_out.append((0, end - N))
    free = covered = 0
    for start, end in sorted(ruled_out):
        free += max(0, start - covered)
        covered = max(covered, end)
    return free + N - covered
