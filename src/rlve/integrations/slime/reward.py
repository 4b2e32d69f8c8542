"""A reward function for slime. It stores the verdict on the sample, for the curriculum to count.

A sample that could not be judged must teach nothing. slime asks for its reward before those of
its group are known, so it gets the lowest reward for now. When the group is counted, before
training on it, that becomes the mean of the others, which makes the advantage zero.
"""

import asyncio
from typing import Any

import msgspec

from rlve.contract import Verdict
from rlve.datasets.transfer import TravellingRow
from rlve.errors import UserError
from rlve.gym import has_signal, lowest, reward
from rlve.integrations.slime.settings import read_settings
from rlve.pool import Failure

KEY = "rlve"  # in a sample's metadata: the row, the verdict, whether it is late or counted
LATE = "late"


async def rm(args: Any, sample: Any, **_: Any) -> float:
    """The reward of a sample.

    Outputs are judged in the workers of a pool, so that a hostile output can neither hang nor
    crash slime.
    """
    row, settings = row_of(sample), read_settings()
    # In a thread, so that slime can keep sampling.
    [judged] = await asyncio.to_thread(
        settings.pool().judge,
        [(row.problem(), sample.response)],
        marker=row.marker or "any",
        reading=row.reading,
    )
    leave(sample, judged)
    signal = settings.signal
    return lowest(signal) if isinstance(judged, Failure) else reward(judged, signal)


def keep_group(args: Any, samples: list[Any], **_: Any) -> bool:
    """Dynamic sampling: whether a group's rewards differ, or it was drawn late in its step.

    slime asks for problems until enough groups are kept, and tells the curriculum only then. If no
    group had signal, that would be never; so a step that has drawn its share keeps what comes.
    """
    if samples[0].metadata.get(KEY, {}).get(LATE):
        return True
    return has_signal([sample.get_reward_value(args) for sample in samples])


def row_of(sample: Any) -> TravellingRow:
    """The problem of a sample."""
    try:
        return msgspec.convert((sample.metadata or {})[KEY], TravellingRow)
    except (KeyError, msgspec.ValidationError) as error:
        raise UserError(
            f"a sample has no rlve problem in its metadata ({error!r}): this reward function only "
            "judges samples from rlve.integrations.slime.DataSource"
        ) from None


def judged_of(sample: Any) -> Verdict | Failure:
    """The verdict or failure stored on a sample."""
    match sample.metadata[KEY].get("judged"):
        case {"verdict": verdict}:
            return msgspec.convert(verdict, Verdict)
        case {"failure": failure}:
            return msgspec.convert(failure, Failure)
        case _:
            raise UserError(
                "a finished sample has no verdict: slime needs --custom-rm-path "
                "rlve.integrations.slime.rm"
            )


def leave(sample: Any, judged: Verdict | Failure) -> None:
    """Store the verdict or failure on a sample."""
    kind = "failure" if isinstance(judged, Failure) else "verdict"
    sample.metadata[KEY]["judged"] = {kind: msgspec.to_builtins(judged)}
