r"""Reading a written answer, in LaTeX or plain notation: the outer form that a person sees at once.

    read(r"x \in (-\infty, 2]")   Named("x", Items("(", (Value("-\infty"), Value("2")), "]"))
    read(r"3 \text{ cm}")         Value("3", unit="cm")

What stands inside a Value stays text. explicit() writes it so that a parser of LaTeX cannot
misunderstand it, or refuses to. Nothing here computes; everything is bounded by the length of the
text and by MAX_DEPTH.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from rlve.errors import Unparseable

MAX_DEPTH = 30  # of nested brackets; what a person writes has five


class Value(msgspec.Struct, frozen=True):
    """An expression, and the unit after it."""

    latex: str
    unit: str | None = None


class Words(msgspec.Struct, frozen=True):
    """What is no formula: it is compared letter by letter."""

    text: str


class Items(msgspec.Struct, frozen=True):
    """Several forms in brackets: a list (no brackets), a set, a tuple or an interval."""

    opening: str  # one of "", "{", "(", "["
    items: "tuple[Form, ...]"
    closing: str


class Named(msgspec.Struct, frozen=True):
    """name = form, or name in form."""

    name: str
    form: "Form"


class Same(msgspec.Struct, frozen=True):
    """Forms that are said to be equal, or about equal: 10/2 = 5, 10/3 ~ 3.33."""

    forms: "tuple[Form, ...]"
    exact: bool


class Relation(msgspec.Struct, frozen=True):
    """An equation or inequality that names nothing: left - right (= | < | <= | !=) 0."""

    left: str
    sign: str
    right: str


class Union(msgspec.Struct, frozen=True):
    """The union of sets."""

    parts: "tuple[Form, ...]"


class Without(msgspec.Struct, frozen=True):
    """A set without the elements of another."""

    whole: "Form"
    removed: "Form"


class Matrix(msgspec.Struct, frozen=True):
    """A matrix or vector."""

    rows: "tuple[tuple[Form, ...], ...]"


Form: TypeAlias = Value | Words | Items | Named | Same | Relation | Union | Without | Matrix

REALS = Items("(", (Value("-\\infty"), Value("\\infty")), ")")
EMPTY = Items("{", (), "}")


# 1. One way to write each thing.

_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2013\u2014\u2010\u2011", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f\u2002\u2003\u200a\t\n\r", " "),
        **dict.fromkeys("\u200b\u2061\u2062\u2063\ufeff", ""),
        **dict.fromkeys("\u00b7\u22c5\u2219", "\\cdot "),
        **{chr(0x2080 + d): f"_{{{d}}}" for d in range(10)},
        "\u00d7": "\\times ", "÷": "\\div ", "π": "\\pi ", "∞": "\\infty ", "≤": "\\le ",
        "≥": "\\ge ", "≠": "\\ne ", "≈": "\\approx ", "±": "\\pm ", "\u222a": "\\cup ",
        "∈": "\\in ",
        "∅": "\\emptyset ", "\u211d": "\\mathbb{R}", "√": "\\sqrt ", "θ": "\\theta ",
        "\u03b1": "\\alpha ",
        "β": "\\beta ", "²": "^{2}", "³": "^{3}", "⁴": "^{4}", "½": "\\frac{1}{2}",
        "¼": "\\frac{1}{4}", "¾": "\\frac{3}{4}", "⌊": "\\lfloor ", "⌋": "\\rfloor ",
        "⌈": "\\lceil ", "⌉": "\\rceil ", "º": "°", "€": "", "£": "", "¥": "",
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    }
)  # fmt: skip

# Commands that mean the same as another, or nothing.
_ALIASES = {
    **dict.fromkeys(("dfrac", "tfrac", "cfrac"), "\\frac"),
    **dict.fromkeys(("dbinom", "tbinom"), "\\binom"),
    **dict.fromkeys(("leq", "leqslant", "leqq"), "\\le"),
    **dict.fromkeys(("geq", "geqslant", "geqq"), "\\ge"),
    **dict.fromkeys(("neq",), "\\ne"),
    **dict.fromkeys(("varnothing",), "\\emptyset"),
    **dict.fromkeys(("lvert", "rvert", "vert", "mid"), "|"),
    **dict.fromkeys(("backslash", "smallsetminus"), "\\setminus"),
    **dict.fromkeys(("approxeq", "simeq", "thickapprox"), "\\approx"),
    **dict.fromkeys(("ast",), "\\cdot"),
    **dict.fromkeys(("lor",), ","),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow"), "\\to"),
    **dict.fromkeys(("lt",), "<"),
    **dict.fromkeys(("gt",), ">"),
    **dict.fromkeys(("lbrace",), "\\{"),
    **dict.fromkeys(("rbrace",), "\\}"),
    **dict.fromkeys(("lbrack",), "["),
    **dict.fromkeys(("rbrack",), "]"),
    **dict.fromkeys(("degree",), "°"),
    **dict.fromkeys(("prime",), "'"),
    **dict.fromkeys(("quad", "qquad", "thinspace", "enspace", "hfill"), " "),
    **dict.fromkeys(
        ("left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl",
         "biggr", "Biggl", "Biggr", "middle", "displaystyle", "textstyle", "scriptstyle",
         "limits", "nolimits", "rm", "bf", "it", "mathstrut", "strut"),
        "",
    ),
}  # fmt: skip
_FONTS = (
    "text textbf textit textrm textnormal textsf texttt mathrm mathbf mathit mathsf mathtt "
    "mathnormal mbox hbox boldsymbol bm operatorname emph underline"
).split()

_NAMES_IN_PLAIN_TEXT = re.compile(
    r"(?<![A-Za-z\\])(sqrt|pi|infinity|infty|inf|oo|sin|cos|tan|cot|arcsin|arccos|arctan|log|ln|"
    r"exp|gcd|lcm|max|min)(?![A-Za-z])"
)
_NOT_LATEX = {"infinity": "\\infty", "inf": "\\infty", "oo": "\\infty"}


def normal(text: str) -> str:
    """The text with one way of writing for each thing; its meaning is kept."""
    text = text.translate(_CHARACTERS).strip().strip("*").strip()
    if any(character.isdigit() and not character.isascii() for character in text):
        raise Unparseable("digits of another script")
    text = re.sub(r"(?<!\\)\\!", "", text)
    text = re.sub(r"(?<!\\)\\[,;:> ]|~", " ", text)
    text = re.sub(r"\\[hv]space\*?\{[^{}]*\}", " ", text)
    # \( \) \[ \] and $ only say that mathematics begins or ends; \$ is money.
    text = re.sub(r"(?<!\\)\\[()\[\]]", " ", text)
    text = re.sub(r"\\?\$", "", text)
    text = re.sub(r"\\([%#&_])", r"\1", text)
    text = re.sub(r"\{,\}", "\N{FIGURE SPACE}", text)  # a separator of thousands; see below
    text = re.sub(r"\\(left|right)\s*\.", "", text)
    text = re.sub(r"\\([A-Za-z]+)", _alias, text)
    text = re.sub(r"\^\s*(?:\\circ|\{\s*\\circ\s*\})", "°", text)
    text = _unwrapped(text, ("boxed", "fbox"))
    text = _fonts(text)
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"^(?:the )?(?:final )?answer(?: is|:)[: ]*", "", text, flags=re.IGNORECASE)
    text = text.strip().rstrip(".;:,").strip()
    text = text.replace("**", "^").replace("<=", "\\le ").replace(">=", "\\ge ")
    text = text.replace("!=", "\\ne ")
    text = _outside_text(text, _plain_names)
    text = re.sub(r"\\frac\s*(\d)\s*(\d)(?!\d)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\frac\s*(\d)\s*\{", r"\\frac{\1}{", text)
    # 1 234 and 1{,}234 are numbers; 1,234 can be a list as well, see readings().
    return re.sub(
        r"(?<![\d.,])\d{1,3}(?:[ \N{FIGURE SPACE}]\d{3})+(?![\d ,]*\d)",
        lambda number: re.sub(r"\D", "", number[0]),
        text,
    ).replace("\N{FIGURE SPACE}", ",")


def _alias(command: re.Match[str]) -> str:
    name = command[1]
    if name in _FONTS:
        return "\\text"
    found = _ALIASES.get(name)
    return command[0] if found is None else found


def _plain_names(text: str) -> str:
    return _NAMES_IN_PLAIN_TEXT.sub(lambda m: _NOT_LATEX.get(m[1], "\\" + m[1]) + " ", text)


def _outside_text(text: str, change: Callable[[str], str]) -> str:
    parts = re.split(r"(\\(?:text|begin|end)\{[^{}]*\})", text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def _unwrapped(text: str, commands: tuple[str, ...]) -> str:
    pattern = re.compile(rf"\\(?:{'|'.join(commands)})\s*\{{")
    while found := pattern.search(text):
        end = _closing(text, found.end() - 1)
        text = f"{text[: found.start()]} {text[found.end() : end]} {text[end + 1 :]}"
    return text


def _fonts(text: str) -> str:
    r"""\text{...} around what would read the same without it goes; " and " becomes a comma."""
    out, position = "", 0
    for found in re.finditer(r"\\text\s*\{([^{}]*)\}", text):
        inner = found[1].strip()
        before = (out + text[position : found.start()]).rstrip()
        if re.fullmatch(r",?\s*(?:and|or)\b,?|,", inner):
            new = ","
        elif inner in _LETTER_UNITS and before[-1:] in tuple("0123456789})"):
            new = f"\\text{{{inner}}}"  # 5\text{ m} is no product
        elif not re.search(r"[A-Za-z]{2}|[^\x00-\x7f°]", inner):
            new = f" {inner} "
        else:
            new = f"\\text{{{inner}}}"
        out += text[position : found.start()] + new
        position = found.end()
    return out + text[position:]


# 2. The outer form.

_OPENING = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "\\lfloor": "\\rfloor"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_OPENERS = {"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\langle", "\\begin"}
_CLOSERS = {")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rangle", "\\end"}
_SIGNS = {"=", "<", ">", "\\le", "\\ge", "\\ne", "\\approx", "\\in", "\\equiv", "\\sim"}
_FLIPPED = {">": "<", "\\ge": "\\le"}
_LETTERS_ONLY = re.compile(r"[^\W\d_]+(?:[ '-]+[^\W\d_]+)*", re.UNICODE)
_WORD_LIKE = re.compile(r"[A-Za-z]{4}|\b(?:yes|no|odd|all|none|true|and|not|any|the)\b", re.I)
_SETS = {"\\emptyset": EMPTY, "\\mathbb{R}": REALS, "\\R": REALS}
_NOTHING = {"nosolution", "nosolutions", "norealsolution", "norealsolutions", "emptyset"}
_EVERYTHING = {"allrealnumbers", "allreals", "allrealx", "thereals"}


def readings(text: str) -> list[Form]:
    """All that a normal text can mean: 1,234 is a number or a list."""
    forms = [read(text)]
    grouped = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
    if grouped.search(text) and not re.search(r"[(\[]|\\\{", text):
        forms.append(read(grouped.sub(lambda m: m[0].replace(",", ""), text)))
    return forms


def read(text: str, depth: int = 0) -> Form:
    """The form of a normal text."""
    text = text.strip()
    if depth > MAX_DEPTH:
        raise Unparseable("too deeply nested")
    if not text:
        raise Unparseable("there is nothing")
    if text in _SETS:
        return _SETS[text]
    words = re.sub(r"\\text\{([^{}]*)\}", r"\1", text)
    if _LETTERS_ONLY.fullmatch(words) and (text != words or _WORD_LIKE.search(words)):
        plain = re.sub(r"[\W_]", "", words).casefold()
        if plain in _NOTHING:
            return EMPTY
        return REALS if plain in _EVERYTHING else Words(plain)
    for reader in (_list, _relation, _union, _matrix, _bracketed):
        form = reader(text, depth + 1)
        if form is not None:
            return form
    return _quantity(text)


def _list(text: str, depth: int) -> Form | None:
    parts = _split(_outside_text(text, lambda t: re.sub(r"\b(?:and|or)\b", ",", t)), {",", ";"})[0]
    texts = [choice for part in parts if part.strip() for choice in _signs(part)]
    if len(texts) < 2:
        return None
    items = [read(text, depth) for text in texts]
    first, *others = items
    if isinstance(first, Named) and not first.name.startswith("("):
        if all(isinstance(item, Named) and item.name == first.name for item in items):
            values = tuple(item.form for item in items if isinstance(item, Named))
            return Named(first.name, Items("", values, ""))
        if not any(isinstance(item, Named) for item in others):  # x = 1, 2, 3
            return Named(first.name, Items("", (first.form, *others), ""))
    return Items("", tuple(items), "")


def _signs(text: str) -> list[str]:
    if text.count("\\pm") != 1 or "\\mp" in text:  # several signs can be meant together or apart
        return [text]
    return [re.sub(r"\\pm\b\s*", sign, text) for sign in ("+", "-")]


def _relation(text: str, depth: int) -> Form | None:
    half_open = re.fullmatch(r"([A-Za-z])\s*(\(.*\]|\[.*\))", text)  # t(0,4], for t in (0,4]
    if half_open:
        return Named(half_open[1], read(half_open[2], depth))
    parts, signs = _split(text, _SIGNS)
    parts = [part.strip() for part in parts]
    if not signs:
        return None
    if not all(parts):
        raise Unparseable("a relation that lacks a side")
    if set(signs) <= {"=", "\\approx"}:
        return _equality(parts, signs, depth)
    if signs == ["\\in"]:
        return Named(_name(parts[0]) or parts[0], read(parts[1], depth))
    if signs == ["\\ne"] and _symbol(parts[0]):
        return Named(parts[0], Without(REALS, Items("{", (read(parts[1], depth),), "}")))
    if all(sign in ("<", "\\le") for sign in signs):
        return _inequality(parts, signs, depth)
    if all(sign in _FLIPPED for sign in signs):
        return _inequality(parts[::-1], [_FLIPPED[sign] for sign in signs][::-1], depth)
    if signs == ["\\ne"]:
        return Relation(parts[0], "\\ne", parts[1])
    raise Unparseable("relations that do not fit together")


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
    raise Unparseable("a chain of inequalities")


_NAME = re.compile(
    r"(?:[A-Za-z]|\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|omega|angle|triangle|overline|"
    r"text|cdot|max|min)(?![A-Za-z])|_\{[^{}]*\}|_[A-Za-z0-9]|\^\{?\d\}?|\{[A-Za-z ]*\}|"
    r"(?<=[A-Za-z])\([^()=]*\)|\([A-Za-z](?:\s*,\s*[A-Za-z])+\)|[-+|/' ])+"
)


def _name(text: str) -> str | None:
    """The text without spaces, if it can name a value: x, f(3), AB^2, m + n, (x, y); not 2x."""
    if len(text) > 60 or not _NAME.fullmatch(text) or not _has_letters(text):
        return None
    if re.search(r"\bnot\b", text):
        return None
    return re.sub(r"\s|\\text|[{}]", "", text)


def _symbol(text: str) -> bool:
    letter = re.fullmatch(r"([A-Za-z]|\\[a-z]+)(?:_(?:\w|\{[^{}]*\}))?", text)
    return letter is not None and letter[1] not in ("\\infty", "\\pi", "e")


def _has_letters(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]", re.sub(r"\\(?!text|alpha|beta|theta)[A-Za-z]+", "", text)))


def _union(text: str, depth: int) -> Form | None:
    parts, signs = _split(text, {"\\cup"})
    if signs:
        return Union(tuple(read(part, depth) for part in parts))
    parts, signs = _split(text, {"\\setminus"})
    if len(signs) == 1:
        return Without(read(parts[0], depth), read(parts[1], depth))
    return None


def _matrix(text: str, depth: int) -> Form | None:
    found = re.fullmatch(r"\\begin\{([bpsB]?matrix)\}(.*)\\end\{\1\}", text.strip("[]() "))
    if found is None:
        if "\\begin" in text:
            raise Unparseable("an environment of LaTeX that is no matrix")
        return None
    rows = [row for row in re.split(r"\\\\(?:\[[^]]*\])?", found[2]) if row.strip()]
    cells = tuple(tuple(read(cell, depth) for cell in row.split("&")) for row in rows)
    if not cells or len({len(row) for row in cells}) != 1:
        raise Unparseable("a matrix with rows of different lengths")
    return Matrix(cells)


def _bracketed(text: str, depth: int) -> Form | None:
    tokens = _TOKEN.findall(text)
    opening, closing = tokens[0], tokens[-1]
    if opening not in ("(", "[", "{", "\\{") or closing not in (")", "]", "}", "\\}"):
        return None
    if _closing(text, 0) != len(text) - len(closing):
        return None
    inner = text[len(opening) : -len(closing)].strip()
    if opening == "\\{" or closing == "\\}":
        if (opening, closing) != ("\\{", "\\}"):
            raise Unparseable("brackets that do not match")
        if not inner:
            return EMPTY
        if re.search(r"[|:]", re.sub(r"\|[^|]*\|", "", inner)):
            raise Unparseable("a set that is described, not listed")
        form = read(inner, depth)
        if isinstance(form, Items) and not form.opening:
            return Items("{", form.items, "}")
        return Items("{", (form,), "}")
    if opening == "{" or closing == "}":
        return read(inner, depth) if (opening, closing) == ("{", "}") else None
    parts = _split(inner, {",", ";"})[0]
    if len(parts) > 1:
        items = tuple(read(part, depth) for part in parts)
        return Items(opening, items, closing)
    return read(inner, depth) if (opening, closing) == ("(", ")") else None


def _split(text: str, separators: set[str]) -> tuple[list[str], list[str]]:
    """The parts between separators that are in no brackets, and those separators."""
    parts, depth = [""], 0
    found: list[str] = []
    for token in _TOKEN.findall(text):
        depth += (token in _OPENERS) - (token in _CLOSERS)
        if depth == 0 and token in separators:
            found.append(token)
            parts.append("")
        else:
            parts[-1] += token
        if depth > MAX_DEPTH:
            raise Unparseable("too deeply nested")
    return parts, found


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens at start is closed; kinds may differ, as in (0, 1]."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in _OPENERS) - (token[0] in _CLOSERS)
        if depth == 0:
            return token.start()
    raise Unparseable("a bracket is never closed")


# 3. Quantities: an expression and its unit.

# Every name of a unit, under the one that is compared. Unknown words are no units: "5 million".
_UNITS = {
    name: names.split()[0]
    for names in (
        "degree degrees deg", "percent percentage pct",
        "mm millimeter millimeters millimetre millimetres",
        "cm centimeter centimeters centimetre centimetres",
        "m meter meters metre metres", "km kilometer kilometers kilometre kilometres",
        "in inch inches", "ft foot feet", "yd yard yards", "mi mile miles",
        "mg milligram milligrams", "g gram grams gm", "kg kilogram kilograms kilo kilos",
        "lb lbs pound pounds", "oz ounce ounces", "ton tons tonne tonnes",
        "ml milliliter milliliters millilitre millilitres mL",
        "l L liter liters litre litres", "gal gallon gallons",
        "s sec secs second seconds", "min mins minute minutes", "h hr hrs hour hours",
        "day days", "week weeks", "month months", "year years yr yrs",
        "mph", "kph kmh", "km/h km/hr", "m/s", "ft/s", "cm/s", "m/s^2",
        "dollar dollars USD usd", "cent cents", "euro euros", "rupee rupees",
        "rad radian radians", "unit units", "N newton newtons", "J joule joules",
        "W watt watts", "V volt volts", "A ampere amperes amp amps", "K kelvin",
        "Hz hertz", "Pa pascal pascals", "ohm ohms", "mol mole moles", "C celsius",
        "F fahrenheit",
        "way ways", "solution solutions", "point points", "digit digits", "square squares",
        "triangle triangles", "student students", "people person persons", "man men",
        "woman women", "child children boy boys girl girls", "apple apples", "ball balls",
        "book books", "card cards", "coin coins", "color colors colour colours",
        "game games", "time times", "step steps", "move moves", "pair pairs",
        "element elements", "integer integers", "number numbers", "value values",
        "sequence sequences", "path paths", "subset subsets", "permutation permutations",
        "arrangement arrangements", "marble marbles", "ticket tickets", "vertex vertices",
        "edge edges", "face faces", "side sides", "tile tiles", "team teams", "page pages",
        "revolution revolutions", "turn turns", "term terms", "word words", "root roots",
        "outcome outcomes", "item items", "cookie cookies", "car cars", "block blocks",
    )
    for name in names.split()
}  # fmt: skip
_LETTER_UNITS = {name for name in _UNITS if len(name) == 1}
_TEXT_UNIT = re.compile(r"(.*[\d})!a-z°|])\s*\\text\{([^{}]*)\}\s*(?:\^\s*\{?\s*([23])\s*\}?)?")
_PLAIN_UNIT = re.compile(r"(.*[\d})!])( ?)([A-Za-z]{2}[A-Za-z/ ]*)(?:\^\s*\{?\s*([23])\s*\}?)?")


def _quantity(text: str) -> Form:
    if text.endswith("%"):
        return Value(text[:-1].strip(), "percent")
    if text.endswith("°") and not any(f"\\{name}" in text for name in _FUNCTIONS):
        return Value(text[:-1].strip(), "degree")
    found = _TEXT_UNIT.fullmatch(text)
    if found:
        unit = _unit(found[2], found[3])
    else:
        found = _PLAIN_UNIT.fullmatch(text)
        # 3km can be a product; 3 km and 3hours are none
        close = found is not None and not found[2] and len(found[3]) < 4
        unit = None if found is None or close else _unit(found[3], found[4])
    if found and unit:
        inner = found[1].strip()
        return Value(inner[:-1].strip() if inner.endswith("°") else inner, unit)
    if "\\text" in text or _WORD_LIKE.search(re.sub(r"\\[A-Za-z]+", "", text)):
        return Words(re.sub(r"\\text|[\s{}]", "", text).casefold())
    return Value(text)


def _unit(words: str, power: str | None) -> str | None:
    words = words.strip().rstrip(".").strip()
    for prefix, exponent in (("square ", "2"), ("sq ", "2"), ("cubic ", "3"), ("cu ", "3")):
        if words.startswith(prefix):
            words, power = words[len(prefix) :], exponent
    inner = re.fullmatch(r"(.*?)\^?([23])", words)
    if inner and inner[1] in _UNITS:
        words, power = inner[1], inner[2]
    per = {" per hour": "/h", " per second": "/s"}
    for phrase, short in per.items():
        if words.endswith(phrase):
            words = _UNITS.get(words[: -len(phrase)], "?") + short
    name = _UNITS.get(words) or _UNITS.get(words.lower() if len(words) > 2 else words)
    return None if name is None else name + (f"^{power}" if power else "")


# 4. Expressions that cannot be misread.

_ATOM = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S")
_FUNCTIONS = set(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp gcd max min".split()
)
_FUNCTION_LETTERS = set("fghpqFGHPQT")
_LETTERS = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho "
    "sigma tau upsilon phi varphi chi psi omega Delta Phi Psi Omega Sigma Lambda Theta".split()
)
_KNOWN = (
    {f"\\{name}" for name in _FUNCTIONS | _LETTERS}
    | {"\\pi", "\\infty", "\\cdot", "\\times", "\\div", "\\frac", "\\sqrt", "\\binom"}
    | {"\\lfloor", "\\rfloor", "\\lceil", "\\rceil", "\\sum", "\\prod"}
)
_KNOWN_CHARACTERS = set("()[]{}+-*/!|^_=,°")


def explicit(latex: str) -> str:
    """The expression with braces around every argument and a dot in every doubtful product.

    Unparseable is raised for what the parser of math-verify would take in another sense than the
    writer's, such as 2 3 (it says 5), x2, 123_7 (it drops the base), n!!, f' and 1/2x.
    """
    atoms = _ATOM.findall(latex)
    for atom in atoms:
        if not (atom in _KNOWN or atom in _KNOWN_CHARACTERS or atom[0].isalnum() or atom[0] == "."):
            raise Unparseable(f"{atom} is not understood")
    return _expression(atoms, 0, None, 0)[0]


def _expression(atoms: list[str], at: int, until: str | None, depth: int) -> tuple[str, int]:
    if depth > MAX_DEPTH:
        raise Unparseable("too deeply nested")
    out: list[str] = []
    last = ""  # what ends here: "number", "letter", "group", "function", or "" for a sign
    slashed = False  # whether it is the divisor of a/b
    while at < len(atoms):
        atom = atoms[at]
        if atom == until:
            return "".join(out), at + 1
        if atom in _CLOSERS:
            raise Unparseable("brackets that do not match")
        kind = _kind(atom)
        if kind in ("number", "letter", "function", "command", "open"):
            if slashed and last not in ("", "function"):
                raise Unparseable("1/2x has two meanings")
            raised = atoms[at + 1 : at + 2] == ["^"]
            if kind == "number" and (last == "number" or (last == "letter" and not raised)):
                raise Unparseable("two numbers, or a letter and a number, side by side")
            # The parser adds what follows a number, as in 2 1/2, where a product is meant.
            doubtful = last in ("number", "group") and kind in ("number", "command", "open")
            # It takes k(n) for a function, and dk for a differential.
            product = last == "letter" and kind == "open" and out[-1] not in _FUNCTION_LETTERS
            if doubtful or product or (last and last != "function" and atom == "d"):
                out.append("\\cdot ")
        if kind == "number":
            mixed = _mixed(atoms, at + 1) if last == "" and atom.isdigit() else None
            if mixed:
                out.append(f"({atom}+\\frac{{{mixed[0]}}}{{{mixed[1]}}})")
                at, last = mixed[2], "group"
            else:
                out.append(f"0{atom}" if atom[0] == "." else atom)
                at, last = at + 1, "number"
                if atoms[at : at + 1] == ["°"]:
                    out[-1] = f"({out[-1]}\\cdot \\frac{{\\pi}}{{180}})"
                    at, last = at + 1, "group"
        elif atom in ("\\frac", "\\binom"):
            upper, at = _argument(atoms, at + 1, depth)
            lower, at = _argument(atoms, at, depth)
            out.append(f"{atom}{{{upper}}}{{{lower}}}")
            last = "group"
        elif atom == "\\sqrt":
            at += 1
            root = ""
            if at < len(atoms) and atoms[at] == "[":
                root, at = _expression(atoms, at + 1, "]", depth + 1)
                root = f"[{root}]"
            radicand, at = _argument(atoms, at, depth)
            out.append(f"\\sqrt{root}{{{radicand}}}")
            last = "group"
        elif kind == "open":
            inner, at = _expression(atoms, at + 1, _CLOSED_BY[atom], depth + 1)
            left, right = ("(", ")") if atom in "([{" else (f"{atom} ", f"{_CLOSED_BY[atom]} ")
            out.append(f"{left}{inner}{right}")
            last = "group"
        elif kind in ("power", "index"):
            if kind == "power" and out and out[-1][0] == "^":
                raise Unparseable("x^a^b has two meanings")
            if not last or (kind == "index" and last in ("number", "group")):
                raise Unparseable(f"{atom} after nothing that can have it")
            inner, at = _argument(atoms, at + 1, depth, number=True)
            out.append(f"{atom}{{{inner}}}")
            last = last if last in ("function", "letter") else "group"
        elif atom == "!":
            if last in ("", "function") or atoms[at + 1 : at + 2] == ["!"]:
                raise Unparseable("n!! is no factorial of a factorial")
            out.append("!")
            at, last = at + 1, "group"
        elif kind in ("letter", "function"):
            out.append(atom if len(atom) == 1 else f"{atom} ")
            if atom == "d" and atoms[at + 1 : at + 2] != ["_"]:
                out[-1] = "(d)"
            at, last = at + 1, kind
        elif atom == "°":
            raise Unparseable("a degree of what is no number")
        else:
            out.append(atom if len(atom) == 1 else f"{atom} ")
            at, last, slashed = at + 1, "", atom in ("/", "\\div")
    if until is not None:
        raise Unparseable("a bracket is never closed")
    return "".join(out), at


_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}


def _kind(atom: str) -> str:
    if atom[0].isdigit() or (atom[0] == "." and len(atom) > 1):
        return "number"
    if atom.isalpha() or atom[1:] in _LETTERS or atom in ("\\pi", "\\infty"):
        return "letter"
    if atom[1:] in _FUNCTIONS or atom in ("\\sum", "\\prod"):
        return "function"
    if atom in ("\\frac", "\\binom", "\\sqrt"):
        return "command"
    if atom in _CLOSED_BY:
        return "open"
    return {"^": "power", "_": "index"}.get(atom, "sign")


def _argument(atoms: list[str], at: int, depth: int, *, number: bool = False) -> tuple[str, int]:
    """The argument of a command, or of ^ and _, after which a whole number may stand unbraced."""
    if at >= len(atoms):
        raise Unparseable("an argument is missing")
    atom = atoms[at]
    if atom in _CLOSED_BY and atom in "({":
        return _expression(atoms, at + 1, _CLOSED_BY[atom], depth + 1)
    if atom == "-" and number:
        inner, end = _argument(atoms, at + 1, depth + 1)
        return f"-{inner}", end
    if _kind(atom) == "letter" or (_kind(atom) == "number" and (number or len(atom) == 1)):
        return atom, at + 1
    raise Unparseable("an argument is missing")


def _mixed(atoms: list[str], at: int) -> tuple[str, str, int] | None:
    r"""Numerator, denominator and end of the proper fraction in 2\frac{1}{2} or 2 1/2."""
    rest = atoms[at : at + 7]
    if rest[:2] == ["\\frac", "{"] and rest[3:5] == ["}", "{"] and rest[6:] == ["}"]:
        upper, lower, end = rest[2], rest[5], at + 7
    elif len(rest) >= 3 and rest[1] == "/":
        upper, lower, end = rest[0], rest[2], at + 3
    else:
        return None
    if upper.isdigit() and lower.isdigit() and int(upper) < int(lower):
        return upper, lower, end
    return None
