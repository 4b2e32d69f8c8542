from itertools import product

from rlve.envs.optimization.kos_dicing import KosDicing, fairest_winners

PROBLEM = KosDicing(
    N=3, M=4, rounds=[(0, 1), (0, 1), (1, 2), (1, 0)], K=2, reference_answer="0 0 1 1"
)
SCHEDULE = {
    0: {"N": 3, "M": [3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6]},
    8: {"N": 12, "M": [12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 24]},
    20: {"N": 50, "M": range(50, 101, 5)},
}
REWARDS = {
    1.0: ["0 0 1 1", "1 0 2 0"],
    0.0: [
        "0 0 2 0",  # three wins
        "1 1 1 1",
    ],
    -0.5: [
        "0 0 1",
        "0 0 1 1 1",
        "0 0 0 1",  # does not play the round
        "0 0 -1 1",
        "",
    ],
    -1.0: ["0 0 1 B"],
}
SAMPLES = {60: {"N": [2, 3], "M": [3, 4, 5]}, 61: {"N": [4, 5], "M": [5, 6, 7]}}


def test_fewer_wins_than_asked_for_are_wrong():
    problem = KosDicing(N=2, M=2, rounds=[(0, 1), (0, 1)], K=2, reference_answer="0 0")
    assert problem.verify("<answer>1 1</answer>").reward == 1.0
    assert problem.verify("<answer>0 1</answer>").reward == 0.0


def test_k_is_the_smallest_maximum_of_all_outcomes(problem):
    smallest = min(
        max(outcome.count(player) for player in range(problem.N))
        for outcome in product(*problem.rounds)
    )
    assert smallest == problem.K


def test_any_outcome_can_be_made_fair():
    rounds = [(0, 1)] * 4 + [(1, 2)] * 2
    for outcome in product(*rounds):
        fair = fairest_winners(3, rounds, list(outcome))
        assert all(winner in players for winner, players in zip(fair, rounds, strict=True))
        assert max(map(fair.count, fair)) == 2
