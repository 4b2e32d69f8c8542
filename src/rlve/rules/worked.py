"""The rule about worked solutions: true, derived line by line, correct, and short."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import median

from rlve.contract import ANSWER, Problem, has_work
from rlve.formats import FORMATS
from rlve.rules.claims import Claim, Side, Token, TooLarge, claims, tokenize
from rlve.rules.subject import Case, Complaint, Raised, Subject, short
from rlve.work.easy import Number

HIGHEST = 6  # worked solutions are checked up to this level
SEEDS = 10  # problems per level, or as many as are asked for
USUAL = 1_500  # characters in the median, at the levels
EARLY = (0, 1, 2)
POSITIONS = 10  # numbers up to this one, or the length of a list, need no derivation
SUMMARY = "So "

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_WORK = "worked()"


def worked(subject: Subject) -> Iterator[Complaint]:
    """A worked solution is correct, and each line follows from the prompt and the lines above."""
    if not has_work(subject.environment):
        return
    levels = [d for d in subject.levels if d <= HIGHEST]
    found: dict[int, list[int]] = {d: [] for d in levels}
    for case in subject.cases(levels, max(subject.seeds, SEEDS)):
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
    for message, evidence in _faults(problem, lines):
        complaints.append(case.complain(message, evidence))
    return lines


def _faults(problem: Problem, lines: list[str]) -> Iterator[tuple[str, str]]:
    if type(problem).from_parameters(problem.parameters()).worked() != lines:
        yield "the same problem, rebuilt, has a different worked solution", ""
    if not lines:
        return
    for form in FORMATS.values():
        output = form.worked_output(problem, lines) or ""
        if not problem.verify(output, marker=form.marker).correct:
            yield "the answer of a worked solution is not correct", short(lines[-1])
            break
    yield from line_faults(problem.prompt(), lines)


def line_faults(prompt: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the lines of a worked solution, and the line itself."""
    reader = _Reading(prompt)
    for line in lines[:-1]:
        if "\n" in line or not line.strip():
            yield "a step of a worked solution must be one line", repr(line)
        for message in reader.read(line):
            yield message, line
    for token in lines[-1].removeprefix(ANSWER).split():
        if not reader.shows(token):
            yield "the answer is not in the lines above it", short(token)
            return


