"""Writes the catalogue of all environments, a page for each family: `make catalogue`.

`python docs/catalogue.py --check` says whether the pages are up to date, and changes nothing.
"""

import inspect
import sys
from pathlib import Path

from rlve.contract import AnyEnvironment
from rlve.registry import FAMILIES, environment

FOLDER = Path(__file__).parent / "catalogue"
LEVELS = (0, 5, 10, 20)
LONGEST = 1200  # characters of a reference that is shown whole


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    found = {f"{family}.md": family_page(family) for family in FAMILIES}
    return {"README.md": index_page(), **found}


def index_page() -> str:
    count = sum(map(len, FAMILIES.values()))
    rows = [
        f"| [{title(family)}]({family}.md) | {len(names)} | {', '.join(names)} |"
        for family, names in FAMILIES.items()
    ]
    return "\n".join(
        (
            "# Catalogue",
            "",
            f"The {count} environments of RLVE-Gym, in {len(FAMILIES)} families. Each page shows,",
            "for every environment, the task, how levels grow, the form of an answer, and a",
            "problem at difficulty 0 with a correct answer. `make catalogue` writes these pages.",
            "",
            "| family | environments | names |",
            "| --- | --- | --- |",
            *rows,
            "",
        )
    )


def family_page(family: str) -> str:
    parts = [f"# {title(family)}", "", "[All families](README.md)", ""]
    for name in FAMILIES[family]:
        parts += entry(environment(name))
    return "\n".join(parts)


def entry(cls: AnyEnvironment) -> list[str]:
    task, _, notes = inspect.cleandoc(cls.__doc__ or "").partition("\n")
    problem = cls.generate(difficulty=0, seed=0)
    prompt = problem.prompt()
    answer = problem.reference() or ""
    if len(answer) > LONGEST:
        answer = f"{answer[:LONGEST]} ... ({len(answer):,} characters)"
    return [
        f"## {cls.__name__}",
        "",
        task,
        "",
        *([" ".join(notes.split()), ""] if notes.strip() else []),
        f"Levels: {levels(cls)}",
        "",
        fenced(prompt),
        "",
        "A correct answer:",
        "",
        fenced(answer),
        "",
    ]


def levels(cls: AnyEnvironment) -> str:
    """The settings at some difficulties; of settings drawn from a list, their range."""
    highest = cls.max_difficulty
    shown = [d for d in LEVELS if highest is None or d < highest]
    if highest is not None:
        shown.append(highest)
    texts = [f"d = {d}: {settings(cls.level(d))}" for d in shown]
    end = "" if highest is None else f" (the highest difficulty is {highest})"
    return "; ".join(texts) + end


def settings(choices: list[dict[str, object]]) -> str:
    parts: list[str] = []
    for key in choices[0]:
        values = list(dict.fromkeys(str(choice[key]) for choice in choices))
        few = values if len(values) <= 4 else [values[0], "...", values[-1]]
        parts.append(f"{key} {' or '.join(few) if len(values) <= 4 else ' '.join(few)}")
    return ", ".join(parts)


def fenced(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}text\n{text}\n{fence}"


def title(family: str) -> str:
    return family.replace("_", " ").capitalize()


def main() -> int:
    made = pages()
    present = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    if "--check" in sys.argv:
        stale = sorted(name for name in {*made, *present} if made.get(name) != present.get(name))
        print(f"out of date: {', '.join(stale)}" if stale else "up to date")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in present.keys() - made.keys():
        (FOLDER / name).unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text)
    print(f"{len(made)} pages in {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
