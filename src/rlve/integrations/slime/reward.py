"""slime's reward function. It leaves the verdict on the sample, for the curriculum to count."""

import asyncio
import json
from typing import Any, cast

import msgspec

from rlve.contract import Problem, Verdict
from rlve.errors import UserError
from rlve.gym import Row, reward
from rlve.integrations.slime.settings import read_settings
from rlve.registry import environment

KEY = "rlve"  # of what we keep in a sample's metadata: a Row, its verdict, whether it is counted


async def rm(args: Any, sample: Any, **_: Any) -> float | list[float]:
    """The reward of a sample; with --group-rm, the rewards of a list of them.

    Outputs are judged in the workers of a pool, so that a hostile one can neither hang nor crash
    slime.
    """
    if isinstance(sample, list):
        group = cast("list[Any]", sample)
        return list(await asyncio.gather(*(_reward(each) for each in group)))
    return await _reward(sample)


def row_of(sample: Any) -> Row:
    """The problem of a sample."""
    try:
        return msgspec.convert((sample.metadata or {})[KEY], Row)
    except (KeyError, msgspec.ValidationError) as error:
        raise UserError(
            f"a sample has no problem of rlve's in its metadata ({error!r}): this reward function "
            "judges what rlve.integrations.slime.DataSource gives out"
        ) from None


def verdict_of(sample: Any) -> Verdict:
    """The verdict that was left on a sample."""
    found = sample.metadata[KEY].get("verdict")
    if found is None:
        raise UserError(
            "a finished sample has no verdict: slime needs --custom-rm-path "
            "rlve.integrations.slime.rm"
        )
    return msgspec.convert(found, Verdict)


def leave_verdict(sample: Any, verdict: Verdict) -> None:
    """Leave a verdict on a sample."""
    sample.metadata[KEY]["verdict"] = msgspec.to_builtins(verdict)


async def _reward(sample: Any) -> float:
    settings, row = read_settings(), row_of(sample)
    problem: Problem = environment(row.environment).from_parameters(json.loads(row.parameters))
    pool = settings.pool()
    # In a thread: slime goes on sampling meanwhile.
    [verdict] = await asyncio.to_thread(
        pool.verify, [(problem, sample.response)], marker=row.marker
    )
    leave_verdict(sample, verdict)
    return reward(verdict, settings.signal)
