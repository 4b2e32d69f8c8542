from functools import reduce
from itertools import combinations
from operator import xor
from random import Random

from rlve.envs.arrays.face_right_way import Best, FaceRightWay

PROBLEM = FaceRightWay(
    N=7, A=[1, 1, 0, 1, 0, 1, 1], reference_answer="1 3\n3 5\n5 7", gold_answer=Best(K=3, M=3)
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
ZEROS = FaceRightWay(N=3, A=[0, 0, 0], reference_answer="", gold_answer=Best(K=1, M=0))
SHORT = FaceRightWay(N=3, A=[1, 0, 1], reference_answer="1 1\n3 3", gold_answer=Best(K=1, M=2))
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 3\n3 5\n5 7", "5 7\n\n1 3\n3 5"],
            0.5 * (3 / 5) ** 5: ["1 1\n2 2\n4 4\n6 6\n7 7", "1 3\n1 3\n1 3\n3 5\n5 7"],
            -0.2: ["1 3\n3 5", ""],
            -0.5: ["1 3\n3 5\n5 8", "0 2\n3 5\n5 7", "3 1\n3 5\n5 7", "1 3\n3 5\n5 6"],
            -1.0: ["1 3 3 5\n5 7", "1\n3", "1 3\n3 5\n5 b"],
        },
    ),
    (ZEROS, {1.0: [""], 0.0: ["1 1\n1 1"]}),
    # the second way has blocks that are longer than needed
    (SHORT, {1.0: ["1 1\n3 3"], 0.5 + 0.5 * (1 / 2) ** 5: ["1 2\n2 3"]}),
]


def test_gold_is_the_best_of_all_sets_of_blocks():
    for seed in range(120):
        N = 4 + seed % 5
        problem = FaceRightWay.sample(Random(seed), N=N)
        assert any(problem.A)
        assert problem.gold_answer == best(problem.A)


def best(A):
    goal = sum(bit << i for i, bit in enumerate(A))
    found = []
    for K in range(1, len(A) + 1):
        blocks = [((1 << K) - 1) << i for i in range(len(A) - K + 1)]
        for M in range(1, len(blocks) + 1):
            if any(reduce(xor, chosen) == goal for chosen in combinations(blocks, M)):
                found.append((M, K))
                break
    M, K = min(found)
    return {"K": K, "M": M}
