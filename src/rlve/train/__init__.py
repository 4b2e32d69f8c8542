"""Training a language model on adaptive verifiable environments with DAPO.

The path of the data, one small module for each part:

    collect.py      draw problems, sample groups, judge them, keep those with signal
    advantages.py   rewards of a group -> advantages
    loss.py         the DAPO loss, and truncated importance sampling
    update.py       one optimiser step on the kept groups
    trainer.py      the loop over steps; checkpoints; metrics
"""

from rlve.models.threads import share_cores

share_cores()  # here, because torch must not have been imported, and train(config) is too late
