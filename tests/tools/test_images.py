"""The Dockerfiles, as far as they can be read without building anything."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGES = sorted((ROOT / "docker").glob("Dockerfile.*"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(params=IMAGES, ids=lambda path: path.name)
def image(request):
    """The instructions of a Dockerfile, with continued lines in one."""
    return request.param.read_text().replace("\\\n", "")


def test_what_is_copied_is_there_and_not_ignored(image):
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    kept = [pattern[1:] for pattern in ignored if pattern.startswith("!")]
    copied = [
        name
        for line in re.findall(r"^COPY (.+)", image, re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert {"pyproject.toml", "README.md", "LICENSE", "src"} <= set(copied)  # what is built from
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(fnmatch(name, pattern) for pattern in kept), f".dockerignore hides {name}"


def test_the_extras_exist_and_the_python_is_supported(image):
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", image)
    assert {*extras.split(",")} <= PROJECT["optional-dependencies"].keys()
    (python,) = re.findall(r"^FROM python:(\d+\.\d+)-slim$", image, re.MULTILINE)
    assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]


def test_the_commands_that_it_names_exist(image):
    from rlve.cli import COMMANDS

    named = re.findall(r"^# .*docker run .*? rlve(?::\w+)? (\w+)", image, re.MULTILINE)
    assert named
    assert {*named} <= COMMANDS.keys()
    assert 'ENTRYPOINT ["rlve"]' in image
