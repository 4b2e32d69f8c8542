"""Programs: how they are found, what they print is compared, and how they are judged in a pool."""

import base64
import contextlib
import json
import os
import pickle  # noqa: TID251  to make what must not be loaded
import zlib
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rlve.contract import ILL_FORMED, Verdict
from rlve.errors import UserError
from rlve.formats import BASE, CHAT, PLAIN
from rlve.judges import programs
from rlve.judges.programs import CodeProblem, find_program, pickled_text, same_text, same_value
from rlve.pool import Pool
from support.code_questions import (
    CALLS,
    RIGHT,
    RIGHT_CALLS,
    STDIN,
    WRONG,
    WRONG_CALLS,
    block,
    packed,
    problem,
)
from support.interrupting import Interrupted, interrupting
from support.kernel import needs_sandbox

# Finding the program.


def test_the_last_block_is_the_program() -> None:
    output = "```\nprint(0)\n```\nNo, rather:\n```python\nprint(1)\nprint(2)\n```\nDone."
    assert find_program(output, "boxed") == "print(1)\nprint(2)"
    assert find_program(f"<think>{output}</think> <answer>{output}</answer>", "answer") == (
        "print(1)\nprint(2)"
    )


def test_a_marked_answer_without_a_block() -> None:
    assert find_program("<think>so</think><answer>\nprint(1)\n</answer>", "answer") == "print(1)"


@pytest.mark.parametrize(
    "output",
    ["", "print(1)", "```python\nprint(1)", "```python\n```", "```\n \n```", block("x" * 100_001)],
)
def test_outputs_without_a_program(output: str) -> None:
    assert problem(STDIN).verify(output, marker="boxed") == ILL_FORMED


# Comparing.


def slow_same_text(printed: str, expected: str) -> bool:
    a, b = ([line.strip() for line in t.strip().split("\n")] for t in (printed, expected))
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):
        if x != y:
            try:
                if [Decimal(w) for w in x.split()] != [Decimal(w) for w in y.split()]:
                    return False
            except InvalidOperation:
                return False
    return True


LINES = st.lists(
    st.lists(st.sampled_from(["1", "1.0", "01", "1e0", "-0", "0", "x", "nan", "YES"])).map(" ".join)
).map("\n".join)


@given(LINES, LINES)
@example("1 2 3", "1 2")
@example("1\n\n2", "1\n2")
@example(" 1 \n 2\n\n", "1\n2")
@example("sNaN", "sNaN 1")
def test_outputs_are_compared_line_by_line(printed: str, expected: str) -> None:
    assert same_text(printed, expected) == slow_same_text(printed, expected)


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("3", "3\n", True),
        ("  3  \n", "3", True),
        ("1.50 2", "1.5 2.000", True),
        ("1  2", "1 2", True),
        ("Yes", "YES", False),
        ("a  b", "a b", False),
        ("1 x", "1.0 x", False),
        ("0.3", "0.30000000000000004", False),
        ("1 2", "1\n2", False),
        ("", "", True),
        ("1\n" * 10**6, "1", False),
        ("1 " * 10**6, "1", False),
        ("1e999999999", "1", False),
        ("", "0", False),
    ],
)
def test_outputs(printed: str, expected: str, same: bool) -> None:
    assert same_text(printed, expected) is same


@pytest.mark.parametrize(
    ("result", "expected", "same"),
    [
        ("[1, 2]", "[1,2]", True),
        ("1", "1.0", True),
        ("true", "1", True),
        ("[1, 2]", "[2, 1]", False),
        ('"a"', '"a"', True),
        ("null", "null", True),
        ("NaN", "NaN", False),
        ("[1][1]", "[1]", False),
        ("", "null", False),
        ("[" * 100_000, "[]", False),
        ("1" * 10_000, "1", False),
    ],
)
def test_results(result: str, expected: str, same: bool) -> None:
    assert same_value(result, expected) is same


# Reading.


@given(st.text(), st.integers(2, 5))
@example("x" * 255, 4)
@example("x" * 256, 4)
@example("x" * 100_000, 4)
@example("x" * 100_000, 5)
@example("x" * 100_000, 2)
def test_pickled_texts(text: str, protocol: int) -> None:
    assert pickled_text(pickle.dumps(text, protocol)) == text


