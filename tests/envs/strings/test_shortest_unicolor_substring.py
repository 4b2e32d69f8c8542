from itertools import product

from rlve.envs.strings.shortest_unicolor_substring import ShortestUnicolorSubstring

PROBLEM = ShortestUnicolorSubstring(N=5, S="00000", K=1, gold_answer=2)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 5: {"N": 10}, 6: {"N": 12}}
REWARDS = {
    1.0: ["00100"],
    (2 / 3) ** 5: ["01000"],
    (2 / 4) ** 5: ["10000"],
    (2 / 5) ** 5: ["00000"],
    -0.5: ["01010"],  # two changes
    -1.0: ["0010", "001000", "00200", "0 0 1 0 0", ""],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_gold_is_the_smallest_over_all_strings(problem):
    S, K, N = problem.S, problem.K, problem.N
    assert len(S) == N
    near = [
        T for T in map("".join, product("01", repeat=N)) if sum(S[i] != T[i] for i in range(N)) <= K
    ]
    assert problem.gold_answer == min(
        next(n for n in range(1, N + 1) if not {"0" * (n + 1), "1" * (n + 1)} & blocks(T, n))
        for T in near
    )


def blocks(T, n):
    return {T[i : i + n + 1] for i in range(len(T) - n)}
