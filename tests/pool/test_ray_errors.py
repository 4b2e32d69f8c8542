"""What of the Ray pool can be tested without Ray."""

import sys
from importlib import metadata

import pytest

from rlve.cli import main


@pytest.fixture
def installed(monkeypatch):
    """Pretends that a version of Ray is installed, or none."""

    def pretend(version):
        def found(name):
            if name == "ray" and version is None:
                raise metadata.PackageNotFoundError(name)
            return version

        monkeypatch.setattr(metadata, "version", found)
        monkeypatch.delitem(sys.modules, "rlve.pool.ray", raising=False)

    return pretend


@pytest.mark.parametrize(
    ("version", "part"), [(None, "is not installed"), ("2.9.3", "but 2.9.3 is installed")]
)
def test_without_a_fitting_ray_the_error_names_the_extra(
    installed, version, part, tmp_path, capsys
):
    installed(version)
    file = tmp_path / "out.jsonl"
    assert main(["dataset", "Sorting", "-n", "3", "-o", str(file), "--ray", "auto"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("rlve: this needs ray >= ")
    assert part in line
    assert line.endswith("pip install 'rlve[ray]'")
    assert list(tmp_path.iterdir()) == []
