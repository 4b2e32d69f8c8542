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
        "∈": "\\in ", "∅": "\\emptyset ", "\u211d": "\\mathbb{R}", "√": "\\sqrt ",
        "θ": "\\theta ", "\u03b1": "\\alpha ", "β": "\\beta ",
        "²": "^{2}", "³": "^{3}", "⁴": "^{4}", "½": "\\frac{1}{2}",
        "¼": "\\frac{1}{4}", "¾": "\\frac{3}{4}", "⌊": "\\lfloor ", "⌋": "\\rfloor ",
        "⌈": "\\lceil ", "⌉": "\\rceil ", "º": "°", "€": "\\euro ", "£": "\\sterling ",
        "¥": "\\yen ",
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    }
)  # fmt: skip

# Commands that mean the same as another, or nothing.
_ALIASES = {
    name: names.split()[0]
    for names in (
        "\\frac dfrac tfrac cfrac", "\\binom dbinom tbinom", "\\le leq leqslant leqq",
        "\\ge geq geqslant geqq", "\\ne neq", "\\emptyset varnothing", "| lvert rvert vert mid",
        "\\setminus backslash smallsetminus", "\\approx approxeq simeq thickapprox", "\\cdot ast",
        "\\or lor vee", "\\and land wedge", "\\to to rightarrow longrightarrow", "< lt", "> gt",
        "\\{ lbrace", "\\} rbrace", "( langle", ") rangle", "[ lbrack", "] rbrack", "° degree",
        "' prime", "P Pr", "\\text textbf textit textrm textnormal textsf texttt mathrm mathbf "
        "mathit mathsf mathtt mathnormal mbox hbox boldsymbol bm operatorname emph underline",
    )
    for name in names.split()[1:]
}  # fmt: skip
_ALIASES.update(dict.fromkeys("quad qquad thinspace enspace hfill".split(), " "))
_ALIASES.update(dict.fromkeys("left right middle big Big bigg Bigg bigl bigr Bigl".split(), ""))
_ALIASES.update(dict.fromkeys("Bigr biggl biggr Biggl Biggr limits nolimits rm bf it".split(), ""))
_ALIASES.update(dict.fromkeys("displaystyle textstyle scriptstyle mathstrut strut".split(), ""))
_ALIASES.update(dict.fromkeys("large Large LARGE huge Huge".split(), ""))

_NAMES_IN_PLAIN_TEXT = re.compile(
    r"(?<![A-Za-z\\])(sqrt|pi|infinity|infty|inf|oo|sin|cos|tan|cot|arcsin|arccos|arctan|log|ln|"
    r"exp|gcd|lcm|(?:max|min)(?=\s*[({]))(?![A-Za-z])"
)
_NOT_LATEX = {"infinity": "\\infty", "inf": "\\infty", "oo": "\\infty"}

_MOD = r"(?:\\[pb]?mod|\\text\{mod\}|\bmod\b) ?\{? ?(\w+) ?\}?"
_MODULUS = rf"\( ?{_MOD} ?\)|{_MOD}"
# |x-2| < 3, but not |z| < 3, as z and w may be complex
_BARS = r"^\| ?([A-Za-vxy]) ?([+-][^|]+)?\| ?(<|\\le) ?((?:\\(?:frac|sqrt|pi)|[\d./{} +-])+)$"

# Words before a value, if none puts it in doubt: the least value is, Area:, the point.
_BEFORE = re.compile(
    r"(?i)^(?!.*(?:n't|\b(?:no|not|never|n?either|one|some|than|at (?:least|most)|about|almost|"
    r"nearly|approximately|around|except|if|unless|may|might|false|wrong|twice|half|negative|"
    r"opposite)\b|\b(?:of|to|by) ?:))(\\[a-z]+ ?\{)? ?(?:[A-Z][A-Z' $]* (?:is|are|equals)\b|"
    r"(?(1)[A-Z' ]*[A-Z]{3}(?=:)|(?!))|(?:at )?(?:the )?(?:ordered )?(?:point|pair|triple|vertex|"
    r"center|vector|interval|set|number|value|exactly|only|a total of|"
    r"all(?: real)?(?=[} ]*[A-Z]\b))s?\b)[: ]*"
    r"(?=\}?[: $]*(?:[^A-Z}]|[A-Z]\b))"
)
_AFTER = re.compile(  # only; (at x=3); what follows Yes or No
    r"(?i)\\text ?\{ ?(?:only ?\}|\((?:at|since|because|double|units)\b[^()]*\)\}?)$|"
    r"(?:(?<=\byes)(?!.*\b(?:not?|never)\b|.*n't)|(?<=\bno))[,.;:] "
    r"(?!.*\b(?:yes|but|or|if|unless|only|maybe)\b)[A-Z]+ [A-Z ,']+\.?(?=\}?$)"
)
# What the end says of letters: for all real x, where c is a constant, (k \in \mathbb{Z}).
_KINDS = r"real|positive|integers?|numbers?|reals|constants?"
_SAID = rf"(?:\\text ?\{{|[ {{}}(),]|for|where|with|all|any|every|each|some|is an?|are|{_KINDS})*"
_REMARK = re.compile(
    r"(?:[,;(] ?(?=[A-Za-z][A-Za-z, ]*\\(?:in|ge)\b)| (?=[kmn] ?\\in)|\\forall|"
    r"(?:\\text ?\{[ ,(]*| )(?=(?:for|where|with)\b))"
    rf"{_SAID}([A-Za-z](?: ?, ?[A-Za-z]){{0,5}})(?![A-Za-z]){_SAID}"
    r"(?:\\in ?\\mathbb\{([NZQRC])\})?([_^](?:\{[^{}]*\}|\S)|(?<=[kmn]) ?\\ge ?[01])?[ .)}]*$"
)

