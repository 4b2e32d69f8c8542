"""RLVE-Gym and its curriculum inside slime, without a fork of it.

slime takes three things by their paths, and RLVE_SLIME says which gym they belong to:

    --data-source-path rlve.integrations.slime.DataSource                  problems out
    --custom-rm-path rlve.integrations.slime.rm                            verdicts
    --rollout-all-samples-process-path rlve.integrations.slime.count_samples
                                                  every finished group, also those that are dropped
    export RLVE_SLIME='{"environments": ["C16"]}'                          see settings.py

`rlve slime` prints the whole command, with the paper's recipe. All of it runs in the one process
of slime that manages the rollouts; slime itself is imported only there.
"""

from rlve.integrations.slime.data_source import DataSource, count_samples
from rlve.integrations.slime.reward import rm
from rlve.integrations.slime.settings import Settings

__all__ = ["DataSource", "Settings", "count_samples", "rm"]
