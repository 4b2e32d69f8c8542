"""Whether problems of a test set are in the data that a policy was trained on.

Two problems are the same if they have the same environment and parameters, and also if they read
the same: a level that allowed larger numbers, say, is a parameter that no reader sees.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from rlve.datasets.rows import ProblemRow, read_rows
from rlve.errors import UserError
from rlve.evaluate.suite import Suite
from rlve.formats import FORMATS, Prompt

Way: TypeAlias = Literal["parameters", "prompt"]


class Overlap(NamedTuple):
    """A problem that is in both."""

    question: ProblemRow  # of the test set
    file: Path
    line: int  # of the training file; in Parquet, the row
    same: Way  # what they have in common; the same parameters make the same prompt


def overlaps(
    suite: Suite, files: Iterable[Path], read: Callable[[], None] = lambda: None
) -> Iterator[Overlap]:
    """Every line of the training files that has a problem of the suite; `read` counts the lines.

    The files are exports of `rlve dataset`, JSONL or Parquet.
    """
    names = {question.environment for question in suite.questions}
    parameters: dict[bytes, ProblemRow] = {}
    prompts: dict[bytes, ProblemRow] = {}
    for question in suite.questions:
        problem, own = _rebuilt(question)
        parameters[problem] = question
        for text in {own, question.statement} - {None}:
            prompts[_digest(str(text))] = question
            # As exports have it, whose environment may be unknown here and not tell its own text.
            prompts |= {_digest(_text(form.wrap(str(text)))): question for form in FORMATS.values()}
        if question.prompt is not None:
            prompts[_digest(_text(question.prompt))] = question
    for file in files:
        for line, row in read_rows(file):
            read()
            texts = [] if row.prompt is None else [_text(row.prompt)]
            texts += [] if row.statement is None else [row.statement]
            if row.environment in names:
                try:
                    problem, own = _rebuilt(row)
                except UserError as error:
                    raise UserError(f"{file}:{line}: {error}") from None
                if problem in parameters:
                    yield Overlap(parameters[problem], file, line, "parameters")
                    continue
                texts.append(own)
            for text in texts:
                if (found := prompts.get(_digest(text))) is not None:
                    yield Overlap(found, file, line, "prompt")
                    break


def _rebuilt(question: ProblemRow) -> tuple[bytes, str]:
    """What identifies the problem, however its parameters were written; and its text."""
    problem = question.problem()
    # Only what are its fields, converted to their types, in one order of keys.
    written = msgspec.json.encode(problem.parameters(), order="sorted").decode()
    return _digest(f"{question.environment}\0{written}"), problem.prompt()


def _text(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt
    return "\0".join(message.get("content", "") for message in prompt)


def _digest(text: str) -> bytes:
    return blake2b(text.strip().encode(), digest_size=16).digest()
