"""Whether an answer means the same as the truth: strict rules, form by form."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock
from typing import TypeAlias

from rlve.errors import UserError
from rlve.judges.math.expressions import spend, start_counting
from rlve.judges.math.forms import (
    Both,
    Form,
    Items,
    Matrix,
    Named,
    Relation,
    Same,
    Union,
    Value,
    Without,
    Words,
)
from rlve.judges.math.notation import normal, squeezed, without_words
from rlve.judges.math.reader import readings
from rlve.judges.math.relations import equal_relations
from rlve.judges.math.sets import names_in, parts_of, same_set
from rlve.judges.math.values import equal_values, is_rounded

MAX_CHARS = 1_000  # in an answer; nothing longer is a closed form, and it would take long to read


def equal(gold: str, answer: str, *, percent: bool = False) -> bool:
    """Whether an answer in LaTeX or plain notation means the same as the truth.

    Args:
        gold: the truth. Where it leaves something open, an answer may say more: a name (x = 5), a
            unit (5 cm), brackets around a list.
        answer: untrusted text.
        percent: whether 8 and 8% are the same.
    """
    if (alike := gold.strip() == answer.strip()) or len(answer) > MAX_CHARS:
        return alike
    with _one_at_a_time:
        start_counting()
        given = dict.fromkeys((answer, without_words(answer)))
        return any(_means(gold, text, percent) for text in given)


_one_at_a_time = Lock()  # precision and the count of operations belong to one comparison


def _means(gold: str, answer: str, percent: bool) -> bool:
    try:
        truth, given = _normal(gold), normal(answer)
        if squeezed(truth) == squeezed(given):
            return True
        (letter, worth), (chosen, claimed) = _choice(truth), _choice(given)
        if letter and chosen and (letter != chosen or not worth or not claimed):
            return letter == chosen
        truth, given = worth or truth, claimed or given
        given_forms = readings(given, answer=True)
        return any(_equal(g, a, percent) for g in _readings(truth) for a in given_forms)
    except (UserError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  if a comparison fails in any way, equality is not established
        return False


# A truth is compared with many answers.
_normal = lru_cache(maxsize=1_000)(normal)
_readings = lru_cache(maxsize=1_000)(readings)


def _choice(text: str) -> tuple[str, str]:
    """The letter and the value, if any, of a choice such as B, (b), option B or (B) 24."""
    match = _CHOICE.fullmatch(re.sub(r"\\text\{([^{}]*)\}", r"\1", text).strip())
    *letters, value = match.groups("") if match else [""]
    return "".join(letters).upper(), value


_CHOICE = re.compile(
    r"(?:(?:[Oo]ption|[Cc]hoice) *)?(?:\(([A-Za-z])\)|([A-Z])[.):]?|"
    r"\(?([A-J])[.):] ?((?!.*(?:\b[A-J]\b|or|and|not))(?=.*\d).+))"
)


def _equal(gold: Form, answer: Form, percent: bool) -> bool:
    def same(one: Form, other: Form) -> bool:
        return _equal(one, other, percent)

    spend(2)
    if isinstance(answer, Same):
        return _equal_chain(gold, answer, same)
    if isinstance(gold, Same):
        return any(same(form, answer) for form in gold.forms)
    if isinstance(gold, Value) and isinstance(answer, Relation) and answer.sign == "=":
        return same(gold, Value(answer.left)) and same(gold, Value(answer.right))
    if isinstance(gold, Named) and isinstance(answer, Named):
        return _equal_named(gold, answer, same)
    if isinstance(gold, Named | Relation) and isinstance(answer, Named | Relation):
        return equal_relations(gold, answer)
    if isinstance(gold, Named):
        plain = not _names_others(gold.name, answer) and same(gold.form, answer)
        return plain or _equal_records(gold, answer, same)
    if isinstance(answer, Named):
        plain = not _names_others(answer.name, gold) and same(gold, answer.form)
        return plain or _equal_records(gold, answer, same)
    if isinstance(gold, Value) and isinstance(answer, Value):
        return equal_values(gold, answer, percent)
    if isinstance(gold, Words) or isinstance(answer, Words):
        return gold == answer
    if isinstance(gold, Matrix) and isinstance(answer, Matrix):
        shapes = [[len(row) for row in form.rows] for form in (gold, answer)]
        return shapes[0] == shapes[1] and _in_order(_cells(gold), _cells(answer), same)
    if isinstance(gold, Union | Both | Without) or isinstance(answer, Union | Both | Without):
        return _equal_sets(gold, answer, same)
    if isinstance(gold, Matrix) or isinstance(answer, Matrix):  # a vector can be a tuple
        one, other = (_vector(form) for form in (gold, answer))
        return one is not None and other is not None and _in_order(one, other, same)
    if isinstance(gold, Items) and isinstance(answer, Items):
        return _equal_items(gold, answer, same)
    # A single solution may be written as a set.
    if isinstance(gold, Items) and gold.opening == "{" and len(gold.items) == 1:
        return same(gold.items[0], answer)
    if isinstance(answer, Items) and answer.opening == "{" and len(answer.items) == 1:
        return same(gold, answer.items[0])
    return False


_Comparison: TypeAlias = Callable[[Form, Form], bool]


def _equal_items(gold: Items, answer: Items, same: _Comparison) -> bool:
    if len(gold.items) != len(answer.items):
        return False
    kinds = gold.opening + gold.closing, answer.opening + answer.closing
    if set(kinds) <= {"", "{}"}:
        if "" in kinds and _all_named(gold) and _all_named(answer):
            return _equal_records(gold, answer, same)
        if kinds == ("", "") and (_has_order(gold) or _has_order(answer)):
            return _equal_records(gold, answer, same)
        return _any_order(gold.items, answer.items, same)
    if kinds[0] == kinds[1]:
        return _in_order(gold.items, answer.items, same)
    if "{}" in kinds:  # {1, 2} has no order, (1, 2) has one
        return False
    # A list without brackets may mean a tuple, but never an interval that includes an end, as
    # [1, 3] does. With more than two items, [...] is another way to write a tuple.
    if "" in kinds:
        if _all_named(gold) or _all_named(answer):
            return _equal_records(gold, answer, same)
        if any(isinstance(item, Value) and "\\infty" in item.latex for item in gold.items):
            return False  # (-\infty, 2) is an interval
        bracketed = kinds[0] or kinds[1]
        tuples = bracketed == "()" or (bracketed == "[]" and len(gold.items) > 2)
    else:
        tuples = set(kinds) == {"()", "[]"} and len(gold.items) > 2
    return tuples and _in_order(gold.items, answer.items, same)


def _in_order(golds: Sequence[Form], answers: Sequence[Form], same: _Comparison) -> bool:
    return len(golds) == len(answers) and all(map(same, golds, answers))


def _any_order(golds: Sequence[Form], answers: Sequence[Form], same: _Comparison) -> bool:
    """Whether they are the same, with multiplicity: -2, -2 is not -2."""
    left = list(answers)
    missing: list[Form] = []
    for gold in golds:  # first those written alike
        if gold in left:
            left.remove(gold)
        else:
            missing.append(gold)
    for gold in missing:
        index = next((i for i, answer in enumerate(left) if same(gold, answer)), None)
        if index is None:
            return False
        del left[index]
    return not left


def _equal_chain(gold: Form, answer: Same, same: _Comparison) -> bool:
    """2 + 3 = 5 is the answer 5 if all of it is true; 10/3 ~ 3.33 is the answer 10/3 or 3.33."""
    if answer.exact:
        return all(same(gold, form) for form in answer.forms)
    # A truth written as a decimal number is compared with 3.33, any other with 10/3, so that only
    # one form counts; and the second must be the first, rounded.
    literal = isinstance(gold, Value) and re.fullmatch(r"-?\d*(\.)?\d+", gold.latex)
    if len(answer.forms) == 1:  # about 3.14
        return bool(literal and literal[1]) and same(gold, answer.forms[0])
    if len(answer.forms) != 2 or not is_rounded(answer.forms[1], answer.forms[0]):
        return False
    return same(gold, answer.forms[1 if literal else 0])


def _equal_named(gold: Named, answer: Named, same: _Comparison) -> bool:
    if gold.name == answer.name:
        return same(gold.form, answer.form)
    # f(n) = 2n is the function f(x) = 2x.
    truth, given = (re.fullmatch(r"(\w)\((\w)\)", form.name) for form in (gold, answer))
    if truth and given and truth[1] == given[1]:
        renamed = _renamed(answer.form, given[2], truth[2])
        return renamed is not None and same(gold.form, renamed)
    return equal_relations(gold, answer) or _equal_records(gold, answer, same)


def _renamed(form: Form, old: str, new: str) -> Form | None:
    if not isinstance(form, Value) or re.search(rf"(?<![\\A-Za-z]){new}(?![A-Za-z])", form.latex):
        return None
    letter = re.compile(rf"(?<!\\)(?<!\\[a-z])(?<![a-z]{{2}}){old}(?![a-z]{{2}})")
    return Value(letter.sub(new, form.latex), form.unit)


def _all_named(form: Form) -> bool:
    return isinstance(form, Items) and all(isinstance(item, Named) for item in form.items)


def _names_others(name: str, form: Form) -> bool:
    """Whether items of a list have other names: x = 1, 2 is not x = 1, y = 2."""
    items = form.items if isinstance(form, Items) else ()
    return any(isinstance(item, Named) and item.name != name for item in items)


def _has_order(form: Items) -> bool:
    """Whether names tell the items apart: x = 1, y = 2, but not x_1 = 1, x_2 = 2."""
    names = {item.name.partition("_")[0] for item in form.items if isinstance(item, Named)}
    return _all_named(form) and len(names) > 1


def _record(form: Form) -> dict[str, Form] | None:
    """Name -> value for a = 2, b = 3 and for (a, b) = (2, 3)."""
    if isinstance(form, Named) and form.name.startswith("(") and isinstance(form.form, Items):
        names = form.name.strip("()").split(",")
        if len(names) == len(set(names)) == len(form.form.items):
            return dict(zip(names, form.form.items, strict=True))
    if isinstance(form, Items):
        pairs = [(item.name, item.form) for item in form.items if isinstance(item, Named)]
        if len(pairs) == len(dict(pairs)) == len(form.items):
            return dict(pairs)
    return None


def _equal_records(gold: Form, answer: Form, same: _Comparison) -> bool:
    truth, given = _record(gold), _record(answer)
    if truth is not None and given is not None:
        return truth.keys() == given.keys() and all(same(truth[k], given[k]) for k in truth)
    # A tuple without names has its components in alphabetical order: (x, y), (a, b, c). A list has
    # the order in which they were named: m = 3, b = 2 is 3, 2. But y = 1, x = 2 has two orders.
    record, other = (truth, answer) if truth is not None else (given, gold)
    if record is None or not isinstance(other, Items):
        return False
    if other.opening + other.closing not in ("", "()"):
        return False
    names = sorted(record) if other.opening else [*record]
    if set(names) <= set("xyz") and names != sorted(names):
        return False
    return _in_order([record[name] for name in names], other.items, same)


def _cells(matrix: Matrix) -> list[Form]:
    return [cell for row in matrix.rows for cell in row]


def _vector(form: Form) -> Sequence[Form] | None:
    if isinstance(form, Matrix):
        return _cells(form) if len(form.rows) == 1 or len(form.rows[0]) == 1 else None
    if not isinstance(form, Items):
        return None
    kind = form.opening + form.closing
    # [1, 2] is an interval.
    return form.items if kind == "()" or (kind == "[]" and len(form.items) > 2) else None


def _equal_sets(gold: Form, answer: Form, same: _Comparison) -> bool:
    if any(len(names_in(form)) > 1 for form in (gold, answer)):
        return False  # x < 1, y > 3 is no set of numbers
    truth, given = parts_of(gold), parts_of(answer)
    return bool(truth and given and _any_order(truth, given, same)) or same_set(gold, answer)
