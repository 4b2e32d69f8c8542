from random import Random

from rlve.envs.permutations.distinct_array_permutation import DistinctArrayPermutation

PROBLEM = DistinctArrayPermutation(N=4, array=[1, 5, 0, 3], reference_answer="3 0 1 5")
SCHEDULE = {
    d: {"N": n} for d, n in ((0, 3), (1, 4), (2, 5), (18, 21), (19, 22), (20, 22), (30, 22))
}
REWARDS = {
    1.0: ["3 0 1 5", "0 3 5 1"],
    0.0: ["5 1 0 3", "1 5 0 3", "5 1 3 0"],
    -0.5: ["3 0 1", "3 0 1 5 5", "3 0 1 4", ""],
    -1.0: ["3, 0, 1, 5"],
}


def test_verdict_agrees_with_all_sets_of_positions():
    right = 0
    for seed in range(200):
        rng = Random(seed)
        problem = DistinctArrayPermutation.sample(rng, N=3 + seed % 4)
        B = rng.sample(problem.array, problem.N)
        expected = has_no_equal_sums(problem.array, B)
        reward = problem.verify(f"<answer>{' '.join(map(str, B))}</answer>").reward
        assert reward == float(expected)
        right += expected
    assert 20 < right < 180


def has_no_equal_sums(A, B):
    return all(
        sum(a for i, a in enumerate(A) if s >> i & 1)
        != sum(b for i, b in enumerate(B) if s >> i & 1)
        for s in range(1, 2 ** len(A) - 1)
    )
