"""Limits of settings and of what records hold: declared as types, checked in one place.

Of settings, whether they come from flags, a file or a caller:

    @dataclass(frozen=True)
    class Sampling:
        slots: AtLeastOne = 512
        top_p: UpToOne | None = None

    check_limits("rollout.", Sampling(slots=0))      rollout.slots must be at least 1, not 0

Of an argument:

    check_limit("count", count, AtLeastOne)          count must be at least 1, not 0

In records on disk the same types are checked as they are read, by msgspec. What travels over HTTP
(rlve.server) is bounded by pydantic, which also writes its schema.
"""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeAlias, cast, get_args, get_type_hints

from msgspec import Meta

from rlve.errors import UserError

LARGEST: Final = sys.float_info.max
STEPS: Final = 10**9  # of a run, at most

AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1, description="at least 1")]
AtLeastTwo: TypeAlias = Annotated[int, Meta(ge=2, description="at least 2")]
AtLeastZero: TypeAlias = Annotated[int, Meta(ge=0, description="at least 0")]
NotNegative: TypeAlias = Annotated[
    float, Meta(ge=0, le=LARGEST, description="at least 0 and finite")
]
Positive: TypeAlias = Annotated[float, Meta(gt=0, le=LARGEST, description="above 0 and finite")]
BelowOne: TypeAlias = Annotated[float, Meta(ge=0, lt=1, description="at least 0 and below 1")]
UpToOne: TypeAlias = Annotated[float, Meta(gt=0, le=1, description="above 0 and at most 1")]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1, description="from 0 to 1")]
BetweenZeroAndOne: TypeAlias = Annotated[float, Meta(gt=0, lt=1, description="between 0 and 1")]
Temperature: TypeAlias = Annotated[float, Meta(ge=0, le=10, description="from 0 to 10")]
WorkerMemory: TypeAlias = Annotated[
    int,  # with less, the interpreter itself gets into trouble
    Meta(ge=64 * 2**20, description="at least 67,108,864 bytes"),
]
Step: TypeAlias = Annotated[int, Meta(ge=0, le=STEPS, description="from 0 to a billion")]
LevelEstimate: TypeAlias = Annotated[float, Meta(ge=-1e6, le=1e6, description="a level")]
Bits: TypeAlias = Annotated[str, Meta(pattern="^[01]+$")]
Name: TypeAlias = Annotated[str, Meta(max_length=4_096)]
"""Of a model, an environment or anything else that is printed often; paths are no longer."""


def check_limits(prefix: str, settings: object) -> None:
    """Raise a UserError for a setting of a dataclass that is beyond its limit, or has a part that
    is; the prefix, such as rollout. or --, goes before its name."""
    for name, hint in get_type_hints(type(settings), include_extras=True).items():
        value: Any = getattr(settings, name)
        values = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
        for each in values:
            check_limit(prefix + name.replace("_", "-"), each, hint)


def check_limit(name: str, value: float | None, limit: object) -> None:
    """Raise a UserError for a value that is beyond the limit of its type; None never is."""
    if value is None:
        return
    for each in _limits(limit):
        if not (
            (each.ge is None or value >= each.ge)
            and (each.gt is None or value > each.gt)
            and (each.le is None or value <= each.le)
            and (each.lt is None or value < each.lt)
        ):
            raise UserError(f"{name} must be {each.description}, not {value}")


def _limits(hint: object) -> Iterator[Meta]:
    """Those of a type, of the types it is one of, or of its parts."""
    for part in get_args(hint):
        if isinstance(part, Meta):
            yield part
        else:
            yield from _limits(part)
