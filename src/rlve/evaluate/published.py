"""The authors' published problems as a suite.

Their file is a JSON list of {user_prompt, metadata}, where metadata is itself JSON in a string:
{environment, config: {parameter, ...}}. The parameters have the same names as in our environments,
so they load as they are. The model reads the published statement in the format of the evaluation,
which says where to put the answer.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from rlve.datasets.rows import Placed, ProblemRow
from rlve.errors import UserError
from rlve.evaluate.questions import Suite, placed_suite
from rlve.foundation.files import DAMAGE, RECORD, read_whole
from rlve.registry import family


class _Entry(msgspec.Struct):
    metadata: str
    user_prompt: str | None = None


class _Config(msgspec.Struct):
    parameter: dict[str, Any]


class _Metadata(msgspec.Struct):
    environment: str
    config: _Config


def load_published(path: Path) -> Suite:
    """The problems in a published file, with their own statements."""
    try:
        entries = msgspec.json.decode(read_whole(path, RECORD), type=list[Any])
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except DAMAGE as error:
        raise UserError(f"{path}: not a list of published problems: {error}") from None
    counts: Counter[str] = Counter()
    rows: list[Placed] = []
    for number, entry in enumerate(entries, 1):
        place = f"{path}: entry {number}"
        try:
            rows.append((place, _question(entry, counts)))
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
    statements = {question.statement for _, question in rows}
    if len(rows) > 1 and len(statements) == 1:
        # One text for all is a remark, for example that the prompts were left out.
        [text] = statements
        why = "has no prompts" if text is None else f"has one prompt for all problems, {text!r}"
        note = f"{path} {why}; rlve's own statements are used instead"
        bare = [(place, msgspec.structs.replace(row, statement=None)) for place, row in rows]
        return placed_suite(path.stem, bare, notes=(note,))
    return placed_suite(path.stem, rows)


def _question(entry: object, counts: Counter[str]) -> ProblemRow:
    if isinstance(entry, dict) and "ground_truth" in entry:
        raise UserError(
            'it has a "ground_truth", like a benchmark; to load one, name it: aime-2024:FILE'
        )
    try:
        known = msgspec.convert(entry, _Entry)
        metadata = msgspec.json.decode(known.metadata, type=_Metadata)
    except msgspec.DecodeError as error:
        raise UserError(f"not a published problem: {error}") from None
    name, parameters = metadata.environment, metadata.config.parameter
    stored = parameters.get("reference_answer")
    counts[name] += 1
    return ProblemRow(
        id=f"{name}/published/{counts[name]}",
        environment=name,
        family=family(name),
        data_source=f"published/{name}",
        parameters=parameters,
        statement=known.user_prompt or None,
        answer=None if stored is None else str(stored),
    )
