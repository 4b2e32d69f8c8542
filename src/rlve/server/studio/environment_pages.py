"""The pages of environments: the gallery, one environment, problems and verdicts."""

from collections.abc import Sequence
from typing import Any

from rlve.contract import has_work
from rlve.errors import UserError
from rlve.registry import environment, is_dialogue
from rlve.server.studio import gallery, problems
from rlve.server.studio.charts import alone
from rlve.server.studio.pages import Page

SLIDER = 40  # its end: beyond it, the problems of most environments are only long
LONGEST_LINK = 4_000  # characters, which every browser and proxy takes


class EnvironmentPages(Page):
    """Pages below /env, and the gallery."""

    def gallery(self) -> str:
        return self.render(
            "gallery.html",
            part="gallery",
            cards=gallery.cards(),
            families=gallery.families(),
            collections=list(gallery.MEMBERS),
        )

    def catalogue(self, family: str) -> str:
        """The environments of a family."""
        cards = [card for card in gallery.cards() if card["family"] == family]
        if not cards:
            raise UserError(f"there is no family {family!r}")
        return self.render("catalogue.html", part="gallery", family=family, cards=cards)

    def environment(self, name: str, d: int = 0, seed: int = 0, message: Sequence[str] = ()) -> str:
        """An environment with one of its problems, and a conversation about it."""
        problem = self._problem(name, d, seed, message)
        cls = environment(name)
        keys, levels = problems.schedule(cls)
        return self.render(
            "environment.html",
            part="gallery",
            name=name,
            card=gallery.card(name),
            guessable=cls.guessable,
            highest=problems.highest(cls),
            slider=min(problems.highest(cls), SLIDER),
            keys=keys,
            levels=levels,
            file=problems.source(cls)[0],
            focus=False,
            **problem,
        )

    def source(self, name: str) -> str:
        """The file of an environment."""
        file, text = problems.source(environment(name))
        return self.render("source.html", part="gallery", name=name, file=file, text=text)

    def problem(self, name: str, difficulty: int, seed: int, messages: Sequence[str] = ()) -> str:
        """A problem with a form to answer it: a part of a page."""
        problem = self._problem(name, difficulty, seed, messages)
        return self.render("problem.html", **problem, focus=bool(messages))

    def _problem(
        self, name: str, difficulty: int, seed: int, messages: Sequence[str]
    ) -> dict[str, Any]:
        wanted = problems.request(name, difficulty, seed)
        problem = problems.make_problem(self.studio.pool, wanted)
        talk = None
        if is_dialogue(wanted.environment):
            talk = problems.talk_about(self.studio.pool, problem, messages)
        return {
            "shown": problems.card_of(wanted, problem),
            "talk": talk,
            "worked": has_work(wanted.environment),
            "link": self.problem_link(name, difficulty, seed, messages),
        }

    def problem_link(
        self, name: str, difficulty: int, seed: int, messages: Sequence[str] = ()
    ) -> str | None:
        """The address of a problem and of the conversation about it, unless that is too long."""
        link = self.links.page("env", name, d=difficulty, seed=seed, message=messages)
        return link if len(link) <= LONGEST_LINK else None

    def verdict(self, name: str, difficulty: int, seed: int, answer: str) -> str:
        """The verdict on an answer: a part of a page."""
        wanted = problems.request(name, difficulty, seed)
        return self.render("verdict.html", judged=problems.judge(self.studio.pool, wanted, answer))

    def solution(self, name: str, d: int = 0, seed: int = 0, usable: bool = True) -> str:
        """A correct answer, and the way to it where there is one: a part of a page."""
        wanted = problems.request(name, d, seed)
        found = problems.solve(self.studio.pool, wanted)
        return self.render("solution.html", solution=found, usable=usable)

    def picture(self, name: str, d: int = 0, seed: int = 0) -> str:
        """A problem as a picture, if it has one: a part of a page."""
        problem = problems.make_problem(self.studio.pool, problems.request(name, d, seed))
        return self.render("picture.html", picture=problems.drawn(problem))

    def lengths(self, name: str) -> str:
        """The chart of lengths: a part of a page."""
        drawn = alone("lengths", self.studio.lengths(name))
        return self.render("chart_fragment.html", drawn=drawn, empty="")

    def accuracy(self, name: str) -> str:
        """What runs and evaluations have measured: a part of a page."""
        environment(name)
        empty = "No run or evaluation in the folders has measured this environment."
        measured = self.studio.find_measurements(name)
        drawn = alone("accuracy", self.studio.accuracy(measured))
        return self.render("accuracy.html", drawn=drawn, empty=empty, measured=measured)
