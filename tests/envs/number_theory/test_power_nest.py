import re
from random import Random

from rlve.envs.number_theory.power_nest import PowerNest, is_expression

PROBLEM = PowerNest(max_number=16, number=11, reference_answer="2(2+2(0))+2+2(0)")
SCHEDULE = {d: {"max_number": n} for d, n in ((0, 4), (1, 8), (2, 16), (20, 4 * 2**20))}
REWARDS = {
    1.0: ["2(2+2(0))+2+2(0)", " 2(2+2(0))+2+2(0)\n"],
    0.0: [
        "2+2(2+2(0))+2(0)",
        "2(2(0)+2)+2+2(0)",
        "2(2+2(0))+2(2(0))+2(0)",
        "2",
        "2(0)",
        "2(" * 30_000 + "2" + ")" * 30_000,
    ],
    -0.5: [
        "2(2" * 10_000 + ")" * 10_000,
        "2(2+2(0)) + 2 + 2(0)",
        "2(2+2(0))+2+2(0)=11",
        "2(3)+2+2(0)",
        "2(2+2(0))+2+0",
        "2(0)(2)",
        "2(0+2)",
        "22",
        "2)(2",
        "2(2",
        "2()",
        "+2",
        "2+",
        "0",
        "11",
        "",
    ],
}
SAMPLES = {200: {"max_number": [2**k for k in range(2, 24)]}}


def test_expression_has_the_value_and_its_powers_decrease(problem):
    assert 1 <= problem.number <= problem.max_number
    assert value(problem.reference_answer) == problem.number


def test_grammar_against_rewriting():
    rng = Random(0)
    texts = ["".join(rng.choices("220()+", k=rng.randint(0, 9))) for _ in range(20_000)]
    texts += [mutated(rng, expression(rng, 4)) for _ in range(2000)]
    verdicts = [is_expression(text) for text in texts]
    assert verdicts == [reduces(text) for text in texts]
    assert 200 < sum(verdicts) < len(texts) - 200


def value(text):
    """The number that an expression stands for, if its powers are different and decrease."""
    exponents = []
    depth = 0
    terms = [""]
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "+" and depth == 0:
            terms.append("")
        else:
            terms[-1] += character
    for term in terms:
        if term == "2":
            exponents.append(1)
        elif term == "2(0)":
            exponents.append(0)
        else:
            assert term.startswith("2(")
            assert term.endswith(")")
            exponents.append(value(term[2:-1]))
            assert exponents[-1] >= 2
    assert exponents == sorted(set(exponents), reverse=True)
    return sum(2**k for k in exponents)


def reduces(text):
    """Whether replacing what can only be a term, innermost first, leaves one term."""
    if "T" in text:
        return False
    text = text.replace("2(0)", "T")
    previous = None
    while text != previous:
        previous = text
        text = re.sub(r"2\([2T](\+[2T])*\)", "T", text)
    return re.fullmatch(r"[2T](\+[2T])*", text) is not None


def expression(rng, depth):
    terms = ["2", "2(0)"]
    if depth:
        terms.append(f"2({expression(rng, depth - 1)})")
    return "+".join(rng.choices(terms, k=rng.randint(1, 3)))


def mutated(rng, text):
    i = rng.randrange(len(text))
    return text[:i] + rng.choice("20()+") + text[i + 1 :]
