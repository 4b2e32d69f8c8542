r"""LaTeX expressions as trees.

    parse(r"2\sqrt{x}")   *(2, sqrt(x))

Whatever has two meanings is Unparseable, such as 2 3, x2, 123_7, n!!, f' and 1/2x. The text is read
once, from left to right.
"""

import re
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rlve.errors import Unparseable
from rlve.judges.math.brackets import CLOSERS, MAX_DEPTH

FUNCTIONS = set(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp gcd max min".split()
)
GREEK = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho "
    "sigma tau upsilon phi varphi chi psi omega Delta Phi Psi Omega Sigma Lambda Theta".split()
)
_LETTERS = GREEK | {"pi"}
_ATOM = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
_NAMED_LISTS = {"\\gcd", "\\max", "\\min"}  # functions of several numbers, in brackets
_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
_FUNCTION_LETTERS = set("fghpqFGHPQT")
_MAX_NUMBER = 1_000  # digits


class Tree(NamedTuple):
    """An expression: an operation with its operands, or a number or a letter."""

    head: str
    parts: "tuple[Tree, ...]" = ()
    content: Fraction | str = ""


def number(value: Fraction | int) -> Tree:
    """A leaf."""
    return Tree("number", (), Fraction(value))


def parse(latex: str) -> Tree:
    """The expression in a text in normal notation."""
    parser = _Parser(_ATOM.findall(latex))
    tree = parser.sum(0)
    if parser.next:
        raise Unparseable(f"{parser.next} is not understood here")
    return tree


