from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.text import lines

PRIME = 998_244_353


class MoneyChargingGame(Environment[int]):
    """Find the probability that random first occurrences come in a given partial order."""

    N: int
    A: list[int]  # W[i] is 1, 2 or 3 in the proportions A[i] : B[i] : C[i]
    B: list[int]
    C: list[int]
    T_inequalities: list[tuple[int, int]]  # (u, v): T[u] < T[v]; a tree
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long
    picture = Graph("T_inequalities", directed=True)

    template = """
        There are {N} nodes, numbered from 0 to {last}. Each node i has three positive integers a, b
        and c, and gets a weight W[i], independently of the others: it is 1 with probability
        a/(a+b+c), 2 with probability b/(a+b+c), and 3 with probability c/(a+b+c).

        {nodes}

        When the weights are fixed, nodes are drawn one at a time, with replacement and
        independently, until every node has been drawn at least once. Each draw gives node i with
        probability W[i] divided by the sum of the {N} weights. T[i] is the number of the draw,
        counted from 1, in which node i is drawn for the first time.

        What is the probability that all of these conditions hold?

        {conditions}

        It is a fraction p/q. Give it modulo the prime {prime}: the integer r with
        0 <= r < {prime} for which q * r and p leave the same remainder when divided by {prime},
        that is, p times the modular inverse of q.

        Output format: one integer, only the value of r.
        """

    def prompt(self) -> str:
        triples = enumerate(zip(self.A, self.B, self.C, strict=True))
        return self.fill(
            last=self.N - 1,
            nodes=lines(f"node {i}: a={a} b={b} c={c}" for i, (a, b, c) in triples),
            conditions=lines(f"T[{u}] < T[{v}]" for u, v in self.T_inequalities),
            prime=PRIME,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B, C = ([rng.randint(1, N) for _ in range(N)] for _ in range(3))
        order = rng.sample(range(N), N)
        reversing = rng.random()  # the probability that a condition is reversed
        conditions: list[tuple[int, int]] = []
        for i in range(1, N):
            u, v = order[rng.randrange(i)], order[i]
            conditions.append((v, u) if rng.random() < reversing else (u, v))
        rng.shuffle(conditions)
        return cls(
            N=N,
            A=A,
            B=B,
            C=C,
            T_inequalities=conditions,
            reference_answer=probability(list(zip(A, B, C, strict=True)), conditions),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, PRIME)


def probability(shares: list[tuple[int, int, int]], conditions: list[tuple[int, int]]) -> int:
    """The probability modulo the prime, by sums over the weights of subtrees.

    If each node has to come before its children and the weights are fixed, the probability is the
    product, over all nodes, of the node's weight divided by the weight of its subtree. For a
    condition that points to the root, take the probability without it minus that with its reverse.
    """
    N = len(shares)
    below: list[list[tuple[int, bool]]] = [[] for _ in range(N)]  # neighbours; is the node first?
    for u, v in conditions:
        below[u].append((v, True))
        below[v].append((u, False))
    inverse = [0] + [pow(total, -1, PRIME) for total in range(1, 3 * N + 1)]
    parts: list[list[int]] = [[] for _ in range(N)]  # [node][weight of its subtree]
    for node in preorder(below)[::-1]:
        part = [0, *(share * w for w, share in enumerate(shares[node], 1))]
        part = [x * pow(sum(shares[node]), -1, PRIME) % PRIME for x in part]
        for child, downwards in below[node]:
            if parts[child]:  # the parent has none yet
                part = merged(part, parts[child], downwards)
        parts[node] = [x * inv % PRIME for x, inv in zip(part, inverse, strict=False)]
    return sum(parts[0]) % PRIME


def preorder(neighbours: list[list[tuple[int, bool]]]) -> list[int]:
    """The nodes of a tree, parents first; node 0 is the root."""
    order, seen = [0], {0}
    for node in order:
        new = [child for child, _ in neighbours[node] if child not in seen]
        seen.update(new)
        order += new
    return order


def merged(part: list[int], child: list[int], downwards: bool) -> list[int]:
    """A node's sums by weight, with a subtree added below it."""
    joined = [0] * (len(part) + len(child) - 1)
    for i, x in enumerate(part):
        for j, y in enumerate(child):
            joined[i + j] += x * y
    if downwards:
        return [x % PRIME for x in joined]
    apart = sum(child)
    left = [x * apart for x in part] + [0] * (len(child) - 1)
    return [(x - y) % PRIME for x, y in zip(left, joined, strict=True)]
