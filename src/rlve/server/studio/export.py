"""The studio as files for any web server: `rlve studio --export`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rlve.errors import UserError
from rlve.files import check_file, write_whole
from rlve.pool import Failure, Request
from rlve.registry import environment
from rlve.reports import leaderboard
from rlve.server.studio import gallery, problems
from rlve.server.studio.evaluations import QuestionFilter
from rlve.server.studio.folders import RUNS
from rlve.server.studio.pages import SORTABLE, STATIC, Links
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
    site.write((), lambda pages: pages.gallery())
    for family in gallery.families():
        site.write(("catalogue", family), lambda pages, family=family: pages.catalogue(family))
    site.runs()
    site.evaluations()
    site.write(("frontiers",), lambda pages: pages.frontiers())
    site.studies()
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
        write_whole(folder / "static" / SORTABLE, leaderboard.script().encode())

    def write(self, parts: Sequence[str], page: Callable[[Pages], str]) -> None:
        """Write a page at that path."""
        links = Links(exported=True, depth=len(parts))
        path = self.folder.joinpath(*parts, "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = page(Pages(self.studio, links))
        write_whole(path, text.encode("utf-8", "replace"))
        self.pages += 1

    def write_or_tell(self, parts: Sequence[str], page: Callable[[Pages], str]) -> None:
        """Write a page of a folder, which says so if the folder is damaged."""

        def written(pages: Pages) -> str:
            try:
                return page(pages)
            except UserError as error:
                return pages.message("Not possible", str(error))

        self.write(parts, written)

    def environment(self, name: str) -> None:
        """Write an environment: a few problems at each of several levels."""
        cls = environment(name)
        levels = [d for d in LEVELS if d <= problems.highest(cls)]
        wanted = [Request(cls, d, seed) for d in levels for seed in range(SEEDS)]
        made: list[tuple[ProblemCard, Solution]] = []
        for request, result in zip(wanted, self.studio.pool.show_iter(wanted), strict=True):
            if not isinstance(result, Failure):
                solution = problems.solution(self.studio.pool, result)
                made.append((problems.shown(request, result.problem), solution))
        lengths = None
        if len(levels) > 1 and made:
            texts = ((card.difficulty, card.prompt, solved.answer) for card, solved in made)
            lengths = problems.length_chart(levels, texts)
        self.write(("env", name), lambda pages: pages.exported_environment(name, made, lengths))
        self.write(("env", name, "source"), lambda pages: pages.source(name))

    def runs(self) -> None:
        """Write all runs in the folders, with their latest rollouts."""
        self.write(("runs",), lambda pages: pages.runs(RunFilter()))
        for found in self.studio.folders.all(*RUNS):
            run = found.id
            self.write_or_tell(("runs", run), lambda pages, run=run: pages.run(run))
            self.write_or_tell(
                ("runs", run, "rollouts"),
                lambda pages, run=run: pages.exported_rollouts(run, ROLLOUTS),
            )

    def evaluations(self) -> None:
        """Write all evaluations in the folders, with their first questions."""
        self.write(("evals",), lambda pages: pages.evals())
        for found in self.studio.folders.all("eval"):
            name = found.id
            self.write_or_tell(
                ("evals", name),
                lambda pages, name=name: pages.evaluation(name, QuestionFilter(), QUESTIONS),
            )

    def studies(self) -> None:
        """Write all simulations and experiments in the folders."""
        self.write(("studies",), lambda pages: pages.studies())
        for found in self.studio.folders.all("simulate", "experiment"):
            name = found.id
            self.write_or_tell(("studies", name), lambda pages, name=name: pages.study(name))