_INNER = r"((?:[^{}]|\{[^{}]*\})*)"
_ORDINAL = r"(?:st|nd|rd|th)"
_DRESS = [
    (re.compile(pattern), plain)
    for pattern, plain in (
        (rf"\{{{_INNER}\\choose(?![A-Za-z]){_INNER}\}}", r"\\binom{\1}{\2}"),
        (rf"\{{{_INNER}\\over(?![A-Za-z]){_INNER}\}}", r"\\frac{\1}{\2}"),
        (r"(?<![\^_A-Za-z])\{ ?(\\pm|[:.]) ?\}", r"\1"),  # 7{:}30
        (r"(?<=[\d.])\\(?:bar|dot|overline) ?(?:\{(\d+)\}|(\d))", r"\\overline{\1\2}"),
        (r"\\text ?\{ ?(\\text ?\{[^{}]*\}) ?\}", r"\1"),
        (rf"(?<=\d)(?:\^\{{\\text\{{{_ORDINAL}\}}\}}|\^?\\text ?\{{{_ORDINAL}\}}|"  # 13^{\text{th}}
         rf"\^\{{{_ORDINAL}\}}|{_ORDINAL})(?=\}}?$)", ""),
        (r"(?<=\d) ?(?:\\text ?\{ ?to ?\}|\bto\b) ?(?=\d)", ":"),  # 3 to 2
        (r"_\{ ?\((\w+)\) ?\}", r"_{\1}"),  # 101_{(2)}
    )
]  # fmt: skip
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS: dict[str, int] = {word: number for number, word in enumerate(_WORDS)}
_NUMBER_WORD = re.compile(
    rf"(?i)(?:^|(?<=_))\{{?(?:\\text ?\{{ ?)?({'|'.join(_NUMBERS)}) ?\}}{{0,2}}$"
)
_SEVERAL = re.compile(r"(?:(?:[A-Z]|-?\d+)(?:,| and|, and) )+(?:[A-Z]|-?\d+)")  # A, B and C
_SYSTEM = re.compile(
    r"(?:\\\{ ?)?\\begin\{(?:cases|aligned|array)\}(?:\{[lcr| ]+\})?(.*)\\end\{(\w+)\}", re.DOTALL
)


def without_words(text: str) -> str:
    """An answer without words around its value."""
    text = re.sub(r"^(\\text\{[^{}]*)\} ?([A-Za-z]) ?\\text\{(?= ?(?:is|are)\b)", r"\1 \2", text)
    text = re.sub(r"\\text ?\{ ?\(or ?\}(.*)\)$", r"\\text{ or }\1", text)
    return _AFTER.sub("", _BEFORE.sub(r"\1", text.strip()))


def _without_remark(text: str) -> str:
    """An argument is in whatever set the question says; others are real; k, m, n may be whole."""
    if (remark := _REMARK.search(text)) is None:
        return text
    stem, letters = text[: remark.start()].rstrip(), set(re.findall("[A-Za-z]", remark[1]))
    others = letters - set(re.findall(r"^\w(?:\(|_\{?)(\w)[)}]? ?=", stem))
    partly = remark[3] or remark[2] in ("N", "Q") or "positive" in remark[0]
    whole = remark[2] == "Z" or "integer" in remark[0]
    partly = partly or (
        whole and (others - set("kmn") or re.search(r"[<>]|\\(?:[lg]e|in)\b", stem))
    )
    return text if (others and partly) or letters - set(stem) else stem


def _without_system(text: str) -> str:
    """Equations below each other as a list: x = 3, y = 4."""
    if (system := _SYSTEM.fullmatch(text)) is None:
        return text
    rows = re.sub(r"& ?= ?&?|= ?&", "=", system[1])
    listed = "&" not in rows and ("=" in rows or system[2] == "cases")
    return rows.replace("\\\\", ",") if listed else text


