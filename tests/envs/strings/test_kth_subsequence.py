from itertools import combinations

import pytest

from rlve.envs.strings.kth_subsequence import KthSubsequence

# a, aa, ab, aba, b, ba
PROBLEM = KthSubsequence(N=3, S="aba", K=4, reference_answer="aba")


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (8, 12)])
def test_schedule(d, N):
    assert KthSubsequence.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("aba", 1.0),
        (" aba\n", 1.0),
        ("ab", 0.0),
        ("", 0.0),
        ("a b a", -1.0),
        ("ABA", -1.0),
        ("4", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_found_in_the_sorted_list():
    for seed in range(150):
        problem = KthSubsequence.generate(difficulty=seed % 7, seed=seed)
        assert set(problem.S) == set("ab")
        lengths = range(1, problem.N + 1)
        found = {"".join(letters) for n in lengths for letters in combinations(problem.S, n)}
        assert problem.reference_answer == sorted(found)[problem.K - 1]
