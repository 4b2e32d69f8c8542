"""Clauses as they are written in prompts, for brute forces."""

from itertools import product

import pytest


def check_rewards_of_clauses(problem, written):
    """Each assignment earns the share of satisfied clauses, which are lists of literals."""
    assert len(written) == problem.M
    for values in product([0, 1], repeat=problem.N):
        true = {f"x[{i}]" if value else f"!x[{i}]" for i, value in enumerate(values)}
        satisfied = sum(not true.isdisjoint(literals) for literals in written)
        reward = problem.verify(f"<answer>{' '.join(map(str, values))}</answer>").reward
        assert reward == pytest.approx((satisfied / problem.M) ** 10)
