"""LiveCodeBench, release v6: programs that must pass hidden tests.

load(Path("test6.jsonl"))       questions from a published file, or from a folder of them
load(None)                      the same from the Hugging Face hub
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.benchmarks.hub import download, provenance
from rlve.evaluate.benchmarks.table import BENCHMARKS
from rlve.evaluate.questions import Suite
from rlve.foundation.files import DAMAGE, numbered_lines
from rlve.judges.programs import DEADLINE, CodeProblem
from rlve.sandbox import Sandbox

NAME: Final = "livecodebench-v6"
BENCHMARK: Final = BENCHMARKS[NAME]
REPOSITORY: Final = BENCHMARK.hub[0].dataset
FILES: Final = ("test.jsonl", *(f"test{number}.jsonl" for number in range(2, 7)))


def load(path: Path | None = None, *, revision: str | None = None) -> Suite:
    """The benchmark, from a published file or a folder of them, or from the hub."""
    with Sandbox():  # if programs cannot be judged, fail before any is written
        pass
    if path is None:
        paths = download(REPOSITORY, FILES, revision=revision, title=NAME, advice=_ADVICE)
        notes = provenance(REPOSITORY, paths)
    else:
        paths, notes = _files(path), []
    questions = [question for path in paths for question in read(path)]
    return BENCHMARK.suite(questions, notes, deadline=DEADLINE)


def read(path: Path) -> Iterator[ProblemRow]:
    """The questions of a published file; a broken line is an error that names it."""
    for number, line in numbered_lines(path):
        try:
            yield _question(line)
        except (*DAMAGE, UserError) as error:
            raise UserError(f"{path}:{number}: not a question: {error}") from None


def _question(line: bytes) -> ProblemRow:
    problem = CodeProblem.from_parameters(msgspec.json.decode(line, type=dict[str, Any]))
    if problem.starter_code.strip():
        problem.function()
    return ProblemRow(
        id=problem.question_id,
        environment=CodeProblem.__name__,
        parameters=msgspec.structs.asdict(problem),
        data_source=NAME,
        family=problem.platform or None,
    )


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise UserError(f"{path} is not there. {_ADVICE}")
    if not path.is_dir():
        return [path]
    found = [path / name for name in FILES if (path / name).exists()]
    if not found:
        raise UserError(f"the folder {path} has none of {', '.join(FILES)}. {_ADVICE}")
    return found


_ADVICE: Final = (
    f"Get {FILES[0]}, {FILES[1]}, ..., {FILES[-1]} from "
    f"https://huggingface.co/datasets/{REPOSITORY} and name their folder: {NAME}:FOLDER"
)
