"""Workers of a pool and owners of sandboxes are killed: no verdict is lost, and nothing is left."""

import contextlib
import signal
import sys
import threading
import time
from pathlib import Path

import psutil

from faults.scenes import Child, Scene, wait_until
from rlve.contract import Verdict
from rlve.pool import Failure, Pool
from rlve.sandbox import Limits, Sandbox
from support.misbehaving import Misbehaving

RIGHT = Verdict(reward=1.0, correct=True, well_formed=True)
KINDS = {
    "loop": "deadline",
    "hold": "deadline",
    "detach": "deadline",
    "grow": "memory",
    "allocate": "memory",
    "exit": "crash",
    "kill": "crash",
    "raise": "error",
}
MEMORY = 256 * 2**20
DEADLINE = 1.0


def pool(scene: Scene) -> None:
    """Every output gets one verdict, the right one unless its worker was killed, in its place."""
    before = set(psutil.Process().children(recursive=True))
    ways = ["well"] * scene.rng.randint(50, 300)
    for how in scene.rng.choices(list(KINDS), k=4):
        ways.insert(scene.rng.randrange(len(ways)), how)
        scene.tried[f"verdict: {how}"] += 1
    problem = Misbehaving.generate(difficulty=0, seed=scene.rng.randrange(10**6))
    with Pool(2, deadline=DEADLINE, memory=MEMORY) as workers:
        done = threading.Event()
        killed: list[int] = []
        killer = threading.Thread(target=kill_workers, args=(scene, before, done, killed))
        killer.start()
        try:
            judged = workers.judge((problem, f"<answer>{how}</answer>") for how in ways)
        finally:
            done.set()
            killer.join()
    scene.tried["worker: SIGKILL"] += len(killed)
    assert len(judged) == len(ways)
    unlucky = 0
    for how, found in zip(ways, judged, strict=True):
        if how == "well" and found == RIGHT:
            continue
        assert isinstance(found, Failure), (how, found)
        if found.kind != KINDS.get(how):
            unlucky += 1
            assert found.kind in ("crash", "deadline"), (how, found)
    assert unlucky <= len(killed), f"{unlucky} verdicts are missing after {len(killed)} kills"
    wait_until(
        lambda: set(psutil.Process().children(recursive=True)) <= before, "a worker is left behind"
    )


def kill_workers(
    scene: Scene, others: set[psutil.Process], done: threading.Event, killed: list[int]
) -> None:
    for _ in range(scene.rng.randint(0, 6)):
        if done.wait(scene.rng.uniform(0, 0.5)):
            return
        mine = [each for each in psutil.Process().children() if each not in others]
        if mine:
            victim = scene.rng.choice(mine)
            victim.kill()
            killed.append(victim.pid)


# What a model might write, and what must not happen.
PROGRAMS = {
    "fork bomb": "import os\nwhile True: os.fork()",
    "memory bomb": "x = []\nwhile True: x.append(bytearray(10**8))",
    "endless loop": "while True: pass",
    "endless output": "while True: print('x' * 10**6)",
    "deep folders": "import os\nwhile True: os.mkdir('d' * 255); os.chdir('d' * 255)",
    "many files": "for i in range(10**6): open(str(i), 'w').write('x' * 10**6)",
    "threads": "import threading\nwhile True: threading.Thread(target=input).start()",
    "recursion": "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "network": "import socket; socket.create_connection(('127.0.0.1', 80))",
    "killing its parent": "import os; os.kill(os.getppid(), 9)",
}


def sandbox(scene: Scene) -> None:
    """Hostile programs end, and a good one among them is right; the owner is killed at the end."""
    child = Child("faults.judging", log=scene.place / "log")
    [jail] = started_by(child)
    programs: dict[psutil.Process, str] = {}
    with Sandbox() as mine:
        for name in scene.rng.sample(list(PROGRAMS), k=3):
            outcome = mine.run(PROGRAMS[name], limits=Limits(seconds=1, wall=10, memory=2**29))
            assert outcome.ended != "well", (name, outcome)
            scene.tried[f"program: {name}"] += 1
            assert mine.run("print(input())", "41").output == "41\n"
    wait_until(lambda: programs.update(folders_of(jail)) or programs, "no program starts")
    child.send(signal.SIGKILL)
    scene.tried["owner of a sandbox: SIGKILL"] += 1
    child.wait()
    for each in (jail, *programs):
        wait_until(lambda each=each: not each.is_running(), "a sandbox outlives its owner")
    assert not any(Path(folder).exists() for folder in programs.values()), "a folder is left behind"


def folders_of(jail: psutil.Process) -> dict[psutil.Process, str]:
    """Where its programs are."""
    found: dict[psutil.Process, str] = {}
    for program in jail.children():
        with contextlib.suppress(psutil.Error):  # it ends just now
            found[program] = program.cwd()
    return {program: place for program, place in found.items() if "rlve-sandbox-" in place}


def started_by(child: Child) -> list[psutil.Process]:
    process = psutil.Process(child.process.pid)
    wait_until(lambda: process.children() or not child.running, "the sandbox does not start")
    assert child.running, child.said()
    return process.children()


if __name__ == "__main__":  # the owner of a sandbox that is killed
    with Sandbox() as box:
        box.run("while True: pass", limits=Limits(seconds=1000, wall=1000))
        time.sleep(1000)
    sys.exit()
