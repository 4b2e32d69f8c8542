"""Limits of settings, declared with their types and checked in one place.

@dataclass(frozen=True)
class Sampling:
    slots: AtLeastOne = 512
    top_p: UpToOne | None = None

check_limits("rollout.", Sampling(slots=0))      rollout.slots must be at least 1, not 0
"""

import sys
from collections.abc import Iterator
from math import inf, nextafter
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, cast, get_args, get_type_hints

from rlve.errors import UserError

ABOVE_ZERO: Final = nextafter(0, 1)
BELOW_ONE: Final = nextafter(1, 0)
LARGEST: Final = sys.float_info.max


class Limit(NamedTuple):
    """What a value must be, in words and from its least to its greatest; nan is never within."""

    words: str
    low: float
    high: float = inf


AtLeastOne: TypeAlias = Annotated[int, Limit("at least 1", 1)]
AtLeastTwo: TypeAlias = Annotated[int, Limit("at least 2", 2)]
AtLeastZero: TypeAlias = Annotated[int, Limit("at least 0", 0)]
NotNegative: TypeAlias = Annotated[float, Limit("at least 0 and finite", 0, LARGEST)]
Positive: TypeAlias = Annotated[float, Limit("above 0 and finite", ABOVE_ZERO, LARGEST)]
Finite: TypeAlias = Annotated[float, Limit("a number", -LARGEST, LARGEST)]
BelowOne: TypeAlias = Annotated[float, Limit("at least 0 and below 1", 0, BELOW_ONE)]
UpToOne: TypeAlias = Annotated[float, Limit("above 0 and at most 1", ABOVE_ZERO, 1)]
Share: TypeAlias = Annotated[float, Limit("from 0 to 1", 0, 1)]
BetweenZeroAndOne: TypeAlias = Annotated[float, Limit("between 0 and 1", ABOVE_ZERO, BELOW_ONE)]


def check_limits(prefix: str, settings: object) -> None:
    """Raise a UserError for a setting of a dataclass that is beyond its limit, or has a part that
    is; the prefix, such as rollout. or --, goes before its name."""
    for name, hint in get_type_hints(type(settings), include_extras=True).items():
        value: Any = getattr(settings, name)
        values = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
        for limit in _limits(hint):
            for each in values:
                if each is not None and not limit.low <= each <= limit.high:
                    flag = name.replace("_", "-")
                    raise UserError(f"{prefix}{flag} must be {limit.words}, not {each}")


def _limits(hint: object) -> Iterator[Limit]:
    """Those of a type, of the types it is one of, or of its parts."""
    for part in get_args(hint):
        if isinstance(part, Limit):
            yield part
        else:
            yield from _limits(part)
