"""Knights, whose statements are true, and knaves, whose statements are false."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

KINDS = ("is", "not", "and", "or", "if", "iff")


class Statement(NamedTuple):
    """A claim about one or two people."""

    kind: str  # one of KINDS
    claims: list[tuple[int, bool]]  # (person, is a knight): one for "is" and "not", else two

    def is_true(self, roles: dict[int, bool]) -> bool:
        first, *rest = [roles[person] == role for person, role in self.claims]
        match self.kind:
            case "is":
                return first
            case "not":
                return not first
            case "and":
                return first and rest[0]
            case "or":
                return first or rest[0]
            case "if":
                return not first or rest[0]
            case _:
                return first == rest[0]


def consistent_roles(statements: list[Statement]) -> Iterator[list[bool]]:
    """All ways to assign roles so that exactly the knights' statements are true.

    Search with propagation: a person's role is set as soon as a statement leaves no other.
    """
    n = len(statements)
    # For each statement: who matters, the speaker first, and the roles they can have together.
    rules: list[tuple[list[int], list[tuple[bool, ...]]]] = []
    about: list[list[int]] = [[] for _ in range(n)]  # the statements for which each person matters
    for speaker, statement in enumerate(statements):
        people = list(dict.fromkeys([speaker, *(person for person, _ in statement.claims)]))
        together = [
            roles
            for roles in product((True, False), repeat=len(people))
            if roles[0] == statement.is_true(dict(zip(people, roles, strict=True)))
        ]
        rules.append((people, together))
        for person in people:
            about[person].append(speaker)

    def propagate(roles: list[bool | None], changed: list[int]) -> bool:
        """Set all roles that follow; False if there is a contradiction."""
        while changed:
            people, together = rules[changed.pop()]
            now = [roles[person] for person in people]
            left = [
                option
                for option in together
                if all(role is None or role == x for role, x in zip(now, option, strict=True))
            ]
            if not left:
                return False
            for i, person in enumerate(people):
                if now[i] is None and all(option[i] == left[0][i] for option in left):
                    roles[person] = left[0][i]
                    changed += about[person]
        return True

    waiting: list[tuple[list[bool | None], list[int]]] = [([None] * n, list(range(n)))]
    while waiting:
        roles, changed = waiting.pop()
        if not propagate(roles, changed):
            continue
        free = [person for person in range(n) if roles[person] is None]
        if not free:
            yield [bool(role) for role in roles]
            continue
        person = max(free, key=lambda person: len(about[person]))
        for role in (False, True):
            waiting.append(([*roles[:person], role, *roles[person + 1 :]], list(about[person])))
