from itertools import permutations

from rlve.envs.permutations.prefix_sum_mod_distinct_permutation import (
    PrefixSumMODDistinctPermutation,
)

PROBLEM = PrefixSumMODDistinctPermutation(MAX_N=8, N=4, reference_answer="4 1 2 3")
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 8), (1, 12), (2, 18), (8, 202), (12, 1021))}
REWARDS = {
    1.0: ["4 1 2 3", "4 3 2 1"],
    (3 / 4) ** 10: ["1 2 3 4", "1 3 4 2"],
    -0.5: ["4 1 2", "4 1 2 3 3", "0 1 2 3", "4 1 2 2", ""],
    -1.0: ["4, 1, 2, 3"],
}


def test_references_are_correct():
    sizes = set()
    for seed in range(200):
        problem = PrefixSumMODDistinctPermutation.generate(difficulty=seed % 8, seed=seed)
        N, P = problem.N, list(map(int, problem.reference_answer.split()))
        assert 4 <= N <= problem.MAX_N
        assert sorted(P) == list(range(1, N + 1))
        assert len({sum(P[:i]) % N for i in range(1, N + 1)}) == N
        sizes.add(N)
    assert {4, 6, 8, 10, 12} <= sizes


def test_verdicts_agree_with_the_definition():
    problem = PrefixSumMODDistinctPermutation(MAX_N=8, N=6, reference_answer="6 1 4 3 2 5")
    for P in permutations(range(1, 7)):
        residues = {sum(P[:i]) % 6 for i in range(1, 7)}
        reward = problem.verify(f"<answer>{' '.join(map(str, P))}</answer>").reward
        assert reward == (len(residues) / 6) ** 10
