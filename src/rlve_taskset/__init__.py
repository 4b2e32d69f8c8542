"""RLVE-Gym under the name that verifiers looks for: `vf-eval rlve-taskset ...`.

See rlve.integrations.verifiers. verifiers takes from here the taskset, its default harness, and
the environment that runs it on this machine.
"""

from rlve.integrations.verifiers import OneReply, RlveEnv, RlveTaskset

__all__ = ["OneReply", "RlveEnv", "RlveTaskset"]
