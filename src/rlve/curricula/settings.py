"""The settings of a curriculum, and the one place that builds a curriculum from them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.bandit import BanditCurriculum
from rlve.curricula.learnability import LearnabilityCurriculum
from rlve.curricula.protocol import Curriculum
from rlve.curricula.rehearsal import Rehearsal
from rlve.curricula.rest import Rest
from rlve.curricula.static import StaticCurriculum
from rlve.curricula.two_way import TwoWayCurriculum
from rlve.curricula.weights import Weights
from rlve.errors import UserError
from rlve.tables import name_in
from rlve.targets import load_object

METHODS = ("draw", "observe_group", "step", "bounds", "state_dict", "load_state_dict")


@dataclass(frozen=True)
class CurriculumKind:
    """A row of the table of curricula."""

    build: "Builder"
    meaning: str
    """In a few words."""
    sentence: str
    """How difficulties are chosen, with places for settings; h is the highest."""
    uses: tuple[str, ...]
    """The settings that are its own."""
    goal: str
    """The setting with the accuracy at h that it aims for, which charts show."""


CURRICULA: dict[str, CurriculumKind] = {}
"""The curricula by name; filled in below, and by whoever adds another."""
SHARED = ("tau_num", "rehearsal", "rest")
"""The settings that every curriculum uses."""


@dataclass(frozen=True, kw_only=True)
class CurriculumSettings:
    """How difficult problems are; by default they adapt to the policy, as in the paper."""

    curriculum: str = name_in(CURRICULA, "adaptive")
    """How to choose difficulties; MODULE:CLASS is your own (docs/curricula.md)."""
    static: tuple[int, int] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: float = 0.9
    """adaptive: h, the highest level, rises once accuracy at h reaches this."""
    tau_num: int | None = None
    """Rollouts at h before that is decided; by default 8 x rollouts per problem."""
    window: int = 4
    """adaptive, two-way: the most levels in the range of difficulties (d_delta)."""
    target: float = 0.5
    """two-way: the accuracy to aim for at h. learnability, bandit: the accuracy at h that opens
    the next level."""
    rehearsal: float = 0.0
    """The share of draws that go back to levels already left behind."""
    weights: dict[str, float] = field(default_factory=dict[str, float])
    """How often to draw these environments, relative to the others, whose weight is 1."""
    rest: float = 1.0
    """How often to draw an environment that gives no signal, or is mastered at its highest
    difficulty, relative to the others; 0.1 is a tenth as often. By default none rests."""

    def options(self) -> dict[str, Any]:
        """These settings by name, without those that a subclass adds."""
        return {field.name: getattr(self, field.name) for field in fields(CurriculumSettings)}

    def build(self, names: Iterable[str], *, group: int) -> Curriculum:
        """The curriculum over these environments; `group` is the number of rollouts per problem."""
        tau_num = 8 * group if self.tau_num is None else self.tau_num
        settings = replace(self, tau_num=tau_num)
        curriculum = _kind(settings)(list(names), settings)
        if self.rehearsal:
            if self.static is not None:
                raise UserError("a static range leaves no levels behind; leave out rehearsal")
            curriculum = Rehearsal(curriculum, self.rehearsal)
        if self.rest != 1:
            curriculum = Rest(curriculum, self.rest)
        if self.weights:
            curriculum = Weights(curriculum, self.weights)
        return curriculum

    def explained(self) -> str:
        """A sentence or two on how difficulties are chosen; h is the highest."""
        if self.static is not None:
            text = "Difficulties are drawn from a fixed range."
        else:
            kind = CURRICULA.get(self.curriculum)
            text = (
                f"Difficulties are chosen by {self.curriculum}."
                if kind is None
                else kind.sentence.format_map(self.options())
            )
        if self.rehearsal:
            text += f" {self.rehearsal:.0%} of draws go back to levels already left behind."
        if self.rest != 1:
            text += f" A resting environment keeps {self.rest:.0%} of its draws."
        if self.weights:
            listed = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
            text += f" Weights: {listed}."
        return text

    @property
    def own_code(self) -> str | None:
        """The user's own curriculum, if these settings name one."""
        return self.curriculum if ":" in self.curriculum else None

    @property
    def goal(self) -> tuple[str, float] | None:
        """The accuracy at h that the curriculum aims for, and the setting that says so."""
        kind = CURRICULA.get(self.curriculum)
        if kind is None or self.static is not None:
            return None
        return kind.goal, getattr(self, kind.goal)

    def label(self) -> str:
        """A short name for these settings, for tables and figures."""
        if self.static is not None:
            kind = "static [{}, {}]".format(*self.static)
        else:
            kind = self.curriculum.rpartition(":")[2]
        extras = {
            f"{100 * self.rehearsal:g}% rehearsal": self.rehearsal > 0,
            "rest": self.rest != 1,
            "weights": bool(self.weights),
        }
        return " + ".join((kind, *(name for name, used in extras.items() if used)))


Builder = Callable[[list[str], CurriculumSettings], Curriculum]


def _number(settings: CurriculumSettings) -> int:
    return cast(int, settings.tau_num)  # build() has filled it in


OPENS = "the level after h opens when {target:.0%} of the rollouts at h are correct."
CURRICULA.update(
    {
        "adaptive": CurriculumKind(
            lambda names, s: AdaptiveCurriculum(
                names, tau_acc=s.tau_acc, tau_num=_number(s), window=s.window
            ),
            "Algorithm 1 of the paper",
            "h rises by one when {tau_acc:.0%} of enough rollouts at h are correct (Algorithm 1).",
            uses=("tau_acc", "window"),
            goal="tau_acc",
        ),
        "two-way": CurriculumKind(
            lambda names, s: TwoWayCurriculum(
                names, target=s.target, tau_num=_number(s), window=s.window
            ),
            "up and down, towards a target accuracy",
            "h rises or falls by one when the accuracy at h is far above or below {target:.0%}.",
            uses=("window", "target"),
            goal="target",
        ),
        "learnability": CurriculumKind(
            lambda names, s: LearnabilityCurriculum(names, opening=s.target, tau_num=_number(s)),
            "environments and levels by p (1 - p)",
            f"Pairs of environment and level are drawn in proportion to p (1 - p); {OPENS}",
            uses=("target",),
            goal="target",
        ),
        "bandit": CurriculumKind(
            lambda names, s: BanditCurriculum(names, opening=s.target, tau_num=_number(s)),
            "environments and levels by mean absolute advantage",
            f"Pairs of environment and level are drawn by their mean absolute advantage; {OPENS}",
            uses=("target",),
            goal="target",
        ),
    }
)


def _kind(settings: CurriculumSettings) -> Builder:
    if settings.static is not None:
        low, high = settings.static
        if settings.curriculum != "adaptive":
            raise UserError(f"a static range never moves; leave out {settings.curriculum!r}")
        return lambda names, _: StaticCurriculum(names, low, high)
    if settings.own_code is not None:
        return _own(settings.own_code)
    if settings.curriculum not in CURRICULA:
        raise UserError(
            f"no curriculum is named {settings.curriculum!r}; the curricula are "
            f"{', '.join(CURRICULA)}, and MODULE:CLASS for your own"
        )
    return CURRICULA[settings.curriculum].build


def _own(target: str) -> Builder:
    """The user's own class, which is called with the names and the settings."""
    own = load_object(target)
    if not isinstance(own, type):
        raise UserError(f"{target} is not a class")
    missing = [name for name in METHODS if not callable(getattr(own, name, None))]
    if missing:
        raise UserError(f"{target} is not a curriculum: it has no method {missing[0]}")
    return cast(Builder, own)
