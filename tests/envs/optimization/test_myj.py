from itertools import product

from rlve.envs.optimization.myj import MYJ

PROBLEM = MYJ(
    N=3, M=3, customers=[(1, 2, 4), (2, 3, 6), (1, 1, 5)], gold_answer=14, reference_answer="4 6 6"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["4 6 6", "4 6 100"],
    (12 / 14) ** 5: ["4 4 6"],
    (11 / 14) ** 5: ["5 6 6"],
    (10 / 14) ** 5: ["5 5 5"],
    (6 / 14) ** 5: ["9" * 900 + " 6 6"],
    0.0: ["7 7 7", "0 0 0"],
    -0.5: ["4 6", "4 6 6 6", "", "4 6 -1"],
    -1.0: ["4 6 6.0"],
}
SAMPLES = {100: {"N": [2, 3]}}


def test_gold_is_the_most_that_any_prices_earn(problem):
    highest = max(c for _, _, c in problem.customers)
    most = 0
    for prices in product(range(highest + 1), repeat=problem.N):
        paid = 0
        for a, b, c in problem.customers:
            lowest = min(prices[shop - 1] for shop in range(a, b + 1))
            paid += lowest if lowest <= c else 0
        most = max(most, paid)
    assert problem.gold_answer == most > 0
