"""Plain RLVR: a fixed data set of questions with known answers, instead of environments.

The paper compares RLVE with it. DatasetStream takes the place of rlve.stream.Stream: the questions
come in a new random order in every epoch, and a position is all it needs to resume.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from rlve.curricula import Change, Curriculum
from rlve.datasets.questions import read_pairs
from rlve.errors import UserError
from rlve.judges.math import MathQuestion
from rlve.stream import TOO_LONG, Item

NAME = MathQuestion.__name__


class NoCurriculum:
    """A data set has one level."""

    names: Sequence[str] = (NAME,)

    def draw(self, rng: Random) -> tuple[str, int]:
        return NAME, 0

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
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
    """The questions of a data set, for ever; `too_long` were left out of it."""

    def __init__(self, questions: list[MathQuestion], *, seed: int, too_long: int = 0) -> None:
        self.curriculum: Curriculum = NoCurriculum()
        self.seed = seed
        self.position = 0
        self.redrawn = {NAME: {TOO_LONG: too_long}} if too_long else {}
        self.avoided: dict[str, list[int]] = {}
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
    return [
        MathQuestion(question=question, ground_truth=answer)
        for question, answer in read_pairs(path)
    ]
