"""The studio as files for any web server: `rlve studio --export`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from rlve.errors import UserError
from rlve.foundation.files import check_file, write_whole
from rlve.pool import Failure, Request
from rlve.registry import environment
from rlve.server.studio import gallery, problems
from rlve.server.studio.folders import RUNS
from rlve.server.studio.pages import STATIC, Links
from rlve.server.studio.problems import ProblemCard, Solution
from rlve.server.studio.run_table import RunFilter
from rlve.server.studio.views import Pages, Studio

LEVELS: Final = (0, 2, 5, 10, 20)
SEEDS: Final = 2  # problems per level
ROLLOUTS: Final = 200  # groups per run: the latest whose texts were kept
QUESTIONS: Final = 200  # per evaluation
MARK: Final = ".rlve-studio"  # marks a folder as an export, which may be overwritten


def export(
    studio: Studio,
    folder: Path,
    *,
    names: Sequence[str] | None = None,
    tell: Callable[[str, int, int], object] = lambda what, done, total: None,
) -> int:
    """Write the gallery, runs and evaluations as a static site; return the number of pages."""
    site = Site(studio, folder)
    chosen = gallery.names() if names is None else list(names)
    for done, name in enumerate(chosen, 1):
        site.environment(name)
        tell("environments", done, len(chosen))
    site.write((), Pages.gallery)
    for family in gallery.families():
        site.write(("catalogue", family), Pages.catalogue, family)
    site.runs()
    site.write(("evals",), Pages.evals)
    for found in studio.folders.all("eval"):
        site.write(("evals", found.id), Pages.exported_evaluation, found.id, QUESTIONS)
    site.write(("frontiers",), Pages.frontiers)
    for name, _ in Pages(studio, Links(exported=True)).frontier_files():
        site.write(("frontiers", name), Pages.frontier, name)
    return site.pages


class Site:
    """A folder that becomes a site."""

    def __init__(self, studio: Studio, folder: Path) -> None:
        self.studio = studio
        self.folder = folder
        self.pages = 0
        if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
            raise UserError(f"{folder} contains other files; export to a new folder")
        for path in folder.rglob("*"):  # an earlier export, perhaps of somebody else
            if path.is_symlink() or not path.is_dir():
                check_file(path, grows=True)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / MARK, b"made by rlve studio --export\n")
        for path in STATIC.rglob("*"):
            if path.is_file():
                copy = folder / "static" / path.relative_to(STATIC)
                copy.parent.mkdir(parents=True, exist_ok=True)
                write_whole(copy, path.read_bytes())

    def write(self, parts: Sequence[str], page: Callable[..., str], *arguments: Any) -> None:
        """Write a page at that path; if its folder is damaged, the page says so."""
        pages = Pages(self.studio, Links(exported=True, depth=len(parts)))
        path = self.folder.joinpath(*parts, "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            text = page(pages, *arguments)
        except UserError as error:
            text = pages.message("Not possible", str(error))
        write_whole(path, text.encode("utf-8", "replace"))
        self.pages += 1

    def environment(self, name: str) -> None:
        """Write an environment: a few problems at each of several levels."""
        cls = environment(name)
        levels = [d for d in LEVELS if d <= problems.highest(cls)]
        wanted = [Request(cls, d, seed) for d in levels for seed in range(SEEDS)]
        made: list[tuple[ProblemCard, Solution]] = []
        for request, result in zip(wanted, self.studio.pool.show_iter(wanted), strict=True):
            if not isinstance(result, Failure):
                solution = problems.solution(self.studio.pool, result)
                made.append((problems.card_of(request, result.problem), solution))
        lengths = None
        if len(levels) > 1 and made:
            texts = ((card.difficulty, card.prompt, solved.answer) for card, solved in made)
            lengths = problems.length_chart(levels, texts)
        self.write(("env", name), Pages.exported_environment, name, made, lengths)
        self.write(("env", name, "source"), Pages.source, name)

    def runs(self) -> None:
        """Write all runs in the folders, with their latest rollouts."""
        self.write(("runs",), Pages.runs, RunFilter())
        for found in self.studio.folders.all(*RUNS):
            self.write(("runs", found.id), Pages.run, found.id)
            self.write(("runs", found.id, "rollouts"), Pages.exported_rollouts, found.id, ROLLOUTS)
            if found.kind == "train":
                self.write(("runs", found.id, "failures"), Pages.failures, found.id)
