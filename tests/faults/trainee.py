"""Trains the tiny policy in a process of its own, under circumstances that its settings give.

Ends with 0 when all steps are done, with 3 when it was told to stop, and with 2 and a sentence when
it had to.
"""

import json
import resource
import sys
from pathlib import Path

import torch

import rlve
from faults.scenes import jump_clock
from rlve.train.trainer import train
from support.run_tiny import MEASURED, tiny_config
from support.successor import Successor

STOPPED, HAD_TO_STOP = 3, 2


def main() -> int:
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    rlve.register(Successor)
    if settings.get("clock") is not None:
        jump_clock(settings["clock"])
    if largest := settings.get("largest_file"):  # what a full disk does to whoever writes
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    folder = Path(settings["folder"])
    config = tiny_config(Path(settings["policy"]), folder, validation=MEASURED)
    try:
        outcome = train(config, resume=(folder / "config.json").exists())
    except rlve.UserError as error:
        print(f"rlve: {error}")
        return HAD_TO_STOP
    return STOPPED if outcome.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