class Trap:
    def __init__(self, call: Callable[..., Any], *arguments: Any) -> None:
        self.reduced = call, arguments

    def __reduce__(self) -> Any:
        return self.reduced


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_never_run(tmp_path: Path, protocol: int) -> None:
    trap = Trap(os.mkdir, str(tmp_path / "made"))
    for value in (trap, [trap], {"a": trap}, ("[]", trap)):
        data = pickle.dumps(value, protocol)
        with pytest.raises(ValueError, match="more than a text"):
            pickled_text(data)
        hostile = STDIN | {"private_test_cases": base64.b64encode(zlib.compress(data)).decode()}
        with pytest.raises(UserError, match=r"question 1_A.*private_test_cases"):
            problem(hostile).tests()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [1, None, b"[]", ["[]"], ("[]",), {"[]": "[]"}])
def test_only_texts_are_taken_from_a_pickle(value: Any) -> None:
    with pytest.raises(ValueError, match="more than a text"):
        pickled_text(pickle.dumps(value))


@given(st.binary())
@example(b"")
@example(b"\x80\x04X\xff\xff\xff\xff")
@example(b"\x8d" + b"\xff" * 8)
@example(b"X\0\0\0\0r\xff\xff\xff\xff.")
def test_damaged_pickles(data: bytes) -> None:
    with contextlib.suppress(ValueError):  # of which UnicodeDecodeError is one
        pickled_text(data)


@pytest.mark.parametrize(
    "private",
    ["", "not base 64", "bm90IHpsaWI=", packed([])[:-8], '[{"input": 1}]', '[{"input": "1"}]'],
)
def test_damaged_tests(private: str) -> None:
    with pytest.raises(UserError, match=r"question 1_A: its .private_test_cases. cannot be read"):
        problem(STDIN | {"private_test_cases": private}).tests()


def test_a_bomb_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "LARGEST", 1000)
    with pytest.raises(UserError, match="too large for a question"):
        problem(STDIN | {"private_test_cases": packed([{"input": "x" * 10**6}])}).tests()


def test_tests_in_both_forms() -> None:
    plain = json.dumps([{"input": "-5 5", "output": "0", "testtype": "stdin"}])
    tests = problem(STDIN | {"private_test_cases": plain}).tests()
    assert tests == problem(STDIN).tests()[:2]
    with pytest.raises(UserError, match="no tests"):
        problem(STDIN | {"public_test_cases": "[]", "private_test_cases": "[]"}).tests()


# Prompts.


def test_prompts() -> None:
    text = problem(STDIN).prompt()
    assert "Print the sum of two numbers." in text
    assert "standard input" in text
    text = problem(CALLS).prompt()
    assert "```python\nclass Solution:\n    def addAll(self" in text
    assert "standard input" not in text
    for format in (CHAT, BASE):
        assert format.render(problem(STDIN | {"question_content": "a {brace} and %s"}))


def test_a_block_of_code_is_mark_enough() -> None:
    asked = problem(STDIN)
    assert CHAT.render(asked) == [{"role": "user", "content": asked.prompt()}]
    assert PLAIN.render(asked) == asked.prompt()
    text = BASE.render(asked)
    assert f"User: {asked.prompt()}\nAssistant:" in text  # nothing about the form of the answer


# Judging.


@needs_sandbox
def test_programs_are_judged_in_a_pool() -> None:
    cases = [(STDIN, RIGHT, True), (STDIN, WRONG, False)]
    cases += [(CALLS, RIGHT_CALLS, True), (CALLS, WRONG_CALLS, False)]
    items = [(problem(c), block(text), right) for c, texts, right in cases for text in texts]
    others = psutil.Process().children(recursive=True)  # of earlier tests
    with Pool(1, deadline=programs.DEADLINE) as pool:
        verdicts = pool.judge(((p, output) for p, output, _ in items), marker="boxed")
        assert not pool.failures
        workers = [p for p in psutil.Process().children(recursive=True) if p not in others]
        assert len(workers) >= 2  # the worker, and its sandbox
    for (_, output, right), verdict in zip(items, verdicts, strict=True):
        assert isinstance(verdict, Verdict)
        assert verdict.correct is right, output
        assert verdict.reward == float(right) or verdict == ILL_FORMED
    assert not psutil.wait_procs(workers, timeout=60)[1]


