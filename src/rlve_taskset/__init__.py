"""RLVE-Gym under the name by which verifiers finds it: `vf-eval rlve-taskset ...`.

See rlve.integrations.verifiers. verifiers takes from here the taskset, the harness that plays it
unless another is named, and the environment that runs it on this machine.
"""

from rlve.integrations.verifiers import OneReply, RlveEnv, RlveTaskset

__all__ = ["OneReply", "RlveEnv", "RlveTaskset"]
