"""Write the tables of metrics in the documentation from rlve.foundation.metrics: make metrics.

A table follows a line such as <!-- metrics: update -->. Names and meanings come from the table in
the package; the columns after them are written by hand, and are kept.
"""

import re
from pathlib import Path

from rlve.foundation.metrics import TABLES, Table

ROOT = Path(__file__).parents[1]
PAGES = ("docs/metrics.md", "docs/teaching.md")
PLACE = re.compile(r"(<!-- metrics: (\w+) -->\n\n)((?:\|.*\n)+)")


def fill(page: str) -> str:
    """The page with its tables as they should be."""
    return PLACE.sub(lambda found: found[1] + _table(TABLES[found[2]], found[3]), page)


def _table(table: Table, old: str) -> str:
    heading, rule, *lines = old.splitlines()
    columns = heading.count(" | ") - 1  # by hand
    by_hand = {line.split("`")[1]: line.split(" | ", 2)[2] for line in lines}
    blank = f"{'| ' * columns}".strip()
    rows = (
        f"| `{name}` | {row.meaning} | {by_hand.get(name, blank)}" for name, row in table.items()
    )
    return "\n".join((heading, rule, *rows)) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        path.write_text(fill(path.read_text()))
