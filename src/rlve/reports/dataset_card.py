"""The card of an exported data set: what is in it, how it was made, and how it is read."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rlve import __version__
from rlve.datasets.draws import DrawnCell
from rlve.registry import entry
from rlve.reports.pages import render

SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
COLUMNS = {
    "id": "environment/difficulty/seed, which is unique",
    "data_source": "rlve/environment, by which trainers group their metrics",
    "environment": "the environment that made the problem, and judges answers",
    "family": "its family",
    "difficulty": "the difficulty, from 0",
    "seed": "the seed; environment, difficulty and seed give the same problem everywhere",
    "prompt": "what the model is given",
    "answer": "a correct answer; there may be others",
    "completion": "a worked solution",
    "messages": "the prompt and a worked solution",
    "format": "the format of the prompt",
    "marker": "how the prompt asks for the answer to be marked: boxed or answer",
    "parameters": "all that determines the problem, as JSON",
    "defined_in": "the file of an environment that is not part of rlve",
}


def dataset_card(
    cells: Iterable[DrawnCell], *, columns: Sequence[str], name: str, command: str
) -> str:
    """The card in Markdown, with the front matter that hubs read."""
    cells = list(cells)
    rows = sum(cell.written for cell in cells)
    size = next((words for most, words in SIZES.items() if rows < most), "n>1M")
    by_environment: dict[str, Counter[int]] = {}
    for cell in cells:
        by_environment.setdefault(cell.name, Counter())[cell.difficulty] += cell.written
    return render(
        "dataset_card.md",
        name=name,
        size=size,
        rows=rows,
        columns={column: COLUMNS[column] for column in columns},
        environments=[(entry(each), levels) for each, levels in sorted(by_environment.items())],
        command=command,
        version=__version__,
    )
