"""The rule about worked solutions: true, derived line by line, correct, and short."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from statistics import median
from typing import NamedTuple

from rlve.contract import ANSWER, Problem, has_work
from rlve.formats import FORMATS
from rlve.rules.claims import Claim, Side, Token, TooLarge, claims, tokenize
from rlve.rules.subject import Case, Complaint, Raised, Subject, short
from rlve.work.mental import Number

HIGHEST = 6  # worked solutions are read up to this level; above it, only their answers count
SEEDS = 30  # problems per level, or as many as are asked for: medians of fewer vary
FEW = 3  # problems per level above that
USUAL = 1_500  # characters in the median, at the levels
EARLY = (0, 1, 2)
POSITIONS = 10  # numbers up to this one, or the length of a list, need no derivation
SUMMARY = "So "

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_WITH_DIGITS = re.compile(r"[^\s0-9]*[0-9]\S*")
_WORK = "worked()"


def worked(subject: Subject) -> Iterator[Complaint]:
    """A worked solution is correct, and each line follows from the prompt and the lines above."""
    if not has_work(subject.environment):
        return
    levels = [d for d in subject.levels if d <= HIGHEST]
    above = [d for d in subject.levels if d > HIGHEST]
    found: dict[int, list[int]] = {d: [] for d in subject.levels}
    for case in chain(subject.cases(levels, max(subject.seeds, SEEDS)), subject.cases(above, FEW)):
        complaints: list[Complaint] = []
        lines = subject.attempt(_WORK, case, lambda case=case, c=complaints: _lines(case, c))
        yield from complaints
        if isinstance(lines, Raised):
            yield case.complain("the environment raised an exception", lines.text)
        elif lines:
            found[case.difficulty].append(len("\n".join(lines)))
    if levels and not any(found.values()):
        yield Complaint(message="no problem has a worked solution: leave out work()")
    for d in EARLY:
        if found.get(d) and median(found[d]) > USUAL:
            yield Complaint(
                message=f"half of the worked solutions exceed {USUAL:,} characters",
                difficulty=d,
                evidence=f"the median is {median(found[d]):,.0f}",
            )


def _lines(case: Case, complaints: list[Complaint]) -> list[str]:
    problem = case.problem
    lines = problem.worked()
    faults = _answer_faults(problem, lines)
    if lines and case.difficulty <= HIGHEST:
        faults = chain(faults, line_faults(problem.prompt(), lines))
    complaints += [case.complain(message, evidence) for message, evidence in faults]
    return lines


def _answer_faults(problem: Problem, lines: list[str]) -> Iterator[tuple[str, str]]:
    if type(problem).from_parameters(problem.parameters()).worked() != lines:
        yield "the same problem, rebuilt, has a different worked solution", ""
    if not lines:
        return
    for format in FORMATS.values():
        output = format.worked_output(problem, lines) or ""
        if not problem.verify(output, marker=format.marker).correct:
            yield "the answer of a worked solution is not correct", short(lines[-1])
            break


def line_faults(prompt: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the lines of a worked solution, and the line itself."""
    reader = _Reading(prompt)
    for line in lines[:-1]:
        if "\n" in line or not line.strip():
            yield "a step of a worked solution must be one line", repr(line)
        for message in reader.read(line):
            yield message, line
    missing = reader.missing(lines[-1].removeprefix(ANSWER).split())
    if missing is not None:
        yield "the answer is not in the lines above it", short(missing)


class _Reading:
    """What a reader knows after the prompt and some lines."""

    def __init__(self, prompt: str) -> None:
        self.positions = max(POSITIONS, _longest_list(prompt))
        numbers: list[str] = _NUMBER.findall(prompt)
        self.known = {_number(text) for text in set(numbers)}
        self.digits = f" {' '.join(numbers)} "  # to find runs of digits in
        self.counters: dict[str, set[Number]] = {}  # the numbers that followed a word
        self.lines: list[str] = []
        self.above: list[str] = []  # the numbers in the line above

    def read(self, text: str) -> Iterator[str]:
        """What is wrong with the next line, given those before it."""
        line = _parse(text)
        yield from line.faults
        unknown = self._unknown(line)
        if unknown:
            yield f"{line.numbers[unknown[0]].text} is neither given nor derived"
        self._learn(line)
        self.lines.append(text)

    def missing(self, answer: Sequence[str]) -> str | None:
        """The first part of the answer that is not in the lines so far, if there is one."""
        squeezed = "".join(self.lines[-1].split()) if self.lines else ""
        text = "\n".join(self.lines)
        values = {_number(each) for each in set(_NUMBER.findall(text))}
        joined = ("".join(self.above), "".join(self.above[::-1]))
        for token in answer:
            bare = token.strip(",;:()[]")
            if number := _NUMBER.fullmatch(bare.lstrip("+-")):
                shown = _number(number[0]) in values or bare in joined
            else:
                shown = token in squeezed or token in text
            if not shown:
                return token
        return None

    def _unknown(self, line: "_Line") -> list[int]:
        """The positions of the numbers that come from nowhere."""
        unknown = [at for at, number in line.numbers.items() if not self._is_known(number)]
        progress = True
        while unknown and progress:  # a value can be an operand of the next step on its line
            values = [v for operands, v in line.steps if not any(i in operands for i in unknown)]
            left = [i for i in unknown if not any(i in value for value in values)]
            left = [i for i in left if not self._follows(line, i, left)]
            progress, unknown = len(left) < len(unknown), left
        return unknown

    def _follows(self, line: "_Line", i: int, unknown: list[int]) -> bool:
        """Whether a number repeats, continues or joins known ones to its left, or joins above."""
        before = {j: n for j, n in line.numbers.items() if j < i and j not in unknown}
        text, value, word = line.numbers[i]
        if any(other.value == value for other in before.values()):
            return True
        if i - 1 in before and abs(before[i - 1].value - value) == 1:  # 11 12 13
            return True
        for other in before.values():  # row 11: 4, row 12: 5
            if word and abs(other.value - value) == 1 and other.word == word:
                return True
        texts = [other.text for other in before.values()]
        ways = (texts, texts[::-1], self.above, self.above[::-1])
        return any(_joins(text, way) for way in ways)

    def _is_known(self, number: "_Written") -> bool:
        text, value, word = number
        if value in self.known or (value.denominator == 1 and value <= self.positions):
            return True
        if not text.strip("0") or text == f"1{'0' * (len(text) - 1)}":  # a power of ten
            return True
        if word and {value - 1, value + 1} & self.counters.get(word, set()):
            return True
        digits = text.rstrip("0")
        return text in self.digits or self._has_at_place(digits, len(text) - len(digits))

    def _has_at_place(self, digits: str, zeros: int) -> bool:
        """Whether a known number has these digits followed by so many others: 300 in 347."""
        at = self.digits.find(digits)
        while at >= 0:
            end = at + len(digits)
            others = self.digits[end : end + zeros]
            if self.digits[end + zeros : end + zeros + 1] == " " and others.isdigit():
                return True
            at = self.digits.find(digits, at + 1)
        return False

    def _learn(self, line: "_Line") -> None:
        for _, value, word in line.numbers.values():
            self.known.add(value)
            if word:
                self.counters.setdefault(word, set()).add(value)
        self.above = [number.text for number in line.numbers.values()]
        self.positions = max(self.positions, len(self.above))
        self.digits += "".join(f"{text} " for text in self.above)


