"""What a setting of an experiment says: how the problems of a run are chosen.

adaptive        the difficulty adapts to the policy, by Algorithm 1; two-way, learnability and
                bandit are other curricula, and with adaptive+rehearsal-20, 20% of the draws
                go back to levels already left behind
adaptive+form   the same problems, but only the form of answers is rewarded: a control, which tells
                learning to answer readably from learning to solve
static-0-20     difficulties from a range that never moves
fixed-0-4       the problems of one file, again and again, with difficulties from that range
"""

from collections.abc import Sequence

from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.errors import UserError
from rlve.registry import environment

ADAPTIVE = "adaptive"
FORM = "+form"


def kind_of(setting: str) -> str:
    """adaptive, static or fixed; a UserError for anything else."""
    if curriculum_of(setting) is not None:
        return ADAPTIVE
    range_of(setting)
    return setting.partition("-")[0]


def adapts(setting: str) -> bool:
    """Whether difficulties adapt to the policy."""
    return kind_of(setting) == ADAPTIVE


def curriculum_of(setting: str) -> CurriculumSettings | None:
    """The curriculum of a setting, with its rehearsal; None if nothing adapts."""
    kind, _, extra = setting.removesuffix(FORM).partition("+")
    if kind not in CURRICULA:
        return None
    share = extra.removeprefix("rehearsal-")
    if not extra:
        return CurriculumSettings(curriculum=kind)
    if share == extra or not share.isdecimal() or not 0 < int(share) <= 100:
        raise UserError(f"write rehearsal as in {kind}+rehearsal-20, not {setting!r}")
    return CurriculumSettings(curriculum=kind, rehearsal=int(share) / 100)


def rewards_form(setting: str) -> bool:
    """Whether only the form of answers is rewarded."""
    return setting.endswith(FORM)


def range_of(setting: str) -> tuple[int, int]:
    """The difficulties of a static or a fixed setting."""
    kind, *ends = setting.split("-")
    if kind not in ("static", "fixed") or len(ends) != 2 or not all(e.isdecimal() for e in ends):
        raise UserError(
            f"a setting must be {', '.join(CURRICULA)}, or like adaptive+rehearsal-20, "
            f"adaptive+form, static-0-20 or fixed-0-4, not {setting!r}"
        )
    low, high = map(int, ends)
    if low > high:
        raise UserError(f"a range must go from low to high, unlike {setting}")
    return low, high


def check_range(setting: str, names: Sequence[str]) -> None:
    """Raise a UserError if a static or a fixed range begins above where environments end.

    A fixed set leaves out such environments, as long as there are others.
    """
    if adapts(setting):
        return
    low = range_of(setting)[0]
    ends = {name: environment(name).max_difficulty for name in names}
    below = {name: end for name, end in ends.items() if end is not None and end < low}
    if below and (kind_of(setting) == "static" or len(below) == len(names)):
        name, end = max(below.items(), key=lambda item: item[1])
        raise UserError(f"{setting} begins above the highest difficulty of {name}, which is {end}")


def label(setting: str) -> str:
    """A setting as shown in tables and pictures."""
    if (curriculum := curriculum_of(setting)) is not None:
        return curriculum.label() + (", form alone" if rewards_form(setting) else "")
    low, high = range_of(setting)
    return f"{kind_of(setting)} [{low}, {high}]"
