"""What a run on a CPU costs, estimated from a few tokens and said before anything long begins."""

import logging
from dataclasses import dataclass

from rlve.models.engines import Engine
from rlve.models.engines.choice import examples
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.trial import LONG, PROMPT, speeds
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout
from rlve.train.config import Config
from rlve.train.teaching.config import AnyConfig
from rlve.train.validation import Validation, sampling_as

_log = logging.getLogger("rlve.train")

BACKWARD = 3  # times a forward pass: what a token costs that is learnt from


@dataclass(frozen=True)
class Cost:
    """What the rest of a run takes at most: its outputs are as long, and its draws as many, as they
    may be."""

    outputs: int
    seconds: float
    learning: float  # seconds of them
    measuring: float  # seconds of one measurement
    speed: float  # tokens sampled in a second


def tell_cost(
    config: AnyConfig, policy: Policy, engine: Engine, validation: Validation | None, *, done: int
) -> Cost | None:
    """Say so if the steps after those that are done may take long on a CPU; None on a GPU."""
    if not isinstance(engine, InProcessEngine) or engine.device.type != "cpu":
        return None
    cost = _estimate(config, policy, engine, validation, done)
    if cost.seconds > LONG:
        fewer = "--run.steps" if isinstance(config, Config) else "--run.steps or --data.examples"
        _log.warning(
            "on this CPU the run takes up to %s hours: %s outputs of up to %s tokens each, at "
            "about %s tokens a second, and %s hours of learning; fewer %s take less, and "
            "--run.hours sets a limit",
            f"{cost.seconds / 3600:,.1f}",
            *(f"{number:,}" for number in (cost.outputs, config.limits[1], round(cost.speed))),
            f"{cost.learning / 3600:,.1f}",
            fewer,
        )
    return cost


def _estimate(
    config: AnyConfig,
    policy: Policy,
    engine: InProcessEngine,
    validation: Validation | None,
    done: int,
) -> Cost:
    prompts = [prompt[: config.limits[0]] for prompt in examples(policy)]
    with sampling_as(engine, engine.temperature, engine.top_p):
        reading, speed = speeds(engine, lambda: Rollout(prompts[0][:PROMPT]))
    last = config.run.steps
    left = last - done
    measured = times = 0
    if validation is not None:
        measured = validation.outputs
        times = validation.plan.count(done, last)
    outputs = times * measured
    if isinstance(config, Config):
        batch = config.rollout
        outputs += left * batch.oversample * batch.rounds * batch.group
        learnt = left * batch.problems * batch.group * config.limits[1]
    else:
        learnt = left * config.data.examples * sum(map(len, prompts)) / len(prompts)
    learning = BACKWARD * learnt / reading
    longest = config.limits[1] / speed
    return Cost(outputs, outputs * longest + learning, learning, measured * longest, speed)