class _Written(NamedTuple):
    """A number in a line."""

    text: str
    value: Number
    word: str  # that it follows


class _Line(NamedTuple):
    """What a line says, whatever stands above it."""

    numbers: dict[int, _Written]  # by their positions among its tokens
    steps: list[tuple[range, range]]  # from where to where a value is derived
    faults: list[str]


@lru_cache(2**12)  # most lines return in other problems of the environment
def _parse(text: str) -> _Line:
    tokens, faults = tokenize(text), list[str]()
    numbers = {
        i: _Written(token.text, _number(token.text), _label(tokens, i))
        for i, token in enumerate(tokens)
        if token.kind == "number"
    }
    try:
        stated = list(claims(tokens))
    except TooLarge:
        faults.append("a claim has a number that is too large to check")
        stated = []
    for claim in stated:
        faults += _untrue(claim, tokens)
    if text.startswith(SUMMARY):
        return _Line(numbers, [], faults)
    for claim in stated:
        if (step := _step(claim)) and not step.easy:
            faults.append(
                "a step is not one for the head: use the helpers of rlve.work, or begin "
                "a summary of lines above with 'So'"
            )
    return _Line(
        numbers, [step for claim in stated for step in _derivations(claim, tokens)], faults
    )


def _untrue(claim: Claim, tokens: list[Token]) -> Iterator[str]:
    text = " ".join(token.text for token in tokens[claim.left.start : claim.right.end])
    if not claim.asked:
        if not claim.holds:
            yield f"it is not true that {text}"
    elif claim.reply not in ("yes", "no"):
        yield f"the question {text}? is not followed by yes or no"
    elif claim.holds != (claim.reply == "yes"):
        yield f"the question {text}? has the wrong reply"


def _step(claim: Claim) -> Side | None:
    """The side that is worked out, if the other one is its value."""
    if claim.relation != "=" or claim.asked:
        return None
    for value, side in ((claim.right, claim.left), (claim.left, claim.right)):
        if value.operations == 0 and side.operations:
            return side
    return None


def _derivations(claim: Claim, tokens: list[Token]) -> Iterator[tuple[range, range]]:
    """The positions of the numbers that a claim derives a value from, and those of the value."""
    if claim.relation != "=" or claim.asked:
        return
    for value, side in ((claim.right, claim.left), (claim.left, claim.right)):
        if _is_plain(value, tokens) and side.operations:
            yield range(side.start, side.end), range(value.start, value.end)


def _is_plain(value: Side, tokens: list[Token]) -> bool:
    """Whether it is a number or a fraction."""
    texts = [token.text for token in tokens[value.start : value.end]]
    return value.operations == 0 or (value.operations == 1 and "/" in texts)


def _label(tokens: list[Token], i: int) -> str:
    """The word that a number follows, with or without an equals sign between them."""
    j = i - 1
    if j >= 0 and tokens[j].text in ("=", ":", "("):
        j -= 1
    return tokens[j].text.lower() if j >= 0 and tokens[j].kind == "name" else ""


def _joins(text: str, parts: Sequence[str]) -> bool:
    """Whether a text is made of two or more consecutive parts; zeros in front do not count."""
    if text.lstrip("0") not in "".join(parts):
        return False
    for start in range(len(parts)):
        written = ""
        for part in parts[start:]:
            written += part
            if len(written.lstrip("0")) > len(text):
                break
            if written != part and (written == text or written.lstrip("0") == text.lstrip("0")):
                return True
    return False


def _number(text: str) -> Number:
    return Fraction(text) if "." in text else int(text)


def _longest_list(prompt: str) -> int:
    """The most numbers or characters in a row, or rows in a block, that are data and not prose."""
    longest = block = 0
    for line in prompt.replace(",", " ").splitlines():
        parts = line.split()
        numbers = len(_WITH_DIGITS.findall(line)) if len(parts) > 1 else 0
        if len(parts) == 1:
            size = len(parts[0])
        else:
            size = numbers if 2 * numbers >= len(parts) else 0
        block = block + 1 if size else 0
        longest = max(longest, size, block)
    return longest
