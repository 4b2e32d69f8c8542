"""Programs that must pass hidden tests, judged as LiveCodeBench does.

A question is a CodeProblem. Its parameters are an unchanged row of the published data, including
the tests, which are decoded when a program is judged. A program runs on every test in a fresh fork
of one process (rlve.sandbox), which never learns the expected output. The comparison is made here,
as the benchmark makes it, and stops at the first failed test.
"""

import base64
import binascii
import json
import os
import pickletools
import zlib
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from time import monotonic
from typing import Final, Literal

import msgspec

from rlve.answers import MAX_CHARS, Marker, check_marker, extract
from rlve.contract import Environment
from rlve.errors import Unparseable, UserError
from rlve.registry import DATA, register
from rlve.rewards import exact
from rlve.sandbox import WAITING, Limits, Sandbox

SECONDS: Final = 6.0  # of processor time for one test, as in the benchmark
BUDGET: Final = 300.0  # seconds for all tests of a program; one that needs more fails
DEADLINE: Final = BUDGET + WAITING * SECONDS + 30  # for a verdict, with the last test and start-up
LARGEST: Final = 2**30  # most bytes of tests for one question

FENCE: Final = "```"


class Test(msgspec.Struct, frozen=True):
    """One of the tests of a question."""

    input: str  # standard input, or the arguments of a call, one JSON value per line
    output: str  # standard output, or the result of the call in JSON
    testtype: Literal["stdin", "functional"]


class CodeProblem(Environment[str]):
    """Write a program that passes all tests, by standard input and output or by calls."""

    question_id: str
    question_content: str
    starter_code: str = ""  # the code to complete, if the tests are calls
    public_test_cases: str  # JSON
    private_test_cases: str  # JSON, or JSON that is pickled, compressed and in base 64
    metadata: str = "{}"  # JSON; for calls it names the function
    question_title: str = ""
    platform: str = ""
    difficulty: str = ""
    contest_id: str = ""
    contest_date: str = ""

    template = """
        Solve this programming problem in Python 3.

        {question}

        {task} The program is judged by tests that are not shown, on correctness and on time.

        Output Format: The whole program in one block of code, with ```python on the line before \
it and ``` on the line after it. The last block of code is your answer; the block is mark enough, \
and needs nothing around it.
    """
    marked = True

    def prompt(self) -> str:
        if self.starter_code.strip():
            task = (
                "Complete the following code. Keep the names, and what the function takes and "
                "returns; it is called directly, so that nothing is read or printed.\n\n"
                f"{FENCE}python\n{self.starter_code.rstrip()}\n{FENCE}\n\n"
            )
        else:
            task = "Read from standard input, and write to standard output and nothing else to it."
        return self.fill(question=self.question_content.strip(), task=task)

    def read(self, output: str, marker: Marker = "any") -> str:
        """The program in a model's output: its last block of code, wherever that is."""
        check_marker(marker)
        return find_program(output, marker)

    def parse(self, text: str) -> str:
        if not text.strip() or len(text) > MAX_CHARS:
            raise Unparseable(f"a program must have 1 to {MAX_CHARS:,} characters")
        return text

    def score(self, answer: str) -> float:
        end = monotonic() + BUDGET
        return exact(all(monotonic() < end and self.passes(answer, t) for t in self.tests()))

    def tests(self) -> tuple[Test, ...]:
        """All tests, the public ones first."""
        return _tests(self.question_id, self.public_test_cases, self.private_test_cases)

    def function(self) -> str:
        try:
            name = msgspec.json.decode(self.metadata)["func_name"]
        except (msgspec.DecodeError, KeyError, TypeError):
            name = None
        if not isinstance(name, str) or not name.isidentifier():
            raise UserError(f'question {self.question_id}: "metadata" names no function to call')
        return name

    def passes(self, program: str, test: Test) -> bool:
        if test.testtype == "stdin":
            outcome = _run(_SCRIPT.format(prelude=PRELUDE, program=program), test.input)
            return outcome is not None and same_text(outcome, test.output)
        script = _CALL.format(prelude=PRELUDE, program=program, function=self.function())
        outcome = _run(script, test.input)
        return outcome is not None and same_value(outcome, test.output)


register(CodeProblem, family=DATA)


def find_program(output: str, marker: Marker) -> str:
    """The lines between the last two that contain ```, as in the benchmark.

    If there are no two, a marked answer is taken as it is: a base model often writes no block.
    """
    lines = output.split("\n")
    fences = [i for i, line in enumerate(lines) if FENCE in line]
    if len(fences) >= 2:
        return "\n".join(lines[fences[-2] + 1 : fences[-1]])
    return extract(output, marker)


# What runs before a program. The benchmark lets programs use these modules and all their names
# without importing them; if names clash, the later module wins, and builtins come late.

_MODULES: Final = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random"),
    *("statistics", "itertools", "functools", "operator", "io", "sys", "json", "builtins"),
    "typing",
)
PRELUDE: Final = "\n".join(
    [
        *(f"from {name} import *" for name in _MODULES),
        *(f"import {name}" for name in _MODULES),
        "sys.setrecursionlimit(50_000)",
        "sys.set_int_max_str_digits(50_000)",
    ]
)

