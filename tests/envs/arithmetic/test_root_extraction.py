from decimal import Decimal, localcontext

from rlve.envs.arithmetic.root_extraction import RootExtraction

PROBLEM = RootExtraction(MAX_N=9, MAX_K=2, N=9, K=2, reference_answer=3.0)
SCHEDULE = {0: {"MAX_N": 3, "MAX_K": 2}, 1: {"MAX_N": 4, "MAX_K": 3}, 4: {"MAX_N": 13, "MAX_K": 6}}
PASSING = (1 / 1.0001) ** 2  # 0.0001 away
REWARDS = {
    1.0: ["3", "3.00000"],
    (1 / 1.00005) ** 2: ["3.00005"],
    (1 / 1.0000999) ** 2: ["2.9999001"],
    (1 / 1.00011) ** 2: ["3.00011"],
    (2 / 3) ** 2: ["2.5"],
    (1 / 7) ** 2: ["-3"],
    0.0: ["1e300"],
    -1.0: ["1e999", "nan", "9^(1/2)", "3 3", ""],
}
SAMPLES = {100: {"difficulty": range(21)}}


def test_answers_at_the_stated_distance_are_right(problem):
    root = Decimal(repr(problem.reference_answer))
    for sign in (-1, 1):
        assert problem.verify(f"<answer>{root + sign * Decimal('0.0001')}</answer>").correct
        further = root + sign * Decimal("0.000100001")
        assert not problem.verify(f"<answer>{further}</answer>").correct


def test_root_is_rounded_as_decimal_arithmetic_has_it():
    with localcontext() as context:
        context.prec = 40
        for seed in range(200):
            problem = RootExtraction.generate(difficulty=seed % 21, seed=seed)
            assert min(problem.N, problem.K) >= 2
            root = (Decimal(problem.N).ln() / problem.K).exp()
            assert f"{problem.reference_answer:.5f}" == str(root.quantize(Decimal("0.00001")))
