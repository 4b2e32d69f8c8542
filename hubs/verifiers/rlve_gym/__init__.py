"""RLVE-Gym as an environment of verifiers' hub: `vf-eval rlve-gym ...`."""

from rlve_taskset import OneReply, RlveEnv, RlveTaskset

__all__ = ["OneReply", "RlveEnv", "RlveTaskset"]
