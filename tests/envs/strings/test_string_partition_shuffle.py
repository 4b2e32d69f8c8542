from itertools import combinations, pairwise, permutations

from rlve.envs.strings.string_partition_shuffle import StringPartitionShuffle

PROBLEM = StringPartitionShuffle(N=5, K=3, S="00110", T="11000", reference_answer="2 4\n4 5\n0 2")
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2 4\n4 5\n0 2", "2 4\n\n 0 2\n4 5"],
    (3 / 5) ** 10: ["4 5\n2 4\n0 2"],  # 01100
    (1 / 5) ** 10: ["0 1\n1 2\n2 5"],  # 00110
    -0.5: [
        "2 4\n4 6\n0 2",
        "2 4\n4 5\n-1 2",
        "2 4\n4 5\n2 0",
        "2 4\n4 4\n0 2",
        "2 4\n4 5\n0 1",  # digit 1 is missing
        "2 4\n3 5\n0 2",  # digit 3 is in two pieces
        "2 4\n2 4\n4 5",  # as many digits as there are, but not each of them
    ],
    -1.0: ["2 5\n0 2", "2 4\n4 5\n0 2\n0 2", "2 4 4 5 0 2", "2 4\n4 5\n0", "2-4\n4-5\n0-2", ""],
}
SAMPLES = {100: {"difficulty": [0, 1]}}


def test_an_order_is_correct_if_it_joins_to_the_target(problem):
    N, K = problem.N, problem.K
    for cuts in combinations(range(1, N), K - 1):
        for pieces in permutations(pairwise([0, *cuts, N])):
            text = ""
            for L, R in pieces:
                text += problem.S[L:R]
            yield pieces, text == problem.T
