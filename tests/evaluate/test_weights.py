import os
import shutil

import pytest

from rlve.errors import UserError
from rlve.evaluate import weights as module
from rlve.evaluate.weights import fingerprint
from rlve.models.locations import NANO


def test_nano_has_one_and_what_is_not_here_has_none(tmp_path):
    copy = tmp_path / "step-000001" / "model"
    copy.mkdir(parents=True)
    shutil.copy(NANO / "model.safetensors", copy)
    (copy / "config.json").write_text("{}")
    os.utime(copy / "model.safetensors", (0, 0))
    assert fingerprint("nano") == fingerprint(str(copy)) == fingerprint(str(copy.parent))
    assert fingerprint("nobody/nothing") is None
    assert fingerprint(str(tmp_path)) is None


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "model.gguf"])
def test_changes_are_seen(tmp_path, name):
    file = tmp_path / name
    model = str(file if name.endswith(".gguf") else tmp_path)
    file.write_bytes(bytes(50_000))
    seen = {fingerprint(model)}
    for position in (0, 20_000, 49_999):
        changed = bytearray(50_000)
        changed[position] = 1
        file.write_bytes(changed)
        seen.add(fingerprint(model))
    file.write_bytes(bytes(50_001))
    assert len(seen | {fingerprint(model)}) == 5
    assert None not in seen


def test_a_large_model_is_read_in_pieces_of_all_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 10)
    monkeypatch.setattr(module, "PIECES", 20)
    for name in ("model-1.safetensors", "model-2.safetensors"):
        (tmp_path / name).write_bytes(bytes(1000))
    before = fingerprint(str(tmp_path))
    for name in ("model-1.safetensors", "model-2.safetensors"):
        trained = bytearray(1000)
        trained[300:500] = b"x" * 200  # a layer of it
        (tmp_path / name).write_bytes(trained)
        assert fingerprint(str(tmp_path)) != before
        (tmp_path / name).write_bytes(bytes(1000))
    assert fingerprint(str(tmp_path)) == before


def test_a_pipe_in_place_of_weights_stops_nobody(tmp_path):
    os.mkfifo(tmp_path / "model.safetensors")
    with pytest.raises(UserError, match="not a regular file"):
        fingerprint(str(tmp_path))
