import math
from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import counted, indexed
from rlve.work import Work, multiply, state


class MitterTransportation(Environment[int]):
    """Find how few values in a tree must change for each to be split equally among the children.

    The answers of a level are about equally likely; on small trees there are few.
    """

    N: int
    parents: list[int | None]  # None for vertex 0, and a smaller number for every other vertex
    A: list[int]
    reference_answer: int

    guessable = "At d = 3 there are five answers, and the median of the prompt is right in a third."

    max_difficulty = 45  # at 52, a prompt exceeds 32,000 characters
    picture = Graph(parents="parents", values="A")

    template = """
        A rooted tree has {N} vertices, numbered from 0 to {last}. Its root is vertex 0, and the
        parent of each other vertex i is p[i]:

        {parents}

        Vertex i has the value A[i]:

        {values}

        The values of some vertices may be changed, to any positive real numbers, such that both of
        these rules hold for every vertex that has children:

        - All its children have the same value.
        - Its own value is the sum of the values of its children.

        What is the smallest number of vertices whose values must be changed?

        Output format: one integer, the smallest number of vertices.
        """

    def prompt(self) -> str:
        parents = indexed("p", self.parents[1:], start=1)
        return self.fill(last=self.N - 1, parents=parents, values=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            parents = [None, *(rng.randrange(v) for v in range(1, N))]
            parts = shares(parents)
            consistent = rng.sample(range(N), rng.randint(1, N - 1))
            whole = math.lcm(*(parts[v] for v in consistent))
            values = [whole // parts[v] if v in consistent else 0 for v in range(N)]
            A = [value or rng.randint(1, max(values)) for value in values]
            # Every value is the root's value divided by the number of parts.
            roots = Counter(value * part for value, part in zip(A, parts, strict=True))
            return cls(N=N, parents=parents, A=A, reference_answer=N - max(roots.values()))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Each vertex splits its value equally, so that of vertex i is the root's divided by"
        yield "some number of parts. A[i] can stay exactly if the root's is A[i] times that number."
        children = [self.parents.count(v) for v in range(self.N)]
        parts: list[int] = []
        roots: list[int] = []
        for v, parent in enumerate(self.parents):
            if parent is None:
                parts.append(1)
                yield f"0: 1 part, root for A[0]: {self.A[0]}"
            else:
                parts.append(parts[parent] * children[parent])
                split = f"{counted(children[parent], 'child', 'children')}, parts"
                product = f"{parts[parent]} * {children[parent]} = {parts[v]}"
                yield f"{v}: parent {parent} has {split} {product}. Root for A[{v}]:"
                yield from multiply(self.A[v], parts[v])
            roots.append(self.A[v] * parts[v])
        yield state("Roots", roots)
        most = max(map(roots.count, roots))
        common = next(root for root in roots if roots.count(root) == most)
        yield f"{common} comes most often, {counted(most, 'time')}"
        yield f"{self.N} - {most} = {self.N - most} change"
        return str(self.N - most)


def shares(parents: list[int | None]) -> list[int]:
    """Into how many parts the root's value has been split when it reaches each vertex."""
    children = Counter(parents)
    parts: list[int] = []
    for parent in parents:
        parts.append(1 if parent is None else parts[parent] * children[parent])
    return parts
