"""Commands where nothing can be written, and where shared memory has no place for files."""

import subprocess
import sys
from pathlib import Path

import pytest

from faults.filling import trouble

pytestmark = pytest.mark.skipif(trouble() is not None, reason=f"no file system here: {trouble()}")

TRAINED = """
    train --policy.model nano --policy.device cpu --data.environments Sorting --validation.every 0
    --rollout.problems 2 --rollout.group 2 --rollout.max-tokens 8 --run.steps 1 --run.workers 1
    --run.folder
"""
EVALUATED = "eval --model nano --device cpu --max-tokens 8 --suite {suite} --workers 1 --folder"
TEMPORARY = ("/tmp", "/var/tmp", "/usr/tmp", "/dev/shm")
READ_ONLY = "mount --rbind {0} {0} && mount -o remount,bind,ro {0}"  # but not what is mounted in it
COMMANDS = {
    "dataset": "dataset Sorting -n 2 -d 0 -o",
    "train": " ".join(TRAINED.split()),
    "eval": EVALUATED,
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "two.jsonl"
    assert run("true", COMMANDS["dataset"].split(), path)[0] == 0
    return path


def run(mount, words, place, cwd=None):
    """The exit status, the lines of standard output, and those of standard error."""
    command = [sys.executable, "-m", "rlve", *words, str(place)]
    before = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        f'{mount} && exec "$@"',
    ]
    done = subprocess.run(
        [*before, str(place.parent), *command], check=False, capture_output=True, text=True, cwd=cwd
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_read_only_file_system_is_one_sentence(name, suite, tmp_path):
    words = COMMANDS[name].format(suite=suite).split()
    status, _, said = run('mount --bind -o ro "$0" "$0"', words, tmp_path / "out.jsonl")
    last = said.strip().splitlines()[-1]
    assert status == 2
    assert last.startswith("rlve: ")
    assert last.endswith("Read-only file system")
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no /dev/shm")
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_need_no_files_in_shared_memory(name, suite, tmp_path):
    words = COMMANDS[name].format(suite=suite).split()
    status, _, said = run("mount -t tmpfs -o ro none /dev/shm", words, tmp_path / "out.jsonl")
    assert status == 0, said
    assert "Traceback" not in said
    assert (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_without_a_folder_for_temporary_files_a_command_says_so_or_works(name, suite, tmp_path):
    closed = (f"if [ -d {place} ]; then {READ_ONLY.format(place)}; fi" for place in TEMPORARY)
    words = COMMANDS[name].format(suite=suite).split()
    mount = " && ".join(['mount --bind "$0" "$0"', *closed])
    status, _, said = run(mount, words, tmp_path / "out.jsonl", cwd="/proc")
    assert "Traceback" not in said
    assert status == (0 if name == "dataset" else 2), said
    assert name == "dataset" or said.startswith("rlve: no folder for temporary files can be")
