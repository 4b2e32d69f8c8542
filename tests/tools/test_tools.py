"""The programs of tools/, and the Dockerfiles, as far as nothing is built or trained for long."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import asdict
from fnmatch import fnmatch

import pytest

import rlve
from rlve.cli import COMMANDS
from support.programs import ROOT, load

release, maker = load("tools/release.py"), load("tools/site.py")
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
IMAGES = sorted((ROOT / "docker").glob("Dockerfile.*"))
NAMING = ["CITATION.cff", "CHANGELOG.md", "src/rlve/__init__.py"]  # the version


def checked(tool, name):
    command = [sys.executable, tool, name, "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path):
    done = checked(ROOT / "tools" / "notebooks.py", path.stem)
    assert done.returncode == 0, done.stderr


def test_what_a_notebook_prints_is_compared(tmp_path):
    for file in ("tools/notebooks.py", "docs/notebooks/tour.ipynb"):
        text = (ROOT / file).read_text()
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(text.replace('"400', '"401'))  # the number of environments
    done = checked(tmp_path / "tools" / "notebooks.py", "tour")
    assert done.returncode == 1
    assert "tour shows:\n401" in done.stderr


def test_nano_is_made_by_teaching_with_settings_that_are_kept(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="training needs rlve[train]")
    recipe = load("tools/nano.py")
    monkeypatch.setattr(recipe, "C16", ("Sorting",))
    monkeypatch.setattr(recipe, "HELD_OUT", ())
    size = {"batch": 4, "hidden": 32, "layers": 1, "vocabulary": 600, "context": 512}
    tiny = recipe.NanoConfig(environments=("Sorting",), highest=1, steps=2, **size)
    recipe.make(tiny, tmp_path / "nano")
    embedded = ROOT / "src/rlve/models/nano"
    for folder, config in ((tmp_path / "nano", tiny), (embedded, recipe.NanoConfig())):
        made_with = json.loads((folder / "made_with.json").read_text())
        assert made_with == json.loads(json.dumps(asdict(config)))
        model = json.loads((folder / "config.json").read_text())
        assert (model["hidden_size"], model["num_hidden_layers"]) == (config.hidden, config.layers)


@pytest.mark.parametrize("name", NAMING)
def test_a_file_with_another_version_is_named(tmp_path, name):
    (tmp_path / "src/rlve").mkdir(parents=True)
    for file in ("pyproject.toml", *NAMING):
        shutil.copy(ROOT / file, tmp_path / file)
    assert release.agreed_version(tmp_path) == rlve.__version__
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(text.replace(rlve.__version__, "9.9.9"))
    with pytest.raises(release.FaultError, match=name):
        release.agreed_version(tmp_path)


def test_a_wheel_that_lacks_a_file_is_refused(tmp_path):
    place = tmp_path / "rlve-1-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as wheel:
        for name in release.NEEDED[1:]:
            wheel.writestr(name, "")
    with pytest.raises(release.FaultError, match=r"lacks rlve/py\.typed"):
        release.check_contents(place)


def test_the_site_has_every_page_command_and_name_and_asks_no_other_host(tmp_path):
    site = maker.build(tmp_path)
    pages = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.html")}
    documents = {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")}
    assert {*documents, "index.html", "catalogue/graphs.html", "project/security.html"} <= {*pages}
    commands = re.sub(r"<a .*?</a>", "", pages["commands.html"])
    assert all(f"rlve {name}</h2>" in commands for name in COMMANDS)
    assert all(f"rlve.{name}" in pages["api.html"] for name in rlve.__all__)
    addresses = re.findall(r"(?m)^- \[.+\]\(([^)]+)\)", (site / "llms.txt").read_text())
    assert "frontier.html" in addresses
    assert all((site / address).is_file() for address in addresses)
    asks = re.compile(r'<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*')
    found = [ask for page in pages.values() for ask in asks.findall(page)]
    assert [ask for ask in found if 'rel="canonical"' not in ask] == []


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("[x](gone.md)", r"docs/train\.md links to gone\.md"),
        ("[`rlve.gym.Gym.counts`](../src/rlve/gym.py)", r"src/rlve/gym\.py does not define"),
        ("[`rlve.train.Gym.count`](../src/rlve/gym.py)", r"src/rlve/gym\.py does not define"),
    ],
)
def test_a_link_of_the_site_that_leads_nowhere_is_refused(tmp_path, link, fault):
    with pytest.raises(maker.FaultError, match=fault):
        maker.relinked(link, "docs/train.md", {"docs/train.md": "train.md"}, tmp_path)


@pytest.mark.parametrize("path", IMAGES, ids=lambda path: path.name)
def test_what_an_image_names_exists(path):
    image = path.read_text().replace("\\\n", "")
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    copied = [name for line in re.findall(r"(?m)^COPY (.+)", image) for name in line.split()[:-1]]
    assert {"pyproject.toml", "README.md", "LICENSE", "src"} <= {*copied}  # what is built from
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(fnmatch(f"!{name}", pattern) for pattern in ignored), f"{name} is hidden"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", image)
    assert {*extras.split(",")} <= project["optional-dependencies"].keys()
    (python,) = re.findall(r"(?m)^FROM python:(\d+\.\d+)-slim$", image)
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]
    named = re.findall(r"(?m)^# .*docker run .*? rlve(?::\w+)? (\w+)", image)
    assert named
    assert {*named} <= COMMANDS.keys()
    assert 'ENTRYPOINT ["rlve"]' in image
