from random import Random

from rlve.envs.number_theory.pan_solar_panels import PanSolarPanels

PROBLEM = PanSolarPanels(MAX_A_B_C_D=30, A=8, B=13, C=18, D=25, gold_answer=12)
SCHEDULE = {d: {"MAX_A_B_C_D": n} for d, n in ((0, 10), (1, 15), (2, 22), (3, 33), (20, 31618))}
REWARDS = {
    1.0: ["12 24"],
    (10 / 12) ** 3: ["10\n20"],
    (1 / 12) ** 3: ["8 25"],
    -0.5: ["24 12", "7 21", "13 26", "0 0", "-12 24", f"12 {'9' * 1000}"],
    -1.0: ["12", "12 24 12", "12, 24", ""],
}


def test_gold_is_the_largest_common_divisor_and_the_reference_has_it():
    swapped = 0
    for seed in range(150):
        problem = PanSolarPanels.sample(Random(seed), MAX_A_B_C_D=10 + seed // 4)
        A, B, C, D = problem.A, problem.B, problem.C, problem.D
        assert A <= B
        assert C <= D
        assert B < C or D < A
        swapped += D < A
        common = (
            t
            for t in range(1, min(B, D) + 1)
            if any(x % t == 0 for x in range(A, B + 1)) and any(y % t == 0 for y in range(C, D + 1))
        )
        assert problem.gold_answer == max(common)
    assert 40 < swapped < 110
