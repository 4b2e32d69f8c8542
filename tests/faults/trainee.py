"""Trains the tiny policy in a process of its own, under circumstances that its settings give.

Ends with 0 when all steps are done, and with 3 when it was told to stop.
"""

import json
import sys
from pathlib import Path

import torch

import rlve
from faults.scenes import jump_clock
from rlve.train.trainer import train
from support.run_tiny import MEASURED, tiny_config
from support.successor import Successor

STOPPED = 3


def main() -> int:
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    rlve.register(Successor)
    if settings["clock"] is not None:
        jump_clock(settings["clock"])
    folder = Path(settings["folder"])
    config = tiny_config(Path(settings["policy"]), folder, validation=MEASURED)
    outcome = train(config, resume=(folder / "config.json").exists())
    return STOPPED if outcome.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
