from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import lines
from rlve.work import Work, state


class TriumphalArch(Environment[int]):
    """Say how many vertices of a tree must be painted per round to stay ahead of a walker.

    In a random tree the answer is usually 2 or 3. So some trees here have vertices of high degree,
    and each answer among several draws is equally likely.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    guessable = "Small trees have few answers: at d = 3, counting different labels is right in 42%."

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. These are its edges, each given by the
        two vertices it joins:

        {edges}

        Alice and Bob play a game on this tree. Bob stands on vertex 0, which is black. All other
        vertices are white. The game goes in rounds. In each round Alice first paints up to K
        vertices of her choice black, and they stay black. Then Bob moves along an edge to a vertex
        next to the one he is on. If he then stands on a white vertex, he wins. If all vertices are
        black before that happens, Alice wins.

        What is the smallest K with which Alice can win whatever Bob does?

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = tree_with_hubs(rng, N, rng.randint(1, N - 1))
            return cls(N=N, edges=edges, reference_answer=paints_per_round(N, edges))

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=40)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "The children of a vertex are those next to it, away from 0. When Bob comes to it,"
        yield "all its children must be black before he moves on."
        yield "Alice paints K vertices meanwhile; what is needed beyond that must be black before."
        yield "So need(v) = the number of its children - K + their needs above 0."
        children: dict[int, list[int]] = {0: []}
        for u in (order := [0]):
            near = [a + b - u for a, b in self.edges if u in (a, b)]
            children[u] = sorted(v for v in near if v not in children)
            order += children[u]
            children |= {v: [] for v in children[u]}
            if children[u]:
                yield state(f"Children of {u}", children[u])
        yield "A vertex without children needs nothing. K is enough exactly if need(0) <= 0; if Bob"
        yield "goes back, Alice only gains time."
        need, paints = {0: 1}, 0
        while need[0] > 0:
            need, paints = dict.fromkeys(order, 0), paints + 1
            yield f"K = {paints}:"
            for u in reversed([u for u in order if children[u]]):
                terms = [len(children[u]), -paints, *(need[v] for v in children[u] if need[v] > 0)]
                need[u] = sum(terms)
                yield f"need({u}) = {' + '.join(map(str, terms)).replace('+ -', '- ')} = {need[u]}"
        yield f"So the smallest K is {paints}"
        return str(paints)


def tree_with_hubs(rng: Random, n: int, hubs: int) -> list[Edge]:
    """A tree grown in random order, each vertex joined to one of the first `hubs` vertices."""
    order = rng.sample(range(n), n)
    edges = [ordered(order[i], order[rng.randrange(min(i, hubs))]) for i in range(1, n)]
    rng.shuffle(edges)
    return edges


def paints_per_round(n: int, edges: list[Edge]) -> int:
    """The smallest K for which no vertex has to be painted before the game starts.

    When Bob comes to a vertex, its children must be black before he moves on. Whatever the
    children, and their own descendants in advance, need beyond the K vertices of this round must
    already be black.
    """
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    parent = {0: -1}
    order = [0]
    for u in order:
        for v in neighbours[u]:
            if v != parent[u]:
                parent[v] = u
                order.append(v)

    def advance(K: int) -> int:
        need = [len(neighbours[u]) - (u != 0) - K for u in range(n)]
        for u in order[:0:-1]:
            need[parent[u]] += max(0, need[u])
        return need[0]

    return next(K for K in range(1, n) if advance(K) <= 0)
