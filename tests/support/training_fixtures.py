"""Fixtures of all tests that train: one thread, a tiny environment, a tiny policy."""

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

import torch

from rlve.registry import registered
from support.successor import Successor
from support.tiny import save_tiny_policy


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Two test processes with two threads each would fight over two cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True, scope="module")
def successor():
    with registered(Successor):
        yield


@pytest.fixture(scope="session")
def tiny_policy(tmp_path_factory):
    return save_tiny_policy(tmp_path_factory.mktemp("tiny"))
