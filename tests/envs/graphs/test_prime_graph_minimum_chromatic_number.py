from itertools import combinations, product
from random import Random

from rlve.envs.graphs.prime_graph_minimum_chromatic_number import (
    PrimeGraph_MinimumChromaticNumber,
    best_colouring,
)

PROBLEM = PrimeGraph_MinimumChromaticNumber(
    MAX_N=6, N=5, gold_answer=3, reference_answer="0 0 1 1 2"
)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 6), (1, 9), (2, 13), (8, 141), (16, 3597))}
REWARDS = {
    1.0: ["0 0 1 1 2", "0 0 7 7 9", "-5 -5 1 1 2"],
    (3 / 4) ** 5: ["0 1 2 3 0"],
    (3 / 5) ** 5: ["0 1 2 3 4"],
    -0.5: [
        "0 0 0 1 2",  # 1 and 3
        "0 0 1 0 2",  # 1 and 4, 2 and 4
        "0 0 1 1",
        "0 0 1 1 2 2",
        "",
    ],
    -1.0: ["a a b b c"],
}
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_is_the_fewest_colours_of_all_colourings():
    for n in range(3, 9):
        fewest = next(
            k
            for k in range(1, n + 1)
            if any(is_proper((0, *colours)) for colours in product(range(k), repeat=n - 1))
        )
        assert len(set(best_colouring(n))) == fewest


def test_scores_agree_with_a_check_of_all_pairs(problem, seed):
    reference = [int(colour) for colour in problem.reference().split()]
    assert is_proper(reference)
    assert problem.gold_answer == len(set(reference))
    rng, changed = Random(seed), list(reference)
    for _ in range(rng.randint(1, 3)):
        changed[rng.randrange(problem.N)] = rng.randint(0, 9)
    reward = problem.verify(f"<answer>{' '.join(map(str, changed))}</answer>").reward
    assert (reward == -0.5) != is_proper(changed)


def is_proper(colours):
    return all(
        a != b or not is_prime(v - u) for (u, a), (v, b) in combinations(enumerate(colours), 2)
    )


def is_prime(n):
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))
