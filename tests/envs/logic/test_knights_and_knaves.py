import re
from itertools import product

import pytest

from rlve.envs.logic.knights_and_knaves import KnightsAndKnaves

PROBLEM = KnightsAndKnaves(
    N=3,
    depth_constraint=2,
    width_constraint=2,
    names=["Isabella", "Ella", "Bob"],
    quiz="",
    reference_answer="Isabella is a knight, Ella is a knave, and Bob is a knight.",
    gold_answer={"Isabella": "knight", "Ella": "knight", "Bob": "knight"},  # as published: wrong
)
SCHEDULE = {
    d: {"N": n, "depth_constraint": 2, "width_constraint": 2}
    for d, n in ((0, 3), (7, 10), (20, 23), (48, 51))
}
REWARDS = {
    1.0: [
        "Isabella is a knight, Ella is a knave, and Bob is a knight.",
        "bob is a knight; ella IS  A\nKnave; isabella is a knight",
    ],
    (2 / 3) ** 10: ["Isabella is a knight, Ella is a knight, and Bob is a knight."],
    (1 / 3) ** 10: ["Isabella is a knave, Ella is a knave, and Bob is a knave."],
    0.0: ["Isabella is a knave, Ella is a knight, and Bob is a knave."],
    -1.0: [
        "Isabella is a knight, Ella is a knave.",  # without Bob
        "Isabella is a knight, Ella is a knave, Rob is a knight.",
        "Isabella is a knight, Bob is a knave, and a knight.",  # Ella is in Isabella only
        "Isabella is a knight, Ella is a knave, Bob is a knight, not a knave.",
        "Isabella is a knight, Ella is knave, Bob is a knight.",
        "It is false that Isabella is a knight, Ella is a knave, and Bob is a knight.",
        "Isabella: knight, Ella: knave, Bob: knight",
        "",
    ],
}


def test_the_first_role_of_a_name_counts():
    twice = KnightsAndKnaves.from_parameters(PROBLEM.parameters() | {"N": 4})
    answer = "Bob is a knight, Bob is a knave, Ella is a knave, Isabella is a knight"
    assert twice.roles(answer) == {"Isabella": "knight", "Ella": "knave", "Bob": "knight"}


def test_a_record_whose_answer_lacks_a_name_is_refused():
    record = PROBLEM.parameters() | {"reference_answer": "Ella is a knave."}
    with pytest.raises(ValueError, match="Isabella"):
        KnightsAndKnaves.from_parameters(record)


def test_gold_is_the_only_consistent_assignment():
    for seed in range(100):
        problem = KnightsAndKnaves.generate(difficulty=seed % 4, seed=seed)
        said = spoken(problem)
        assert list(said) == problem.names
        consistent = []
        for roles in product(["knight", "knave"], repeat=problem.N):
            role = dict(zip(problem.names, roles, strict=True))
            if all((role[name] == "knight") == holds(claim, role) for name, claim in said.items()):
                consistent.append(role)
        assert consistent == [problem.gold_answer]


def spoken(problem):
    """What each person says, from the text of the puzzle."""
    said = {}
    for line in problem.quiz.splitlines():
        if '"' in line:
            before, claim, after = line.split('"')
            [name] = [name for name in problem.names if name in before + after]
            said[name] = claim.rstrip(".,")
    return said


def holds(claim, role):
    if claim.startswith("If "):
        first, second = claim[3:].split(" then ")
        return not holds(first, role) or holds(second, role)
    if " if and only if " in claim:
        first, second = claim.split(" if and only if ")
        return holds(first, role) == holds(second, role)
    for word, of in (("and", all), ("or", any)):
        if f" {word} " in claim:
            return of([holds(part, role) for part in claim.split(f" {word} ")])
    name, negation, kind = re.fullmatch(r"(\w+) is (not )?a (knight|knave)", claim).groups()
    return (role[name] == kind) != bool(negation)
