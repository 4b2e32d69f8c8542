"""What is said where an adapter's library is missing, or another version. None is needed here."""

import sys
from importlib import import_module, metadata

import pytest

from rlve.errors import UserError

WANTED = {
    "rlve.integrations.gymnasium": "gymnasium >= 1.0, < 2",
    "rlve.integrations.lm_eval": "lm_eval >= 0.4.13, < 0.5",
    "rlve.integrations.openenv": "openenv-core >= 0.3.0, < 0.4",
    "rlve.integrations.tinker": "tinker-cookbook >= 0.5.8, < 0.6",
    "rlve.integrations.verifiers": "verifiers >= 0.4.0, < 0.5",
    "rlve_taskset": "verifiers >= 0.4.0, < 0.5",
}


@pytest.mark.parametrize("module", WANTED)
def test_it_is_missing_or_another_version(module, monkeypatch):
    for name in (module, "rlve.integrations.verifiers"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    def version(name):
        raise metadata.PackageNotFoundError(name)

    for found, said in ((version, "is not installed"), (lambda name: "99", "but 99 is installed")):
        monkeypatch.setattr(metadata, "version", found)
        with pytest.raises(UserError) as error:
            import_module(module)
        assert f"needs {WANTED[module]}" in str(error.value)
        assert said in str(error.value)
        assert "pip install 'rlve[" in str(error.value)
