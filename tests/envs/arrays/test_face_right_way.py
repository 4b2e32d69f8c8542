from itertools import combinations
from random import Random

from rlve.envs.arrays.face_right_way import Best, FaceRightWay

PROBLEM = FaceRightWay(
    N=7, A=[1, 1, 0, 1, 0, 1, 1], reference_answer="1 3\n3 5\n5 7", gold_answer=Best(K=3, M=3)
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["1 3\n3 5\n5 7", "5 7\n\n1 3\n3 5"],
    0.5 * (3 / 5) ** 5: ["1 1\n2 2\n4 4\n6 6\n7 7", "1 3\n1 3\n1 3\n3 5\n5 7"],
    -0.2: ["1 3\n3 5", ""],
    -0.5: ["1 3\n3 5\n5 8", "0 2\n3 5\n5 7", "3 1\n3 5\n5 7", "1 3\n3 5\n5 6"],
    -1.0: ["1 3 3 5\n5 7", "1\n3", "1 3\n3 5\n5 b"],
}


def test_an_array_of_zeros_needs_no_block():
    problem = FaceRightWay(N=3, A=[0, 0, 0], reference_answer="", gold_answer=Best(K=1, M=0))
    assert problem.score([]) == 1.0
    assert problem.verify("<answer>1 1\n1 1</answer>").reward == 0.0


def test_longer_blocks_than_needed_get_part_of_the_reward():
    problem = FaceRightWay(
        N=3, A=[1, 0, 1], reference_answer="1 1\n3 3", gold_answer=Best(K=1, M=2)
    )
    assert problem.verify("<answer>1 1\n3 3</answer>").reward == 1.0
    assert problem.verify("<answer>1 2\n2 3</answer>").reward == 0.5 + 0.5 * (1 / 2) ** 5


def test_gold_is_the_best_of_all_sets_of_blocks():
    for seed in range(120):
        N = 4 + seed % 5
        problem = FaceRightWay.sample(Random(seed), N=N)
        assert any(problem.A)
        assert problem.gold_answer == best(problem.A)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def best(A):
    goal = sum(bit << i for i, bit in enumerate(A))
    found = []
    for K in range(1, len(A) + 1):
        blocks = [((1 << K) - 1) << i for i in range(len(A) - K + 1)]
        for M in range(1, len(blocks) + 1):
            if any(xor(chosen) == goal for chosen in combinations(blocks, M)):
                found.append((M, K))
                break
    M, K = min(found)
    return {"K": K, "M": M}


def xor(values):
    result = 0
    for value in values:
        result ^= value
    return result
