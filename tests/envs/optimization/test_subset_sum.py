from rlve.envs.optimization.subset_sum import SubsetSum

PROBLEM = SubsetSum(N=4, A=[1, 4, 2, 3], target=5, reference_answer="0 1")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 1", "3 2"],
    0.0: ["1 2", "1", ""],
    -0.5: [
        "0 0 3",  # 1 + 1 + 3 = 5, but an index is repeated
        "0 4",
        "-1 2",  # A[-1] + A[2] = 5 in Python only
    ],
    -1.0: ["0, 1", "1 + 4"],
}
SAMPLES = {100: {"N": range(3, 7)}}


def test_exactly_the_subsets_with_the_sum_are_right(problem):
    for mask in range(1 << problem.N):
        indices = [i for i in range(problem.N) if mask >> i & 1]
        total = sum(problem.A[i] for i in indices)
        assert problem.score(indices) == (total == problem.target)
