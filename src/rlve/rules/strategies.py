"""Ways of answering that look at the prompt and solve nothing, and what they earn.

A policy that is paid for guessing learns to guess. So a panel of thoughtless strategies (a constant
that was right before, a copied number, the sum of two, the input sorted, 1 to n, ones) is tried on
every environment: the best of them is chosen on one half of a level's problems, and measured on the
other half, so that none looks good by luck.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, product
from statistics import median_low
from typing import NamedTuple, TypeAlias

from rlve.contract import Verdict

LEVELS = (0, 3, 9)
PROBLEMS = 100  # per level: one half to choose on, the other to measure on
FIRST_ROUND = 12  # problems on which every strategy is tried
FINALISTS = 12  # strategies that are tried on the rest of the first half

ENDS = 12  # numbers copied from either end of the prompt
PAIRED = 5  # numbers at either end of which each two are combined
LARGEST = 2_000  # numbers in a made-up list or grid
SIZES = 64  # of which it is kept, as most problems of a level have the same
DIGITS = 300  # of a number that a prompt's numbers are read as
_NUMBER = re.compile(rf"(?<![\w.])-?[0-9]{{1,{DIGITS}}}(?![\w.]*[A-Za-z_])")
_WORD = re.compile(r"[A-Za-z]{3,}")
_PROSE = 4  # words that make a line a sentence


class Question(NamedTuple):
    """A problem, as far as a strategy and its judge know it."""

    prompt: str
    reference: str | None
    judge: Callable[[str], Verdict | None]  # None if it has no verdict


@dataclass
class Sight:
    """What a strategy sees."""

    numbers: list[int]  # of the prompt, in order
    rows: list[list[int]]  # the numbers of each line that is not a sentence
    tokens: list[str]  # of those lines
    solved: Sequence[str]  # right answers to other problems of the level

    @classmethod
    def of(cls, prompt: str, solved: Sequence[str]) -> "Sight":
        """Without the part of the prompt that says how to write the answer."""
        body = prompt.partition("Output format")[0]
        data = [line for line in body.splitlines() if len(_WORD.findall(line)) < _PROSE]
        return cls(
            numbers=_integers(body),
            rows=[row for line in data if (row := _integers(line))],
            tokens=[token for line in data for token in line.split()],
            solved=solved,
        )

    @cached_property
    def longest(self) -> list[int]:
        """The longest line of numbers."""
        return max(self.rows, key=len)

    @cached_property
    def table(self) -> list[int]:
        """All numbers in the lines that are not sentences."""
        return [number for row in self.rows for number in row]


Answer: TypeAlias = Callable[[Sight], str]
"""A strategy; IndexError or ValueError if the prompt has not what it looks for."""
Labelled: TypeAlias = Iterator[tuple[str, Answer]]


class Earnings(NamedTuple):
    """What the best strategies earn at a level, on problems they were not chosen on."""

    strategy: str  # the one that is most often right
    wins: int
    tried: int
    shaped: str  # the one with the highest mean reward
    reward: float

    @property
    def share(self) -> float:
        """How often the first one is right."""
        return self.wins / self.tried


def earnings(questions: Sequence[Question]) -> Earnings:
    """What the best strategies earn on the second half of these problems of a level."""
    middle = len(questions) // 2
    return Contest(questions[:middle]).earnings(questions[middle:])


class Contest:
    """The strategies of a panel that do best on the first of a level's problems.

    share   how often the best of them is right there
    """

    def __init__(
        self, questions: Sequence[Question], panel: Mapping[str, Answer] | None = None
    ) -> None:
        self._solved = [text for q in questions if (text := q.reference) is not None]
        trials = [_Trial(question, self._solved) for question in questions]
        labels = list(panel or PANEL)
        for number in (min(FIRST_ROUND, len(trials)), len(trials)):
            seen = {label: [trial.verdict(label) for trial in trials[:number]] for label in labels}
            wins = {label: _wins(seen[label]) for label in labels}
            means = {label: _mean(seen[label]) for label in labels}
            by_wins = sorted(labels, key=lambda label: (-wins[label], -means[label]))
            by_mean = sorted(labels, key=lambda label: -means[label])
            labels = list(dict.fromkeys((*by_wins[:FINALISTS], *by_mean[:FINALISTS])))
        self._strategy, self._shaped = by_wins[0], by_mean[0]
        self.share = wins[self._strategy] / len(trials)

    def earnings(self, questions: Sequence[Question]) -> Earnings:
        """What they earn on other problems."""
        trials = [_Trial(question, self._solved) for question in questions]
        return Earnings(
            strategy=self._strategy,
            wins=_wins([trial.verdict(self._strategy) for trial in trials]),
            tried=len(trials),
            shaped=self._shaped,
            reward=round(_mean([trial.verdict(self._shaped) for trial in trials]), 3),
        )


class _Trial:
    """A problem, and the verdicts on what strategies answer; each text is judged once."""

    def __init__(self, question: Question, solved: Sequence[str]) -> None:
        self.judge = question.judge
        self.sight = Sight.of(question.prompt, solved)
        self.known: dict[str, Verdict | None] = {}

    def verdict(self, label: str) -> Verdict | None:
        try:
            text = PANEL[label](self.sight)
        except (IndexError, ValueError):
            return None
        if text not in self.known:
            self.known[text] = self.judge(text)
        return self.known[text]


def _wins(verdicts: Iterable[Verdict | None]) -> int:
    return sum(verdict is not None and verdict.correct for verdict in verdicts)


def _mean(verdicts: Sequence[Verdict | None]) -> float:
    """A strategy that has no answer is given the reward of an unreadable one."""
    return sum(-1.0 if v is None else v.reward for v in verdicts) / len(verdicts)


def _integers(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text)]


def _constants() -> Labelled:
    def frequent(rank: int) -> Answer:
        return lambda sight: Counter(sight.solved).most_common(rank + 1)[rank][0]

    def constant(text: str) -> Answer:
        return lambda sight: text

    for rank in range(4):
        yield (f"the constant right most often, rank {rank + 1}", frequent(rank))
    yield ("the median of other answers", lambda sight: str(median_low(map(int, sight.solved))))
    yield (
        "the median of other answers, a decimal",
        lambda sight: str(median_low(map(float, sight.solved))),
    )
    for text in ("", "0", "1", "-1", "2", "Yes", "No", "0 1", "1 0", "1 2", "0 0", "1 1"):
        yield (f"the answer {text!r}", constant(text))


def _at(index: int) -> str:
    return f"number {index + 1}" if index >= 0 else f"number {-index} from the end"


def _copies() -> Labelled:
    def number(index: int, plus: int) -> Answer:
        return lambda sight: str(sight.numbers[index] + plus)

    for index in (*range(ENDS), *range(-ENDS, 0)):
        yield (_at(index), number(index, 0))
        if abs(index) <= PAIRED:
            yield (f"{_at(index)}, minus 1", number(index, -1))
            yield (f"{_at(index)}, plus 1", number(index, 1))


def _pairs() -> Labelled:
    operations: dict[str, Callable[[int, int], int]] = {
        "sum": lambda a, b: a + b,
        "difference": lambda a, b: abs(a - b),
        "product": lambda a, b: a * b,
    }

    def combined(operation: Callable[[int, int], int], i: int, j: int) -> Answer:
        return lambda sight: str(operation(sight.numbers[i], sight.numbers[j]))

    for i, j in combinations((*range(PAIRED), *range(-PAIRED, 0)), 2):
        for name, operation in operations.items():
            yield (f"the {name} of {_at(i)} and {_at(j)}", combined(operation, i, j))


def _summaries() -> Labelled:
    places: dict[str, Callable[[Sight], list[int]]] = {
        "the prompt": lambda sight: sight.numbers,
        "the data": lambda sight: sight.table,
        "the data, every second": lambda sight: sight.table[1::2],  # the others can be indices
        "the longest line": lambda sight: sight.longest,
        "the first column": lambda sight: [row[0] for row in sight.rows],
        "the last column": lambda sight: [row[-1] for row in sight.rows],
        "the line with the largest last number": lambda sight: max(
            sight.rows, key=lambda row: row[-1]
        ),
    }
    summaries: dict[str, Callable[[list[int]], int]] = {
        "largest number": max,
        "smallest number": min,
        "median": median_low,
        "sum": sum,
        "range": lambda numbers: max(numbers) - min(numbers),
        "count": len,
        "count of different numbers": lambda numbers: len(set(numbers)),
    }

    def summed_up(
        numbers: Callable[[Sight], list[int]], summary: Callable[[list[int]], int]
    ) -> Answer:
        return lambda sight: str(summary(numbers(sight)))

    for place, numbers in places.items():
        for name, summary in summaries.items():
            yield (f"the {name} in {place}", summed_up(numbers, summary))


def _orders() -> Labelled:
    """A line or a column in some order, or the order itself."""

    def ranks(row: list[int], first: int, *, reverse: bool = False) -> list[int]:
        return [i + first for i in sorted(range(len(row)), key=row.__getitem__, reverse=reverse)]

    orders: dict[str, Callable[[list[int]], Sequence[int]]] = {
        "as it is": lambda row: row,
        "reversed": lambda row: row[::-1],
        "sorted": sorted,
        "sorted, descending": lambda row: sorted(row, reverse=True),
        "without repeats, sorted": lambda row: sorted(set(row)),
        "argsort from 0": lambda row: ranks(row, 0),
        "argsort from 1": lambda row: ranks(row, 1),
        "argsort from 0, descending": lambda row: ranks(row, 0, reverse=True),
        "argsort from 1, descending": lambda row: ranks(row, 1, reverse=True),
        "all its largest": lambda row: [max(row)] * len(row),
    }

    def line(order: Callable[[list[int]], Sequence[int]]) -> Answer:
        return lambda sight: _row(order(sight.longest))

    def column(order: Callable[[list[int]], Sequence[int]]) -> Answer:
        return lambda sight: _row(order([row[-1] for row in sight.rows]))

    for name, order in orders.items():
        yield (f"the longest line, {name}", line(order))
        yield (f"the last column, {name}", column(order))
    yield ("the data as it is", lambda sight: "\n".join(map(_row, sight.rows)))
    yield ("the data, lines reversed", lambda sight: "\n".join(map(_row, sight.rows[::-1])))
    yield ("the first line of the data", lambda sight: _row(sight.rows[0]))
    yield ("the last line of the data", lambda sight: _row(sight.rows[-1]))


def _fillings() -> Labelled:
    """Lists of a length that the prompt states."""

    def number(index: int) -> Callable[[Sight], int]:
        return lambda sight: sight.numbers[index]

    lengths: dict[str, Callable[[Sight], int]] = {
        **{_at(index): number(index) for index in range(3)},
        "the longest line": lambda sight: len(sight.longest),
        "the count of lines": lambda sight: len(sight.rows),
    }
    values: dict[str, Callable[[int, int], int]] = {
        "zeros": lambda i, n: 0,
        "ones": lambda i, n: 1,
        "0, 1, 0, 1, ...": lambda i, n: i % 2,
        "1, 2, 1, 2, ...": lambda i, n: i % 2 + 1,
        "0, 1, 2, ...": lambda i, n: i,
        "1, 2, 3, ...": lambda i, n: i + 1,
        "n, ..., 2, 1": lambda i, n: n - i,
        "n - 1, ..., 1, 0": lambda i, n: n - 1 - i,
    }

    def line(length: Callable[[Sight], int], value: Callable[[int, int], int]) -> Answer:
        @lru_cache(SIZES)
        def text(size: int) -> str:
            return _row(value(i, size) for i in range(size))

        return lambda sight: text(_sized(length(sight)))

    for place, length in lengths.items():
        for name, value in values.items():
            yield (f"{name} of the length {place}", line(length, value))


def _grids() -> Labelled:
    """Grids of a size that the prompt states."""
    cells: dict[str, Callable[[int, int], int]] = {
        "zeros": lambda i, j: 0,
        "ones": lambda i, j: 1,
        "a checkerboard": lambda i, j: (i + j) % 2,
        "the other checkerboard": lambda i, j: (i + j + 1) % 2,
        "a diagonal": lambda i, j: int(i == j),
    }

    def grid(second: int, gap: str, cell: Callable[[int, int], int]) -> Answer:
        @lru_cache(SIZES)
        def text(height: int, width: int) -> str:
            return "\n".join(gap.join(str(cell(i, j)) for j in range(width)) for i in range(height))

        def answer(sight: Sight) -> str:
            height, width = sight.numbers[0], sight.numbers[second]
            _sized(max(0, height) * max(0, width))
            return text(height, width)

        return answer

    for second, (gap, style) in product((0, 1), ((" ", ""), ("", ", closed up"))):
        for name, cell in cells.items():
            size = f"number 1 by number {second + 1}"
            yield (f"a grid of {name}, {size}{style}", grid(second, gap, cell))


def _texts() -> Labelled:
    """Tokens, for problems about strings and names."""

    def longest(sight: Sight) -> str:
        return max(sight.tokens, key=len)

    yield ("the first token", lambda sight: sight.tokens[0])
    yield ("the last token", lambda sight: sight.tokens[-1])
    yield ("the longest token", longest)
    yield ("the longest token, reversed", lambda sight: longest(sight)[::-1])
    yield ("the longest token, sorted", lambda sight: "".join(sorted(longest(sight))))
    yield ("the length of the longest token", lambda sight: str(len(longest(sight))))
    yield ("the letters of the longest token", lambda sight: str(len(set(longest(sight)))))
    yield ("all tokens", lambda sight: " ".join(sight.tokens))
    yield ("all tokens, sorted", lambda sight: " ".join(sorted(sight.tokens)))


def _row(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _sized(size: int) -> int:
    if not 0 <= size <= LARGEST:
        raise ValueError(f"{size:,} numbers are too many")
    return size


_simple, _filled = dict(_constants()), dict(_fillings())
_looking = chain(_copies(), _pairs(), _summaries(), _orders())
PANEL = {**_simple, **dict(_looking), **_filled, **dict(chain(_grids(), _texts()))}
# Of two that do equally well the first is named, so here the fixed answers come first.
SIMPLE = {**dict(reversed(_simple.items())), **_filled}
