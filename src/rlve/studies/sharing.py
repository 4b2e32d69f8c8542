"""Several processes on one NVIDIA GPU at the same time.

Without further ado a GPU serves its processes in turns. NVIDIA's MPS lets their kernels run side by
side, which for small models is several times as fast.
"""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from rlve.errors import UserError

CONTROL = "nvidia-cuda-mps-control"
PLACES = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")


@contextmanager
def shared_gpu() -> Generator[None]:
    """Processes that are started in this block share the GPU; nothing may have touched it yet."""
    control = shutil.which(CONTROL)
    if control is None:
        raise UserError(f"--mps needs {CONTROL}, which comes with NVIDIA's driver")
    before = {name: os.environ.get(name) for name in PLACES}
    with TemporaryDirectory(prefix="rlve-mps-") as place:
        os.environ.update(dict.fromkeys(PLACES, place))
        started = subprocess.run([control, "-d"], capture_output=True, text=True, check=False)
        try:
            if started.returncode:
                said = " ".join((started.stderr or started.stdout).split())
                raise UserError(f"{CONTROL} did not start: {said}; leave out --mps")
            yield
        finally:
            subprocess.run([control], input="quit\n", capture_output=True, text=True, check=False)
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
