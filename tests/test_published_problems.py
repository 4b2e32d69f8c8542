"""The published held-out problems load as they are, and their stored answers are correct."""

import json
import os
from pathlib import Path

import pytest

import rlve

DATA = Path(os.environ.get("RLVE_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILE = DATA / "held_out_published.json"

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason=f"the published problems are not here: {FILE} (set RLVE_DATA)"
)


def published():
    if not FILE.exists():
        return {}
    problems: dict[str, list[dict]] = {}
    for entry in json.loads(FILE.read_text()):
        metadata = json.loads(entry["metadata"])
        problems.setdefault(metadata["environment"], []).append(metadata["config"]["parameter"])
    return {name: problems[name] for name in sorted(problems) if name in rlve.environments()}


PUBLISHED = published()


@pytest.mark.parametrize("name", PUBLISHED)
def test_stored_and_recomputed_answers_are_correct(name):
    for parameters in PUBLISHED[name]:
        problem = rlve.environment(name).from_parameters(parameters)
        assert is_correct(problem, problem.reference())
        if "reference_answer" in parameters:
            assert is_correct(problem, parameters["reference_answer"])


def is_correct(problem, answer):
    return problem.verify(f"<answer>{answer}</answer>").correct
