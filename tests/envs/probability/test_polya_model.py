from fractions import Fraction

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
SCHEDULE = {0: {"MAX_T_N": 3}, 1: {"MAX_T_N": 4}, 7: {"MAX_T_N": 10}, 8: {"MAX_T_N": 12}}
REWARDS = {
    1.0: ["1/8", " 1 / 8 "],
    0.0: [
        "2/16",  # not in lowest terms
        "-1/-8",
        "1/16",
        "1/0",
    ],
    -1.0: ["0.125", "1", "1 8", "1/8/1", "one/8", ""],
}
SAMPLES = {150: {"difficulty": [0, 1]}}


def test_probability_is_that_of_all_sequences_of_draws(problem):
    p = probability(problem.color2num, problem.D, dict(problem.events), 1)
    assert problem.gold_answer == {"numerator": p.numerator, "denominator": p.denominator}
    assert problem.reference() == f"{p.numerator}/{p.denominator}"


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
