from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.work import Work, euclid, multiply, multiply_all, power


class Cinema(Environment[tuple[int, int]]):
    """Find the probability that everybody gets a seat, as a fraction in lowest terms.

    At the lowest levels, the few problems are about equally likely.
    """

    MAX_N_K: int
    N: int
    K: int
    gold_answer: tuple[int, int]  # numerator and denominator
    reference_answer: str

    max_difficulty = (
        12  # numerator and denominator can have 4,054 digits together at the next level
    )

    template = """
        A row of a cinema has {K} seats, numbered from 1 to {K}, all free at first.
        {N} people arrive one after another. Each of them draws an integer L uniformly at random
        from 1 to {K}, independently of the others, and takes the first free seat among the seats
        L to {K}. Whoever finds none of these seats free has to stand.

        What is the probability that everybody gets a seat?

        Output format: one line with two integers, separated by a space: the numerator and the
        denominator of the probability in lowest terms.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_K": grow(4, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_K: int) -> Self:
        def draw() -> tuple[int, int]:
            N = rng.randint(2, MAX_N_K)
            return N, rng.randint(N, MAX_N_K)

        N, K = spread(rng, draw, by=lambda sizes: sizes)
        A, B = probability(N, K).as_integer_ratio()
        return cls(MAX_N_K=MAX_N_K, N=N, K=K, gold_answer=(A, B), reference_answer=f"{A} {B}")

    def parse(self, text: str) -> tuple[int, int]:
        tokens = text.split()
        if len(tokens) != 2:
            raise Unparseable(f"expected two integers, not {len(tokens)}")
        return integer(tokens[0], max_digits=4000), integer(tokens[1], max_digits=4000)

    def score(self, answer: tuple[int, int]) -> float:
        return exact(answer == self.gold_answer)

    def work(self) -> Work[str]:
        N, K = self.N, self.K
        S, rest = K + 1, K + 1 - N
        yield f"Bend the row into a circle with one more seat, {K} + 1 = {S}, which L may be, too."
        yield f"There all get a seat. Seat {S} stays free if and only if nobody draws {S} or would"
        yield f"stand in the row. {S} - {N} = {rest} of {S} seats will be free, each equally often."
        good = f"{S}^{N} * {rest} / {S} = {S}^{N - 1} * {rest}"
        yield f"As {N} - 1 = {N - 1}, that makes {good} good choices, out of {K}^{N}."
        yield f"{S} and {K} have no common factor. Cancel {rest} with the factors {K}:"
        below = [K] * N
        for i in range(N):
            shared = yield from euclid(K, rest)
            if shared == 1:
                break
            below[i] = K // shared
            yield f"{rest} / {shared} = {rest // shared}, {K} / {shared} = {below[i]}"
            rest //= shared
        top = yield from multiply((yield from power(S, N - 1)), rest)
        whole = yield from power(K, below.count(K))
        bottom = yield from multiply_all([*(b for b in below if b != K), whole])
        yield f"So the probability is {top} / {bottom}"
        return f"{top} {bottom}"


def probability(N: int, K: int) -> Fraction:
    """Parking functions: bend the row into a circle with one more seat, which has to stay free.

    On the circle everyone gets a seat, and by symmetry each of the K+1 seats is equally often one
    of the K+1-N free ones.
    """
    return Fraction((K + 1) ** (N - 1) * (K + 1 - N), K**N)
