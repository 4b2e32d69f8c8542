"""What an evaluation reports: Avg@k and Pass@k.

A policy answers every question n times, and it is known which of the n samples were correct:

    Avg@k   the expected share of correct samples among k of the n. For a question with c correct
            samples that is c/n, whatever k
    Pass@k  the chance that k of the n samples contain a correct one: 1 - C(n - c, k) / C(n, k),
            which is unbiased, unlike 1 - (1 - c/n)^k

Both are means over questions, and every question counts equally. Samples of one question resemble
each other, so intervals come from resampling questions, never single samples.
"""

from collections.abc import Sequence
from math import comb

from rlve.errors import UserError
from rlve.foundation.intervals import mean
from rlve.foundation.limits import AtLeastOne, check_limit


def avg_at_k(correct: Sequence[Sequence[bool]], k: int) -> float:
    """Avg@k over questions; `correct` says for each whether its samples were correct."""
    return mean(avg_values(correct, k))


def pass_at_k(correct: Sequence[Sequence[bool]], k: int) -> float:
    """Unbiased Pass@k over questions; `correct` says for each whether its samples were correct."""
    return mean(pass_values(correct, k))


def avg_values(correct: Sequence[Sequence[bool]], k: int) -> list[float]:
    """Avg@k of each question; avg_at_k is their mean, and rlve.foundation.intervals takes them."""
    _check(correct, k)
    return [sum(samples) / len(samples) for samples in correct]


def pass_values(correct: Sequence[Sequence[bool]], k: int) -> list[float]:
    """Pass@k of each question; pass_at_k is their mean, and intervals are made of them."""
    _check(correct, k)
    values: list[float] = []
    for samples in correct:
        sets = comb(len(samples), k)
        # A quotient of two integers of any size is rounded only once, unlike a difference from 1.
        values.append((sets - comb(len(samples) - sum(samples), k)) / sets)
    return values


def _check(correct: Sequence[Sequence[bool]], k: int) -> None:
    check_limit("k", k, AtLeastOne)
    fewest = min((len(samples) for samples in correct), default=k)
    if k > fewest:
        raise UserError(f"k = {k} needs {k} samples of every question; one has only {fewest}")
