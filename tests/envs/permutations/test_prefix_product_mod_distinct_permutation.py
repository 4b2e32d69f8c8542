from itertools import permutations
from math import prod

from rlve.envs.permutations.prefix_product_mod_distinct_permutation import (
    PrefixProductMODDistinctPermutation,
)

PROBLEM = PrefixProductMODDistinctPermutation(MAX_N=8, N=5, reference_answer="1 2 4 3 5")
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 8), (1, 12), (2, 18), (8, 202), (12, 1021))}
REWARDS = {
    1.0: ["1 2 4 3 5", "1 3 4 2 5"],
    (4 / 5) ** 10: ["1 2 3 4 5"],
    (1 / 5) ** 10: ["5 1 2 3 4"],
    -0.5: ["1 2 4 3", "1 2 4 3 5 5", "1 2 4 3 0", "1 2 4 3 3", ""],
    -1.0: ["1, 2, 4, 3, 5"],
}


def test_references_are_correct():
    sizes = set()
    for seed in range(200):
        problem = PrefixProductMODDistinctPermutation.generate(difficulty=seed % 8, seed=seed)
        N, P = problem.N, list(map(int, problem.reference_answer.split()))
        assert 3 <= N <= problem.MAX_N
        assert sorted(P) == list(range(1, N + 1))
        assert len({prod(P[:i]) % N for i in range(1, N + 1)}) == N
        sizes.add(N)
    assert {3, 4, 5, 7, 11, 13} <= sizes


def test_verdicts_agree_with_the_definition():
    for P in permutations(range(1, 6)):
        residues = {prod(P[:i]) % 5 for i in range(1, 6)}
        reward = PROBLEM.verify(f"<answer>{' '.join(map(str, P))}</answer>").reward
        assert reward == (len(residues) / 5) ** 10
