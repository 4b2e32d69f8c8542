"""Rewriting the many notations of people and models into the one that is read."""

import re

from rlve.errors import Unparseable
from rlve.judges.math.brackets import closed_at, outside_text
from rlve.judges.math.units import LETTER_UNITS

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
        "⌈": "\\lceil ", "⌉": "\\rceil ", "º": "°", "€": "\\euro ", "£": "\\sterling ",
        "¥": "\\yen ",
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
    **dict.fromkeys(("lor", "vee"), "\\or"),
    **dict.fromkeys(("land", "wedge"), "\\and"),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow"), "\\to"),
    **dict.fromkeys(("lt",), "<"),
    **dict.fromkeys(("gt",), ">"),
    **dict.fromkeys(("lbrace",), "\\{"),
    **dict.fromkeys(("rbrace",), "\\}"),
    **dict.fromkeys(("langle",), "("),
    **dict.fromkeys(("rangle",), ")"),
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
    r"exp|gcd|lcm|(?:max|min)(?=\s*[({]))(?![A-Za-z])"
)
_NOT_LATEX = {"infinity": "\\infty", "inf": "\\infty", "oo": "\\infty"}


def normal(text: str) -> str:
    """The text in one notation, with the same meaning."""
    text = text.translate(_CHARACTERS).strip().strip("*").strip()
    if any(character.isdigit() and not character.isascii() for character in text):
        raise Unparseable("it has digits of another script")
    text = re.sub(r"(?<!\\)\\!", "", text)
    text = re.sub(r"(?<!\\)\\[,;:> ]|~", " ", text)
    text = re.sub(r"\\[hv]space\*?\{[^{}]*\}", " ", text)
    # \( \) \[ \] and $ only delimit mathematics; \$ is money, and so is a single $ before digits.
    text = re.sub(r"(?<!\\)\\[()\[\]]", " ", text)
    text = re.sub(r"(?<!\\)\\\$", r"\\dollar ", text)
    if text.count("$") == 1:
        text = re.sub(r"\$(?= ?[\d.])", r"\\dollar ", text)
    text = text.replace("$", "")
    text = re.sub(r"\\([%#&_])", r"\1", text)
    text = re.sub(r"\{,\}", "\N{FIGURE SPACE}", text)  # a separator of thousands; see below
    text = re.sub(r"\\(left|right)\s*\.", "", text)
    text = re.sub(r"\\([A-Za-z]+)", _alias, text)
    text = re.sub(r"\\mathbb\s*([A-Z])", r"\\mathbb{\1}", text)
    text = re.sub(r"(\\mathbb\{R\})\s*-\s*(?=\\\{)", r"\1\\setminus ", text)
    text = re.sub(r"\{([^{}]*)\\choose(?![A-Za-z])([^{}]*)\}", r"\\binom{\1}{\2}", text)
    text = re.sub(r"\^\s*(?:\\circ|\{\s*\\circ\s*\})", "°", text)
    text = _unwrapped(text, ("boxed", "fbox"))
    text = _fonts(text)
    text = re.sub(r"\s+", " ", text).strip()
    said = r"^(?:\\text\{ ?)?(?:the )?(?:final )?answer(?: is|:)[: ]*(?:(?<!\\text)\})?"
    text = re.sub(said, "", text, flags=re.IGNORECASE)
    text = re.sub(r"^\(([0-9A-Z]+)\)_", r"\1_", text)  # (101)_2
    text = re.sub(r"[,;]?\s*\(?\s*[kmn]\s*\\in\s*\\mathbb\{Z\}\s*\)?[.]?$", "", text)
    if not re.search(r"(?:\.\.\.|\\[a-z]*dots)\s*$", text):  # which says that it goes on
        text = text.strip().rstrip(".;:,").strip()
    text = text.replace("**", "^").replace("<=", "\\le ").replace(">=", "\\ge ")
    text = re.sub(r"(?<![\d)])!=", r"\\ne ", text)  # 5!=120 is about a factorial
    text = outside_text(text, _plain_names)
    text = re.sub(r"\\frac\s*(\d)\s*(\d)(?!\d)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\frac\s*(\d)\s*\{", r"\\frac{\1}{", text)
    # 1 234 and 1{,}234 are numbers; 1,234 could also be a list, see readings().
    return re.sub(
        r"(?<![\d.,])\d{1,3}(?:[ \N{FIGURE SPACE}]\d{3})+(?![\d ,]*\d)",
        lambda number: re.sub(r"\D", "", number[0]),
        text,
    ).replace("\N{FIGURE SPACE}", ",")


def _alias(command: re.Match[str]) -> str:
    return "\\text" if command[1] in _FONTS else _ALIASES.get(command[1], command[0])


def _plain_names(text: str) -> str:
    return _NAMES_IN_PLAIN_TEXT.sub(lambda m: _NOT_LATEX.get(m[1], "\\" + m[1]) + " ", text)


def _unwrapped(text: str, commands: tuple[str, ...]) -> str:
    pattern = re.compile(rf"\\(?:{'|'.join(commands)})\s*\{{")
    while command := pattern.search(text):
        end = closed_at(text, command.end() - 1)
        text = f"{text[: command.start()]} {text[command.end() : end]} {text[end + 1 :]}"
    return text


def _fonts(text: str) -> str:
    r"""Remove \text{...} where it makes no difference, and turn " and " into a command."""
    out, position = "", 0
    for command in re.finditer(r"\\text\s*\{([^{}]*)\}", text):
        inner = command[1].strip()
        before = (out + text[position : command.start()]).rstrip()
        joint = re.fullmatch(r",?\s*(and|or)\b,?|,", inner)
        if joint:
            new = f"\\{joint[1]} " if joint[1] else ","
        elif re.fullmatch(r"\d[\d.,]* [A-Za-z]+", inner):  # \text{30 days}
            new = re.sub(r"([A-Za-z]+)$", r"\\text{\1}", inner)
        elif inner in ("infinity", "Infinity"):
            new = "\\infty "
        elif inner in LETTER_UNITS and before[-1:] in tuple("0123456789})"):
            new = f"\\text{{{inner}}}"  # 5\text{ m} is no product
        elif not re.search(r"[A-Za-z]{2}|[^\x00-\x7f°]", inner):
            new = f" {inner} "
        else:
            new = f"\\text{{{inner}}}"
        out += text[position : command.start()] + new
        position = command.end()
    return out + text[position:]


def squeezed(text: str) -> str:
    """The text without meaningless spaces; 2 3 and \\pi r need theirs."""
    return re.sub(r"(?<![\dA-Za-z]) +| +(?![\dA-Za-z])|(?<!\d) +(?=\d)|(?<=\d) +(?!\d)", "", text)
