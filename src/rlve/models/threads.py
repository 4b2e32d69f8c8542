"""How torch shares the cores with our worker processes, and with other programs."""

import os


def share_cores() -> None:
    """Let torch's threads sleep while they wait; call this before torch is imported.

    By default they spin. On two cores, if a worker or another program needs one of them now and
    then, all threads spin while waiting for the one that is not running: 40 steps of nano took
    132 s instead of 30 s, and even longer beside a busy program. If the variable is already set,
    it stays as it is.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
