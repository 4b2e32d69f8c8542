"""Why an answer is not correct, as far as that can be said for every environment.

No environment has to say it. A rule that an answer breaks is a condition in the environment's code
under which score() returns a negative reward; conditions of common forms are put into words. Any
other answer is compared with the reference, if only one answer is right.
"""

import ast
import linecache
import sys
from collections.abc import Collection, Iterator, Set
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from rlve.errors import Unparseable

if TYPE_CHECKING:
    from rlve.contract import Problem

Names: TypeAlias = dict[str, Any]  # that a condition has, and the answer as ANSWER
ANSWER = "the answer"
NOUNS: dict[Any, str] = {list: "line", tuple: "pair"}  # for what an answer consists of
ORDER = {ast.Lt: "less than", ast.LtE: "at most", ast.Gt: "more than", ast.GtE: "at least"}
ENDS = {"0": "begins", "-1": "ends"}
FALSE = {  # what an answer does if a function with this name is false
    "is_connected": "does not connect all vertices",
    "is_increasing": "does not make values increase",
    "is_latin_square": "does not have each number once in every row and column",
    "is_palindrome": "is not a palindrome",
    "keeps": "changes a cell that is given",
}


def why_wrong(problem: "Problem", answer: Any, reward: float, *, unique: bool) -> str:
    """What an answer is or does: "is too small". `unique`: whether only the reference is right."""
    if reward < 0:
        return _broken_rule(problem, answer, reward) or "breaks a rule of the problem"
    if unique and (reference := problem.reference()) is not None:
        return _difference(answer, parse_or_none(problem, reference))
    return "follows the rules, but is not good enough" if reward > 0 else "is not a correct one"


class _Own(int):
    """An integer of the answer, which is known as such wherever a condition meets it."""


def _owned(value: Any) -> Any:
    if type(value) is int:
        return _Own(value)
    return type(value)(map(_owned, value)) if type(value) in (list, tuple) else value


def _is_own(value: Any) -> bool:
    parts = cast("tuple[Any, ...]", value if isinstance(value, tuple) else (value,))
    return all(isinstance(part, _Own) for part in parts)


def _broken_rule(problem: "Problem", answer: Any, reward: float) -> str | None:
    """The condition under which the reward was given, in words; None if there are none for it."""
    own = type(problem).score.__code__.co_filename
    given, found = _owned(answer), list[tuple[FrameType, int, Names]]()

    def note(frame: FrameType, event: str, value: Any) -> None:
        near = [each.f_code.co_filename for each in (frame, frame.f_back) if each]
        ours = event == "return" and own in near  # or a helper of ours, such as exact_residue()
        if ours and not found and type(value) is type(reward) and value == reward:
            # The innermost function returns first.
            names = {**frame.f_globals, **frame.f_locals, ANSWER: given}
            found.append((frame, frame.f_lineno, names))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        problem.score(given)
    finally:
        sys.setprofile(before)
    try:
        condition = _condition(*found[0]) if found else None
        return _words(*condition, found[0][2]) if condition else None
    except Exception:  # noqa: BLE001  code of anybody's, which may not be evaluated twice
        return None


def _condition(frame: FrameType, line: int, names: Names) -> tuple[ast.expr, bool] | None:
    """The condition that decides whether a line is reached, and whether it holds there."""
    source = "".join(linecache.getlines(frame.f_code.co_filename))  # nothing at a prompt
    condition = None
    for node in ast.walk(ast.parse(source)):  # outer nodes come first
        if isinstance(node, ast.If):
            for block in filter(None, (node.body, node.orelse)):
                if block[0].lineno <= line <= (block[-1].end_lineno or 0):
                    condition = node.test, block is node.body
        choice = node.value if isinstance(node, ast.Return) else None
        if isinstance(choice, ast.IfExp) and choice.lineno <= line <= (choice.end_lineno or 0):
            condition = choice.test, bool(_value(choice.test, names))
    return condition


def _value(node: ast.expr, names: Names) -> Any:
    """The value of an expression of an environment; an answer is never code."""
    whole = ast.fix_missing_locations(ast.Expression(node))
    return eval(compile(whole, "", "eval"), dict(names))  # noqa: S307


def _items(loop: ast.GeneratorExp, names: Names) -> Iterator[Names]:
    """The names for each item that a loop goes through."""
    targets = (part for each in loop.generators for part in ast.walk(each.target))
    bound = ", ".join(f"{n.id!r}: {n.id}" for n in targets if isinstance(n, ast.Name))
    items = ast.parse(f"[{{{bound}}} {' '.join(map(ast.unparse, loop.generators))}]", mode="eval")
    return (names | item for item in _value(items.body, names))


