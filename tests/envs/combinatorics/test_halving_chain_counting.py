from random import Random

import pytest

from rlve.envs.combinatorics.halving_chain_counting import HalvingChainCounting, chains

PROBLEM = HalvingChainCounting(MAX_N=16, N=6, reference_answer=6)


def test_schedule():
    levels = [HalvingChainCounting.level(d) for d in (0, 1, 2, 3, 20)]
    assert levels == [[{"MAX_N": n}] for n in (16, 24, 36, 54, 52597)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("6", 1.0),
        ("5", (5 / 6) ** 10),
        ("12", (1 / 2) ** 10),
        ("0", -1.0),
        ("-6", -1.0),
        ("6.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_answer_off_by_one_is_wrong_however_large():
    problem = HalvingChainCounting(MAX_N=52597, N=52597, reference_answer=chains(52597))
    assert problem.verify(f"<answer>{chains(52597)}</answer>").correct
    assert not problem.verify(f"<answer>{chains(52597) + 1}</answer>").correct


def test_number_of_sequences():
    for seed in range(100):
        problem = HalvingChainCounting.sample(Random(seed), MAX_N=16 + seed % 60)
        assert problem.reference_answer == enumerated(problem.N)


def enumerated(last):
    return 1 + sum(enumerated(y) for y in range(1, last + 1) if y <= last / 2)