# The program is compiled separately, so that it keeps its line numbers and may begin with an
# import from __future__.
_SCRIPT: Final = """
exec({prelude!r}, globals())
exec(compile({program!r}, "solution.py", "exec", dont_inherit=True), globals())
"""

# What a called program prints is thrown away. The result goes to the original standard output; a
# program that writes there only spoils its own result.
_CALL: Final = """
import json, os, sys

def number(value):
    return value.item()  # of a number of numpy; else it is an error, like everything not in JSON

def main():
    names = {{"__name__": "solution"}}
    arguments = [json.loads(line) for line in sys.stdin.read().split("\\n") if line.strip()]
    results = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    exec({prelude!r}, names)
    exec(compile({program!r}, "solution.py", "exec", dont_inherit=True), names)
    owner = names["Solution"]() if "Solution" in names else None
    function = names[{function!r}] if owner is None else getattr(owner, {function!r})
    text = json.dumps(function(*arguments), default=number)
    with open(results, "w") as file:
        file.write(text)

main()
"""


def _run(script: str, stdin: str) -> str | None:
    """What a script prints, or None if it fails."""
    sandbox = _sandbox()
    try:
        outcome = sandbox.run(script, stdin, Limits(seconds=SECONDS))
    except BaseException:  # it has failed, or was closed because the run was interrupted
        _sandboxes.clear()  # the next run gets a new one
        raise
    return outcome.output if outcome.ended == "well" else None


_sandboxes: dict[int, Sandbox] = {}  # by process; one serves all programs judged here


def _sandbox() -> Sandbox:
    pid = os.getpid()
    if pid not in _sandboxes:
        _sandboxes.clear()  # after a fork, drop the parent's
        _sandboxes[pid] = Sandbox()
    return _sandboxes[pid]


# Comparing.


def same_text(printed: str, expected: str) -> bool:
    """Whether two outputs are the same, line by line, as text or as decimal numbers."""
    right = [line.strip() for line in expected.strip().split("\n")]
    # Split no further than the expected output: what was printed may be very long.
    lines = [line.strip() for line in printed.strip().split("\n", len(right))]
    return len(lines) == len(right) and all(
        a == b or _same_numbers(a, b) for a, b in zip(lines, right, strict=True)
    )


def _same_numbers(printed: str, expected: str) -> bool:
    right = expected.split()
    words = printed.split(maxsplit=len(right))
    try:
        return len(words) == len(right) and all(
            Decimal(a) == Decimal(b) for a, b in zip(words, right, strict=True)
        )
    except InvalidOperation:  # a word is not a number, or is a signalling NaN
        return False


def same_value(result: str, expected: str) -> bool:
    """Whether two JSON texts have equal values by Python's rules: 1 == 1.0 == True."""
    try:
        right = json.loads(expected)
    except ValueError as error:
        raise UserError(f"the expected result of a test is not JSON: {error}") from None
    try:
        return json.loads(result) == right
    except (ValueError, RecursionError):
        return False


# Reading the published data.


@lru_cache(maxsize=2)  # the samples of a question are judged one after another
def _tests(question: str, public: str, private: str) -> tuple[Test, ...]:
    tests: list[Test] = []
    for kind, text in (("public", public), ("private", private)):
        try:
            tests += msgspec.json.decode(_plain(text), type=list[Test])
        except (msgspec.DecodeError, ValueError) as error:
            what = f'its "{kind}_test_cases" cannot be read'
            raise UserError(f"question {question}: {what}: {error}") from None
    if not tests:
        raise UserError(f"question {question}: it has no tests")
    return tuple(tests)


def _plain(text: str) -> str:
    """JSON as it is, or unpacked if it is pickled, compressed and in base 64."""
    if text.lstrip().startswith("["):
        return text
    try:
        packed = base64.b64decode(text, validate=True)
        decoder = zlib.decompressobj()
        data = decoder.decompress(packed, LARGEST)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise ValueError(f"neither JSON nor packed JSON: {error}") from None
    if not decoder.eof:
        raise ValueError("it is cut off, or too large for a question")
    return pickled_text(data)


def pickled_text(data: bytes) -> str:
    """The text in a pickle that holds nothing but a text.

    A pickle is a program: loading one runs whatever its author likes. A text needs only a few
    kinds of instruction, which are read here, and not run; any other is an error.
    """
    texts: list[str] = []
    for instruction, content, _ in pickletools.genops(data):
        if instruction.name in _TEXTS and isinstance(content, str) and not texts:
            texts.append(content)
        elif instruction.name not in _WITHOUT_EFFECT:
            raise ValueError(f"the pickle holds more than a text: {instruction.name}")
    if not texts:
        raise ValueError("the pickle holds no text")
    return texts[0]


_TEXTS: Final = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
# Version, frame, three ways to store the text for later, and the end.
_WITHOUT_EFFECT: Final = ("PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "STOP")
