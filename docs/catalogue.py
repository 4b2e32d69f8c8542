"""Writes the catalogue: the entries of rlve.catalogue, and a page for each family.

make catalogue                        from the files in envs/
python docs/catalogue.py --check      say whether all is up to date, and change nothing
"""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from statistics import median_low
from types import ModuleType

import guesses
import variety

import rlve.envs
from rlve.catalogue import CATALOGUE, DIALOGUE, DIALOGUES, FILE, Entry
from rlve.contract import AnyEnvironment, Environment, Problem, has_work
from rlve.reports.pictures import draw
from rlve.rules import strategies

FOLDER = Path(__file__).parent / "catalogue"
HEADINGS = "name\tfamily\tcollection\tmax_difficulty\tguessable\ttask"
LEVELS = (0, 5, 10, 20)
LONGEST = 1200  # characters of a reference that is shown whole
GUESSES = guesses.stored()
VARIETY = variety.stored()
WORKED_LEVELS = (0, 2, 4, 6)
WORKED_SEEDS = 15  # problems per level


def families() -> dict[str, list[AnyEnvironment]]:
    """The environments that the files in envs/ define, sorted by family and by name."""
    found: dict[str, list[AnyEnvironment]] = {}
    for file in sorted(Path(rlve.envs.__file__).parent.glob("*/[!_]*.py")):
        module = import_module(f"rlve.envs.{file.parent.name}.{file.stem}")
        members = [value for value in vars(module).values() if is_defined_in(module, value)]
        found.setdefault(file.parent.name, []).extend(members)
    return {family: sorted(found[family], key=lambda cls: cls.__name__) for family in found}


def is_defined_in(module: ModuleType, value: object) -> bool:
    is_environment = isinstance(value, type) and issubclass(value, Environment)
    return is_environment and value.__module__ == module.__name__


def pages(families: dict[str, list[AnyEnvironment]]) -> dict[str, str]:
    """The text of every page, by file name."""
    found = {f"{family}.md": family_page(family, members) for family, members in families.items()}
    drawn = {picture_file(cls): picture(cls) for members in families.values() for cls in members}
    pictures = {name: svg for name, svg in drawn.items() if svg is not None}
    return {"README.md": index_page(families), **found, **pictures}


def picture_file(cls: AnyEnvironment) -> str:
    return f"pictures/{cls.__name__}.svg"


def picture(cls: AnyEnvironment) -> str | None:
    """The problem that a section shows, with the answer drawn in, if it can be drawn."""
    problem = cls.generate(difficulty=0, seed=0)
    return draw(problem, problem.reference(), alone=True)


def index_page(families: dict[str, list[AnyEnvironment]]) -> str:
    count = sum(map(len, families.values()))
    solved = {family: sum(map(has_work, members)) for family, members in families.items()}
    rows = [
        f"| [{title(family)}]({family}.md) | {len(members)} | {solved[family]} | "
        f"{', '.join(cls.__name__ for cls in members)} |"
        for family, members in families.items()
    ]
    return "\n".join(
        (
            "# Catalogue",
            "",
            f"The {count} environments of RLVE-Gym, in {len(families)} families. Each page shows,",
            "for every environment, the task, how levels grow, the form of an answer, and a",
            "problem at difficulty 0 with a correct answer. "
            f"{sum(solved.values())} of them have worked solutions,",
            "with their lengths by level. Each entry says what",
            "[guessing earns](../results/gym/README.md#what-guessing-earns).",
            "`make catalogue` writes all this.",
            "",
            *variety_lines(),
            "",
            "| family | environments | worked | names |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        )
    )


def variety_lines() -> list[str]:
    """How many environments have few different problems, at the levels where it was counted."""
    few = [
        f"{sum(len(row) > i and row[i] < variety.FEW for row in VARIETY.values())} (d = {d})"
        for i, d in enumerate(variety.LEVELS)
    ]
    return [
        f"Low levels can have few different problems. Of {variety.PROBLEMS} drawn, fewer than",
        f"{variety.FEW} are different in {', '.join(few)} of the environments; their sections say",
        "how many. `python docs/variety.py` counts them.",
    ]


def family_page(family: str, members: list[AnyEnvironment]) -> str:
    parts = [f"# {title(family)}", "", "[All families](README.md)", ""]
    for cls in members:
        parts += section(cls)
    return "\n".join(parts)


def section(cls: AnyEnvironment) -> list[str]:
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
        *varied(cls),
        fenced(prompt),
        "",
        "A correct answer:",
        "",
        fenced(answer),
        "",
        *([f"![The problem as a picture]({picture_file(cls)})", ""] if picture(cls) else []),
        *guessed(cls),
        *worked(cls, problem),
    ]


