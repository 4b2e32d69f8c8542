from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.graphs import random_edges
from rlve.sampling.rejection import prefer
from rlve.text import counted, lines
from rlve.work import Work, list_neighbours, state

MODULUS = 10_000
BLOCK = 48


class Path_NoGoingBack_Counting(Environment[int]):
    """Count the walks of a given length that never take an edge straight back.

    Graphs with at most one cycle leave little choice, and usually have the answer 0, so they are
    redrawn.
    """

    MAX_M: int
    M: int
    N: int
    T: int  # the number of edges of a walk
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    max_difficulty = 25  # at 32, generating a problem takes too long
    picture = Graph()

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        A walk takes exactly {steps}, each along an edge, and no step goes back along the edge of
        the step just before it. Apart from that, a walk may visit any vertex (its start and its
        end included) and use any edge any number of times.
        Count the walks that start at vertex 0 and end at vertex {last}, modulo {modulus}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            edges=lines(self.edges),
            steps=counted(self.T, "step"),
            modulus=MODULUS,
            largest=MODULUS - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_M": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_M: int) -> Self:
        def size() -> tuple[int, int]:
            M = rng.randint(3, MAX_M)
            return M, rng.choice([N for N in range(3, M + 2) if M <= N * (N - 1) // 2])

        M, N = prefer(size, lambda size: size[0] > size[1])
        T = rng.randint(1, 2**N)
        path = [ordered(u, v) for u, v in pairwise(rng.sample(range(N), N))]
        edges = path + random_edges(rng, N, M - len(path), besides=path)
        rng.shuffle(edges)
        count = walk_count(N, edges, T)
        return cls(MAX_M=MAX_M, M=M, N=N, T=T, edges=edges, reference_answer=count)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)

    def work(self) -> Work[str | None]:
        if self.T * self.M > 65:  # longer walks take more than counting step by step
            return None
        near = yield from list_neighbours(range(self.N), self.edges)
        yield "Walks to a vertex: those to its neighbours, less those that come straight back."
        yield "A walk that was there two steps ago went on to all neighbours but the one it came"
        yield "from; at the start it came from nowhere, and went on to all."
        before, counts = [int(v == 0) for v in near], [int(v in near[0]) for v in near]
        yield state(f"Step 1, to vertices 0 to {self.N - 1}", counts)
        for step in range(2, self.T + 1):
            found: list[int] = []
            written: list[str] = []
            for v in near:
                ways, branches = [counts[u] for u in near[v]], len(near[v]) - (step > 2)
                found.append(sum(ways) - before[v] * branches)
                back = f" - {before[v]} * {branches}" if before[v] else ""
                result = f" = {found[v]}" if len(ways) > 1 or back else ""
                written.append(f"{v}: {' + '.join(map(str, ways))}{back}{result}")
            yield f"Step {step}: {'; '.join(written)}"
            before, counts = counts, found
        yield f"So the walks that end at {self.N - 1} after step {self.T} are {counts[-1]}"
        return str(counts[-1])


def walk_count(n: int, edges: list[Edge], length: int) -> int:
    """The number, modulo 10000, of walks from 0 to n-1 that never take an edge straight back.

    Let P[k] be the matrix of these numbers for k steps, G the adjacency matrix, D the diagonal
    matrix of degrees. P[k] G counts all ways to take one more step. Those that go straight back are
    D for k = 1 and P[k-1] (D - I) for k > 1, hence P[k+1] = P[k] G - P[k-1] (D - I). Only the first
    rows of P[k] and P[k-1] matter: one vector, times one matrix for each step. Floating point is
    exact here, as no sum comes near 2**53, and much faster than integers.
    """
    import numpy as np

    G = np.zeros((n, n))
    for u, v in edges:
        G[u, v] = G[v, u] = 1
    degrees = G.sum(axis=0)
    if length == 1:
        return int(G[0, n - 1])
    rows = np.concatenate([G[0] @ G, G[0]])  # of P[2] and P[1]
    rows[0] -= degrees[0]
    step = np.block([[G, np.eye(n)], [np.diag(1 - degrees), np.zeros((n, n))]])

    # In blocks: products this small stay in one thread, and several stall on a busy machine.
    pad = -2 * n % BLOCK
    rows = np.pad(rows, (0, pad)).reshape(-1, 1, BLOCK)
    count = len(rows)
    step = np.pad(step, (0, pad)).reshape(count, BLOCK, count, BLOCK).swapaxes(1, 2)
    for bit in reversed(f"{length - 2:b}"):
        if bit == "1":
            rows = (rows[:, None] @ step).sum(axis=0)
            rows -= MODULUS * np.floor(rows / MODULUS)
        step = (step[:, :, None] @ step).sum(axis=1)
        step -= MODULUS * np.floor(step / MODULUS)  # much faster than %
    return int(rows.ravel()[n - 1]) % MODULUS
