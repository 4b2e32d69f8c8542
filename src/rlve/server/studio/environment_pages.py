"""The pages of environments: the gallery, one environment, problems and verdicts."""

from collections.abc import Sequence
from typing import Any, Final

from rlve.collections import COLLECTIONS
from rlve.contract import has_work
from rlve.registry import dialogues, entry, environment, environments, is_dialogue
from rlve.server.studio import problems
from rlve.server.studio.charts import alone
from rlve.server.studio.pages import Page

SLIDER = 40  # its end: beyond it, the problems of most environments are only long
MEMBERS: Final = {name: frozenset(of) for name, of in COLLECTIONS.items() if name != "ALL"}


def names() -> list[str]:
    """All environments, by name; those that answer back as well."""
    return sorted([*environments(), *dialogues()])


def card(name: str) -> dict[str, Any]:
    """What is known of an environment, which need not be in the gallery, such as Sorting_3Tries."""
    inside = [each for each, members in MEMBERS.items() if name in members]
    return entry(name)._asdict() | {"collections": inside}


class EnvironmentPages(Page):
    """Pages below /env, and the gallery."""

    def gallery(self) -> str:
        cards = [card(name) for name in names()]
        return self.render(
            "gallery.html",
            part="gallery",
            cards=cards,
            families=sorted({card["family"] for card in cards}),
            collections=list(MEMBERS),
        )

    def environment(self, name: str, d: int = 0, seed: int = 0, message: Sequence[str] = ()) -> str:
        """An environment with one of its problems, and a conversation about it."""
        problem = self._problem(name, d, seed, message)
        cls = environment(name)
        keys, levels = problems.schedule(cls)
        return self.render(
            "environment.html",
            part="gallery",
            name=name,
            card=card(name),
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
    ) -> str:
        """The address of a problem and of the conversation about it."""
        return self.links.page("env", name, d=difficulty, seed=seed, message=messages)

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
        drawn = alone("lengths", problems.lengths(self.studio.pool, environment(name)))
        return self.render("chart_fragment.html", drawn=drawn, empty="")

    def accuracy(self, name: str) -> str:
        """What runs and evaluations have measured: a part of a page."""
        environment(name)
        empty = "No run or evaluation in the folders has measured this environment."
        measured = self.studio.find_measurements(name)
        drawn = alone("accuracy", self.studio.accuracy(measured))
        return self.render("accuracy.html", drawn=drawn, empty=empty, measured=measured)
