from rlve.envs.arrays.wil import WIL

PROBLEM = WIL(N=6, A=[2, 3, 1, 6, 1, 4], D=2, P=6, gold_answer=5)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["3 4 1 5", "4 5 1 5"],
    (4 / 5) ** 5: ["4 4 2 5"],
    (2 / 5) ** 5: ["1 2 1 2"],
    (1 / 5) ** 5: ["6 6 3 3"],
    -0.5: ["1 2 1 5", "3 5 1 6", "0 1 1 2", "6 7 1 2", "2 1 1 2", "1 2 2 1", "1 2 0 2", "4 5 4 7"],
    -1.0: ["3 4 1", "3 4 1 5 5", "3-4 1-5", ""],
}
SAMPLES = {120: {"N": range(3, 9)}}


def test_gold_is_the_longest_of_all_pairs_of_intervals(problem):
    assert 1 <= problem.D < problem.N
    assert problem.P >= 1
    N = problem.N
    intervals = [(i, j) for i in range(N) for j in range(i + 1, N + 1)]
    lengths = []
    for i, j in intervals:
        if j - i <= problem.D:
            changed = problem.A[:i] + [0] * (j - i) + problem.A[j:]
            lengths += [b - a for a, b in intervals if sum(changed[a:b]) <= problem.P]
    assert problem.gold_answer == max(lengths)
