from rlve.envs.number_theory.gold_washing import GoldWashing

PROBLEM = GoldWashing(MAX_N=12, N=12, K=2, reference_answer=8)  # 1 and 11, 2 and 12
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 5), (1, 6), (5, 10), (6, 12), (7, 14), (20, 62))}
REWARDS = {1.0: ["8"], (3 / 4) ** 10: ["6"], (1 / 2) ** 10: ["16"], -1.0: ["0", "-8", "8.0", ""]}
SAMPLES = {110: {"MAX_N": range(5, 115)}}


def digit_product(x):
    return x if x < 10 else x % 10 * digit_product(x // 10)


def test_gold_is_the_sum_over_all_pairs(problem):
    N = problem.N
    c = [0] * (N + 1)
    for x in range(1, N + 1):
        c[digit_product(x)] += 1
    values = sorted(c[a] * c[b] for a in range(1, N + 1) for b in range(1, N + 1))
    assert problem.reference_answer == sum(values[-problem.K :])


def test_only_small_ranges_give_the_answer_away():
    for seed in range(200):
        problem = GoldWashing.generate(difficulty=8, seed=seed)
        assert problem.N > 10
        assert problem.reference_answer > problem.K
