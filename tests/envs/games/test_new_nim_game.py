from functools import cache
from itertools import combinations
from random import Random

import pytest

from rlve.envs.games.new_nim_game import NewNimGame

PROBLEM = NewNimGame(N=4, A=[5, 1, 5, 2], gold_answer=5)
NOTHING = NewNimGame(N=3, A=[1, 2, 4], gold_answer=0)


def test_schedule():
    assert [NewNimGame.level(d)[0]["N"] for d in (0, 1, 2, 20)] == [3, 4, 5, 23]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "1", 1.0),
        (PROBLEM, "3", 1.0),
        (PROBLEM, "3 2", (5 / 6) ** 3),
        (PROBLEM, "1 2 3", (5 / 11) ** 3),
        (PROBLEM, "", -0.2),
        (PROBLEM, "2 4", -0.2),
        (PROBLEM, "1 1", -0.5),
        (PROBLEM, "0 1", -0.5),
        (PROBLEM, "5", -0.5),
        (PROBLEM, "-1", -0.5),
        (PROBLEM, "1 2 3 4", -0.5),
        (PROBLEM, "none", -1.0),
        (PROBLEM, "1, 2", -1.0),
        (NOTHING, "", 1.0),
        (NOTHING, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_agrees_with_all_choices():
    for seed in range(120):
        problem = NewNimGame.sample(Random(seed), N=3 + seed % 4)
        assert all(1 <= size <= 2 * problem.N for size in problem.A)
        assert problem.gold_answer == least_discarded(problem.A, is_xor_free)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_gold_agrees_with_playing_nim():
    for seed in range(30):
        A = [Random(f"{seed} {i}").randint(1, 4) for i in range(3)]
        assert least_discarded(A, wins_at_nim) == least_discarded(A, is_xor_free)


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


def wins_at_nim(kept):
    return all(mover_wins(tuple(sorted(left))) for left in rests(kept))


@cache
def mover_wins(heaps):
    return any(
        not mover_wins(tuple(sorted((*heaps[:i], left, *heaps[i + 1 :]))))
        for i, heap in enumerate(heaps)
        for left in range(heap)
    )
