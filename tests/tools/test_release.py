"""The release command, as far as it goes without building anything."""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def papers(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src/rlve").mkdir(parents=True)
    shutil.copy(ROOT / "src/rlve/__init__.py", tmp_path / "src/rlve/__init__.py")
    return tmp_path


def test_all_files_name_the_same_version(release):
    import rlve

    assert release.agreed_version(ROOT) == rlve.__version__


@pytest.mark.parametrize("name", ["CITATION.cff", "CHANGELOG.md", "src/rlve/__init__.py"])
def test_a_file_with_another_version_is_named(release, papers, name):
    text = (papers / name).read_text()
    (papers / name).write_text(text.replace(release.agreed_version(papers), "9.9.9"))
    with pytest.raises(release.FaultError, match=name):
        release.agreed_version(papers)


def test_a_wheel_that_lacks_a_file_is_refused(release, tmp_path):
    place = tmp_path / "rlve-1-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as wheel:
        for name in release.NEEDED[1:]:
            wheel.writestr(name, "")
    with pytest.raises(release.FaultError, match=r"lacks rlve/py\.typed"):
        release.check_contents(place)


def test_the_running_python_is_found_by_its_version(release):
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = release.find_python(version)
    assert release.find_python("3.99") is None
    if found is None:
        pytest.skip(f"python{version} is not on the path")
    assert Path(found).exists()