def _words(test: ast.expr, holds: bool, names: Names) -> str | None:
    """What an answer does that is refused because a condition holds, or because it does not."""

    def decides(clause: ast.expr, names: Names = names) -> bool:
        return bool(_value(clause, names)) is holds

    match test:
        case ast.UnaryOp(ast.Not(), inner):
            return _words(inner, not holds, names)
        case ast.BoolOp(op, clauses):
            one_is_enough = isinstance(op, ast.Or) is holds
            decisive = filter(decides, clauses) if one_is_enough else clauses[-1:]
            return next((_words(clause, holds, names) for clause in decisive), None)
        case ast.Call(ast.Name("any" | "all" as name), [ast.GeneratorExp() as loop]):
            items = _items(loop, names) if (name == "any") is holds else ()
            return next((_words(loop.elt, holds, i) for i in items if decides(loop.elt, i)), None)
        case ast.Call(ast.Name("is_permutation"), [_, many], start):
            low = _value(start[0].value, names) if start else 0
            return f"is not a permutation of {low} to {low + _value(many, names) - 1}"
        case ast.Call(ast.Name(name)) if not holds:
            return FALSE.get(name)
        case ast.Call(ast.Attribute(one, "issubset" | "issuperset" as name), [other]):
            sets = _value(one, names), _value(other, names)
            return _stray(*(sets if name == "issubset" else sets[::-1]))
        case ast.Compare(left, ops, others) if not holds or len(ops) == 1:
            parts = zip([left, *others], ops, others, strict=False)
            pairs = (ast.Compare(one, [op], [other]) for one, op, other in parts)
            return next((_compared(p, test, holds, names) for p in pairs if decides(p)), None)
        case _:
            return None


def _compared(pair: ast.Compare, chain: ast.Compare, holds: bool, names: Names) -> str | None:
    """What is wrong with two values that are compared, maybe in a chain such as 0 <= i < n."""
    nodes, op = (pair.left, pair.comparators[0]), pair.ops[0]
    one, other = (_value(node, names) for node in nodes)
    equal = isinstance(op, ast.NotEq if holds else ast.Eq)  # is what they should be
    order = ORDER.get(cast("Any", type(op)))
    fault = f"not equal to {_shown(other)}" if equal else "not allowed there"
    fault = f"{'' if holds else 'not '}{order} {_shown(other)}" if order else fault
    match nodes:
        case _ if isinstance(op, ast.In | ast.NotIn):
            return _stray([one], other) if _is_own(one) else None
        case _ if issubclass(type(one), Set):
            swap = isinstance(op, ast.Gt | ast.GtE) or (equal and one < other)
            return _stray(other, one) if swap else _stray(one, other)
        case ast.Call(ast.Name("len"), [ast.Name() | ast.Call() as given]), _:
            expected = f"{other:,} expected" if equal else f"which is {fault}"
            return _length(_value(given, names), expected, names[ANSWER])
        case ast.Call(ast.Name("sum"), [ast.GeneratorExp(ast.Subscript())]), _:
            return f"comes to {_shown(one)}, which is {fault}"
        case ast.Subscript(_, ast.Name(i)), ast.Subscript(_, ast.Name(j)) if one == other:
            return f"has {_shown(one)} for both {names[i]} and {names[j]}"
        case ast.Subscript(_, index), _ if equal and (end := ENDS.get(ast.unparse(index))):
            return f"{end} with {_shown(one)}, not with {_shown(other)}"
        case _ if _is_own(one) and _is_own(other):
            fault = "not in order" if order else "not equal" if equal else "equal"
            return f"has {_shown(one)} and {_shown(other)}, which are {fault}"
        case _:
            if len(chain.ops) > 1:
                one = other if _is_own(other) else one
                low = _value(chain.left, names) + isinstance(chain.ops[0], ast.Lt)
                high = _value(chain.comparators[-1], names) - isinstance(chain.ops[-1], ast.Lt)
                fault = f"not between {_shown(low)} and {_shown(high)}"
    verb = "is" if one is names[ANSWER] else f"has {_shown(one)}, which is"
    return f"{verb} {fault}" if _is_own(one) else None


def _length(values: Collection[Any], expected: str, answer: Any) -> str | None:
    """For example: "has 3 values, 6 expected"; or that one is repeated."""
    many = len(answer) if hasattr(answer, "__len__") else 0
    part = NOUNS.get(type(next(iter(answer)))) if many else None
    if isinstance(values, Set):  # of the answer's values, or of a line's?
        lists = [each for each in (answer if part == "line" else [answer]) if values == set(each)]
        if not lists or len(values) < max(map(len, lists)):
            return "repeats a value" if lists else None
    noun = "character" if isinstance(answer, str) else part or "value"
    noun += "s" if many != 1 else ""
    return f"has {many:,} {noun}, {expected}" if len(values) == many else None


def _stray(part: Collection[Any], whole: Collection[Any]) -> str | None:
    """That the answer has, or lacks, a value of one collection that is not in the other."""
    value = next((value for value in part if value not in whole), None)
    if not _is_own(value):
        return f"lacks {_shown(value)}" if value is not None and all(map(_is_own, whole)) else None
    numbers = sorted(each for each in whole if isinstance(each, int))
    if numbers and len(numbers) == len(whole) == numbers[-1] - numbers[0] + 1:
        return f"has {_shown(value)}, which is not between {numbers[0]} and {numbers[-1]}"
    return f"has {_shown(value)}, which is not among those given"


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) >> 128:
        return "a very long number"
    return " ".join(map(str, cast("Any", value))) if isinstance(value, tuple) else str(value)


def _difference(given: Any, right: Any) -> str:
    """How an answer differs from the only correct one."""
    if {type(given), type(right)} <= {int, float}:
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


def parse_or_none(problem: "Problem", text: str) -> Any:
    """The answer in a text, or None if there is none."""
    try:
        return problem.parse(text.strip())
    except Unparseable:
        return None
