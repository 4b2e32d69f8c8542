"""Several processes on one NVIDIA GPU at the same time.

By default a GPU serves its processes in turn. NVIDIA's MPS lets their kernels run side by side,
which is several times as fast for small models.
"""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from rlve.errors import UserError

CONTROL = "nvidia-cuda-mps-control"
FOLDERS = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")


@contextmanager
def share_gpu() -> Generator[None]:
    """Let processes started in this block share the GPU, which nothing may have used before."""
    control = shutil.which(CONTROL)
    if control is None:
        raise UserError(f"--mps needs {CONTROL}, which comes with NVIDIA's driver")
    before = {name: os.environ.get(name) for name in FOLDERS}
    with TemporaryDirectory(prefix="rlve-mps-") as folder:
        os.environ.update(dict.fromkeys(FOLDERS, folder))
        started = subprocess.run([control, "-d"], capture_output=True, text=True, check=False)
        try:
            if started.returncode:
                message = " ".join((started.stderr or started.stdout).split())
                raise UserError(f"{CONTROL} did not start: {message}; leave out --mps")
            yield
        finally:
            subprocess.run([control], input="quit\n", capture_output=True, text=True, check=False)
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
