"""The card of an exported data set: what is in it, how it was made, and how it is read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rlve import __version__
from rlve.datasets.draws import DrawnCell
from rlve.registry import entry

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
    return f"""---
license: mit
language:
- en
task_categories:
- text-generation
tags:
- reasoning
- reinforcement-learning
- verifiable-rewards
size_categories:
- {size}
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---

# {name}

{rows:,} problems of {len(by_environment)} adaptive verifiable environments. Programs made them,
and judge answers to them.

## Load it

```python
from datasets import load_dataset

problems = load_dataset("{name}", split="train")
```

Answers are judged by the environment, not by comparing texts: many problems have several correct
answers.

```python
import json

from rlve import environment

row = problems[0]
problem = environment(row["environment"]).from_parameters(json.loads(row["parameters"]))
verdict = problem.verify(r"\\boxed{{" + row["answer"] + "}}")
```

## Columns

| column | meaning |
| --- | --- |
{_rows({name: COLUMNS[name] for name in columns})}

## Environments and levels

| environment | family | problems by difficulty | task |
| --- | --- | --- | --- |
{_environments(by_environment)}

## How it was made

With version {__version__} of rlve:

```console
$ {command}
```

The same command gives the same problems on every machine.

## Licence

The problems and the programs that made them are under the MIT licence.
"""


def _rows(table: Mapping[str, str]) -> str:
    return "\n".join(f"| {key} | {value} |" for key, value in table.items())


def _environments(found: Mapping[str, Counter[int]]) -> str:
    lines: list[str] = []
    for name, counts in sorted(found.items()):
        known = entry(name)
        levels = ", ".join(f"{level}: {count:,}" for level, count in sorted(counts.items()))
        task = known.task.replace("|", "\\|")
        lines.append(f"| {name} | {known.family} | {levels} | {task} |")
    return "\n".join(lines)
