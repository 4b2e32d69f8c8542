from random import Random

from rlve.envs.optimization.set_splitting import SetSplitting

PROBLEM = SetSplitting(N=4, M=3, Sets=[[1, 0], [3, 0, 2], [1, 2]], reference_answer="0 2")
SCHEDULE = {
    d: {"N": n, "M": [int(ratio / 10 * n) for ratio in range(10, 31)]}
    for d, n in ((0, 3), (1, 4), (20, 23))
}
REWARDS = {
    1.0: ["0 2", "3 1"],
    (2 / 3) ** 10: ["0", "0 1"],
    (1 / 3) ** 10: ["3"],
    0.0: ["", "0 1 2 3"],
    -0.5: ["0 4", "-1 0", "0 2 2"],
    -1.0: ["0, 2"],
}


def test_exactly_the_splits_of_all_subsets_are_right():
    for seed in range(100):
        N = 3 + seed % 3
        problem = SetSplitting.sample(Random(seed), N=N, M=N + seed % N)
        for mask in range(1 << N):
            first = [x for x in range(N) if mask >> x & 1]
            second = [x for x in range(N) if x not in first]
            works = all(
                any(x in first for x in elements) and any(x in second for x in elements)
                for elements in problem.Sets
            )
            assert (problem.score(first) == 1.0) == works
