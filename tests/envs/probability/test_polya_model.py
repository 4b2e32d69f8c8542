from fractions import Fraction

import pytest

from rlve.envs.probability.polya_model import PolyaModel

PROBLEM = PolyaModel(
    MAX_T_N=3,
    T=2,
    color2num=[1, 3],
    D=2,
    events=[(1, 1), (3, 1)],
    gold_answer={"numerator": 1, "denominator": 8},
    reference_answer="1/8",
)


def test_schedule():
    assert [PolyaModel.level(d)[0]["MAX_T_N"] for d in (0, 1, 7, 8)] == [3, 4, 10, 12]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1/8", 1.0),
        (" 1 / 8 ", 1.0),
        ("2/16", 0.0),  # not in lowest terms
        ("-1/-8", 0.0),
        ("1/16", 0.0),
        ("1/0", 0.0),
        ("0.125", -1.0),
        ("1", -1.0),
        ("1 8", -1.0),
        ("1/8/1", -1.0),
        ("one/8", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_probability_is_that_of_all_sequences_of_draws():
    for seed in range(150):
        problem = PolyaModel.generate(difficulty=seed % 2, seed=seed)
        p = probability(problem.color2num, problem.D, dict(problem.events), 1)
        assert problem.gold_answer == {"numerator": p.numerator, "denominator": p.denominator}
        assert problem.reference() == f"{p.numerator}/{p.denominator}"
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def probability(counts, D, wanted, step):
    """That all events from this step on happen, with every colour tried at every step."""
    if not wanted or step > max(wanted):
        return Fraction(1)
    total = Fraction(0)
    for colour, count in enumerate(counts, 1):
        if wanted.get(step, colour) == colour:
            grown = [n + D * (c == colour) for c, n in enumerate(counts, 1)]
            total += Fraction(count, sum(counts)) * probability(grown, D, wanted, step + 1)
    return total
