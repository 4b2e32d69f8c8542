from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add, divide, multiply, subtract


class Fibtrain(Environment[int]):
    """Work out how many passengers are on a train between two stations from how many arrive.

    The statement gives away the numbers after station 3 (2A) and after station N-1 (M), so the
    problem asks about another station. At difficulty 0 (N = 5) there is no other.
    """

    MAX_N: int
    MAX_A_B: int
    N: int
    A: int
    B: int  # how many board at station 2; not in the prompt
    M: int
    X: int
    reference_answer: int

    max_difficulty = 60  # at 80, answers are too long to parse

    template = """
        A train runs from station 1 to station {N}.
        At station 1, {passengers} the empty train.
        At station 2, some passengers board, and equally many leave; their number is not known.
        At each station i from 3 to {before_last}, the number of passengers who board is the sum of
        the numbers of those who boarded at stations i-1 and i-2, and the number of passengers who
        leave is the number of those who boarded at station i-1.
        At station {N}, nobody boards, and all {M} passengers who are still on the train leave.

        How many passengers are on the train when it has left station {X}?

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(
            passengers=counted(self.A, "passenger boards", "passengers board"),
            before_last=self.N - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d), "MAX_A_B": 20}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_A_B: int) -> Self:
        def draw() -> Self:
            N = rng.randint(5, MAX_N)
            A, B = rng.randint(1, MAX_A_B), rng.randint(1, MAX_A_B)
            X = rng.randint(3, N - 1)
            aboard = passengers(A, B, N)
            return cls(
                MAX_N=MAX_N,
                MAX_A_B=MAX_A_B,
                N=N,
                A=A,
                B=B,
                M=aboard[N - 1],
                X=X,
                reference_answer=aboard[X],
            )

        return prefer(draw, until=lambda problem: 3 < problem.X < problem.N - 1)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Let u board at station 2. Write each number as a number plus a multiple of u."
        yield "From station 3 on, the train gains as many as boarded two stations before."
        boards, aboard = [(self.A, 0), (0, 1)], [(0, 0), (self.A, 0), (self.A, 0)]
        yield f"Station 2: on board {self.A} and 0 times u"
        for i in range(3, self.N):
            (p, q), (r, s), (a, b) = *boards[-2:], aboard[-1]
            yield f"Station {i}: {p} + {r} = {p + r} and {q} + {s} = {q + s} times u board"
            boards.append((p + r, q + s))
            yield f"Then on board: {a} + {p} = {a + p} and {b} + {q} = {b + q} times u"
            aboard.append((a + p, b + q))
        a, b = aboard[-1]
        yield f"All leave at station {self.N}: {a} + {b} * u = {self.M}"
        rest = yield from subtract(self.M, a)
        u, _ = yield from divide(rest, b)
        yield f"So u = {u}"
        a, b = aboard[self.X]
        product = yield from multiply(b, u)
        total = yield from add(a, product)
        yield f"So {total} are on board after station {self.X}"
        return str(total)


def passengers(A: int, B: int, N: int) -> list[int]:
    """How many are on the train after each station up to N - 1; index 0 is before the first."""
    boarding = [A, B]
    aboard = [0, A, A]
    for _ in range(3, N):
        boarding.append(boarding[-1] + boarding[-2])
        aboard.append(aboard[-1] + boarding[-1] - boarding[-2])
    return aboard