class _Parser:
    def __init__(self, atoms: list[str]) -> None:
        self._atoms = atoms
        self._at = 0
        self._bars = 0  # how many | are open
        # A letter that also stands alone is a number: p(1-p) is a product.
        alone = {atom for atom, after in pairwise([*atoms, ""]) if after != "("}
        self._functions = _FUNCTION_LETTERS - alone

    @property
    def next(self) -> str:
        return self._atoms[self._at] if self._at < len(self._atoms) else ""

    def _take(self) -> str:
        atom = self.next
        self._at += 1
        return atom

    def _expect(self, atom: str) -> None:
        if self._take() != atom:
            raise Unparseable(f"{atom} is missing")

    def sum(self, depth: int) -> Tree:
        """Terms with signs between them."""
        terms = [self._signed(depth)]
        while self.next in ("+", "-"):
            terms.append(self._signed(depth))
        return terms[0] if len(terms) == 1 else Tree("+", tuple(terms))

    def _signed(self, depth: int) -> Tree:
        negative = self._negative()
        term = self._product(depth)
        return Tree("*", (number(-1), term)) if negative else term

    def _negative(self) -> bool:
        """Take signs; return whether together they are a minus."""
        negative = False
        while self.next in ("+", "-"):
            negative ^= self._take() == "-"
        return negative

    def _product(self, depth: int) -> Tree:
        """Factors, with or without signs between them."""
        if depth > MAX_DEPTH:
            raise Unparseable("too deeply nested")
        factors: list[Tree] = []
        last = ""  # what ends here: "number", "letter", "group", or "" for a sign
        slashed = False  # whether it is the divisor of a/b
        while True:
            atom = self.next
            if last and atom in ("*", "\\cdot", "\\times", "/", "\\div"):
                self._take()
                slashed = atom in ("/", "\\div")
                factor, last = self._after_sign(depth)
                factors.append(Tree("^", (factor, number(-1))) if slashed else factor)
                continue
            kind = _kind(atom)
            if not kind or (atom == "|" and last and self._bars):
                break
            if last and slashed:
                raise Unparseable("1/2x has two meanings")
            if kind == "number" and last in ("number", "letter"):
                raised = self._atoms[self._at + 1 : self._at + 2] == ["^"]  # n2^n
                if last == "number" or not raised:
                    raise Unparseable("two numbers, or a letter and a number, side by side")
            factor, last = self._factor(depth, mixed=not last)
            factors.append(factor)
        if not factors:
            raise Unparseable("a number is missing" if not atom else f"{atom} is not understood")
        return factors[0] if len(factors) == 1 else Tree("*", tuple(factors))

    def _after_sign(self, depth: int) -> tuple[Tree, str]:
        """The factor after a multiplication or division sign, which may have a sign itself."""
        negative = self._negative()
        factor, last = self._factor(depth, mixed=True)
        return (Tree("*", (number(-1), factor)) if negative else factor), last

    def _factor(self, depth: int, *, mixed: bool) -> tuple[Tree, str]:
        """A number, letter, function or group with its powers and factorials, and what it is."""
        kind = _kind(self.next)
        if kind == "function":
            tree, kind = self._function(depth), "group"
        elif kind == "number":
            tree, kind = self._number(mixed)
        elif kind == "letter":
            tree, kind = self._letter(depth)
        elif kind == "command":
            tree, kind = self._command(depth), "group"
        elif kind == "open":
            tree, kind = self._group(depth), "group"
        else:
            raise Unparseable(f"{self.next or 'the end'} where a number should be")
        raised = False
        while self.next in ("^", "!", "°"):
            atom = self._take()
            if atom == "°":
                if kind != "number" or raised:
                    raise Unparseable("a degree sign after something that is not a number")
                tree, kind = Tree("*", (tree, Tree("letter", (), "\\pi"), _DEGREE)), "group"
            elif atom == "!":
                if self.next == "!":
                    raise Unparseable("n!! is not the factorial of a factorial")
                tree, kind = Tree("!", (tree,)), "group"
            elif raised:
                raise Unparseable("x^a^b has two meanings")
            else:
                tree, raised = Tree("^", (tree, self._exponent(depth))), True
                kind = kind if kind == "letter" else "group"
        if self.next == "_":
            raise Unparseable("an index follows nothing it can apply to")
        return tree, kind

    def _number(self, mixed: bool) -> tuple[Tree, str]:
        text = self._take()
        if len(text) > _MAX_NUMBER:
            raise Unparseable("the number is too long")
        fraction = self._mixed() if mixed and text.isdigit() else None
        if fraction is not None:
            return number(int(text) + fraction), "group"
        return number(Fraction(text)), "number"

    def _mixed(self) -> Fraction | None:
        r"""The proper fraction in 2\frac{1}{2} or 2 1/2."""
        rest = self._atoms[self._at : self._at + 7]
        if rest[:2] == ["\\frac", "{"] and rest[3:5] == ["}", "{"] and rest[6:] == ["}"]:
            upper, lower, size = rest[2], rest[5], 7
        elif len(rest) >= 3 and rest[1] == "/":
            upper, lower, size = rest[0], rest[2], 3
        else:
            return None
        if not (upper.isdigit() and lower.isdigit() and int(upper) < int(lower)):
            return None
        self._at += size
        return Fraction(int(upper), int(lower))

    def _letter(self, depth: int) -> tuple[Tree, str]:
        name = self._take()
        if name in self._functions:
            return Tree("apply", self._listed(depth), name), "group"
        if self.next == "_":
            self._take()
            name = f"{name}_{{{self._index()}}}"
        return Tree("letter", (), name), "letter"

    def _index(self) -> str:
        """The text of an index, which is a part of the name."""
        if self.next != "{":
            atom = self._take()
            if not atom.isalnum():
                raise Unparseable("an index is missing")
            return atom
        text, depth = "", 0
        while True:
            atom = self._take()
            if not atom:
                raise Unparseable("a bracket is never closed")
            depth += (atom == "{") - (atom == "}")
            if depth == 0:
                return text[1:]
            text += atom

    def _group(self, depth: int) -> Tree:
        opening = self._take()
        if opening == "|":
            self._bars += 1
            inner = self.sum(depth + 1)
            self._bars -= 1
            self._expect("|")
            return Tree("abs", (inner,))
        bars, self._bars = self._bars, 0
        inner = self.sum(depth + 1)
        self._bars = bars
        self._expect(_CLOSED_BY[opening])
        if opening == "\\lfloor":
            return Tree("floor", (inner,))
        return Tree("ceil", (inner,)) if opening == "\\lceil" else inner

    def _command(self, depth: int) -> Tree:
        command = self._take()
        if command == "\\sqrt":
            index = number(2)
            if self.next == "[":
                index = self._group(depth)
            return Tree("root", (self._argument(depth), index))
        upper = self._argument(depth)
        lower = self._argument(depth)
        if command == "\\binom":
            return Tree("binom", (upper, lower))
        return Tree("*", (upper, Tree("^", (lower, number(-1)))))

    def _argument(self, depth: int) -> Tree:
        if self.next in ("{", "("):
            return self._group(depth)
        kind = _kind(self.next)
        if kind == "number" and len(self.next) == 1:
            return self._number(mixed=False)[0]
        if kind == "letter":
            return Tree("letter", (), self._take())
        raise Unparseable("an argument is missing")

    def _exponent(self, depth: int) -> Tree:
        negative = self.next == "-"
        if negative:
            self._take()
        number_next = _kind(self.next) == "number"
        tree = self._number(mixed=False)[0] if number_next else self._argument(depth)
        return Tree("*", (number(-1), tree)) if negative else tree

    def _function(self, depth: int) -> Tree:
        name = self._take()[1:]
        if name in ("sum", "prod"):
            return self._series(name, depth)
        if f"\\{name}" in _NAMED_LISTS:
            return Tree(name, self._listed(depth))
        base: Tree | None = None
        power: Tree | None = None
        while self.next in ("_", "^"):
            if self._take() == "^" and power is None:
                power = self._exponent(depth)
            elif base is None and name == "log":
                base = self._exponent(depth)
            else:
                raise Unparseable(f"an index of {name}")
        if power == Tree("*", (number(-1), number(1))):
            if name not in _INVERSES:
                raise Unparseable(f"{name}^{{-1}} has two meanings")
            name, power = _INVERSES[name], None
        argument = self._operand(depth)
        if name == "log":
            tree = Tree("log", (argument, number(10) if base is None else base))
        else:
            tree = Tree(name, (argument,))
        return tree if power is None else Tree("^", (tree, power))

    def _operand(self, depth: int) -> Tree:
        r"""What a function applies to: one group, or all factors up to the next sign or function.

        \sin 2x is \sin(2x), but \sin 2(x) and \sin x/2 have two meanings.
        """
        if self.next in _CLOSED_BY or self.next == "|":
            return self._group(depth)
        factors: list[Tree] = []
        negative = self._negative()
        last = ""
        while (kind := _kind(self.next)) in ("number", "letter", "command"):
            if kind == "number" and last in ("number", "letter"):
                raise Unparseable("two numbers, or a letter and a number, side by side")
            factor, last = self._factor(depth, mixed=not last)
            factors.append(factor)
        if not factors:
            raise Unparseable("a function of nothing")
        if kind == "open" and not (self.next == "|" and self._bars):
            raise Unparseable("a function of a product that goes on in brackets")
        if self.next in ("*", "\\cdot", "\\times", "/", "\\div"):
            after = self._atoms[self._at + 1 : self._at + 2]
            if not after or _kind(after[0]) != "function":
                raise Unparseable("it is not clear where the function ends")
        parts = (number(-1), *factors) if negative else tuple(factors)
        return parts[0] if len(parts) == 1 else Tree("*", parts)

    def _listed(self, depth: int) -> tuple[Tree, ...]:
        """Arguments in brackets."""
        opening = self._take()
        if opening not in ("(", "\\{"):
            raise Unparseable("a function without brackets")
        bars, self._bars = self._bars, 0
        parts = [self.sum(depth + 1)]
        while self.next == ",":
            self._take()
            parts.append(self.sum(depth + 1))
        self._bars = bars
        self._expect(")" if opening == "(" else "\\}")
        return tuple(parts)

    def _series(self, name: str, depth: int) -> Tree:
        low = high = None
        letter = ""
        while self.next in ("_", "^"):
            if self._take() == "^":
                high = self._exponent(depth)
            else:
                self._expect("{")
                letter = self._take()
                self._expect("=")
                low = self.sum(depth + 1)
                self._expect("}")
        if low is None or high is None or _kind(letter) != "letter":
            raise Unparseable("a sum without bounds")
        return Tree(name, (low, high, self._product(depth + 1)), letter)


_DEGREE = number(Fraction(1, 180))


def _kind(atom: str) -> str:
    """What an atom begins, or "" if it begins nothing."""
    if not atom or atom in CLOSERS:
        return ""
    if atom[0] in "0123456789." and atom != ".":
        return "number"
    if (atom.isascii() and atom.isalpha()) or (atom[0] == "\\" and atom[1:] in _LETTERS):
        return "letter"
    if atom[0] == "\\" and (atom[1:] in FUNCTIONS or atom in ("\\sum", "\\prod")):
        return "function"
    if atom in ("\\frac", "\\binom", "\\sqrt"):
        return "command"
    return "open" if atom in _CLOSED_BY or atom == "|" else ""
