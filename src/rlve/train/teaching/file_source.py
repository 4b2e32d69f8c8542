"""Teaching from a file: prompts, and the outputs to write after them."""

from pathlib import Path
from typing import Any

from rlve.datasets.examples import read_examples
from rlve.datasets.rows import load_rows
from rlve.errors import UserError
from rlve.models.policy import Policy
from rlve.pool import Pool
from rlve.train.epochs import Epochs
from rlve.train.teaching.config import LessonConfig
from rlve.train.teaching.examples import Example, end_token


class FileSource:
    """The examples of a file, in a new random order in every epoch, without end."""

    def __init__(
        self, path: Path, data: LessonConfig, policy: Policy, pool: Pool, *, seed: int
    ) -> None:
        self.batch, self.position = data.examples, 0
        self.left_out: dict[str, dict[str, int]] = {}
        read = read_examples(path)
        named = [(example.place, example.row) for example in read if example.row is not None]
        problems = iter([problem for problem, _ in load_rows(pool, named)])
        end = end_token(policy)
        self._examples: list[Example] = []
        for number, (_, prompt, output, row) in enumerate(read):
            problem = None if row is None else next(problems)
            name = path.name if row is None else row.environment
            tokens = policy.tokenise(prompt)
            answer = [*policy.continuation(output), end]
            if len(tokens) > data.max_prompt_tokens:
                self._leave_out(name, "prompt too long")
            elif len(answer) > data.max_answer_tokens:
                self._leave_out(name, "answer too long")
            else:
                level = 0 if row is None or row.difficulty is None else row.difficulty
                self._examples.append(Example(name, level, number, problem, tokens, answer))
        if not self._examples:
            raise UserError(
                f"every prompt or output in {path} is too long; raise data.max-prompt-tokens or "
                "data.max-answer-tokens"
            )
        self._epochs = Epochs(len(self._examples), f"examples/{seed}")

    def _leave_out(self, name: str, reason: str) -> None:
        counts = self.left_out.setdefault(name, {})
        counts[reason] = counts.get(reason, 0) + 1

    def take(self) -> list[Example]:
        """The next batch."""
        begin, self.position = self.position, self.position + self.batch
        positions = range(begin, self.position)
        return [self._examples[self._epochs.index(position)] for position in positions]

    def state_dict(self) -> dict[str, Any]:
        """Everything load_state_dict needs to continue exactly from here."""
        return {"position": self.position, "examples": len(self._examples)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["examples"] != len(self._examples):
            raise UserError("data.file has changed since the run began")
        self.position = state["position"]

    def close(self) -> None:
        """There is nothing to stop."""
