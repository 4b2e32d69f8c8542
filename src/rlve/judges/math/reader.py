r"""Reading the outer form of an answer in LaTeX or plain notation.

    read(r"x \in (-\infty, 2]")   Named("x", Items("(", (Value("-\infty"), Value("2")), "]"))
    read(r"3 \text{ cm}")         Value("3", unit="cm")

Nothing is computed here; all work is bounded by the length of the text and MAX_DEPTH.
"""

import re

from rlve.errors import Unparseable
from rlve.judges.math.brackets import MAX_DEPTH, TOKEN, closed_at, outside_text, split_outside
from rlve.judges.math.forms import (
    EMPTY,
    REALS,
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
from rlve.judges.math.latex import FUNCTIONS, GREEK
from rlve.judges.math.units import unit_of

_SIGNS = {"=", "<", ">", "\\le", "\\ge", "\\ne", "\\approx", "\\in", "\\sim"}
_FLIPPED = {">": "<", "\\ge": "\\le"}
_LETTERS_ONLY = re.compile(r"[^\W\d_]+(?:[ '-]+[^\W\d_]+)*", re.UNICODE)
_WORD_LIKE = re.compile(r"[A-Za-z]{4}|\b(?:yes|no|odd|all|none|true|and|not|any|the)\b", re.I)
_SETS: dict[str, Form] = {"\\emptyset": EMPTY, "\\mathbb{R}": REALS, "\\R": REALS}
_SETS.update(dict.fromkeys("nosolution norealsolution emptyset none".split(), EMPTY))
_SETS.update(dict.fromkeys("allrealnumber allreal allrealx thereal".split(), REALS))
_SETS["allpositiverealnumber"] = Items("(", (Value("0"), Value("\\infty")), ")")
_SETS["allnonnegativerealnumber"] = Items("[", (Value("0"), Value("\\infty")), ")")
_COMMON_WORDS = set("yes no true false odd even none all always never sometimes".split())


_ANSWER_UNIT = re.compile(r"([+-]?[\d.,/]+)(?: ?([A-Za-z]{2,3})| ([A-Za-z]))(?:\^\{?([23])\}?)?")


def readings(text: str, *, answer: bool = False) -> list[Form]:
    """All meanings of a text in normal notation: 1,234 is a number or a list.

    In an answer, 12cm and 5 m may be quantities; in a truth, they are products.
    """
    forms = [read(text)]
    unit = _ANSWER_UNIT.fullmatch(text) if answer else None
    if unit and (name := unit_of(unit[2] or unit[3], unit[4])):
        forms.append(Value(unit[1], name))
    either = split_outside(text.replace(" or ", " \\or "), {"\\or"})[0]
    if answer and len(either) == 2:  # 2/5 or 0.4
        forms.append(Same(tuple(map(read, either)), exact=True))
    grouped = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
    if grouped.search(text) and not re.search(r"[(\[]|\\\{", text):
        forms.append(read(grouped.sub(lambda m: m[0].replace(",", ""), text)))
    return forms


def read(text: str, depth: int = 0) -> Form:
    """The form of a text in normal notation."""
    text = text.strip()
    if depth > MAX_DEPTH:
        raise Unparseable("too deeply nested")
    if not text:
        raise Unparseable("it is empty")
    if text in _SETS:
        return _SETS[text]
    words = re.sub(r"\\text\{([^{}]*)\}", r"\1", text)
    if _LETTERS_ONLY.fullmatch(words) and (text != words or _WORD_LIKE.search(words)):
        plain = re.sub(r"[\W_]", "", words).casefold().removeprefix("thereare").removesuffix("s")
        words = re.sub(r"(?i)^(?:an?|the|on) | (?:wins|functions?)$", "", words)
        return _SETS.get(plain) or Words("".join(map(_word, words.split())))
    for reader in (_list, _relation, _union, _matrix, _bracketed):
        form = reader(text, depth + 1)
        if form is not None:
            return form
    return _quantity(text)


def _word(word: str) -> str:
    """The word, with a capital letter at most where it matters: abcd is not ABCD."""
    word = re.sub(r"[\W_]", "", word)
    return word.lower() if word.lower() in _COMMON_WORDS else word[:1].lower() + word[1:]


def _list(text: str, depth: int) -> Form | None:
    joined = outside_text(text, lambda t: re.sub(r"(?<!\\)\b(and|or)\b", r"\\\1 ", t))
    parts, joints = split_outside(joined, {",", ";", "\\and", "\\or"})
    texts = [choice for part in parts if part.strip() for choice in _signs(part)]
    if len(texts) < 2:
        return None
    if text.count("\\bmod") == 1 and texts[-1].endswith("}"):  # 1, 3 mod 8
        modulus = texts[-1][texts[-1].find("\\bmod") :]
        texts = [text.removesuffix(modulus) + modulus for text in texts]
    items = [read(text, depth) for text in texts]
    first, *others = items
    names = {item.name.partition("_")[0] for item in items if isinstance(item, Named)}
    if "\\or" in joints and len(names) > 1:
        raise Unparseable("a = 3 or b = 5 leaves both open")
    conditions = _conditions(items, set(joints))
    if conditions is not None:
        return conditions
    if isinstance(first, Named) and not first.name.startswith("("):
        if all(isinstance(item, Named) and item.name == first.name for item in items):
            values = tuple(item.form for item in items if isinstance(item, Named))
            return Named(first.name, Items("", values, ""))
        if not any(isinstance(item, Named) for item in others):  # x = 1, 2, 3
            return Named(first.name, Items("", (first.form, *others), ""))
    return Items("", tuple(items), "")


def _conditions(items: list[Form], joints: set[str]) -> Form | None:
    """Conditions on one letter: x > 1 and x < 3, x < 1 or x > 3; x != 0, x != 1 or x != 0, 1."""
    first, *others = items
    if not isinstance(first, Named) or not _is_condition(first.form):
        return None
    if isinstance(first.form, Without) and all(isinstance(item, Value) for item in others):
        removed = first.form.removed
        if first.form.whole == REALS and isinstance(removed, Items):
            return Named(first.name, Without(REALS, Items("{", (*removed.items, *others), "}")))
    if not all(isinstance(item, Named) and item.name == first.name for item in items):
        return None
    sets = [item.form for item in items if isinstance(item, Named)]
    if "\\or" in joints:
        if "\\and" in joints:
            raise Unparseable("and and or together have two meanings")
        sets = [form if _is_condition(form) else Items("{", (form,), "}") for form in sets]
        return Named(first.name, Union(tuple(sets)))
    if not all(map(_is_condition, sets)):
        raise Unparseable("conditions that are not of one kind")
    return Named(first.name, Both(tuple(sets), "\\and" not in joints))


def _is_condition(form: Form) -> bool:
    bracketed = isinstance(form, Items) and form.opening in ("(", "[") and len(form.items) == 2
    return bracketed or isinstance(form, Union | Both | Without)


def _signs(text: str) -> list[str]:
    # Several signs may belong together or not; those in a set are of its members.
    if text.count("\\pm") != 1 or "\\mp" in text or "\\{" in text:
        return [text]
    return [re.sub(r"\\pm\s*", sign, text) for sign in ("+", "-")]


def _relation(text: str, depth: int) -> Form | None:
    if half_open := _HALF_OPEN.fullmatch(text):
        return Named(half_open[1], read(half_open[2], depth))
    parts, signs = split_outside(text, _SIGNS)
    parts = [part.strip() for part in parts]
    if not signs:
        return None
    if signs == ["\\approx"] and not parts[0]:
        return Same((read(parts[1], depth),), exact=False)
    if not all(parts):
        raise Unparseable("a relation lacks a side")
    if set(signs) <= {"=", "\\approx"}:
        return _equality(parts, signs, depth)
    if signs == ["\\in"]:
        if not _symbol(parts[0]) and not _MEMBER.fullmatch(parts[0]):
            raise Unparseable("what is in the set is no name")  # -x in [1, 2] says x in [-2, -1]
        return Named(re.sub(r"\s", "", parts[0]), read(parts[1], depth))
    if signs == ["\\ne"] and _symbol(parts[0]):
        return Named(parts[0], Without(REALS, Items("{", (read(parts[1], depth),), "}")))
    if all(sign in ("<", "\\le") for sign in signs):
        return _inequality(parts, signs, depth)
    if all(sign in _FLIPPED for sign in signs):
        return _inequality(parts[::-1], [_FLIPPED[sign] for sign in signs][::-1], depth)
    if signs == ["\\ne"]:
        return Relation(parts[0], "\\ne", parts[1])
    raise Unparseable("the relations do not fit together")


def _equality(parts: list[str], signs: list[str], depth: int) -> Form:
    name = _name(parts[0])
    exact = "\\approx" not in signs
    if name is None and len(parts) == 2 and exact and _has_letters(parts[0] + parts[1]):
        flipped = _name(parts[1])
        if flipped is not None and not _has_letters(parts[0]):  # 5 = x
            return Named(flipped, read(parts[0], depth))
        return Relation(parts[0], "=", parts[1])
    forms = tuple(read(part, depth) for part in (parts if name is None else parts[1:]))
    form = forms[0] if len(forms) == 1 else Same(forms, exact)
    return form if name is None else Named(name, form)


def _inequality(parts: list[str], signs: list[str], depth: int) -> Form:
    opening, closing = ("[" if s == "\\le" else "(" for s in (signs[0], signs[-1]))
    closing = "]" if closing == "[" else ")"
    if len(parts) == 3 and _symbol(parts[1]):
        ends = read(parts[0], depth), read(parts[2], depth)
        return Named(parts[1], Items(opening, ends, closing))
    if len(parts) == 2 and _symbol(parts[0]) and not _symbol(parts[1]):
        return Named(parts[0], Items("(", (Value("-\\infty"), read(parts[1], depth)), closing))
    if len(parts) == 2 and _symbol(parts[1]) and not _symbol(parts[0]):
        return Named(parts[1], Items(opening, (read(parts[0], depth), Value("\\infty")), ")"))
    if len(parts) == 2:
        return Relation(parts[0], signs[0], parts[1])
    raise Unparseable("a chain of inequalities is not understood")


# t(0,4], for t in (0,4]; the point A(1,2)
_HALF_OPEN = re.compile(r"([A-Za-z])\s*(\([^][()]*\]|\[[^][()]*\)|(?<=[A-Z])\([^()]*,[^()]*\))")
_MEMBER = re.compile(r"[A-Za-z]\s*\([A-Za-z]\)|\([A-Za-z](?:\s*,\s*[A-Za-z])+\)")  # f(x); (x, y)
_NAME = re.compile(
    rf"(?:[A-Za-z]|\\(?:{'|'.join(sorted(GREEK))}|angle|measuredangle|triangle|overline|bar|hat|"
    r"vec|overrightarrow|text|cdot|max|min|frac|det|arg|deg|dim|(?:sin|cos|tan|cot|sec|csc)"
    r"(?: ?\d)?)(?![A-Za-z])|_\{[^{}]*\}|_[A-Za-z0-9]|\^\{?\d\}?|\{[A-Za-z ]*\}|\^\{-1\}(?=\()|"
    r"\[[A-Z]+\]|\\mathbb\{[EP]\}|\\\||(?<=[A-Za-z'}])\([^()=]*\)|"
    r"\((?:[A-Za-z]|\\[a-z]+)(?:\s*,\s*(?:[A-Za-z]|\\[a-z]+))+\)|[-+|/' ])+"
)


# AB^2, |AB|, |z|, \|v\|, P(A|B), f^{-1}(x)
_LENGTH = re.compile(
    r"\|?\s*(?:\\over[a-z]+)?\s*\{?\s*[A-Z]{2}\s*\}?\s*\|?(?:\^\{?\d\}?)?|"
    r"\| ?(?:[zw]|[A-Z](?= ?\|)|\\vec)[^|^]*\||"
    r"\\\|[^|^]*\\\||(?<=[A-Za-z'}])\([^()]*\)|(?<=[A-Za-z])\^\{-1\}(?=\()"
)
# What is not computed: an integral, a limit, an endless sum, 1+2+\cdots+10.
_DESCRIPTION = re.compile(
    r"\\(?:i*int|lim|(?:sum|prod)(?=.*\\infty))(?![a-z]).*|[\d+ ]*\\[lc]?dots[\d+ ]*|\\m(?:ax|in)"
)


def _name(text: str) -> str | None:
    """The text without spaces, if it can name a value: x, f(3), AB^2, m + n, (x, y).

    2x and -x are no names.
    """
    if _DESCRIPTION.fullmatch(text):
        return text
    if len(text) > 60 or not _NAME.fullmatch(text) or not _has_letters(text):
        return None
    if text.startswith("-") or re.search(r"\b(?:not|never)\b", text):
        return None
    if re.search(r"[|^]", _LENGTH.sub("", text)):  # x^2 = 5 and |x| = 5 do not name 5
        return None
    return re.sub(r"\s|\\text|[{}]", "", text)


def _symbol(text: str) -> bool:
    letter = re.fullmatch(r"([A-Za-z]|\\[a-z]+)(?:_(?:\w|\{[^{}]*\}))?", text)
    return letter is not None and letter[1] not in ("\\infty", "\\pi", "e")


def _has_letters(text: str) -> bool:
    commands = set(re.findall(r"\\([A-Za-z]+)", text))
    return not commands.isdisjoint(GREEK) or bool(
        re.search(r"[A-Za-z]", re.sub(r"\\(?!text)[A-Za-z]+", "", text))
    )


def _union(text: str, depth: int) -> Form | None:
    parts, signs = split_outside(text, {"\\cup"})
    if signs:
        return Union(tuple(read(part, depth) for part in parts))
    parts, signs = split_outside(text, {"\\setminus"})
    if len(signs) == 1:
        return Without(read(parts[0], depth), read(parts[1], depth))
    return None


def _matrix(text: str, depth: int) -> Form | None:
    environment = (
        r"\\begin\{(?:[bpsB]?matrix|(array)\}\{[^{}]*)\}(.*)\\end\{(?:[bpsB]?matrix|array)\}"
    )
    match = re.fullmatch(environment, text.strip("[]() "))
    if match is None:
        if "\\begin" in text:
            raise Unparseable("a LaTeX environment that is not a matrix")
        return None
    rows = [row for row in re.split(r"\\\\(?:\[[^]]*\])?", match[2]) if row.strip()]
    cells = tuple(tuple(read(cell, depth) for cell in row.split("&")) for row in rows)
    if not cells or len({len(row) for row in cells}) != 1:
        raise Unparseable("a matrix with rows of different lengths")
    return Matrix(cells)


_DESCRIBED = re.compile(r"([A-Za-z])\s*(?:\\in\s*\\mathbb\{R\}\s*)?[|:]\s*(.+)")  # {x | x > 3}


def _bracketed(text: str, depth: int) -> Form | None:
    tokens = TOKEN.findall(text)
    opening, closing = tokens[0], tokens[-1]
    if opening not in ("(", "[", "{", "\\{") or closing not in (")", "]", "}", "\\}"):
        return None
    if closed_at(text, 0) != len(text) - len(closing):
        return None
    inner = text[len(opening) : -len(closing)].strip()
    if opening == "\\{" or closing == "\\}":
        if (opening, closing) != ("\\{", "\\}"):
            raise Unparseable("the brackets do not match")
        if not inner:
            return EMPTY
        described = _DESCRIBED.fullmatch(inner)
        if described:
            form = read(described[2], depth)
            if isinstance(form, Named) and form.name == described[1] and _is_condition(form.form):
                return form
        if described or re.search(r"[|:]", re.sub(r"\|[^|]*\|", "", inner)):
            raise Unparseable("a set that is described rather than listed")
        form = read(inner, depth)
        items = form.items if isinstance(form, Items) and not form.opening else (form,)
        return Items("{", items, "}")
    if opening == "{" or closing == "}":
        return read(inner, depth) if (opening, closing) == ("{", "}") else None
    parts = split_outside(inner, {",", ";"})[0]
    if len(parts) > 1:
        return Items(opening, tuple(read(part, depth) for part in parts), closing)
    return read(inner, depth) if (opening, closing) == ("(", ")") else None


_TEXT_UNIT = re.compile(r"(.*[\d})!a-z°|])\s*\\text\{([^{}]*)\}\s*(?:\^\s*\{?\s*([23])\s*\}?)?")
_PLAIN_UNIT = re.compile(
    r"(.*[\d})!])( ?)([A-Za-z]{2}[A-Za-z/ ]*|[A-Za-z]/[A-Za-z]+)(?:\^\s*\{?\s*([23])\s*\}?)?"
)


_MONEY = re.compile(r"([+-]?) ?\\(dollar|euro|sterling|yen)(?![A-Za-z]) ?(.+)")


def _quantity(text: str) -> Form:
    money = _MONEY.fullmatch(text)
    if money or re.fullmatch(r".+\\(?:dollar|euro|sterling|yen) ?", text):
        amount, _, unit = ("", "", "") if money else text.strip().rpartition("\\")
        inner = _quantity(money[1] + money[3] if money else amount.strip())
        unit = money[2] if money else unit
        if isinstance(inner, Value) and inner.unit in (None, unit):
            return Value(inner.latex, unit)
        raise Unparseable("money of two kinds")
    if residue := re.fullmatch(r"(.+?) ?\\bmod\{(\w+)\}", text):
        value, modulus = residue.groups()
        # 12 mod 5 is left alone, as it may be what was asked
        least = int(modulus) + int(value) if re.match(r"-\d+ ?\\bmod\{\d+\}", text) else 0
        return Value(str(least) if least > 0 else value, f"mod {modulus}")
    if text.endswith("%"):
        return Value(text[:-1].strip(), "percent")
    if text.endswith("°") and not any(f"\\{name}" in text for name in FUNCTIONS):
        return Value(text[:-1].strip(), "degree")
    match = _TEXT_UNIT.fullmatch(text)
    if match:
        unit = unit_of(match[2], match[3])
    else:
        match = _PLAIN_UNIT.fullmatch(text)
        # 3km may be a product; 3 km and 3hours are not
        close = match is not None and not match[2] and len(match[3]) < 4
        unit = None if match is None or close else unit_of(match[3], match[4])
    if match and unit:
        return Value(match[1].strip().removesuffix("°").strip(), unit)
    if "\\text" in text or _WORD_LIKE.search(re.sub(r"\\[A-Za-z]+", "", text)):
        lowered = re.sub(r"\b[A-Z](?=[a-z])", lambda letter: letter[0].lower(), text)
        return Words(re.sub(r"\\text|[\s{}]", "", lowered))
    return Value(text)
