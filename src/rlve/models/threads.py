"""How torch shares the cores with our worker processes, and with other programs."""

import os


def share_cores() -> None:
    """Let torch's threads sleep while they wait; call this before torch is imported.

    By default they spin. On two cores, of which a worker or another program needs one now and
    then, all threads then wait, spinning, for one that does not get its turn: 40 steps of nano
    took 132 s instead of 30 s, and longer still beside a busy program. Who sets the variable is
    obeyed.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
