from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import word
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import joined
from rlve.work import Work, state

STATES = ("OFF", "ON")


class LampChanging(Environment[str]):
    """Say whether a lamp in a circle is lit after every lamp has changed many times.

    ON and OFF are equally likely, so a guess is right half of the time. Any other word is
    ill-formed, with the published reward of -0.5.
    """

    MAX_N_T: int
    N: int
    B: list[int]  # 1 where a lamp is lit at time 0
    T: int
    K: int  # counted from 1
    reference_answer: str

    max_difficulty = 20  # 26,151 lamps fit in a prompt; the 39,226 of the next level do not

    template = """
        {N} lamps stand in a circle. They are numbered clockwise from 1 to {N}, so that the next
        lamp clockwise after lamp {N} is lamp 1. At time 0, each lamp is ON or OFF.

        At every step all lamps change at once. A lamp is ON after the step if, before the step, it
        and the next lamp clockwise were in different states; otherwise it is OFF.

        Here are the states at time 0 of lamps 1 to {N}, one digit per lamp, 1 for ON and 0 for OFF:

        {B}

        What is the state of lamp {K} after {T} steps?

        Output format: one word, ON or OFF.
        """

    def prompt(self) -> str:
        return self.fill(B=joined(self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_T": grow(8, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_T: int) -> Self:
        wanted = rng.choice(STATES)

        def draw() -> Self:
            N = rng.randint(3, MAX_N_T)
            lit = rng.random()  # the probability that a lamp is lit
            B = [int(rng.random() < lit) for _ in range(N)]
            T, K = rng.randint(2, MAX_N_T), rng.randint(1, N)
            state = STATES[state_after(B, T, K)]
            return cls(MAX_N_T=MAX_N_T, N=N, B=B, T=T, K=K, reference_answer=state)

        return redraw(draw, until=lambda problem: problem.reference_answer == wanted)

    def parse(self, text: str) -> str:
        return word(text, STATES, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        lamps = self.B
        yield state("Time 0", lamps)
        yield f"A lamp gets 1 if it and the next differ, else 0. After lamp {self.N} comes lamp 1."
        for time in range(1, self.T + 1):
            lamps = [x ^ y for x, y in zip(lamps, lamps[1:] + lamps[:1], strict=True)]
            yield state(f"Time {time}", lamps)
        lit = lamps[self.K - 1]
        yield f"Lamp {self.K} is {lit}, so it is {STATES[lit]}"
        return STATES[lit]


def state_after(B: list[int], T: int, K: int) -> int:
    """The lamp i places after lamp K is added, modulo 2, C(T, i) times.

    That is odd if and only if every binary digit of i is at most that of T (Lucas).
    """
    state, i = B[K - 1], T
    while i:
        state ^= B[(K - 1 + i) % len(B)]
        i = (i - 1) & T  # the next smaller i of that kind
    return state
