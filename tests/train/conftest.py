import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

# Workers of a pool import the tiny environment by name, along the path of this process.
sys.path.append(str(Path(__file__).parent))

import torch
from tiny import Successor, save_tiny_policy

import rlve
from rlve import registry


@pytest.fixture(autouse=True)
def one_thread():
    """Two test processes with two threads each would fight over two cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def successor():
    rlve.register(Successor)
    yield
    registry._registered.pop("Successor", None)


@pytest.fixture(scope="session")
def tiny_policy(tmp_path_factory):
    return save_tiny_policy(tmp_path_factory.mktemp("tiny"))
