import subprocess
import sys

import pytest

from rlve.collections import C4, C16, HELD_OUT, collection, is_collection, resolve
from rlve.errors import UserError
from rlve.registry import environments, families


def test_names_of_environments_and_collections_mix():
    assert resolve(["SAT", "c4", "Sorting", "held-out"]) == ["SAT", *C4, *HELD_OUT]
    assert resolve([]) == []
    assert is_collection("held-out")
    assert not is_collection("Sorting")


def test_families_narrow_what_is_named_or_else_all_there_is():
    assert resolve([], families=["games"]) == families()["games"]
    assert resolve(["C16"], families=["arithmetic", "arrays"]) == [
        name for name in C16 if name in {*families()["arithmetic"], *families()["arrays"]}
    ]
    assert resolve(["Sorting"], families=["games"]) == []
    assert sorted(resolve(environments(), families=families())) == environments()


@pytest.mark.parametrize(
    ("names", "groups", "message"),
    [
        (["Sortin"], (), "did you mean 'Sorting'"),
        (["no_such_module:Task"], (), "the module no_such_module cannot be imported"),
        (["Sorting"], ["plants"], "no family is named 'plants'; the families are algebra,"),
    ],
)
def test_what_there_is_not(names, groups, message):
    with pytest.raises(UserError, match=message):
        resolve(names, families=groups)
    with pytest.raises(UserError, match="no collection is named 'C3'; the collections are C1,"):
        collection("C3")


def test_names_are_resolved_without_importing_environments():
    program = (
        "import sys; from rlve.collections import resolve; resolve(['ALL', 'Sorting']); "
        "sys.exit(any(name.startswith('rlve.envs.') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
