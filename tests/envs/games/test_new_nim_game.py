from itertools import combinations

from rlve.envs.games.new_nim_game import NewNimGame

PROBLEM = NewNimGame(N=4, A=[5, 1, 5, 2], gold_answer=5)
NOTHING = NewNimGame(N=3, A=[1, 2, 4], gold_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1", "3"],
            (5 / 6) ** 3: ["3 2"],
            (5 / 11) ** 3: ["1 2 3"],
            -0.2: ["", "2 4"],
            -0.5: ["1 1", "0 1", "5", "-1", "1 2 3 4"],
            -1.0: ["none", "1, 2"],
        },
    ),
    (NOTHING, {1.0: [""], 0.0: ["1"]}),
]
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_agrees_with_all_choices(problem):
    assert all(1 <= size <= 2 * problem.N for size in problem.A)
    assert problem.gold_answer == least_discarded(problem.A, is_xor_free)


def least_discarded(A, is_winning):
    return min(
        sum(A) - sum(kept)
        for size in range(1, len(A) + 1)
        for kept in combinations(A, size)
        if is_winning(kept)
    )


def rests(kept):
    """What the second player can leave."""
    return (left for size in range(1, len(kept) + 1) for left in combinations(kept, size))


def is_xor_free(kept):
    for left in rests(kept):
        total = 0
        for size in left:
            total ^= size
        if total == 0:
            return False
    return True