class _Reading:
    """What a reader knows after the prompt and some lines."""

    def __init__(self, prompt: str) -> None:
        self.positions = max(POSITIONS, _longest_list(prompt))
        numbers: list[str] = _NUMBER.findall(prompt)
        self.known = {_number(text) for text in numbers}
        self.digits = f" {' '.join(numbers)} "  # to find runs of digits in
        self.counters: dict[str, set[Number]] = {}  # the numbers that followed a word
        self.lines: list[str] = []
        self.above: list[str] = []  # the numbers in the line above

    def read(self, line: str) -> Iterator[str]:
        """What is wrong with the next line, given those before it."""
        tokens = tokenize(line)
        try:
            stated = list(claims(tokens))
        except TooLarge:
            yield "a claim has a number that is too large to check"
            stated = []
        for claim in stated:
            yield from _untrue(claim, tokens)
        summary = line.startswith(SUMMARY)
        if not summary:
            for claim in stated:
                if (step := _step(claim)) and not step.easy:
                    yield (
                        "a step is not one for the head: use the helpers of rlve.work, or begin "
                        "a summary of lines above with 'So'"
                    )
        unknown = self._unknown(tokens, [] if summary else stated)
        if unknown:
            yield f"{tokens[unknown[0]].text} is neither given nor derived"
        self._learn(line, tokens)

    def shows(self, token: str) -> bool:
        """Whether a part of the answer is in the lines so far."""
        squeezed = "".join(self.lines[-1].split()) if self.lines else ""
        bare = token.strip(",;:()[]")
        number = _NUMBER.fullmatch(bare.lstrip("+-"))
        if number and any(_number(number[0]) in _values(line) for line in self.lines):
            return True
        if number:
            return bool(self.above) and bare in ("".join(self.above), "".join(self.above[::-1]))
        return token in squeezed or any(token in line for line in self.lines)

    def _unknown(self, tokens: list[Token], stated: list[Claim]) -> list[int]:
        """The positions of the numbers that come from nowhere."""
        unknown = [
            i
            for i, token in enumerate(tokens)
            if token.kind == "number" and not self._is_known(tokens, i)
        ]
        progress = True
        while unknown and progress:  # a value can be an operand of the next step on its line
            derived = {i for claim in stated for i in _derived(claim, tokens, unknown)}
            left = [i for i in unknown if i not in derived]
            left = [i for i in left if not self._follows(tokens, i, left)]
            progress, unknown = len(left) < len(unknown), left
        return unknown

    def _follows(self, tokens: list[Token], i: int, unknown: list[int]) -> bool:
        """Whether a number repeats, continues or joins known ones to its left, or joins above."""
        before = {
            j: token.text
            for j, token in enumerate(tokens[:i])
            if token.kind == "number" and j not in unknown
        }
        value = _number(tokens[i].text)
        if any(_number(text) == value for text in before.values()):
            return True
        if i - 1 in before and abs(_number(before[i - 1]) - value) == 1:  # 11 12 13
            return True
        word = _label(tokens, i)
        for j, text in before.items():  # row 11: 4, row 12: 5
            if word and abs(_number(text) - value) == 1 and _label(tokens, j) == word:
                return True
        texts = list(before.values())
        ways = (texts, texts[::-1], self.above, self.above[::-1])
        return any(_joins(tokens[i].text, way) for way in ways)

    def _is_known(self, tokens: list[Token], i: int) -> bool:
        text = tokens[i].text
        value = _number(text)
        if value in self.known or (value.denominator == 1 and value <= self.positions):
            return True
        if not text.strip("0") or text == f"1{'0' * (len(text) - 1)}":  # a power of ten
            return True
        word = _label(tokens, i)
        if word and {value - 1, value + 1} & self.counters.get(word, set()):
            return True
        digits = text.rstrip("0")
        return text in self.digits or self._has_at_place(digits, len(text) - len(digits))

    def _has_at_place(self, digits: str, zeros: int) -> bool:
        """Whether a known number has these digits followed by so many others: 300 in 347."""
        return bool(digits and re.search(rf"{re.escape(digits)}[0-9]{{{zeros}}} ", self.digits))

    def _learn(self, line: str, tokens: list[Token]) -> None:
        numbers = [(i, token.text) for i, token in enumerate(tokens) if token.kind == "number"]
        for i, text in numbers:
            self.known.add(_number(text))
            if word := _label(tokens, i):
                self.counters.setdefault(word, set()).add(_number(text))
        self.above = [text for _, text in numbers]
        self.positions = max(self.positions, len(numbers))
        self.digits += "".join(f"{text} " for text in self.above)
        self.lines.append(line)


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


def _derived(claim: Claim, tokens: list[Token], unknown: list[int]) -> Iterator[int]:
    """The positions of the numbers that a claim derives from others that are known."""
    if claim.relation != "=" or claim.asked:
        return
    for value, side in ((claim.right, claim.left), (claim.left, claim.right)):
        operands = range(side.start, side.end)
        if _is_plain(value, tokens) and side.operations and not any(i in operands for i in unknown):
            yield from range(value.start, value.end)


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


def _values(line: str) -> set[Number]:
    return {_number(text) for text in _NUMBER.findall(line)}


def _longest_list(prompt: str) -> int:
    """The most numbers or characters in a row, or rows in a block, that are data and not prose."""
    longest = block = 0
    for line in prompt.splitlines():
        parts = line.replace(",", " ").split()
        numbers = sum(bool(_NUMBER.search(part)) for part in parts)
        if len(parts) == 1:
            size = len(parts[0])
        else:
            size = numbers if 2 * numbers >= len(parts) else 0
        block = block + 1 if size else 0
        longest = max(longest, size, block)
    return longest
