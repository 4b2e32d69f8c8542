from rlve.envs.arrays.longest_max_diff_bounded_interval import LongestMaxDiffBoundedInterval

PROBLEM = LongestMaxDiffBoundedInterval(N=6, A=[5, 3, 4, 4, 6, 1], K=2, gold_answer=4)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 4"],
    (3 / 4) ** 5: ["2 5"],
    (1 / 4) ** 5: ["5 6"],
    -0.2: ["1 5", "0 6"],
    -0.5: ["3 3", "4 2", "-1 3", "3 7"],
    -1.0: ["4", "0 4 4", "0-4", ""],
}
SAMPLES = {150: {"N": range(3, 15)}}


def test_gold_is_the_longest_of_all_blocks(problem):
    N = problem.N
    blocks = [problem.A[i:j] for i in range(N) for j in range(i + 1, N + 1)]
    narrow = [block for block in blocks if max(block) - min(block) <= problem.K]
    assert problem.gold_answer == max(map(len, narrow))
