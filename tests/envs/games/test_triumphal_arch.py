from functools import cache
from itertools import combinations

from rlve.envs.games.triumphal_arch import TriumphalArch
from support.graphs import beside

PROBLEM = TriumphalArch(N=5, edges=[(0, 1), (1, 2), (1, 3), (1, 4)], reference_answer=2)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = {1.0: ["2"], 0.0: ["3", "-2", "0"], -1.0: ["K = 2", ""]}
SAMPLES = {120: {"N": range(3, 7)}}


def test_answer_agrees_with_searching_all_games(problem):
    assert len(problem.edges) == problem.N - 1
    assert all(0 <= u < v < problem.N for u, v in problem.edges)
    assert problem.reference_answer == by_search(problem.N, problem.edges)


def by_search(n, edges):
    joined = beside(edges)
    everything = frozenset(range(n))

    def alice_wins(K):
        @cache
        def play(bob, black):
            """Whether Alice wins; she never gains by painting fewer vertices than she can."""
            white = everything - black
            if len(white) <= K:
                return True
            return any(
                all(v in painted and play(v, painted) for v in joined[bob])
                for chosen in combinations(white, K)
                for painted in [black | frozenset(chosen)]
            )

        return play(0, frozenset({0}))

    return next(K for K in range(1, n) if alice_wins(K))