FORGERS = {
    "printing a verdict": "print('PASSED'); print('{\"passed\": true}')",
    "success by exit": "import os; os._exit(0)",
    "patching": "import builtins, json, sys\nclass Any:\n  __eq__ = lambda *_: True\n"
    "builtins.str = builtins.list = Any\njson.loads = lambda *_: Any()\nprint('x')",
    "looking for the answer": """
import gc, os, sys
def look(place):
    try:
        return open(place, "rb").read()
    except OSError:
        return b""
for place in ("/proc/self/mem", f"/proc/{os.getppid()}/mem", f"/proc/{os.getppid()}/cmdline"):
    print(look(place))
for thing in gc.get_objects():
    if isinstance(thing, dict) and "output" in thing and "testtype" in thing:
        print(thing["output"])
""",
    "looking up the caller": """
import sys
frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
        print(getattr(value, "output", ""))
    frame = frame.f_back
""",
}


@needs_sandbox
@pytest.mark.parametrize("name", FORGERS)
def test_verdicts_cannot_be_forged(name: str) -> None:
    assert not problem(STDIN).verify(block(FORGERS[name])).correct


@needs_sandbox
@pytest.mark.parametrize(
    "text",
    [
        # equal to everything, but only in its own process
        "class Any(list):\n    __eq__ = lambda *_: True\ndef addAll(nums, k):\n    return Any()",
        "import json\njson.dumps = lambda *_, **__: 'true'\ndef addAll(nums, k):\n    return 0",
        "import os\ndef addAll(nums, k):\n    os.write(3, b'[4, 5]')\n    return [4, 5]",
        "import os\nfor f in range(3, 20):\n  try: os.write(f, b'[4, 5]')\n  except OSError: pass\n"
        "os._exit(0)",
    ],
)
def test_results_of_calls_cannot_be_forged(text: str) -> None:
    assert not problem(CALLS).verify(block(text)).correct


@needs_sandbox
def test_judging_stops_at_the_first_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    whole = CodeProblem.passes

    def passes(self: CodeProblem, program: str, test: programs.Test) -> bool:
        seen.append(test.input)
        return whole(self, program, test)

    monkeypatch.setattr(CodeProblem, "passes", passes)
    assert not problem(STDIN).verify(block("print(3)")).correct
    assert seen == ["1 2\n", "-5 5"]


@needs_sandbox
def test_slow_programs_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "SECONDS", 0.5)
    assert not problem(STDIN).verify(block("while True: pass")).correct
    monkeypatch.setattr(programs, "BUDGET", 0.0)
    assert not problem(STDIN).verify(block(RIGHT[0])).correct


@needs_sandbox
def test_a_judgement_after_an_interrupted_one() -> None:
    assert problem(STDIN).verify(block(RIGHT[0])).correct
    sandbox = programs._sandbox()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Interrupted), interrupting(sandbox):
        problem(STDIN).verify(block("import time\ntime.sleep(1000)"))
    assert problem(STDIN).verify(block(RIGHT[0])).correct


@needs_sandbox
def test_a_program_past_the_deadline_leaves_nothing() -> None:
    before = set(psutil.Process().children(recursive=True))
    # Long enough for starting a sandbox on a busy machine, and shorter than a test may wait.
    with Pool(1, deadline=programs.WAITING * programs.SECONDS / 2) as pool:
        item = problem(STDIN), block(RIGHT[0])
        [verdict] = pool.judge([item], marker="boxed")
        assert isinstance(verdict, Verdict)
        assert verdict.correct
        judging = set(psutil.Process().children(recursive=True)) - before
        assert len(judging) == 2  # the worker and its sandbox
        [slow] = pool.judge([(item[0], block("import time\ntime.sleep(1000)"))], marker="boxed")
        assert isinstance(slow, Verdict)  # holding up the judge of a data set is wrong
        assert not slow.correct
        assert not psutil.wait_procs(judging, timeout=60)[1]
