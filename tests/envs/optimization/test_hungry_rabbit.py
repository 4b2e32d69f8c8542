from itertools import combinations, pairwise
from random import Random

from rlve.envs.optimization.hungry_rabbit import HungryRabbit

PROBLEM = HungryRabbit(
    MAX_N_M=5, N=5, M=3, K=2, L=1, forbidden=[[4], [1, 5], [2]], reference_answer="1 2\n2 3\n3 5"
)
SCHEDULE = {0: {"MAX_N_M": 4}, 1: {"MAX_N_M": 5}, 20: {"MAX_N_M": 24}}
REWARDS = {
    1.0: ["1 2\n2 3\n3 5", "2 1\n\n3 2\n5 3\n"],
    (1 / 2) ** 10: ["1 5\n2 3\n3 5"],
    0.0: ["1 5\n2 3\n1 5"],
    -0.2: ["4 2\n2 3\n3 5"],  # forbidden
    -0.5: [
        "1 2\n2 3",
        "1 2\n2 3\n3 5\n3 5",
        "1 2\n2 3\n3 5 1",
        "1 2\n2\n3 5",
        "1 2\n2 2\n3 5",
        "1 2\n2 6\n3 5",
        "4 2\n2 0\n3 5",  # out of range comes before forbidden
        "",
    ],
    -1.0: ["1 2\n2 3\n3, 5"],
}
SAMPLES = {100: {"MAX_N_M": range(4, 7)}}


def test_verdicts_agree_with_a_search_through_all_layers(problem, seed):
    for sets in (any_solution(problem), any_sets(problem, Random(seed))):
        answer = "\n".join(" ".join(map(str, S)) for S in sets)
        right = all(
            len(set(S) & set(before)) >= problem.K - problem.L for before, S in pairwise(sets)
        )
        assert problem.verify(f"<answer>{answer}</answer>").correct == right


def allowed(problem):
    """For each layer, all sets that avoid what is forbidden."""
    return [
        list(combinations([x for x in range(1, problem.N + 1) if x not in forbidden], problem.K))
        for forbidden in problem.forbidden
    ]


def any_sets(problem, rng):
    return [rng.choice(sets) for sets in allowed(problem)]


def any_solution(problem):
    layers = allowed(problem)
    reached = {S: [S] for S in layers[0]}
    for sets in layers[1:]:
        reached = {
            S: [*way, S]
            for S in sets
            for before, way in reached.items()
            if len(set(S) - set(before)) <= problem.L
        }
    return next(iter(reached.values()))
