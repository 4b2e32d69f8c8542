import re
from collections import Counter
from random import Random

from rlve.envs.logic.two_sat import TwoSAT, random_clause
from support.clauses import check_rewards_of_clauses

PROBLEM = TwoSAT(
    N=3,
    M=4,
    x=[1, 0, 0],
    clauses=[
        ((0, True), (1, True)),
        ((0, False), (2, False)),
        ((1, False), (2, True)),
        ((0, True), (1, True)),
    ],
    reference_answer="1 0 0",
)
SCHEDULE = {
    d: {"N": n, "M": [int(ratio / 10 * n) for ratio in range(10, 51)]}
    for d, n in ((0, 3), (20, 50))
}
REWARDS = {
    1.0: ["1 0 0", "0 1 1"],
    (3 / 4) ** 10: ["1 1 0"],
    (2 / 4) ** 10: ["0 0 0"],
    -1.0: ["1 0", "1 0 0 0", "1 0 2", "1 0 -1", "100", "", "1, 0, 0"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_reward_counts_the_clauses_as_written_in_the_prompt(problem):
    written = re.findall(r"^\((!?x\[\d+\])\) \| \((!?x\[\d+\])\)$", problem.prompt(), re.M)
    check_rewards_of_clauses(problem, written)


def test_clauses_are_distributed_as_if_drawn_until_satisfied():
    rng = Random(1)
    drawn = Counter(random_clause(rng, [1, 0]) for _ in range(6000))
    assert len(drawn) == 6  # two orders, and three of four pairs of signs
    assert all(900 < count < 1100 for count in drawn.values())
    assert not any(set(clause) == {(0, False), (1, True)} for clause in drawn)
