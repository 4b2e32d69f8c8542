"""Evaluates a server's model in a process of its own; 2 and a sentence where the server gave up."""

import json
import sys
from pathlib import Path

from faults.scenes import jump_clock
from rlve.evaluate.backends import BackendError, Sampling, transport
from rlve.evaluate.backends.openai import OpenAIBackend
from rlve.evaluate.runner import evaluate, make_plan
from rlve.evaluate.suite import load_suite

GAVE_UP = 2


def main() -> int:
    settings = json.loads(sys.argv[1])
    if settings.get("clock") is not None:
        jump_clock(settings["clock"])
    transport.FIRST_WAIT, transport.LONGEST_WAIT = 0.01, 0.1
    suite = load_suite(settings["suite"])
    plan = make_plan(
        suite,
        model="tiny",
        backend="server",
        format="chat",
        samples=settings["samples"],
        sampling=Sampling(max_tokens=100),
    )
    server = OpenAIBackend(
        settings["url"], "tiny", concurrency=8, retries=30, timeout=0.5, notify=print
    )
    try:
        evaluate(suite, plan, server, Path(settings["folder"]), workers=1)
    except BackendError as error:
        print(f"rlve: {error}")
        return GAVE_UP
    return 0


if __name__ == "__main__":
    sys.exit(main())
