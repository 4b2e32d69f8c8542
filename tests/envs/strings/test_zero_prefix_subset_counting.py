from itertools import combinations

import pytest

from rlve.envs.strings.zero_prefix_subset_counting import ZeroPrefixSubsetCounting

# The three strings alone, and b with either of the others.
PROBLEM = ZeroPrefixSubsetCounting(N=3, array=["ab", "b", "a"], reference_answer=5)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, N):
    assert ZeroPrefixSubsetCounting.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("5", 1.0),
        ("4", (4 / 5) ** 10),
        ("7", (5 / 7) ** 10),
        ("0", 0.0),
        ("-5", -1.0),
        ("five", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_subsets():
    for seed in range(100):
        problem = ZeroPrefixSubsetCounting.generate(difficulty=seed % 7, seed=seed)
        N, array = problem.N, problem.array
        assert len(set(array)) == N
        related = {
            frozenset((i, j))
            for i in range(N)
            for j in range(N)
            if i != j and array[i] == array[j][: len(array[i])]
        }
        count = 0
        for size in range(1, N + 1):
            for chosen in combinations(range(N), size):
                count += not any(frozenset(pair) in related for pair in combinations(chosen, 2))
        assert problem.reference_answer == count
