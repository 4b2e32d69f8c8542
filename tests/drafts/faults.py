"""Faults planted in good drafts: a change of the text, and the gates that must refuse it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

GOOD = Path(__file__).parent / "good"


class Fault(NamedTuple):
    """A good draft and its solver, with changes."""

    kind: str
    number: int
    base: str
    gates: tuple[str, ...]  # one of these must refuse it
    draft: list[tuple[str, str]]
    solver: list[tuple[str, str]]

    def write(self, folder: Path) -> tuple[Path, str, Path]:
        """The files and the name of the class."""
        draft, solver = folder / f"{self.base}.py", folder / f"{self.base}_solver.py"
        draft.write_text(change(GOOD / draft.name, self.draft))
        solver.write_text(change(GOOD / solver.name, self.solver))
        return draft, self.base.title(), solver


def change(file: Path, changes: list[tuple[str, str]]) -> str:
    text = file.read_text()
    for old, new in changes:
        assert old in text, f"{file.name} has no {old!r}"
        text = text.replace(old, new)
    return text


SAMPLE = "        start = rng.randrange(modulus)\n"
VALUE = "        value = follow(start, program, modulus)\n"
SCORE = "        return RIGHT if answer == self.reference_answer else WRONG\n"
PARSE = "        return integer(text)\n"
LEVEL = '        return [{"length": 4 + d, "modulus": 97 + 10 * d}]\n'
STATEMENT = "Output format: one integer, the value of the counter at the end."
IMPORTS = "from random import Random\n"
TRYING = "        try:\n            {}\n        except OSError:\n            pass"
REPEATS = " or len(set(answer)) != self.count"


def at(place: str, line: str) -> list[tuple[str, str]]:
    """A line put before another."""
    return [(place, f"{line}\n{place}")]


def top(*lines: str) -> tuple[str, str]:
    return IMPORTS, "".join(f"{line}\n" for line in lines) + IMPORTS


# A statement that leaves something open, and a solver that reads it in the other way.
AMBIGUOUS = (
    (
        [("its\n        half, rounded down.", "its\n        half.")],
        [("value //= 2", "value = -(-value // 2)")],
    ),
    (
        [
            (
                "After every instruction the counter is replaced by its remainder",
                "All is counted by the remainder",
            )
        ],
        [("        value %= modulus\n    return str(value)", "    return str(value % modulus)")],
    ),
    (
        [("and is carried out from left to right.", "and is carried out.")],
        [('program.split(",")', 'program.split(",")[::-1]')],
    ),
    (
        [
            (
                "MINUS k subtracts k\n        from the counter",
                "MINUS k takes the difference\n        to k",
            )
        ],
        [("value -= k", "value = k - value")],
    ),
    (
        [
            (STATEMENT, "Output format: one integer, the last two digits of the counter."),
            (VALUE, VALUE + "        value %= 100\n"),
        ],
        [("return str(value)", 'return f"{value:02}"[:2]')],
    ),
)
# Verifiers that accept the same box twice.
REPEATING = (
    [(REPEATS, "")],
    [(REPEATS, " or any(a == b for a, b in zip(answer, answer[1:]))")],
    [(f"len(answer) != self.count{REPEATS}", "len(set(answer)) > self.count")],
    [
        ("sum(self.weights[i] for i in answer)", "sum(self.weights[i] for i in set(answer))"),
        (f"len(answer) != self.count{REPEATS}", "len(set(answer)) != self.count"),
    ],
    [(REPEATS, " or len(set(answer)) < self.count - 1")],
)
# Oracles that are wrong in one of fifty problems or so.
WRONG_ORACLE = (
    "        value += rng.randrange(50) == 0",
    "        value += start % 50 == 7",
    "        value += sum(k for _, k in program) % 50 == 3",
    "        value -= value % 50 == 49",
    "        value = value if program[0][1] % 50 else 0",
)
# Generators that fail from difficulty 8 on; they have 12 instructions there.
FAILING = (
    at(LEVEL, "        if d >= 8:\n            return []"),
    at(LEVEL, '        if d >= 8:\n            raise ValueError("too hard")'),
    at(SAMPLE, "        if length >= 12:\n            return None"),
    at(SAMPLE, "        assert length < 12"),
    at(SAMPLE, "        while length >= 12:\n            pass"),
)
CONSTANT = (
    "        value = 7",
    "        value = 7 if start % 10 else value",
    "        value = start % 3",
    "        value = length",
    "        value = modulus",
)
SHOWN = (
    [(STATEMENT, STATEMENT.replace(".", ", for example {reference_answer}."))],
    [("A machine has", "(The value at the end is {reference_answer}.) A machine has")],
    [(STATEMENT, f"{STATEMENT}\n\n        Check: {{reference_answer}}")],
    [("from left to right.", "from left to right, which leads to {reference_answer}.")],
    [("{listing}\n", "{listing}\n\n        # {reference_answer}\n")],
)
SLOW = (
    at(SCORE, "        sum(range(100_000_000))"),
    at(PARSE, "        sum(range(100_000_000))"),
    at(SCORE, "        if answer != self.reference_answer:\n            sum(range(100_000_000))"),
    at(PARSE, "        any(text[:i] == text[-i:] for i in range(len(text)) for _ in text)"),
    [top("import re"), *at(PARSE, '        re.fullmatch(r"(\\d+)*x", text[:27])')],
)
FILES = (
    at(SAMPLE, '        open("/etc/hostname").read()'),
    [top("from pathlib import Path", 'HOME = list(Path("/").glob("*"))')],
    at(
        SCORE,
        TRYING.format('open("log", "a").write("x")'),
    ),
    [top("import numpy"), *at(SAMPLE, '        numpy.fromfile("/etc/hostname")')],
    [top("import shutil"), *at(SAMPLE, '        shutil.rmtree("/tmp/x", ignore_errors=True)')],
)
NETWORK = (
    [top("import socket"), *at(SAMPLE, '        socket.create_connection(("127.0.0.1", 80))')],
    [
        top("import urllib.request"),
        *at(SCORE, '        urllib.request.urlopen("http://127.0.0.1")'),
    ],
    at(
        SCORE,
        TRYING.format('__import__("socket").socket()'),
    ),
    [top("import subprocess"), *at(SAMPLE, '        subprocess.run(["true"])')],
    [top("from http import client"), *at(SAMPLE, '        client.HTTPConnection("127.0.0.1")')],
)
RANDOM = (
    [top("import random"), *at(VALUE, "        random.shuffle(program)")],
    [top("from random import randrange"), *at(VALUE, "        start = randrange(modulus)")],
    [top("import random as r"), *at(SAMPLE, "        r.seed(modulus)")],
    [top("import numpy as np"), *at(VALUE, "        start = int(np.random.randint(modulus))")],
    at(VALUE, "        start = Random().randrange(modulus)"),
)
FILL = "        return self.fill(listing"
READ = "    value = int(re"
TAIL = "        tail = f' A check gives {{self.reference_answer}}.' if {} else ''\n"
END = "value of the counter at the end."


def shown_if(condition: str) -> list[tuple[str, str]]:
    """The answer in some prompts."""
    return [
        (FILL, f"{TAIL.format(condition)}        return self.fill(tail=tail, listing"),
        (
            f"Output format: one integer, the {END}",
            f"Output format: one integer, the {END}{{tail}}",
        ),
    ]


def wrong_from(length: int) -> tuple[str, str]:
    return VALUE, f"{VALUE}        value += length >= {length}\n"


STEPS = "len(re.search(r'program is(.+?)and is carried', prompt, re.DOTALL)[1].split(','))"
# What an audit got past the gates: the gate that should refuse it, changes of draft and of solver.
AUDITED: tuple[tuple[str, list[tuple[str, str]], list[tuple[str, str]]], ...] = (
    ("guessing", shown_if("8 <= len(self.program) <= 11"), []),
    ("guessing", shown_if("len(self.program) > 17"), []),
    ("guessing", shown_if("self.start % 3 == 0"), []),
    ("solver", [wrong_from(13)], [(READ, f"    if {STEPS} > 9:\n        return None\n{READ}")]),
    ("solver", [wrong_from(25)], []),
    (
        "solver",
        [(VALUE, f"{VALUE}        value = (value * 31 + 5) % modulus\n")],
        [
            ("import re\n", "import re\nfrom dataclasses import sys\n"),
            (READ, f"    return sys._getframe(2).f_globals['candidates'][0]\n{READ}"),
        ],
    ),
    ("runs", at(SAMPLE, "        if 24 < length < 34:\n            sum(range(10**9))"), []),
    (
        "runs",
        [
            top("from functools import cache"),
            (
                "class Counter",
                "@cache\ndef held():\n    return b'x' * 600_000_000\n\n\nclass Counter",
            ),
            *at(PARSE, "        waste = len(text) > 999 and held()"),
        ],
        [],
    ),
    ("runs", at('    template = """', "    max_difficulty = 4\n"), []),
)


