"""LiveCodeBench, release v6: programs that must pass hidden tests.

load(Path("test6.jsonl"))       questions from a published file, or from a folder of them
load(None)                      the same from the Hugging Face hub
"""

# huggingface_hub is optional, and leaves types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.benchmarks import provenance
from rlve.evaluate.suite import Suite
from rlve.files import numbered_lines
from rlve.judges.programs import DEADLINE, CodeProblem
from rlve.sandbox import Sandbox

NAME: Final = "livecodebench-v6"
SAMPLES, K = 16, 8
REPOSITORY: Final = "livecodebench/code_generation_lite"
FILES: Final = ("test.jsonl", *(f"test{number}.jsonl" for number in range(2, 7)))


def load(path: Path | None = None, *, revision: str | None = None) -> Suite:
    """The benchmark, from a published file or a folder of them, or from the hub."""
    with Sandbox():  # if programs cannot be judged, fail before any is written
        pass
    paths = _downloaded(revision) if path is None else _files(path)
    notes = provenance(REPOSITORY, paths) if path is None else []
    return Suite(
        NAME,
        [question for path in paths for question in read(path)],
        samples=SAMPLES,
        metric="pass",
        k=K,
        deadline=DEADLINE,
        notes=tuple(notes),
    )


def read(path: Path) -> Iterator[ProblemRow]:
    """The questions of a published file; a broken line is an error that names it."""
    for number, line in numbered_lines(path):
        try:
            yield _question(line)
        except (msgspec.DecodeError, UserError, UnicodeDecodeError) as error:
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
        raise UserError(f"{path} is not there; {_WHERE}")
    if not path.is_dir():
        return [path]
    found = [path / name for name in FILES if (path / name).exists()]
    if not found:
        raise UserError(f"the folder {path} has none of {', '.join(FILES)}; {_WHERE}")
    return found


_WHERE: Final = (
    f"get {FILES[0]}, {FILES[1]}, ..., {FILES[-1]} from "
    f"https://huggingface.co/datasets/{REPOSITORY} and name their folder: {NAME}:FOLDER"
)


def _downloaded(revision: str | None) -> list[Path]:
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise UserError(
            f"downloading {NAME} needs huggingface_hub: pip install 'rlve[eval]'; or {_WHERE}"
        ) from None
    try:
        return [
            Path(
                hf_hub_download(
                    repo_id=REPOSITORY, filename=name, repo_type="dataset", revision=revision
                )
            )
            for name in FILES
        ]
    except (OSError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{NAME} cannot be downloaded ({reason}); {_WHERE}") from None
