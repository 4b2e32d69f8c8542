import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def ray_folder():
    """Where Ray keeps its session: the path must be short, because sockets are made there."""
    folder = Path(tempfile.mkdtemp(prefix="rv", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
