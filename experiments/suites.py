"""The suites of a plan: benchmarks in files, and whether all can be read before anything is run."""

import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from rlve.errors import UserError
from rlve.evaluate.benchmarks import BENCHMARKS
from rlve.evaluate.suite import load_suite


def benchmark_file(folder: Path, name: str) -> Path | None:
    """The file of a benchmark in a folder, such as olympiad_bench.json or bbeh.jsonl."""
    stems = {name, name.replace("-", "_")} if name in BENCHMARKS else set[str]()
    return next((file for file in sorted(folder.glob("*")) if file.stem in stems), None)


def take_benchmarks(names: Iterable[str], source: Path, folder: Path) -> None:
    """Copy the files of these benchmarks into an experiment, which then needs no others."""
    for name in names:
        file = benchmark_file(source, name)
        if file and not benchmark_file(folder, name):
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder)


def write_tiny_benchmarks(names: Iterable[str], folder: Path) -> Path:
    """Files of two questions each, in the form of the real ones."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"user_prompt": f"What is {n} + 1?", "ground_truth": str(n + 1)} for n in (1, 2)]
    for name in BENCHMARKS.keys() & {*names}:
        (folder / f"{name.replace('-', '_')}.json").write_text(json.dumps(rows))
    return folder


def check_suites(suites: Iterable[str]) -> None:
    """Exit with what is wrong, unless all of them can be read."""
    troubles: list[str] = []
    for suite in suites:
        try:
            load_suite(suite)
        except UserError as error:
            troubles.append(f"{suite}: {error}")
    if troubles:
        where = "; --benchmarks FOLDER takes benchmarks from files, such as FOLDER/bbeh.json"
        sys.exit("\n".join(troubles) + where)
