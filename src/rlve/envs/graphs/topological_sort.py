from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class TopologicalSort(Environment[list[int]]):
    """Order numbers so that given numbers come before given others.

    The number of conditions is not capped; at difficulty 20 the prompt has some 15,000 characters.
    """

    N: int
    before_conditions: list[Edge]  # (a, b): a comes before b
    reference_answer: str

    max_difficulty = 20  # 1,225 conditions fit in a prompt; the 1,540 of the next level do not
    unique_up_to = None  # several answers can be right
    picture = Graph("before_conditions", directed=True, answer="order")

    template = """
        Arrange the {N} integers from 0 to {last} in a line, each of them once, such that all these
        conditions hold:

        {conditions}

        Before means nearer to the start of the line.
        At least one such arrangement exists; any of them is right.

        Output format: one line with the {N} integers in the order in which they are arranged,
        separated by spaces.
        """

    def prompt(self) -> str:
        conditions = (f"{a} must come before {b}" for a, b in self.before_conditions)
        return self.fill(last=self.N - 1, conditions=lines(conditions))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        order = rng.sample(range(N), N)
        conditions = [
            (order[earlier], order[i])
            for i in range(1, N)
            for earlier in rng.sample(range(i), rng.randint(1, i))
        ]
        rng.shuffle(conditions)
        return cls(N=N, before_conditions=conditions, reference_answer=spaced(order))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        position = {value: i for i, value in enumerate(answer)}
        satisfied = sum(position[a] < position[b] for a, b in self.before_conditions)
        return ratio(satisfied, len(self.before_conditions)) ** 10

    def work(self) -> Work[str]:
        yield "Always place a number that waits for no other; then nothing waits for it any more."
        conditions = self.before_conditions
        waits: dict[int, list[int]] = {
            v: [a for a, b in conditions if b == v] for v in range(self.N)
        }
        yield "Waits: " + "; ".join(f"{v} for {spaced(a) or 'none'}" for v, a in waits.items())
        order: list[int] = []
        while waits:
            free = next(v for v, others in waits.items() if not others)
            order.append(free)
            waits = {v: [a for a in b if a != free] for v, b in waits.items() if v != free}
            rest = "; ".join(f"{v} for {spaced(a) or 'none'}" for v, a in waits.items())
            yield f"Place {free}. Waits: {rest or 'none'}"
        yield state("Line", order)
        return spaced(order)
