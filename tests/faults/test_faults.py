"""Each scenario of `make soak` once, with few faults, always the same."""

import sys
from collections import Counter
from random import Random

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")
pytest.importorskip("httpx", reason="asking a server needs rlve[eval]")

from faults import evaluating, filling, judging, serving, training
from faults.scenes import Scene
from support.kernel import needs_sandbox
from support.training_fixtures import one_thread

__all__ = ["one_thread"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


@pytest.fixture
def scene(tmp_path):
    return Scene(Random(1), tmp_path, Counter())


def test_training_that_is_stopped_damaged_and_killed(scene, tmp_path_factory):
    subject = training.Training(tmp_path_factory.mktemp("whole"))
    folder = scene.place / "run"
    for fault in ("trainer: SIGTERM", training.FLIPPED, training.METRICS, training.DRAFT):
        subject.suffer(scene, folder, fault)
    subject.finish(folder)
    subject.check(folder)
    assert scene.tried["trainer: SIGTERM"] == scene.tried[training.DRAFT] == 1


def test_an_evaluation_that_is_killed_of_a_server_that_lies(scene):
    evaluating.evaluation(scene)
    assert scene.tried.total() > 10


def test_a_pool_whose_workers_are_killed(scene):
    judging.pool(scene)
    assert scene.tried["worker: SIGKILL"] > 0


@needs_sandbox
def test_a_sandbox_whose_owner_is_killed(scene):
    judging.sandbox(scene)
    assert scene.tried["owner of a sandbox: SIGKILL"] == 1


@pytest.mark.slow
def test_a_gym_whose_server_is_killed(scene):
    serving.service(scene, kills=2)
    assert scene.tried[serving.KILLED] == 2


@pytest.mark.slow
@pytest.mark.skipif(bool(filling.trouble()), reason=f"no small disk: {filling.trouble()}")
def test_a_disk_that_is_full_at_several_moments(scene, tmp_path_factory):
    subject = filling.make_subject(tmp_path_factory.mktemp("subject") / "subject")
    before_tokenizer = filling.room_for(
        *(filling.model_of(subject.train) / name for name in ("config.json", "model.safetensors"))
    )
    moments = [("train", 30_000), ("train", 200_000), ("teach", 200_000)]
    moments += [("eval", 30_000), ("export", 0), ("export", before_tokenizer)]
    filling.suffer(scene, subject, moments)
    assert scene.tried.total() == len(moments)
