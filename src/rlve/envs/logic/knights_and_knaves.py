import re
from collections.abc import Mapping, Sequence
from itertools import islice, product
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.knights_and_knaves import KINDS, Statement, consistent_roles
from rlve.errors import Unparseable
from rlve.rewards import ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines
from rlve.work import Work, deduce

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

_WORD = re.compile(r"[^\W\d_]+")
QUOTE = re.compile(r'"([^"]+)"')  # people speak in the order of their names
CLAIM = re.compile(r"(\w+) is (?:not )?a (knight|knave)")


class KnightsAndKnaves(Environment[dict[str, str]]):
    """Work out who is a knight and who is a knave from what they say about each other.

    Roles are read from `reference_answer`, as some published `gold_answer`s confuse two names.
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

        Output format: one sentence that says of each of the {N} people once what he or she is, in
        these words: {example}
        """

    def __post_init__(self) -> None:
        self.roles(self.reference_answer)  # raises ValueError if it lacks a name

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
            rng.choice(SENTENCES).format(name=name, claim=written(statement, names))
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
        roles = self.roles(text)
        further = _WORD.findall(self.claim.sub("", text))
        if any(word.lower() != "and" for word in further):
            raise Unparseable("a word that is not needed could turn a claim round")
        return roles

    def score(self, answer: dict[str, str]) -> float:
        gold = self.roles(self.reference_answer)
        return ratio(sum(answer[name] == gold[name] for name in self.names), self.N) ** 10

    @property
    def claim(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.names))
        return re.compile(rf"\b({names})\s+is\s+a\s+(knight|knave)\b", re.IGNORECASE)

    def roles(self, text: str) -> dict[str, str]:
        """The first role a text gives each person; names must match in full, in any case."""
        said: dict[str, str] = {}
        for match in self.claim.finditer(text):
            said.setdefault(match[1].lower(), match[2].lower())
        missing = [name for name in self.names if name.lower() not in said]
        if missing:
            raise Unparseable(f"nothing is said about {missing[0]}")
        return {name: said[name.lower()] for name in self.names}

    def work(self) -> Work[str | None]:
        quotes = QUOTE.findall(self.quiz)
        if len(quotes) != self.N:
            return None
        statements = [read_statement(quote, self.names) for quote in quotes]
        yield "Knights say what is true, knaves what is false. Rule out what contradicts that."

        def conflict(roles: Mapping[int, str], person: int, role: str) -> str | None:
            tried = {**roles, person: role}
            for speaker, statement in enumerate(statements):
                if not can_be_said(statement, speaker, tried):
                    told = {
                        "a knight": "would be false",
                        "a knave": "would be true",
                        None: "would fit neither role",
                    }
                    return f"what {self.names[speaker]} says {told[tried.get(speaker)]}"
            return None

        found = yield from deduce(
            range(self.N),
            lambda person: ("a knight", "a knave"),
            conflict,
            name=self.names.__getitem__,
            show=lambda roles: set_so_far(roles, self.names),
        )
        if found is None:
            return None
        said = listed([f"{name} is {found[i]}" for i, name in enumerate(self.names)])
        yield f"So {said}."
        return f"{said}."


def random_statement(rng: Random, n: int, speaker: int) -> Statement:
    """A statement of any kind about anyone, except that nobody calls himself a knave."""
    possible = [(person, role) for person in range(n) for role in (True, False)]
    possible.remove((speaker, False))
    kind = rng.choice(KINDS)
    return Statement(kind, rng.sample(possible, 1 if kind in ("is", "not") else 2))


def with_solutions(statements: list[Statement]) -> tuple[list[Statement], list[list[bool]]]:
    """The statements and their solutions, two at most."""
    return statements, list(islice(consistent_roles(statements), 2))


def written(statement: Statement, names: list[str]) -> str:
    verb = "is not" if statement.kind == "not" else "is"
    claims = [
        f"{names[person]} {verb} a {'knight' if role else 'knave'}"
        for person, role in statement.claims
    ]
    match statement.kind:
        case "if":
            return f"If {claims[0]} then {claims[1]}"
        case "iff":
            return " if and only if ".join(claims)
        case kind:
            return f" {kind} ".join(claims)


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


def read_statement(quote: str, names: list[str]) -> Statement:
    """The statement that a quotation makes."""
    claims = [(names.index(name), role == "knight") for name, role in CLAIM.findall(quote)]
    kinds = {"if and only if": "iff", "If ": "if", " and ": "and", " or ": "or", " not ": "not"}
    return Statement(next((kind for word, kind in kinds.items() if word in quote), "is"), claims)


def can_be_said(statement: Statement, speaker: int, roles: Mapping[int, str]) -> bool:
    """Whether some roles of those who are still open make the speaker's role and words agree."""
    people = list({speaker, *(person for person, _ in statement.claims)})
    options = [[roles[x] == "a knight"] if x in roles else [True, False] for x in people]
    together = (dict(zip(people, chosen, strict=True)) for chosen in product(*options))
    return any(statement.is_true(chosen) == chosen[speaker] for chosen in together)


def set_so_far(roles: Mapping[int, str], names: list[str]) -> str:
    said = ", ".join(f"{names[person]} is {role}" for person, role in sorted(roles.items()))
    return f"Set so far: {said or 'none'}"
