"""LaTeX expressions, rewritten so that a parser cannot misread them."""

import re

from rlve.errors import Unparseable
from rlve.judges.math.brackets import CLOSERS, MAX_DEPTH

_ATOM = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S")
FUNCTIONS = set(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp gcd max min".split()
)
_FUNCTION_LETTERS = set("fghpqFGHPQT")
_LETTERS = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho "
    "sigma tau upsilon phi varphi chi psi omega Delta Phi Psi Omega Sigma Lambda Theta".split()
)
_KNOWN = (
    {f"\\{name}" for name in FUNCTIONS | _LETTERS}
    | {"\\pi", "\\infty", "\\cdot", "\\times", "\\div", "\\frac", "\\sqrt", "\\binom"}
    | {"\\lfloor", "\\rfloor", "\\lceil", "\\rceil", "\\sum", "\\prod"}
)
_KNOWN_CHARACTERS = set("()[]{}+-*/!|^_=,°")
GCD = "\\Xi"  # stands for \gcd, which the parser would compute; no text can contain it


def explicit(latex: str) -> str:
    """The expression with braces around every argument and a dot in every ambiguous product.

    Unparseable is raised for what math-verify's parser would misread, such as 2 3 (it says 5), x2,
    123_7 (it drops the base), n!!, f' and 1/2x.
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
        if atom in CLOSERS:
            raise Unparseable("the brackets do not match")
        kind = _kind(atom)
        if kind in ("number", "letter", "function", "command", "open"):
            if slashed and last not in ("", "function"):
                raise Unparseable("1/2x has two meanings")
            raised = atoms[at + 1 : at + 2] == ["^"]
            if kind == "number" and (last == "number" or (last == "letter" and not raised)):
                raise Unparseable("two numbers, or a letter and a number, side by side")
            # The parser would add what follows a number, as in 2 1/2, where a product is meant.
            doubtful = last in ("number", "group") and kind in ("number", "command", "open")
            # It would take k(n) for a function, and dk for a differential.
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
                raise Unparseable(f"{atom} follows nothing it can apply to")
            inner, at = _argument(atoms, at + 1, depth, number=True)
            out.append(f"{atom}{{{inner}}}")
            last = last if last in ("function", "letter") else "group"
        elif atom == "!":
            if last in ("", "function") or atoms[at + 1 : at + 2] == ["!"]:
                raise Unparseable("n!! is not the factorial of a factorial")
            out.append("!")
            at, last = at + 1, "group"
        elif atom == "\\gcd":
            if atoms[at + 1 : at + 2] != ["("]:
                raise Unparseable("gcd without brackets")
            out.append(f"{GCD} ")
            at, last = at + 1, "function"
        elif kind in ("letter", "function"):
            out.append(atom if len(atom) == 1 else f"{atom} ")
            if atom == "d" and atoms[at + 1 : at + 2] != ["_"]:
                out[-1] = "(d)"
            at, last = at + 1, kind
        elif atom == "°":
            raise Unparseable("a degree sign after something that is not a number")
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
    if atom[1:] in FUNCTIONS or atom in ("\\sum", "\\prod"):
        return "function"
    if atom in ("\\frac", "\\binom", "\\sqrt"):
        return "command"
    if atom in _CLOSED_BY:
        return "open"
    return {"^": "power", "_": "index"}.get(atom, "sign")


def _argument(atoms: list[str], at: int, depth: int, *, number: bool = False) -> tuple[str, int]:
    """The argument of a command, or of ^ and _, which may be a number without braces."""
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
