"""Plain RLVR: a fixed set of problems instead of environments that make new ones.

The paper compares RLVE with it. The set is a file: either published questions with known answers,
which are judged as mathematics, or problems exported by `rlve dataset`, which are judged by their
own environments. DatasetStream takes the place of rlve.stream.Stream. Every epoch uses all the
problems, in a new random order; what is drawn in vain is put back. So a position, and those that
were put back, are enough to resume.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rlve.contract import Problem
from rlve.curricula import Curriculum, StaticCurriculum
from rlve.datasets.questions import read_pairs
from rlve.datasets.rows import is_export, load_rows, read_rows
from rlve.errors import UserError
from rlve.judges.math import MathQuestion
from rlve.pool import Pool
from rlve.registry import family
from rlve.stream import TOO_LONG, Item
from rlve.train.epochs import Epochs


class DatasetProblem(NamedTuple):
    """A problem of a data set, and its difficulty, which is 0 if unknown."""

    problem: Problem
    difficulty: int = 0

    @property
    def name(self) -> str:
        """The name of the environment that judges it."""
        return type(self.problem).__name__


class FixedCurriculum(StaticCurriculum):
    """A curriculum that never adapts; its bounds are those of the set."""

    def __init__(self, bounds: Mapping[str, tuple[int, int]]) -> None:
        super().__init__(bounds, 0, 0)
        self._bounds = dict(bounds)

    def bounds(self, name: str) -> tuple[int, int]:
        return self._bounds[name]


class DatasetStream:
    """An endless stream of a data set's problems.

    `too_long` counts, by environment, the problems left out because of their length.
    """

    def __init__(
        self,
        questions: Sequence[DatasetProblem],
        *,
        seed: int,
        too_long: Mapping[str, int] | None = None,
    ) -> None:
        levels: dict[str, list[int]] = {}
        for question in questions:
            levels.setdefault(question.name, []).append(question.difficulty)
        self.curriculum: Curriculum = FixedCurriculum(
            {name: (min(values), max(values)) for name, values in sorted(levels.items())}
        )
        self.seed = seed
        self.position = 0
        self.redrawn = {name: {TOO_LONG: number} for name, number in (too_long or {}).items()}
        self._questions = questions
        self._epochs = Epochs(len(questions), f"dataset/{seed}")
        self._put_back: list[int] = []  # positions, in order

    def take(self, count: int) -> list[Item]:
        """The next problems; first those that were put back."""
        again, self._put_back = self._put_back[:count], self._put_back[count:]
        begin = self.position
        self.position += count - len(again)
        return [self._item(position) for position in (*again, *range(begin, self.position))]

    def put_back(self, items: Iterable[Item]) -> None:
        """Hand these out again, because nothing came of them."""
        self._put_back = sorted({*self._put_back, *(item.position for item in items)})

    def look_ahead(self) -> None:
        """There is nothing to prepare."""

    def state_dict(self) -> dict[str, Any]:
        """Everything load_state_dict needs to continue exactly from here."""
        return {
            "seed": self.seed,
            "position": self.position,
            "digest": self._digest,
            "put_back": self._put_back,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state of a stream over the same data set."""
        if state["digest"] != self._digest:
            raise UserError("the state belongs to another data set, or the data set has changed")
        self.seed, self.position = state["seed"], state["position"]
        self._put_back = list(state["put_back"])
        self._epochs = Epochs(len(self._questions), f"dataset/{self.seed}")

    @cached_property
    def _digest(self) -> str:
        """What tells this data set from others."""
        digest = hashlib.sha256()
        for question in self._questions:
            parts = question.name, question.difficulty, question.problem.parameters()
            digest.update(msgspec.json.encode(parts) + b"\n")
        return digest.hexdigest()

    def _item(self, position: int) -> Item:
        index = self._epochs.index(position)
        question = self._questions[index]
        return Item(position, question.name, question.difficulty, index, question.problem)


def open_dataset(
    path: Path,
    pool: Pool,
    *,
    seed: int,
    length: Callable[[Problem], int],
    max_prompt_length: int,
) -> DatasetStream:
    """A stream of the problems in a file whose prompts are short enough."""
    short: list[DatasetProblem] = []
    too_long = Counter[str]()
    for question in load_questions(path, pool):
        if length(question.problem) <= max_prompt_length:
            short.append(question)
        else:
            too_long[question.name] += 1
    if not short:
        raise UserError(
            f"every prompt in {path} has more than {max_prompt_length:,} tokens; "
            "raise data.max-prompt-tokens"
        )
    return DatasetStream(short, seed=seed, too_long=too_long)


def generates(names: Sequence[str]) -> list[str]:
    """The names of environments that make new problems, on which accuracy can be measured."""
    return [name for name in names if family(name) != family(MathQuestion.__name__)]


def load_questions(path: Path, pool: Pool) -> list[DatasetProblem]:
    """The problems in a JSONL, JSON or Parquet file: an export, or questions with ground truths.

    Anybody may have written an export, so its problems are made in the pool, under its deadline.
    """
    if path.exists() and is_export(path):
        return list(_exported(path, pool))
    return [
        DatasetProblem(MathQuestion(question=question, ground_truth=answer))
        for question, answer in read_pairs(path)
    ]


def _exported(path: Path, pool: Pool) -> Iterator[DatasetProblem]:
    rows = [(f"{path}:{number}", row) for number, row in read_rows(path)]
    for (_, row), (problem, _) in zip(rows, load_rows(pool, rows), strict=True):
        yield DatasetProblem(problem, row.difficulty or 0)
