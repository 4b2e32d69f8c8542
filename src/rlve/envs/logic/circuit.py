from itertools import product
from random import Random
from typing import Literal, Self, TypeAlias

from msgspec import Struct

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer, redraw
from rlve.sampling.trees import random_binary_tree
from rlve.text import spaced
from rlve.work import Work, state

LEAVES_PER_VARIABLE = tuple(tenths / 10 for tenths in range(20, 51))
OPERATORS: tuple["Operator", ...] = ("&", "|", "^")
WEIGHTS = (0.25, 0.25, 0.5)

TRIED = 256  # how many random assignments a tree is tried on
RIGHT = 0.3  # the share of them that may satisfy it, if possible

Operator: TypeAlias = Literal["&", "|", "^"]


class Gate(Struct, frozen=True, array_like=True):
    left: "Tree"
    operator: Operator
    right: "Tree"


Tree: TypeAlias = int | Gate  # an int is the index of a variable


class Circuit(Environment[list[int]]):
    """Find values of Boolean variables for which an expression is true.

    An expression satisfied by more than three in ten assignments is redrawn; a random one is
    satisfied by about six in ten.
    """

    N: int  # variables
    M: int  # their occurrences
    tree: Tree
    reference_answer: str

    max_difficulty = 500  # at 620, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} Boolean variables, x[0] to x[{last}], each 0 (false) or 1 (true).
        In the expression below the operators are & (and), | (or) and ^ (exclusive or), and
        parentheses show their order.

        {expression}

        Find values of the variables for which the value of the expression is 1.
        At least one solution exists; any of them is right. A variable that does not occur in the
        expression needs a value too.

        Output format: one line with the {N} values, 0 or 1, of x[0] to x[{last}] in this order,
        separated by spaces. For example, this stands for {meaning}:
        {example}
        """

    def __post_init__(self) -> None:
        for part in postfix(self.tree):
            if isinstance(part, int) and not 0 <= part < self.N:
                raise ValueError(f"tree: no variable has the index {part}")

    def prompt(self) -> str:
        values = [i % 2 for i in range(self.N)]
        return self.fill(
            last=self.N - 1,
            expression=written(self.tree),
            example=spaced(values),
            meaning="x[0]=0, x[1]=1" + (", and so on" if self.N > 2 else ""),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 2 + d
        return [{"N": N, "M": int(m * N)} for m in LEAVES_PER_VARIABLE]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        columns = [rng.getrandbits(TRIED) for _ in range(N)]  # of each variable, bit by bit

        def draw() -> tuple[Tree, int]:
            tree = random_circuit(rng, N, M)
            return tree, circuit_value(tree, columns)

        tree, right = prefer(
            lambda: redraw(draw, until=lambda drawn: drawn[1] != 0),
            until=lambda drawn: drawn[1].bit_count() <= RIGHT * TRIED,
            tries=50,
        )
        planted = rng.choice([i for i in range(TRIED) if right >> i & 1])
        values = [column >> planted & 1 for column in columns]
        return cls(N=N, M=M, tree=tree, reference_answer=spaced(values))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not {0, 1}.issuperset(answer):
            return INVALID
        return exact(circuit_value(self.tree, answer) == 1)

    def work(self) -> Work[str | None]:
        yield "Write down the value of each part, inside first, for all values of the variables."
        parts = postfix(self.tree)
        used = sorted({part for part in parts if isinstance(part, int)})
        if len(used) > 8:  # each row of the table would have hundreds of columns
            return None
        columns = list(product((0, 1), repeat=len(used)))
        stack: list[str] = []
        rows = {f"x[{i}]": [column[place] for column in columns] for place, i in enumerate(used)}
        for name, row in rows.items():
            yield state(name, row)
        for part in parts:
            if isinstance(part, int):
                stack.append(f"x[{part}]")
                continue
            right, left = stack.pop(), stack.pop()
            stack.append(f"P{len(rows) - len(used) + 1}")
            pairs = zip(rows[left], rows[right], strict=True)
            rows[stack[-1]] = [circuit_value(Gate(0, part, 1), [a, b]) for a, b in pairs]
            yield state(f"{stack[-1]} = {left} {part} {right}", rows[stack[-1]])
        if 1 not in rows[stack[0]]:
            return None
        first = rows[stack[0]].index(1)
        values = [rows.get(f"x[{i}]", [0] * len(columns))[first] for i in range(self.N)]
        found = ", ".join(f"x[{i}]={values[i]}" for i in used)
        yield f"{stack[0]} is 1 in column {first + 1} for the first time, so {found}"
        if len(used) < self.N:
            others = ", ".join(f"x[{i}]=0" for i in range(self.N) if i not in used)
            yield f"Not in the expression, so any value will do: {others}"
        yield state("Values", values)
        return spaced(values)


def random_circuit(rng: Random, variables: int, leaves: int) -> Tree:
    def leaf() -> Tree:
        return rng.randrange(variables)

    def join(left: Tree, right: Tree) -> Tree:
        return Gate(left, rng.choices(OPERATORS, WEIGHTS)[0], right)

    return random_binary_tree(rng, leaves, leaf, join)


def postfix(tree: Tree) -> list[int | Operator]:
    """The variables and operators of the tree, each operator after both of its sides."""
    backwards: list[int | Operator] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Gate):
            backwards.append(node.operator)
            waiting += [node.left, node.right]
        else:
            backwards.append(node)
    return backwards[::-1]


def circuit_value(tree: Tree, values: list[int]) -> int:
    """The value of the expression, for each bit of its variables' values."""
    stack: list[int] = []
    for part in postfix(tree):
        if isinstance(part, int):
            stack.append(values[part])
            continue
        b, a = stack.pop(), stack.pop()
        stack.append(a & b if part == "&" else a | b if part == "|" else a ^ b)
    return stack[0]


def written(tree: Tree) -> str:
    """The expression, with parentheses around every proper part."""
    stack: list[str] = []
    for part in postfix(tree):
        if isinstance(part, int):
            stack.append(f"x[{part}]")
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(f"({left} {part} {right})")
    return stack[0] if isinstance(tree, int) else stack[0][1:-1]
