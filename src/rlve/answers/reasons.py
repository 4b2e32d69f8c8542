"""Why an answer is not correct, as far as that can be said for every environment.

No environment has to say it. A rule that an answer breaks is a condition in the environment's code
under which score() returns a negative reward. Any other answer is compared with the reference,
if only one answer is right.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, cast

from rlve.errors import Unparseable

if TYPE_CHECKING:
    from rlve.contract import Problem

MOST_CHARS = 160  # of a condition that is quoted


def why_wrong(problem: "Problem", answer: Any, reward: float, *, unique: bool) -> str:
    """What an answer is or does: "is too small". `unique`: whether only the reference is right."""
    if reward < 0:
        return _broken_rule(problem, answer, reward)
    reference = problem.reference() if unique else None
    if reference is not None:
        return _difference(answer, parse_or_none(problem, reference))
    if reward > 0:
        return "follows the rules, but is not good enough"
    return "is not a correct one"


def _broken_rule(problem: "Problem", answer: Any, reward: float) -> str:
    """The condition under which the reward was given; in words if it is about a length."""
    own = type(problem).score.__code__.co_filename
    found: list[tuple[CodeType, int, dict[str, Any]]] = []

    def note(frame: FrameType, event: str, value: Any) -> None:
        ours = event == "return" and frame.f_code.co_filename == own
        if ours and not found and type(value) is type(reward) and value == reward:
            # The innermost function returns first.
            found.append((frame.f_code, frame.f_lineno, dict(frame.f_locals)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        problem.score(answer)
    finally:
        sys.setprofile(before)
    told = "breaks a rule of the problem"
    condition = _condition(*found[0][:2]) if found else None
    if condition is None:
        return told
    if words := _length_rule(condition, found[0][2]):
        return words
    quoted = textwrap.shorten(ast.unparse(condition), MOST_CHARS, placeholder=" ...")
    return f"{told}: {quoted} ({Path(own).name}, line {found[0][1]})"


def _condition(code: CodeType, line: int) -> ast.expr | None:
    """The condition under which a line of a function is reached; None if there is none."""
    try:
        source, first = inspect.getsourcelines(code)
    except OSError:  # defined at a prompt
        return None
    row, condition = line - first + 1, None
    for node in ast.walk(ast.parse(textwrap.dedent("".join(source)))):  # outer nodes come first
        if isinstance(node, ast.If):
            if any(_spans(inner, row) for inner in node.body):
                condition = node.test
            elif any(_spans(inner, row) for inner in node.orelse):
                condition = ast.UnaryOp(ast.Not(), node.test)
    return condition


def _length_rule(condition: ast.expr, values: Mapping[str, Any]) -> str | None:
    """For example: "has 3 values, 6 expected"; None if it is not for that that it was refused."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.Or):
        condition = condition.values[0]  # which is asked first
    match condition:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[given]),
            ops=[ast.NotEq()],
            comparators=[wanted],
        ):
            many, expected = _value(given, values), _value(wanted, values)
        case _:
            return None
    if not isinstance(many, list | tuple | str) or not isinstance(expected, int):
        return None
    number = len(cast("list[Any]", many))
    what = ("character" if isinstance(many, str) else "value") + ("s" if number != 1 else "")
    return f"has {number:,} {what}, {expected:,} expected" if number != expected else None


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """What a name, a field, a length or a sum of these is; None if it is something else."""
    match node:
        case ast.Name(id=name):
            return values.get(name)
        case ast.Attribute(value=inner, attr=name):
            return getattr(_value(inner, values), name, None)
        case ast.Constant(value=value):
            return value
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            found = _value(inner, values)
            return len(cast("list[Any]", found)) if isinstance(found, list | tuple | str) else None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            one, two = _value(left, values), _value(right, values)
            if not isinstance(one, int) or not isinstance(two, int):
                return None
            add, multiply = isinstance(op, ast.Add), isinstance(op, ast.Mult)
            return one + two if add else one * two if multiply else one - two
        case _:
            return None


def _spans(node: ast.stmt, row: int) -> bool:
    return node.lineno <= row <= (node.end_lineno or node.lineno)


def _difference(given: Any, right: Any) -> str:
    """How an answer differs from the only correct one."""
    if _is_number(given) and _is_number(right):
        return "is too large" if given > right else "is too small"
    if not isinstance(given, list | tuple) or not isinstance(right, list | tuple):
        return "is not the correct one"
    values, wanted = cast(list[Any], given), cast(list[Any], right)
    if len(values) != len(wanted):
        return f"has {len(values):,} values, but the correct one has {len(wanted):,}"
    matches = [value == other for value, other in zip(values, wanted, strict=True)]
    if all(matches):
        return "is not the correct one"
    first = matches.index(False) + 1
    return f"has {sum(matches):,} of {len(wanted):,} values right, and value {first:,} wrong"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def parse_or_none(problem: "Problem", text: str) -> Any:
    """The answer in a text, or None if there is none."""
    try:
        return problem.parse(text.strip())
    except Unparseable:
        return None
