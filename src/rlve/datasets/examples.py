"""Prompts with the outputs to learn from, in files that supervised trainers read.

A row has `messages`, of which the last is the assistant's, or a `prompt` and a `completion`, each a
text or messages. `rlve rollouts -o` writes such rows from what a model itself answered rightly, and
`rlve dataset --worked` from worked solutions. Other columns are kept or ignored.
"""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rlve.datasets.parquet import numbered_rows
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.formats import Message, Prompt


class FileExample(NamedTuple):
    """A prompt and what to write after it; a row names its problem, unless it is another's."""

    place: str  # the file and the line, for messages
    prompt: Prompt
    output: str
    row: ProblemRow | None


class _Row(msgspec.Struct):
    messages: list[Message] | None = None
    prompt: Prompt | None = None
    completion: Prompt | None = None


def example_row(row: ProblemRow, prompt: Prompt, output: str) -> ProblemRow:
    """The row of a problem, with an output to learn from."""
    row = row.unprompted()
    if isinstance(prompt, str):
        return msgspec.structs.replace(row, prompt=prompt, completion=output)
    messages: list[Message] = [*prompt, {"role": "assistant", "content": output}]
    return msgspec.structs.replace(row, messages=messages)


def read_examples(path: Path) -> list[FileExample]:
    """The examples in a JSONL or Parquet file; a row without an output is an error."""
    examples = [_example(f"{path}:{number}", raw) for number, raw in numbered_rows(path)]
    if not examples:
        raise UserError(f"{path} has no examples")
    return examples


def _example(place: str, raw: Any) -> FileExample:
    try:
        read = msgspec.convert(raw, _Row)
    except msgspec.ValidationError as error:
        raise UserError(f"{place}: not an example: {error}") from None
    try:
        row = msgspec.convert(raw, ProblemRow)
        row.request()
    except (msgspec.ValidationError, UserError):  # somebody else's: its text is all that is needed
        row = None
    match read:
        case _Row(messages=[*prompt, {"role": "assistant", "content": output}]) if prompt:
            return FileExample(place, prompt, output, row)
        case _Row(messages=None, prompt=prompt, completion=str(output)) if prompt:
            return FileExample(place, prompt, output, row)
        case _Row(messages=None, prompt=prompt, completion=[{"content": output}]) if prompt:
            return FileExample(place, prompt, output, row)
        case _:
            raise UserError(
                f'{place}: an example has "messages" that end with the assistant\'s, or a "prompt" '
                'and a "completion"'
            )
