"""RLVE-Gym and its curriculum inside slime, without a fork.

slime is given four things by their paths, and RLVE_SLIME describes their gym:

    --data-source-path rlve.integrations.slime.DataSource                  problems out
    --custom-rm-path rlve.integrations.slime.rm                            verdicts
    --dynamic-sampling-filter-path rlve.integrations.slime.keep_group      dynamic sampling
    --rollout-all-samples-process-path rlve.integrations.slime.count_samples
                                                  every finished group, even if it is dropped
    export RLVE_SLIME='{"environments": ["C16"]}'                          see settings.py

`rlve slime` prints the full command with the paper's recipe. All four run in the one slime
process that manages the rollouts; slime itself is imported only there.
"""

from rlve.integrations.slime.data_source import DataSource, count_samples
from rlve.integrations.slime.reward import keep_group, rm
from rlve.integrations.slime.settings import Settings

__all__ = ["DataSource", "Settings", "count_samples", "keep_group", "rm"]
