import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.rewards import ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines

NAMES: Sequence[str] = """
    Abigail Adrian Amelia Anton Beatrice Bruno Caroline Cedric Clara Conrad Daphne Dennis Dorothy
    Edgar Edith Elias Fiona Franklin Frieda Gavin Gloria Harold Hazel Hugo Imogen Ivan Jasper Joyce
    Julia Keith Kirsten Lambert Leonie Lionel Lydia Marcus Miriam Nathan Nora Oscar Paula Philip
    Ramona Rupert Selma Stefan Tamara Tobias Ursula Vincent Wanda
""".split()

SENTENCES = (
    '{name} says: "{claim}."',
    '{name} said: "{claim}."',
    '{name} tells you: "{claim}."',
    '{name} told you: "{claim}."',
    '{name} claims: "{claim}."',
    '{name} declares: "{claim}."',
    '{name} remarks: "{claim}."',
    '{name} states: "{claim}."',
    '{name} asserts: "{claim}."',
    '{name} whispers: "{claim}."',
    '{name} calls out: "{claim}."',
    '{name} answers: "{claim}."',
    'Asked about the others, {name} says: "{claim}."',
    'With a smile {name} says: "{claim}."',
    'This is what {name} says: "{claim}."',
    'In the words of {name}: "{claim}."',
    '"{claim}," says {name}.',
    '"{claim}," you hear from {name}.',
)

KINDS = ("is", "not", "and", "or", "if", "iff")


class Statement(NamedTuple):
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

    def written(self, names: list[str]) -> str:
        verb = "is not" if self.kind == "not" else "is"
        claims = [
            f"{names[person]} {verb} a {'knight' if role else 'knave'}"
            for person, role in self.claims
        ]
        match self.kind:
            case "if":
                return f"If {claims[0]} then {claims[1]}"
            case "iff":
                return " if and only if ".join(claims)
            case kind:
                return f" {kind} ".join(claims)


class KnightsAndKnaves(Environment[dict[str, str]]):
    """Find out who is a knight and who is a knave from what they say about each other.

    Roles are read from `reference_answer`: some published `gold_answer` confuse two names.
    """

    N: int
    depth_constraint: int  # a statement is a claim, or joins claims
    width_constraint: int  # two of them at most
    names: list[str]  # in the order in which they speak
    quiz: str
    reference_answer: str
    gold_answer: dict[str, str]

    max_difficulty = 48  # there are 51 names

    template = """
        {quiz}

        Of these statements, "A or B" is true if A is true, B is true, or both are; "If A then B"
        is false only if A is true and B is false; "A if and only if B" is true if A and B are both
        true or both false. Exactly one solution exists.

        Output format: one sentence that says of each of the {N} people once what he or she is,
        in words such as: {example}
        """

    def __post_init__(self) -> None:
        self.roles(self.reference_answer)  # raises ValueError where it lacks a name

    def prompt(self) -> str:
        first, second, *_ = self.names
        return self.fill(example=f"{first} is a knight, {second} is a knave, ...")

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d, "depth_constraint": 2, "width_constraint": 2}]

    @classmethod
    def sample(cls, rng: Random, N: int, depth_constraint: int, width_constraint: int) -> Self:
        statements, [roles] = redraw(
            lambda: with_solutions([random_statement(rng, N, speaker) for speaker in range(N)]),
            until=lambda drawn: len(drawn[1]) == 1,
            tries=10_000,
        )
        names = rng.sample(NAMES, N)
        said = [
            rng.choice(SENTENCES).format(name=name, claim=statement.written(names))
            for name, statement in zip(names, statements, strict=True)
        ]
        gold = {
            name: "knight" if role else "knave" for name, role in zip(names, roles, strict=True)
        }
        return cls(
            N=N,
            depth_constraint=depth_constraint,
            width_constraint=width_constraint,
            names=names,
            quiz=quiz(names, said),
            reference_answer=f"{listed([f'{name} is a {role}' for name, role in gold.items()])}.",
            gold_answer=gold,
        )

    def parse(self, text: str) -> dict[str, str]:
        words = text.lower()
        if words.count("knight") + words.count("knave") != self.N:
            raise Unparseable(f"knight and knave must occur {self.N} times in all")
        return self.roles(text)

    def score(self, answer: dict[str, str]) -> float:
        gold = self.roles(self.reference_answer)
        return ratio(sum(answer[name] == gold[name] for name in self.names), self.N) ** 10

    def roles(self, text: str) -> dict[str, str]:
        """The role that a text gives each person first; whole names, in capitals or not."""
        names = "|".join(map(re.escape, self.names))
        found: dict[str, str] = {}
        for match in re.finditer(rf"\b({names})\s+is\s+a\s+(knight|knave)", text, re.IGNORECASE):
            found.setdefault(match[1].lower(), match[2].lower())
        missing = [name for name in self.names if name.lower() not in found]
        if missing:
            raise Unparseable(f"nothing is said about {missing[0]}")
        return {name: found[name.lower()] for name in self.names}


def random_statement(rng: Random, n: int, speaker: int) -> Statement:
    """Of any kind, about any people; but nobody says of himself that he is a knave."""
    possible = [(person, role) for person in range(n) for role in (True, False)]
    possible.remove((speaker, False))
    kind = rng.choice(KINDS)
    return Statement(kind, rng.sample(possible, 1 if kind in ("is", "not") else 2))


def solutions(statements: list[Statement]) -> Iterator[list[bool]]:
    """All ways to give roles such that the statements of the knights, and no others, are true.

    Search with propagation: a person's role is set as soon as one statement leaves no other.
    """
    n = len(statements)
    # Of each statement: who matters, the speaker first, and the roles that they can have together.
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


def with_solutions(statements: list[Statement]) -> tuple[list[Statement], list[list[bool]]]:
    """The statements and their solutions, two at most."""
    return statements, list(islice(solutions(statements), 2))


def quiz(names: list[str], said: list[str]) -> str:
    return lines(
        [
            "All inhabitants of an island are knights or knaves. All statements of a knight are",
            "true, and all statements of a knave are false.",
            f"You meet {len(names)} inhabitants: {listed(names)}.",
            *said,
            "Who of them is a knight, and who is a knave?",
        ]
    )


def listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