def faults() -> Iterator[Fault]:
    """Five of each kind, and those of an audit."""
    plain = {
        "oracle wrong in one of fifty": (
            ("solver",),
            [[(VALUE, f"{VALUE}{line}\n")] for line in WRONG_ORACLE],
        ),
        "fails from difficulty 8": (("rules", "runs"), FAILING),
        "constant answer": (
            ("variety", "guessing"),
            [[(VALUE, f"{VALUE}{line}\n")] for line in CONSTANT],
        ),
        "answer in the prompt": (("guessing",), SHOWN),
        "slow verifier": (("runs",), SLOW),
        "files": (("closed",), FILES),
        "network": (("closed",), NETWORK),
        "global random": (("closed", "rules"), RANDOM),
    }
    for number, (draft, solver) in enumerate(AMBIGUOUS):
        yield Fault("ambiguous", number, "counter", ("solver",), draft, solver)
    for number, draft in enumerate(REPEATING):
        yield Fault("repeats", number, "picks", ("judgement",), draft, [])
    for kind, (gates, drafts) in plain.items():
        for number, draft in enumerate(drafts):
            yield Fault(kind, number, "counter", gates, draft, [])
    for number, (gate, draft, solver) in enumerate(AUDITED):
        yield Fault("audit", number, "counter", (gate,), draft, solver)
