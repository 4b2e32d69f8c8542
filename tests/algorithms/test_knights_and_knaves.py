from itertools import product
from random import Random

from rlve.algorithms.knights_and_knaves import KINDS, Statement, consistent_roles

MEANING = {
    "is": lambda a: a,
    "not": lambda a: not a,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "if": lambda a, b: b or not a,
    "iff": lambda a, b: a == b,
}


def test_exactly_the_consistent_roles_are_found():
    found = set()
    for seed in range(150):
        rng = Random(seed)
        n = rng.randint(2, 6)
        statements = [random_statement(rng, n) for _ in range(n)]
        consistent = [
            list(roles)
            for roles in product((True, False), repeat=n)
            if all(role == holds(said, roles) for role, said in zip(roles, statements, strict=True))
        ]
        assert sorted(consistent_roles(statements)) == sorted(consistent)
        found.add(len(consistent))
    assert {0, 1, 2} <= found


def random_statement(rng, n):
    kind = rng.choice(KINDS)
    claims = 1 if kind in ("is", "not") else 2
    return Statement(kind, [(rng.randrange(n), rng.random() < 0.5) for _ in range(claims)])


def holds(statement, roles):
    return MEANING[statement.kind](*(roles[person] == role for person, role in statement.claims))
