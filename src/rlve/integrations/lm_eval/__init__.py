"""RLVE-Gym as tasks of lm-evaluation-harness: the paper's test sets, and files of questions.

    tasks=$(python -m rlve.integrations.lm_eval)     # the folder with the tasks
    lm_eval run --include_path $tasks --tasks rlve_held_out --apply_chat_template --model ...
    lm_eval run --include_path $tasks --tasks rlve_questions --metadata '{"file": "few.jsonl"}' ...

The YAML files beside this one name the functions below. Questions, prompts, sampling and verdicts
are those of `rlve eval`, so the accuracy is the same. The harness passes what --metadata says as
arguments, and those of the model as well, which are ignored.
"""

# ruff: noqa: E402  the library is checked before it is imported

from pathlib import Path
from typing import Any

import msgspec

from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError, require
from rlve.evaluate.questions import Suite, read_suite
from rlve.evaluate.testsets import (
    HELD_OUT_PROBLEMS,
    IN_DISTRIBUTION_PROBLEMS,
    held_out_suite,
    in_distribution_suite,
)
from rlve.formats import Prompt
from rlve.integrations.scores import prompts_of, scores
from rlve.targets import find_format

require("lm_eval", extra="lm-eval", at_least="0.4.13", below="0.5")

from datasets import Dataset

TASKS = Path(__file__).parent


def held_out(
    *,
    count: int = HELD_OUT_PROBLEMS,
    format: str = "chat",
    **_: object,
) -> dict[str, Dataset]:
    """The paper's held-out test set: `count` problems of each of 50 environments."""
    return _documents(held_out_suite(count=count), format)


def in_distribution(
    *,
    environment: str | None = None,
    count: int = IN_DISTRIBUTION_PROBLEMS,
    format: str = "chat",
    **_: object,
) -> dict[str, Dataset]:
    """The in-distribution test set of one environment."""
    if environment is None:
        raise UserError("""name the environment: --metadata '{"environment": "Sorting"}'""")
    return _documents(in_distribution_suite(environment, count=count), format)


def questions(
    *,
    file: str | None = None,
    format: str = "chat",
    **_: object,
) -> dict[str, Dataset]:
    """The questions in a file of `rlve dataset` or `rlve testset`."""
    if file is None:
        raise UserError("""name the file of questions: --metadata '{"file": "problems.jsonl"}'""")
    return _documents(read_suite(Path(file)), format)


def verdict(document: dict[str, str], outputs: list[str | None]) -> dict[str, float]:
    """Correct, correct if read forgivingly, and the reward, of the environment's own verifier.

    Some servers answer with nothing, of which the harness makes None.
    """
    row = msgspec.json.decode(document["row"], type=ProblemRow)
    values, _ = scores(row.request(), outputs[0] or "", find_format(document["format"]).marker)
    return values


def _documents(suite: Suite, format: str) -> dict[str, Dataset]:
    documents = [_document(row, prompt, format) for row, prompt in prompts_of(suite, format)]
    return {"test": Dataset.from_list(documents)}


def _document(row: ProblemRow, prompt: Prompt, format: str) -> dict[str, Any]:
    if not isinstance(prompt, str):
        if [message["role"] for message in prompt] != ["user"]:
            raise UserError(f"the harness asks one message of the user, but {format} writes others")
        prompt = prompt[0]["content"]
    return {
        "id": row.id,
        "text": prompt,
        "answer": row.answer or "",
        "format": format,
        "row": msgspec.json.encode(row).decode(),  # environments' records differ: no common columns
    }
