from itertools import combinations_with_replacement

from rlve.envs.optimization.palembang_bridges import PalembangBridges

TWO = PalembangBridges(N=3, K=2, S=[0, 3, 4], T=[1, 3, 6], gold_answer=5)
ONE = PalembangBridges(N=3, K=1, S=[0, 3, 4], T=[1, 3, 6], gold_answer=9)
FREE = PalembangBridges(N=3, K=1, S=[2, 2, 2], T=[2, 2, 2], gold_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = [
    (
        TWO,
        {
            1.0: ["1 3", "3 0"],
            (5 / 7) ** 5: ["-1 4"],
            (5 / 9) ** 5: ["3 3"],
            -0.5: ["3", "1 3 4", ""],
            -1.0: ["1, 3", "1 3.0"],
        },
    ),
    (ONE, {1.0: ["3"], (9 / 11) ** 5: ["4"], -0.5: ["1 3"]}),
    (FREE, {1.0: ["2"], 0.0: ["3"]}),
]
SAMPLES = {150: {"N": range(3, 11)}}


def test_gold_is_the_smallest_over_all_positions(problem):
    ends = list(zip(problem.S, problem.T, strict=True))
    assert problem.gold_answer == min(
        sum(min(abs(p - s) + abs(p - t) for p in positions) for s, t in ends)
        for positions in combinations_with_replacement(range(2 * problem.N + 1), problem.K)
    )
