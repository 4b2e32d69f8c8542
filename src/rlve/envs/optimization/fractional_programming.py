from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.optimization import highest_ratio
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, is_easy, multiply


class FractionalProgramming(Environment[list[int]]):
    """Choose indices so that the ratio of two sums over them is as large as possible.

    Problems with several best choices are redrawn; with three indices (d = 0), they would make any
    guess right in two fifths of the problems.
    """

    N: int
    K: int
    B: list[int]
    A: list[int]
    reference_answer: str
    gold_SumA: int
    gold_SumB: int

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Bars("A", answer="positions"), Bars("B", answer="positions"))

    template = """
        Two arrays A and B have {N} positive integers each, with the indices 0 to {last}:

        {arrays}

        Choose exactly {K} different indices such that
        (the sum of A[i] over the chosen i) / (the sum of B[i] over the chosen i)
        is as large as possible. If several choices have the largest ratio, any of them is right.

        Output format: one line with the {K} chosen indices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        values = enumerate(zip(self.A, self.B, strict=True))
        return self.fill(
            last=self.N - 1, arrays=lines(f"A[{i}]={a} B[{i}]={b}" for i, (a, b) in values)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(2, N - 1)
            B = [rng.randint(1, N) for _ in range(N)]
            A = [rng.randint(1, 2 * b) for b in B]
            best = best_choice(A, B, K)
            gold_a, gold_b = sums(A, B, best)
            return cls(
                N=N,
                K=K,
                B=B,
                A=A,
                reference_answer=spaced(sorted(best)),
                gold_SumA=gold_a,
                gold_SumB=gold_b,
            )

        def has_one_solution(problem: Self) -> bool:
            p, q = problem.gold_SumA, problem.gold_SumB
            gains = sorted(q * a - p * b for a, b in zip(problem.A, problem.B, strict=True))
            return gains[-problem.K] > gains[-problem.K - 1]

        return prefer(draw, until=has_one_solution)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or len(set(answer)) != self.K:
            return INVALID
        if not all(0 <= i < self.N for i in answer):
            return INVALID
        a, b = sums(self.A, self.B, answer)
        return ratio(a * self.gold_SumB, b * self.gold_SumA) ** 5

    def work(self) -> Work[str]:
        yield "Start with any choice, of ratio p / q. A choice is better exactly if q times its sum"
        yield f"of A is above p times its sum of B. So take the {self.K} indices with the largest"
        yield "q * A[i] - p * B[i], and repeat while these add up to more than 0."
        chosen, gain = list(range(self.K)), 1
        while gain > 0:
            a, b = sums(self.A, self.B, chosen)
            of_a, of_b = (" + ".join(str(x[i]) for i in chosen) for x in (self.A, self.B))
            p, q = a // gcd(a, b), b // gcd(a, b)
            yield f"Choice {spaced(chosen)}: {of_a} = {a}, {of_b} = {b}"
            yield f"p / q = {a} / {b}" + (f" = {p} / {q}" if p < a else "")
            gains: list[int] = []
            for i in range(self.N):
                first, second = q * self.A[i], p * self.B[i]
                gains.append(first - second)
                step = f"{q} * {self.A[i]} - {p} * {self.B[i]}"
                if not is_easy("*", q, self.A[i]) or not is_easy("*", p, self.B[i]):
                    yield from multiply(q, self.A[i])
                    yield from multiply(p, self.B[i])
                    step = f"{first} - {second}"
                yield f"{i}: {step} = {gains[i]}"
            chosen = sorted(sorted(range(self.N), key=lambda i: -gains[i])[: self.K])
            gain = sum(gains[i] for i in chosen)
            total = " + ".join(str(gains[i]) for i in chosen).replace("+ -", "- ")
            better = "better" if gain > 0 else "so nothing is better"
            yield f"Largest for {spaced(chosen)}: {total} = {gain}, {better}"
        return spaced(chosen)


def sums(A: list[int], B: list[int], chosen: list[int]) -> tuple[int, int]:
    return sum(A[i] for i in chosen), sum(B[i] for i in chosen)


def best_choice(A: list[int], B: list[int], K: int) -> list[int]:
    def largest(p: int, q: int) -> list[int]:
        return sorted(range(len(A)), key=lambda i: p * B[i] - q * A[i])[:K]

    return highest_ratio(largest, lambda chosen: sums(A, B, chosen))
