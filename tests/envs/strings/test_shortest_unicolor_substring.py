from itertools import product

import pytest

from rlve.envs.strings.shortest_unicolor_substring import ShortestUnicolorSubstring

PROBLEM = ShortestUnicolorSubstring(N=5, S="00000", K=1, gold_answer=2)


@pytest.mark.parametrize(("d", "N"), [(0, 5), (1, 6), (5, 10), (6, 12)])
def test_schedule(d, N):
    assert ShortestUnicolorSubstring.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("00100", 1.0),
        ("01000", (2 / 3) ** 5),
        ("10000", (2 / 4) ** 5),
        ("00000", (2 / 5) ** 5),
        ("01010", -0.5),  # two changes
        ("0010", -1.0),
        ("001000", -1.0),
        ("00200", -1.0),
        ("0 0 1 0 0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_over_all_strings():
    for seed in range(100):
        problem = ShortestUnicolorSubstring.generate(difficulty=seed % 4, seed=seed)
        S, K, N = problem.S, problem.K, problem.N
        assert len(S) == N
        near = [
            T
            for T in map("".join, product("01", repeat=N))
            if sum(S[i] != T[i] for i in range(N)) <= K
        ]
        assert problem.gold_answer == min(
            next(n for n in range(1, N + 1) if not {"0" * (n + 1), "1" * (n + 1)} & blocks(T, n))
            for T in near
        )


def test_reference_is_correct():
    for seed in range(100):
        problem = ShortestUnicolorSubstring.generate(difficulty=seed % 21, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def blocks(T, n):
    return {T[i : i + n + 1] for i in range(len(T) - n)}
