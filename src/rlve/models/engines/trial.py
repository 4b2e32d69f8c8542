"""How fast an engine is on a CPU, tried on a few tokens before anything long begins."""

import time
from collections.abc import Callable
from typing import Final

from rlve.models.engines.in_process import InProcessEngine
from rlve.models.rollouts import Rollout

LONG: Final = 3600.0  # seconds; what may take longer is said
PROMPT: Final = 128  # tokens of the prompts to try
ROWS, TOKENS = 16, 3  # outputs, and their tokens


def speeds(engine: InProcessEngine, make: Callable[[], Rollout]) -> tuple[float, float]:
    """The tokens of prompts that are read in a second, and those that are sampled.

    make  a new rollout, always of the same prompt
    """
    rows, limit = min(engine.slots, ROWS), engine.max_tokens
    trials = ((1, 1), (1, 1), (rows, 1), (rows, min(limit, TOKENS)))  # the first warms up
    spent: list[float] = []
    sampled = 0
    try:
        for number, engine.max_tokens in trials:
            begin = time.perf_counter()
            engine.submit([make() for _ in range(number)])
            while ended := engine.collect():
                sampled += sum(len(rollout.tokens) - 1 for rollout in ended)
            spent.append(time.perf_counter() - begin)
    finally:
        engine.max_tokens = limit
    _, alone, first, second = spent
    reading = len(make().prompt) / alone
    return reading, sampled / (second - first) if sampled and second > first else reading
