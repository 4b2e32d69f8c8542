from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import path_xors
from rlve.algorithms.graphs import WeightedEdge
from rlve.answers import word
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.graphs import random_edges, random_recursive_tree
from rlve.text import lines, spaced
from rlve.work import Work, split_powers

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 31))


class CheckAllCycleXorZero(Environment[str]):
    """Say whether the weights on every cycle of a graph have XOR 0.

    YES and NO are equally likely, so a guess is right half of the time. If the answer is NO,
    anything from one to all of the edges that close cycles are wrong, so one cycle with XOR 0
    proves nothing. Any other word is ill-formed, with the published reward of -0.5.
    """

    N: int
    edge_ratio: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: str  # YES or NO

    max_difficulty = 40  # at 47, a prompt exceeds 32,000 characters
    picture = Graph(first=1)

    template = """
        A connected undirected graph has {N} vertices, numbered from 1 to {N}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Is it true for every cycle of the graph that the bitwise XOR of the weights of its edges
        is 0? A cycle visits at least 3 vertices, none of them twice, and returns to its start.

        Output format: one word in upper case, YES if it is true for every cycle, otherwise NO.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        fitting = [ratio for ratio in EDGE_RATIOS if int(N * ratio) <= N * (N - 1) // 2]
        return [{"N": N, "edge_ratio": ratio} for ratio in fitting]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        bits = (N * (N - 1) // 2).bit_length()
        tree = random_recursive_tree(rng, N)
        edges = [(u, v, rng.getrandbits(bits)) for u, v in tree]
        xors = path_xors(edges, 0)
        others = random_edges(rng, N, int(edge_ratio * N) - len(tree), besides=tree)
        right = rng.random() < 0.5
        wrong = 0 if right else rng.randint(1, len(others))
        for i, (u, v) in enumerate(others):
            flipped = rng.randrange(1, 1 << bits) if i < wrong else 0
            edges.append((u, v, xors[u] ^ xors[v] ^ flipped))
        rng.shuffle(edges)
        return cls(
            N=N,
            edge_ratio=edge_ratio,
            edges=[(u + 1, v + 1, w) for u, v, w in edges],
            reference_answer="YES" if right else "NO",
        )

    def parse(self, text: str) -> str:
        return word(text, ("YES", "NO"), reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Give each vertex the XOR of the weights on a way from 1. All cycles have XOR 0"
        yield "exactly if each edge has the XOR of its two ends as its weight."
        powers = yield from split_powers(w for *_, w in self.edges)
        width = max(1, *(w.bit_length() for w in powers))
        value = {1: 0}
        yield f"Vertex 1: {bits(0, width)}"
        ways, used = [1], list[WeightedEdge]()
        for u in ways:
            for a, b, w in self.edges:
                v = b if a == u else a
                if u in (a, b) and v not in value:
                    ways.append(v)
                    used.append((a, b, w))
                    value[v] = value[u] ^ w
                    step = f"{bits(value[u], width)} XOR {bits(w, width)}"
                    yield f"Vertex {v}, from {u} by weight {w}: {step} is {bits(value[v], width)}"
        yield "The edges used for that fit. The others:"
        for a, b, w in self.edges:
            if (a, b, w) in used:
                continue
            step = f"{bits(value[a], width)} XOR {bits(value[b], width)}"
            step = f"Edge {a}-{b}: {step} is {bits(value[a] ^ value[b], width)}"
            if value[a] ^ value[b] != w:
                yield f"{step}, not its weight {w}, so there is a cycle with another XOR: NO"
                return "NO"
            yield f"{step}, its weight {w}"
        yield "All edges fit: YES"
        return "YES"


def bits(value: int, width: int) -> str:
    return spaced(f"{value:0{width}b}")
