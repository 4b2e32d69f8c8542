"""What the kernel of this machine can do."""

import ctypes
import sys

import pytest


def landlocked() -> bool:
    """Whether it has Landlock, without which the sandbox runs nothing."""
    return sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1


needs_sandbox = pytest.mark.skipif(not landlocked(), reason="the kernel has no Landlock")
