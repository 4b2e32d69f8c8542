from itertools import groupby

from rlve.envs.number_theory.capital_city_effect import CapitalCityEffect, total_below

PROBLEM = CapitalCityEffect(MAX_R=20, R=20, L=12, reference_answer=54)
SCHEDULE = {d: {"MAX_R": n} for d, n in enumerate([20, 30, 45, 67, 100])}
REWARDS = {
    1.0: ["54"],
    (3 / 4) ** 10: ["72"],
    (1 / 2) ** 10: ["27"],
    0.0: ["0"],
    -1.0: ["-54", "54.0", ""],
}


def f(x):
    return sum(int(digit) * len(list(run)) ** 2 for digit, run in groupby(str(x)))


def test_gold_is_the_sum_over_the_range():
    assert f(7744422) == 72
    assert sum(map(f, range(12, 21))) == PROBLEM.reference_answer
    sums = [0]
    for x in range(30_000):
        sums.append(sums[-1] + f(x))
    assert [total_below(n) for n in range(2500)] == sums[:2500]
    for seed in range(150):
        problem = CapitalCityEffect.generate(difficulty=seed % 15, seed=seed)
        assert 1 <= problem.L <= problem.R <= problem.MAX_R
        assert problem.reference_answer == sums[problem.R + 1] - sums[problem.L]
