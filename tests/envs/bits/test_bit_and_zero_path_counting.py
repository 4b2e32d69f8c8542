from functools import cache

from rlve.envs.bits.bit_and_zero_path_counting import BitAndZero_PathCounting, count_paths

# 1 -> 4 and 1 -> 2 -> 4
PROBLEM = BitAndZero_PathCounting(max_length=3, S="1", T="100", reference_answer=2)
SCHEDULE = {d: {"max_length": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["2"],
    0.0: ["10", "9999"],
    -0.5: ["10000", "10002", "-1", "9" * 1000],
    -1.0: ["0b10", "1 100", ""],
}
SAMPLES = {100: {"max_length": range(4, 10)}}


def test_count_is_that_of_following_all_edges():
    for s in range(1, 64):
        for t in range(s, 64):
            assert count_paths(f"{s:b}", f"{t:b}") == walks(s, t) % 10_000


def test_problems_are_not_trivial(problem):
    s, t = int(problem.S, 2), int(problem.T, 2)
    assert problem.S[0] == problem.T[0] == "1"
    assert problem.reference_answer == walks(s, t) % 10_000
    assert problem.reference_answer not in (0, 1)


@cache
def walks(s, t):
    return 1 if s == t else sum(walks(u, t) for u in range(s + 1, t + 1) if s & u == 0)
