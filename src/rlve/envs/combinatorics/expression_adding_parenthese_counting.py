from itertools import chain, product, starmap
from operator import add, mul, sub
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 5
SMALL = 2**62  # in absolute value; from here on, 64 bits may not be enough
EXACTLY = {"+": add, "-": sub, "*": mul}


class Expression_AddingParenthese_Counting(Environment[int]):
    """Count the different values an expression can take, depending on where brackets are put.

    Two thirds of the expressions with three operands have two values, so several short ones are
    drawn, and each of their answers is equally likely.
    """

    num_operands: int
    operands: list[int]
    operations: list[str]
    reference_answer: int

    max_difficulty = 13  # 16 operands, up to two million values; each extra one triples them

    template = """
        Here is an arithmetic expression:

        {expression}

        Brackets can be added to it, as many pairs as one likes, to change the order in which the
        operations are done; the numbers and the signs stay where they are. Where brackets do not
        decide, * is done before + and -, and otherwise one goes from left to right. Adding no
        brackets at all is one of the ways.

        How many different values can the expression take?

        Output format: one positive integer, the exact number of different values.
        """

    def prompt(self) -> str:
        first, *others = self.operands
        pairs = zip(self.operations, others, strict=True)
        return self.fill(expression=" ".join([str(first), *(f"{sign} {x}" for sign, x in pairs)]))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"num_operands": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, num_operands: int) -> Self:
        return spread(
            rng,
            lambda: cls.draw(rng, num_operands),
            by=lambda problem: problem.reference_answer,
            draws=12 if num_operands <= FEW else 1,
        )

    @classmethod
    def draw(cls, rng: Random, num_operands: int) -> Self:
        operands = [rng.randint(1, num_operands**2) for _ in range(num_operands)]
        operations = [rng.choice("+-*") for _ in range(num_operands - 1)]
        return cls(
            num_operands=num_operands,
            operands=operands,
            operations=operations,
            reference_answer=different_values(operands, operations),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


class Values(NamedTuple):
    """Integers: those below SMALL in an array, and others."""

    small: "NDArray[np.int64]"
    exact: list[int]


def different_values(operands: list[int], operations: list[str]) -> int:
    """The number of values, from the values of all blocks of consecutive operands."""
    import numpy as np

    n = len(operands)
    values = {(i, i + 1): Values(np.array([operands[i]]), []) for i in range(n)}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            values[i, i + length] = union(
                [
                    combined(values[i, k], operations[k - 1], values[k, i + length])
                    for k in range(i + 1, i + length)
                ]
            )
    return sum(map(len, values[0, n]))


def combined(left: Values, sign: str, right: Values) -> Values:
    """All values of one operand, the sign and the other operand, which may be repeated."""
    import numpy as np

    operation: Any = {"+": np.add, "-": np.subtract, "*": np.multiply}[sign]
    results = operation.outer(left.small, right.small)
    if largest(left) * largest(right) < SMALL and largest(left) + largest(right) < SMALL:
        # In long rows, each of them sorted, which `union` merges.
        rows = results if len(left.small) <= len(right.small) else results.T
        return Values(rows.ravel(), [])
    # If the numbers come near the limit in floating point, 64 bits may have overflowed.
    sizes = np.abs(operation.outer(left.small.astype(float), right.small.astype(float)))
    safe = sizes < SMALL / 2
    rows, columns = np.nonzero(~safe)
    exactly = EXACTLY[sign]
    exact = list(map(exactly, left.small[rows].tolist(), right.small[columns].tolist()))
    exact += starmap(exactly, product(left.exact, right.small.tolist() + right.exact))
    exact += starmap(exactly, product(left.small.tolist(), right.exact))
    return Values(results[safe], exact)


def largest(values: Values) -> int:
    """The largest absolute value; the array is sorted."""
    ends = values.small[:1].tolist() + values.small[-1:].tolist()
    return max(map(abs, (*ends, *values.exact)))


def union(parts: list[Values]) -> Values:
    """The different integers of all parts, the small ones sorted."""
    import numpy as np

    exact = set(chain.from_iterable(part.exact for part in parts))
    few = [x for x in exact if -SMALL < x < SMALL]
    small = np.concatenate([*(part.small for part in parts), np.array(few, dtype=np.int64)])
    small.sort(kind="stable")  # merges rows that are already sorted; np.unique is much slower
    is_new = np.append(True, small[1:] != small[:-1])[: len(small)]
    return Values(small[is_new], list(exact.difference(few)))
