"""`rlve dataset --ray` while workers, Ray's processes and a whole node are killed."""

import json
import subprocess
import sys
import time
from collections import Counter

import pytest

pytest.importorskip("ray", reason="needs rlve[ray]; run make test-ray")

import psutil

COUNT = 20_000
ENVIRONMENTS = ["Sorting", "Sudoku", "ShortestPath", "MinimumSpanningTree"]


def export(folder, name, *flags):
    words = ["dataset", *ENVIRONMENTS, "-n", str(COUNT), "-d", "5..8", "-o", f"{name}.jsonl"]
    command = [sys.executable, "-m", "rlve", *words, "--deadline", "60", *flags]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_bytes(folder, size, program):
    """Until the export has written as much."""
    end = time.monotonic() + 300
    while sum(part.stat().st_size for part in folder.glob(".ray.jsonl.*.part")) < size:
        assert program.poll() is None, "the export was over before anything was killed"
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_export_survives_killed_workers_processes_and_nodes(machines, second, tmp_path):
    local = export(tmp_path, "local", "--workers", "2")
    _, err = local.communicate(timeout=500)
    assert local.returncode == 0, err
    expected = (tmp_path / "local.jsonl").read_bytes()

    program = export(tmp_path, "ray", "--ray", machines.address)
    wait_for_bytes(tmp_path, len(expected) // 10, program)
    [host] = machines.hosts(machines.head)
    [worker] = [child for child in host.children() if child.status() != psutil.STATUS_ZOMBIE]
    worker.kill()
    wait_for_bytes(tmp_path, len(expected) // 4, program)
    assert host.is_running()
    host.kill()
    wait_for_bytes(tmp_path, len(expected) // 2, program)
    assert machines.hosts(second)
    machines.remove(second)
    out, err = program.communicate(timeout=500)

    assert program.returncode == 0, err
    assert out == ""  # Ray's own messages are not among the rows that may go there
    found = (tmp_path / "ray.jsonl").read_bytes()
    ids = Counter(json.loads(line)["id"] for line in found.splitlines())
    assert len(ids) == COUNT  # nothing is lost
    assert max(ids.values()) == 1  # nor there twice
    assert found == expected


def test_without_a_cluster_there_is_one_clear_line(tmp_path):
    program = export(tmp_path, "ray", "--ray", "127.0.0.1:1")
    out, err = program.communicate(timeout=120)
    assert program.returncode == 2
    assert out == ""
    assert err.startswith("rlve: there is no Ray cluster at 127.0.0.1:1: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
