"""Plain RLVR: a fixed data set of questions with known answers, instead of environments.

The paper compares RLVE with it. DatasetStream takes the place of rlve.stream.Stream: the questions
come in a new random order in every epoch, and a position is all it needs to resume.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

from rlve.curriculum import Change
from rlve.errors import UserError
from rlve.mathematics import MathQuestion
from rlve.stream import Item

QUESTIONS = ("prompt", "question", "problem", "user_prompt")
ANSWERS = ("ground_truth", "answer", "final_answer", "solution")
NAME = MathQuestion.__name__


class NoCurriculum:
    """A data set has one level."""

    names = (NAME,)

    def draw(self, rng: Random) -> tuple[str, int]:
        return NAME, 0

    def observe(self, name: str, difficulty: int, correct: bool) -> None:
        pass

    def step(self) -> list[Change]:
        return []

    def bounds(self, name: str) -> tuple[int, int]:
        return 0, 0

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


class DatasetStream:
    """The questions of a data set, for ever."""

    def __init__(self, questions: list[MathQuestion], *, seed: int) -> None:
        self.curriculum = NoCurriculum()
        self.seed = seed
        self.position = 0
        self.redrawn: dict[str, dict[str, int]] = {}
        self._questions = questions

    def take(self, count: int) -> list[Item]:
        """The next questions."""
        items = [self._item(self.position + i) for i in range(count)]
        self.position += count
        return items

    def look_ahead(self) -> None:
        """There is nothing to prepare."""

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to go on exactly from here."""
        return {"seed": self.seed, "position": self.position, "size": len(self._questions)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state of a stream over the same data set."""
        if state.get("size") != len(self._questions):
            raise UserError("the state belongs to another data set")
        self.seed, self.position = state["seed"], state["position"]

    def _item(self, position: int) -> Item:
        epoch, place = divmod(position, len(self._questions))
        index = self._order(epoch)[place]
        return Item(position, NAME, 0, index, self._questions[index])

    def _order(self, epoch: int) -> list[int]:
        if getattr(self, "_epoch", None) != epoch:
            self._epoch = epoch
            self._shuffled = list(range(len(self._questions)))
            Random(f"dataset/{self.seed}/{epoch}").shuffle(self._shuffled)
        return self._shuffled


def load_questions(path: Path) -> list[MathQuestion]:
    """The questions of a JSONL, JSON or Parquet file; each row has a prompt and a ground truth."""
    if not path.exists():
        raise UserError(f"there is no file {path}")
    questions = [_question(path, number, row) for number, row in _rows(path)]
    if not questions:
        raise UserError(f"{path} holds no questions")
    return questions


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet as parquet  # pyright: ignore[reportMissingTypeStubs]
        except ImportError:
            raise UserError("reading Parquet needs pyarrow: pip install 'rlve[parquet]'") from None
        rows = cast(Any, parquet).read_table(path).to_pylist()
        yield from enumerate(cast("list[Any]", rows), 1)
        return
    if path.suffix == ".json":
        yield from enumerate(json.loads(path.read_text()), 1)
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                raise UserError(f"{path}:{number}: {error}") from None


def _question(path: Path, number: int, row: Any) -> MathQuestion:
    if not isinstance(row, dict):
        raise UserError(f"{path}:{number}: not a record")
    values = cast("dict[str, Any]", row)
    question = next((values[key] for key in QUESTIONS if key in values), None)
    answer = next((values[key] for key in ANSWERS if key in values), None)
    if isinstance(question, list):  # messages
        messages = cast("list[Any]", question)
        question = messages[-1].get("content") if messages else None
    if not isinstance(question, str) or not isinstance(answer, str | int | float):
        raise UserError(
            f"{path}:{number}: a question ({', '.join(QUESTIONS)}) and an answer "
            f"({', '.join(ANSWERS)}) are needed"
        )
    return MathQuestion(question=question, ground_truth=str(answer))