def normal(text: str) -> str:
    """The text in one notation, with the same meaning."""
    text = text.translate(_CHARACTERS).strip().strip("*").strip()
    if any(character.isdigit() and not character.isascii() for character in text):
        raise Unparseable("it has digits of another script")
    text = re.sub(r"(?<!\\)\\!", "", text)
    text = re.sub(r"(?<!\\)\\[,;:> ]|~", " ", text)
    text = re.sub(r"\\(?:[hv]space\*?|(?:text)?color)\{[^{}]*\}", " ", text)
    # \( \) \[ \] and $ only delimit mathematics; \$ is money, and so is a single $ before digits.
    text = re.sub(r"(?<!\\)\\[()\[\]]", " ", text)
    text = re.sub(r"(?<!\\)\\\$", r"\\dollar ", text)
    if text.count("$") == 1:
        text = re.sub(r"\$(?= ?[\d.])", r"\\dollar ", text)
    text = text.replace("$", "")
    text = re.sub(r"\\([%#&_])", r"\1", text)
    text = re.sub(r"\{,\}", "\N{FIGURE SPACE}", text)  # a separator of thousands; see below
    text = re.sub(r"\\(left|right)\s*\.", "", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: _ALIASES.get(m[1], m[0]), text)
    text = re.sub(r"\\mathbb\s*([A-Z])", r"\\mathbb{\1}", text)
    text = re.sub(r"(\\mathbb\{R\})\s*-\s*(?=\\\{)", r"\1\\setminus ", text)
    text = re.sub(r"\^\s*(?:\\circ|\{\s*\\circ\s*\})", "°", text)
    text = _unwrapped(text, ("boxed", "fbox"))
    text = _without_system(text)
    for dress, plain in _DRESS:
        text = dress.sub(plain, text)
    text = _NUMBER_WORD.sub(lambda word: f"{{{_NUMBERS[word[1].lower()]}}}", text)
    text = _fonts(text)
    text = re.sub(r"\s+", " ", text).strip()
    said = r"^(?:\\text\{ ?)?(?:the )?(?:final )?answer(?: is|:)[: ]*(?:(?<!\\text)\})?"
    text = re.sub(said, "", text, flags=re.IGNORECASE)
    text = re.sub(r"^\(([0-9A-Z]+)\)_", r"\1_", text)  # (101)_2
    text = re.sub(_MODULUS, lambda m: f"\\bmod{{{m[1] or m[2]}}}", text).replace("\\equiv", "=")
    text = _without_remark(text)
    text = re.sub(r"^\\text\{[Aa]ll real numbers except\}", r"x\\ne ", text)
    text = re.sub(r"\\mathbb\{R\}(?:\^\{?\+\}?|_\{ ?> ?0 ?\})", r"(0,\\infty)", text)
    text = re.sub(r"\\mathbb\{R\}_\{ ?\\ge ?0 ?\}", r"[0,\\infty)", text)
    text = re.sub(_BARS, r"-(\4)-(0\2)\3 \1\3 \4-(0\2)", text)
    text = re.sub(_BARS.replace(r"<|\\le", r">|\\ge"), r"-(\4)-(0\2)\3 \1\\or \1\3 \4-(0\2)", text)
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
        inner = re.sub(r"(?<=[A-Za-z]{2})\.$", "", command[1].strip())
        before = (out + text[position : command.start()]).rstrip()
        joint = re.fullmatch(r",?\s*(and|or)\b,?|,", inner)
        if joint:
            new = f"\\{joint[1]} " if joint[1] else ","
        elif re.fullmatch(r"\d[\d.,]* [A-Za-z][A-Za-z ]*", inner):  # \text{30 square feet}
            new = re.sub(r" ([A-Za-z ]+)$", r" \\text{\1}", inner)
        elif _SEVERAL.fullmatch(inner):
            new = re.sub(r",? and ", r"\\and ", inner)
        elif inner in ("infinity", "Infinity"):
            new = "\\infty "
        elif inner in LETTER_UNITS and before[-1:] in tuple("0123456789})"):
            new = f"\\text{{{inner}}}"  # 5\text{ m} is no product
        elif not re.search(r"(?<![\\A-Za-z])[A-Za-z]{2}|[^\x00-\x7f°]", inner):
            new = f" {inner} "
        else:
            new = f"\\text{{{inner}}}"
        out += text[position : command.start()] + new
        position = command.end()
    return out + text[position:]


def squeezed(text: str) -> str:
    """The text without meaningless spaces; 2 3 and \\pi r need theirs."""
    return re.sub(r"(?<![\dA-Za-z]) +| +(?![\dA-Za-z])|(?<!\d) +(?=\d)|(?<=\d) +(?!\d)", "", text)