def varied(cls: AnyEnvironment) -> list[str]:
    """How many different problems some levels have, where these are few."""
    counts = dict(zip(variety.LEVELS, VARIETY.get(cls.__name__, []), strict=False))
    few = ", ".join(f"{n} (d = {d})" for d, n in counts.items() if n < variety.FEW)
    return [f"Of {variety.PROBLEMS} problems drawn, few are different: {few}.", ""] if few else []


def guessed(cls: AnyEnvironment) -> list[str]:
    """What guessing earns."""
    rows = {d: row for d in strategies.LEVELS if (row := GUESSES.get(f"{cls.__name__}/{d}"))}
    shares = ", ".join(f"{row['wins'] / row['tried']:.0%} (d = {d})" for d, row in rows.items())
    rewards = ", ".join(f"{row['reward']:.2f} (d = {d})" for d, row in rows.items())
    reason = [cls.guessable, ""] if cls.guessable else []
    return [
        f"The best thoughtless strategy is right in {shares}; mean reward {rewards}.",
        "",
        *reason,
    ]


def worked(cls: AnyEnvironment, problem: Problem) -> list[str]:
    """The worked solution of the problem shown, and how long they are, by level."""
    if not has_work(cls):
        return []
    shown, measured = problem.worked(), lengths(cls)
    return [
        f"Worked solutions have {measured} characters in the median."
        if measured
        else "Most problems have no worked solution.",
        "",
        *([fenced("\n".join(shown)), ""] if shown else []),
    ]


def lengths(cls: AnyEnvironment) -> str:
    """Median lengths at some levels; those at which most problems have none are left out."""
    texts: list[str] = []
    for d in WORKED_LEVELS:
        if cls.max_difficulty is None or d <= cls.max_difficulty:
            problems = (cls.generate(difficulty=d, seed=seed) for seed in range(WORKED_SEEDS))
            length = median_low(len("\n".join(problem.worked())) for problem in problems)
            if length:
                texts.append(f"{length:,} (d = {d})")
    return ", ".join(texts)


def levels(cls: AnyEnvironment) -> str:
    """The settings at some difficulties; of settings drawn from a list, their range."""
    highest = cls.max_difficulty
    shown = [d for d in LEVELS if highest is None or d <= highest]
    if highest is not None and shown[-1] < highest < LEVELS[-1]:
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


def _collection(name: str) -> str:
    """No file in envs/ says which environments are in a collection."""
    entry = CATALOGUE.get(name) or DIALOGUES.get(name)
    return entry.collection if entry else ""


def main() -> int:
    found = families()
    entries = [Entry.of(cls, family) for family, members in found.items() for cls in members]
    lines = [entry._replace(collection=_collection(entry.name)).line for entry in entries]
    made = {FILE: "\n".join((HEADINGS, *lines, ""))}
    found.pop(DIALOGUE)  # docs/dialogues.md has those
    made |= {FOLDER / name: text for name, text in pages(found).items()}
    present = {
        path: path.read_text() for path in (FILE, *FOLDER.glob("*.md"), *FOLDER.glob("*/*.svg"))
    }
    if "--check" in sys.argv:
        stale = sorted(
            path.name for path in {*made, *present} if made.get(path) != present.get(path)
        )
        print(f"out of date: {', '.join(stale)}" if stale else "up to date")
        return 1 if stale else 0
    (FOLDER / "pictures").mkdir(parents=True, exist_ok=True)
    for path in present.keys() - made.keys():
        path.unlink()
    for path, text in made.items():
        path.write_text(text)
    print(f"{len(entries)} entries in {FILE}, and {len(made) - 1} files in {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
