from rlve.envs.arrays.sliding_window import SlidingWindow

PROBLEM = SlidingWindow(
    N=5, K=3, A=[4, 0, 5, 2, 3], gold_answer=[0, 0, 2], reference_answer="0 0 2"
)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 2: {"N": 7}, 10: {"N": 20}, 20: {"N": 62}}
REWARDS = {
    1.0: ["0 0 2"],
    (2 / 3) ** 10: ["0 0 0"],
    0.0: ["4 4 4"],
    -0.5: ["0 0", "0 0 2 2", ""],
    -1.0: ["0, 0, 2"],
}
SAMPLES = {150: {"N": range(3, 43)}}


def test_gold_is_the_minimum_of_each_slice(problem):
    A, K = problem.A, problem.K
    assert 2 <= K < problem.N
    slices = [A[i : i + K] for i in range(problem.N) if i + K <= problem.N]
    assert problem.gold_answer == [min(part) for part in slices]
