"""The drafts that were admitted: certificates, the collection, and, on demand, all gates again."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from rlve.collections import COLLECTIONS, resolve
from rlve.drafts.admission import admit
from rlve.drafts.gates import GATES
from rlve.registry import environment
from rlve.targets import load_code
from support.kernel import needs_sandbox

FOLDER = Path(__file__).parents[2] / "experiments" / "drafts"
CERTIFICATES = sorted(FOLDER.glob("certificates/*.json"))
AGAIN = CERTIFICATES if "RLVE_ALL_DRAFTS" in os.environ else CERTIFICATES[:1]


def files(certificate):
    return (FOLDER / kind / f"{certificate.stem}.py" for kind in ("environments", "solvers"))


@pytest.fixture(scope="module")
def drafts():
    """The collection, for the time of these tests."""
    load_code(str(FOLDER / "load.py"))
    yield COLLECTIONS["DRAFTS"]
    from rlve.registry import _registered

    for name in COLLECTIONS.pop("DRAFTS"):
        _registered.pop(name)


def test_there_are_as_many_as_the_page_says(drafts):
    assert len(drafts) == len(CERTIFICATES)
    assert f"**{len(drafts)} of 32 were admitted**" in (FOLDER / "README.md").read_text()
    assert resolve(["DRAFTS"]) == list(drafts)


@pytest.mark.parametrize("file", CERTIFICATES, ids=lambda file: file.stem)
def test_a_certificate_is_of_these_files(file, drafts):
    certificate = json.loads(file.read_text())
    assert certificate["admitted"]
    assert {finding["gate"] for finding in certificate["findings"]} == set(GATES)
    draft, solver = (sha256(path.read_bytes()).hexdigest() for path in files(file))
    assert (draft, solver) == (certificate["draft"], certificate["solver"])
    cls = environment(certificate["environment"])
    for d in (0, 7, 20):
        problem = cls.generate(difficulty=d, seed=1)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


@needs_sandbox
@pytest.mark.parametrize("file", AGAIN, ids=lambda file: file.stem)
def test_it_is_admitted_again(file):
    draft, solver = files(file)
    name = json.loads(file.read_text())["environment"]
    assert admit(draft, name, solver).admitted
