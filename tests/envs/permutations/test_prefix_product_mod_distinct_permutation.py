from itertools import permutations
from math import prod

import pytest

from rlve.envs.permutations.prefix_product_mod_distinct_permutation import (
    PrefixProductMODDistinctPermutation,
)

PROBLEM = PrefixProductMODDistinctPermutation(MAX_N=8, N=5, reference_answer="1 2 4 3 5")


def test_schedule():
    limits = [PrefixProductMODDistinctPermutation.level(d)[0]["MAX_N"] for d in (0, 1, 2, 8, 12)]
    assert limits == [8, 12, 18, 202, 1021]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2 4 3 5", 1.0),
        ("1 3 4 2 5", 1.0),
        ("1 2 3 4 5", (4 / 5) ** 10),
        ("5 1 2 3 4", (1 / 5) ** 10),
        ("1 2 4 3", -0.5),
        ("1 2 4 3 5 5", -0.5),
        ("1 2 4 3 0", -0.5),
        ("1 2 4 3 3", -0.5),
        ("", -0.5),
        ("1, 2, 4, 3, 5", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_references_are_correct():
    sizes = set()
    for seed in range(200):
        problem = PrefixProductMODDistinctPermutation.generate(difficulty=seed % 8, seed=seed)
        N, P = problem.N, list(map(int, problem.reference_answer.split()))
        assert 3 <= N <= problem.MAX_N
        assert sorted(P) == list(range(1, N + 1))
        assert len({prod(P[:i]) % N for i in range(1, N + 1)}) == N
        assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct
        sizes.add(N)
    assert {3, 4, 5, 7, 11, 13} <= sizes


def test_verdicts_agree_with_the_definition():
    for P in permutations(range(1, 6)):
        residues = {prod(P[:i]) % 5 for i in range(1, 6)}
        reward = PROBLEM.verify(f"<answer>{' '.join(map(str, P))}</answer>").reward
        assert reward == (len(residues) / 5) ** 10


def test_only_4_and_primes_have_a_solution():
    for N in range(3, 8):
        found = any(
            len({prod(P[:i]) % N for i in range(1, N + 1)}) == N
            for P in permutations(range(1, N + 1))
        )
        assert found == (N in (3, 4, 5, 7))
