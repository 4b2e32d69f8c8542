from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.rewards import exact
from rlve.sampling.rejection import redraw, spread
from rlve.text import indexed, listed
from rlve.work import Work


class BAJBytecomputer(Environment[int]):
    """Make an array of -1, 0 and 1 non-decreasing with the fewest additions of left neighbours.

    Short arrays too often need no operation at all, so several arrays are drawn, and each of their
    answers is equally likely.
    """

    N: int
    X: list[int]
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Bars("X", first=1)

    template = """
        An array X has {N} integers, numbered from 1 to {N}:

        {X}

        One operation chooses an index i with 1 <= i < {N} and replaces X[i+1] by X[i+1] + X[i],
        with the values that the array has at that moment. The results may be any integers.

        What is the minimum number of operations after which {order}? It can
        be done, and no operation is needed if the array is in this order already.

        Output format: one integer, the minimum number of operations.
        """

    def prompt(self) -> str:
        return self.fill(X=indexed("X", self.X, start=1), order=listed("X[{}]", 1, self.N, " <= "))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw_array() -> list[int]:
            weights = [rng.randint(1, N) for _ in range(3)]
            return rng.choices((-1, 0, 1), weights, k=N)

        def draw() -> Self:
            X = redraw(draw_array, until=can_be_ordered)
            return cls(N=N, X=X, reference_answer=fewest_operations(X))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Settle the elements from left to right, each as -1, 0 or 1 (to go beyond costs at"
        yield "least what it saves) and not below the one before it, which is added to it up to 2"
        yield "times. Keep the fewest operations for each value of the last element."
        costs = {self.X[0]: 0}
        yield f"X[1] stays {self.X[0]}, with 0 operations"
        for i, x in enumerate(self.X[1:], 2):
            settled: dict[int, int] = {}
            shown: list[str] = []
            for last, cost in costs.items():
                for additions in range(3 if last else 1):
                    value = x + additions * last
                    if last <= value <= 1:
                        total = cost + additions
                        settled[value] = min(total, settled.get(value, total))
                        sums = f"{x} {'+-'[last < 0]} {additions} * 1 = {value}"
                        text = f"{sums} with {cost} + {additions} = {total}"
                        shown.append(f"after {last}: {text if additions else f'{x} with {cost}'}")
            costs = dict(sorted(settled.items()))
            least = ", ".join(f"{value} with {cost}" for value, cost in costs.items())
            yield f"X[{i}] = {x}, {'; '.join(shown)}. Best: {least}"
        yield f"So the minimum is {min(costs.values())}"
        return str(min(costs.values()))


def can_be_ordered(X: list[int]) -> bool:
    """Leading zeros stay zeros and change nothing after them, so no -1 may follow them."""
    return X[0] != 0 or next((x for x in X if x), 1) == 1


def fewest_operations(X: list[int]) -> int:
    """Settle the elements from left to right, each as -1, 0 or 1: that is never worse."""
    costs = {X[0]: 0}  # by the final value of the last element
    for x in X[1:]:
        finished: dict[int, int] = {}
        for last, cost in costs.items():
            for additions in range(3):
                value = x + additions * last
                if last <= value <= 1:
                    total = cost + additions
                    finished[value] = min(total, finished.get(value, total))
        costs = finished
    return min(costs.values())
