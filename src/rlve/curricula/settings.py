"""The settings of a curriculum, and the one place that builds a curriculum from them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.protocol import Curriculum, check_draw
from rlve.curricula.rehearsal import Rehearsal
from rlve.curricula.static import StaticCurriculum
from rlve.curricula.two_way import TwoWayCurriculum
from rlve.curricula.weights import Weights
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, AtLeastZero, Share, UpToOne
from rlve.foundation.tables import name_in
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
    goal: str
    """The setting with the accuracy at h that it aims for, which charts show."""


CURRICULA: dict[str, CurriculumKind] = {}
"""The curricula by name; filled in below, and by whoever adds another."""


@dataclass(frozen=True, kw_only=True)
class CurriculumSettings:
    """How difficult problems are; by default they adapt to the policy, as in the paper."""

    curriculum: str = name_in(CURRICULA, "adaptive")
    """How to choose difficulties; MODULE:CLASS is your own (docs/curricula.md)."""
    static: tuple[AtLeastZero, AtLeastZero] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: UpToOne = 0.9
    """adaptive: h, the highest level, rises once accuracy at h reaches this."""
    tau_num: AtLeastOne | None = None
    """Rollouts at h before that is decided; by default 8 x rollouts per problem."""
    window: AtLeastOne = 4
    """adaptive, two-way: the most levels in the range of difficulties (d_delta)."""
    target: UpToOne = 0.5
    """two-way: the accuracy to aim for at h."""
    rehearsal: Share = 0.0
    """The share of draws that go back to levels already left behind."""
    weights: dict[str, float] = field(default_factory=dict[str, float])
    """How often to draw these environments, relative to the others, whose weight is 1."""

    def options(self) -> dict[str, Any]:
        """These settings by name, without those that a subclass adds."""
        return {field.name: getattr(self, field.name) for field in fields(CurriculumSettings)}

    def build(self, names: Iterable[str], *, group: int) -> Curriculum:
        """The curriculum over these environments; `group` is the number of rollouts per problem."""
        tau_num = 8 * group if self.tau_num is None else self.tau_num
        settings = replace(self, tau_num=tau_num)
        curriculum = _kind(settings)(list(names), settings)
        check_draw(curriculum)
        if self.rehearsal:
            if self.static is not None:
                raise UserError("a static range leaves no levels behind; leave out rehearsal")
            curriculum = Rehearsal(curriculum, self.rehearsal)
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
            "weights": bool(self.weights),
        }
        return " + ".join((kind, *(name for name, used in extras.items() if used)))


Builder = Callable[[list[str], CurriculumSettings], Curriculum]


def _number(settings: CurriculumSettings) -> int:
    return cast(int, settings.tau_num)  # build() has filled it in


CURRICULA.update(
    {
        "adaptive": CurriculumKind(
            lambda names, s: AdaptiveCurriculum(
                names, tau_acc=s.tau_acc, tau_num=_number(s), window=s.window
            ),
            "Algorithm 1 of the paper",
            "h rises by one when {tau_acc:.0%} of enough rollouts at h are correct (Algorithm 1).",
            goal="tau_acc",
        ),
        "two-way": CurriculumKind(
            lambda names, s: TwoWayCurriculum(
                names, target=s.target, tau_num=_number(s), window=s.window
            ),
            "up and down, towards a target accuracy",
            "h rises or falls by one when the accuracy at h is far above or below {target:.0%}.",
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
