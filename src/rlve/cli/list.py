"""`rlve list`."""

import json as jsonlib
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import Collections, Families, Flag, metavar, select
from rlve.registry import entry
from rlve.reports.terminal import echo, print_table
from rlve.text import quantity


def run(
    words: Annotated[Positional[tuple[str, ...]], metavar("[WORD ...]")] = (),
    /,
    *,
    collection: Collections = (),
    family: Families = (),
    names: Flag = False,
    json: Flag = False,
) -> None:
    """List the environments: name, family, task, and the highest difficulty if there is one.

    Args:
        words: Only environments whose name or task contains all of these words.
        collection: Only environments in this collection.
        family: Only environments in this family.
        names: Print just the names, one per line.
        json: Print JSON: a list of records.
    """
    chosen = sorted(select(collection, family))
    entries = [
        item
        for item in map(entry, chosen)
        if all(word.lower() in f"{item.name}\n{item.task}".lower() for word in words)
    ]
    if names:
        for item in entries:
            echo(item.name)
    elif json:
        echo(jsonlib.dumps([item._asdict() for item in entries], indent=2))
    else:
        if entries:
            print_table(
                ("name", "family", "max d", "task"),
                ((item.name, item.family, item.max_difficulty, item.task) for item in entries),
            )
            echo()
        echo(quantity(len(entries), "environment"))
