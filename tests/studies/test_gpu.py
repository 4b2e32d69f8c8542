import os

import pytest

from rlve.errors import UserError
from rlve.studies.gpu import CONTROL, FOLDERS, share_gpu


@pytest.fixture
def control(tmp_path, monkeypatch):
    """A stand-in for NVIDIA's program, which writes down how it was called."""

    def install(code=0):
        program = tmp_path / CONTROL
        program.write_text(
            "#!/bin/sh\n"
            f'echo "$@ $CUDA_MPS_PIPE_DIRECTORY" >> {tmp_path}/calls\n'
            f'if [ -z "$1" ]; then cat >> {tmp_path}/calls; fi\n'
            f"echo no permission >&2; exit {code}\n"
        )
        program.chmod(0o755)
        return tmp_path / "calls"

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    return install


def test_it_is_started_and_stopped_again(control):
    calls = control()
    with share_gpu():
        place = os.environ[FOLDERS[0]]
        assert os.path.isdir(place)
        assert calls.read_text() == f"-d {place}\n"
    assert calls.read_text() == f"-d {place}\n {place}\nquit\n"
    assert not os.path.exists(place)
    assert not {*FOLDERS} & {*os.environ}


def test_what_cannot_be_shared_is_said(control, monkeypatch, tmp_path):
    control(code=1)
    with (
        pytest.raises(UserError, match="did not start: no permission; leave out --mps"),
        share_gpu(),
    ):
        raise AssertionError
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(UserError, match="comes with NVIDIA's driver"), share_gpu():
        raise AssertionError
