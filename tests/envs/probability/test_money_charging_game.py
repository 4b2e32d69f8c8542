from fractions import Fraction
from itertools import permutations, product

from rlve.envs.probability.money_charging_game import PRIME, MoneyChargingGame

# By symmetry, the probability is 1/2.
PROBLEM = MoneyChargingGame(
    N=2, A=[1, 1], B=[2, 2], C=[1, 1], T_inequalities=[(1, 0)], reference_answer=(PRIME + 1) // 2
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 8: {"N": 10}, 9: {"N": 12}}
REWARDS = {
    1.0: ["499122177"],
    0.0: ["499122178", "0", "998244352"],
    -0.5: ["998244353", "1497366530", "-1"],
    -1.0: ["1/2", "0.5", ""],
}
SAMPLES = {120: {"N": range(2, 5)}}


def test_probability_is_that_of_all_weights_and_orders(problem):
    p = probability(problem)
    assert (problem.reference_answer * p.denominator - p.numerator) % PRIME == 0


def probability(problem):
    shares = list(zip(problem.A, problem.B, problem.C, strict=True))
    orders = [
        order
        for order in permutations(range(problem.N))
        if all(order.index(u) < order.index(v) for u, v in problem.T_inequalities)
    ]
    total = Fraction(0)
    for weights in product((1, 2, 3), repeat=problem.N):
        share = 1
        for node, w in enumerate(weights):
            share *= shares[node][w - 1]
        held = Fraction(0)
        for order in orders:
            rest, below = sum(weights), 1
            for node in order:
                below *= rest
                rest -= weights[node]
            held += Fraction(1, below)
        for w in weights:
            share *= w
        total += share * held
    for triple in shares:
        total /= sum(triple)
    return total
