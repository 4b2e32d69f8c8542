from fractions import Fraction

from rlve.envs.arithmetic.countdown_equal import CountdownEqual
from support.arithmetic import results

PROBLEM = CountdownEqual(
    num_operands=4, max_operand=8, max_target=80, target=24, operands=[8, 3, 8, 3]
)
SCHEDULE = {
    d: [
        {"num_operands": 3 + d, "max_operand": n, "max_target": 10 * n}
        for n in (8, 16, 24, 32, 40, 48)
    ]
    for d in (0, 1, 20)
}
REWARDS = {
    1.0: ["8/(3-8/3)", "-8 / (8 / 3 - 3)"],
    0.0: ["((3*8) + (8*3)) ", "3 * 8 + 3 - 8"],
    -0.5: [
        "(3 * 8) * (8 / 8)",  # 8 used too often
        "3 * 8",
        "83 - 83",  # joined
        "the answer is 24",
        "",
        "8/(3-8/3) = 24",
        "8 / (8 - 8 * 3",
    ],
    -1.0: [
        "8 3 8 3",
        "8 + 3 + 8 + x3",
        "8 ** 3 - 8 * 3",
        "8 ^ 3 - 8 * 3",
        "8 // 3 * 8 * 3",
        "8.3 + 8.3",
        "8e3 + 8e3",
        "8 / (3 - 3) + 8",
        "(8 + 3) * (8 + 3",
    ],
}


def test_a_value_close_to_the_target_is_wrong():
    problem = CountdownEqual(
        num_operands=8,
        max_operand=48,
        max_target=480,
        target=1,
        operands=[48, 48, 48, 48, 48, 47, 1, 1],
    )
    close = "1 + (1 - 47/48) / 48 / 48 / 48 / 48"
    assert problem.verify(f"<answer>{close}</answer>").reward == 0.0


def test_problems_are_solvable_in_whole_numbers():
    for seed in range(100):
        problem = CountdownEqual.generate(difficulty=int(seed % 20 == 0), seed=seed)
        operands = [Fraction(n) for n in problem.operands]
        assert problem.target in results(operands, lambda n: n >= 0 and n.denominator == 1)
