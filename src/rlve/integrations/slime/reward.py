"""slime's reward function. It leaves the verdict on the sample, for the curriculum to count.

A sample that could not be judged must teach nothing. slime asks for its reward before those of
its group are known, so it gets the lowest for the time being; when the group is counted, before
it is trained on, that becomes the mean of the others, which makes its advantage zero.
"""

import asyncio
from typing import Any, cast

import msgspec

from rlve.contract import Verdict
from rlve.datasets.travelling import TravellingRow
from rlve.errors import UserError
from rlve.gym import reward
from rlve.integrations.slime.settings import read_settings
from rlve.integrations.unjudged import group_rewards, lowest
from rlve.pool import Failure

KEY = "rlve"  # of what we keep in a sample's metadata: the row, the verdict, whether it is counted


async def rm(args: Any, sample: Any, **_: Any) -> float | list[float]:
    """The reward of a sample; with --group-rm, the rewards of a list of them.

    Outputs are judged in the workers of a pool, so that a hostile one can neither hang nor crash
    slime.
    """
    if isinstance(sample, list):
        group = cast("list[Any]", sample)
        judged = await asyncio.gather(*(_judge(each) for each in group))
        return group_rewards(judged, read_settings().signal)
    found, signal = await _judge(sample), read_settings().signal
    return lowest(signal) if isinstance(found, Failure) else reward(found, signal)


def row_of(sample: Any) -> TravellingRow:
    """The problem of a sample."""
    try:
        return msgspec.convert((sample.metadata or {})[KEY], TravellingRow)
    except (KeyError, msgspec.ValidationError) as error:
        raise UserError(
            f"a sample has no problem of rlve's in its metadata ({error!r}): this reward function "
            "judges what rlve.integrations.slime.DataSource gives out"
        ) from None


def judged_of(sample: Any) -> Verdict | Failure:
    """What was found of a sample, and left on it."""
    mine = sample.metadata[KEY]
    if "verdict" in mine:
        return msgspec.convert(mine["verdict"], Verdict)
    if "failure" in mine:
        return msgspec.convert(mine["failure"], Failure)
    raise UserError(
        "a finished sample has no verdict: slime needs --custom-rm-path rlve.integrations.slime.rm"
    )


def leave(sample: Any, judged: Verdict | Failure) -> None:
    """Leave on a sample what was found of it."""
    kind, other = "verdict", "failure"
    if isinstance(judged, Failure):
        kind, other = other, kind
    sample.metadata[KEY].pop(other, None)  # from before it was resumed
    sample.metadata[KEY][kind] = msgspec.to_builtins(judged)


async def _judge(sample: Any) -> Verdict | Failure:
    row = row_of(sample)
    pool = read_settings().pool()
    # In a thread: slime goes on sampling meanwhile.
    [judged] = await asyncio.to_thread(
        pool.judge, [(row.problem(), sample.response)], marker=row.marker or "any"
    )
    leave(sample, judged)
    return judged
