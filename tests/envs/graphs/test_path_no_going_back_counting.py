from random import Random

from rlve.envs.graphs.path_no_going_back_counting import Path_NoGoingBack_Counting, walk_count

PROBLEM = Path_NoGoingBack_Counting(
    MAX_M=10, M=5, N=4, T=5, edges=[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], reference_answer=4
)
SCHEDULE = {0: {"MAX_M": 10}, 1: {"MAX_M": 12}, 5: {"MAX_M": 20}, 20: {"MAX_M": 103}}
REWARDS = {
    1.0: ["4", "+04"],
    0.0: ["0", "9999"],
    -0.5: [
        "10004",  # the remainder is asked for
        "-1",
        "9" * 1000,
    ],
    -1.0: ["", "4.0", "4 4", "four"],
}
SAMPLES = {100: {"difficulty": range(9)}}


def test_gold_is_the_number_of_walks(problem, seed):
    if seed % 9 == 0:  # on larger graphs, walks are too long to be followed
        count = walks(problem.N, problem.edges, problem.T)
        assert problem.reference_answer == count % 10_000
    length = Random(seed).randint(1, 40)
    found = walk_count(problem.N, problem.edges, length)
    assert found == walks(problem.N, problem.edges, length) % 10_000


def walks(n, edges, length):
    """The number of walks, counted step by step by their last two vertices."""
    neighbours = {v: [a + b - v for a, b in edges if v in (a, b)] for v in range(n)}
    counts = {(None, 0): 1}
    for _ in range(length):
        following = {}
        for (before, here), count in counts.items():
            for there in neighbours[here]:
                if there != before:
                    following[here, there] = following.get((here, there), 0) + count
        counts = following
    return sum(count for (_, end), count in counts.items() if end == n - 1)
