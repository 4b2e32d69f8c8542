"""Tests of Triton kernels: on a GPU, or by Triton's interpreter.

The interpreter has to be asked for before Triton is imported: hence in a process of its own.
"""

import os
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest
import torch

HERE = torch.cuda.is_available() or os.environ.get("TRITON_INTERPRET") == "1"
# Before 3.9 the interpreter took loop bounds from arrays in a way that numpy has refused since 2.4.
TRITON = tuple(map(int, version("triton").split(".")[:2]))
BROKEN = TRITON < (3, 9) and np.lib.NumpyVersion(np.__version__) >= "2.4.0"
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

needs_triton = pytest.mark.skipif(not HERE, reason="needs a GPU, or Triton's interpreter")
elsewhere = pytest.mark.skipif(
    HERE or BROKEN, reason="they run in this process, or cannot run at all"
)


def passes_by_the_interpreter(file):
    """Run the tests of a file again, by the interpreter."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout
