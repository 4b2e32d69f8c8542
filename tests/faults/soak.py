"""Draws scenarios until the time is over, and tells what was tried: `make soak`."""

import shutil
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import torch
import tyro

from faults import evaluating, filling, judging, serving
from faults.scenes import Scenario, Scene
from faults.training import Training


def soak(minutes: float = 60, seed: int | None = None) -> int:
    """Let faults happen for a while, and check after each scenario what must hold.

    Args:
        minutes: How long.
        seed: Of the first scenario; the others follow. By default a new one each time.
    """
    seed = time.time_ns() % 10**9 if seed is None else seed
    place = Path(tempfile.mkdtemp(prefix="rlve-soak-"))
    torch.set_num_threads(1)  # as in the processes that are compared with it
    training = Training(place)
    subject = filling.make_subject(place / "subject")
    scenarios: dict[str, Scenario] = {
        "training": training.scenario,
        "evaluation": evaluating.evaluation,
        "pool": judging.pool,
        "sandbox": judging.sandbox,
        "service": serving.service,
    }
    if filling.trouble() is None:
        scenarios["disk"] = partial(filling.full_disk, subject=subject)
    else:
        print(f"no small disk can be made here: {filling.trouble()}")
    played, failed, tried = Counter[str](), Counter[str](), Counter[str]()
    begin = time.monotonic()
    while time.monotonic() - begin < 60 * minutes:
        name = Random(f"which/{seed}").choice(list(scenarios))
        scene = Scene(Random(f"{name}/{seed}"), place / f"{name}-{seed}", tried)
        scene.place.mkdir()
        played[name] += 1
        try:
            scenarios[name](scene)
        except Exception:  # noqa: BLE001  it is counted, and told in full
            failed[name] += 1
            traceback.print_exc()
            print(f"FAILED: {name}, seed {seed}; what it left is in {scene.place}", flush=True)
        else:
            shutil.rmtree(scene.place)
        seed += 1
        if played.total() % 20 == 0:
            print(f"{(time.monotonic() - begin) / 60:.1f} min: {dict(played)}", flush=True)
    tell(played, failed, tried, (time.monotonic() - begin) / 60)
    if not failed:
        shutil.rmtree(place)
    return 1 if failed else 0


def tell(played: Counter[str], failed: Counter[str], tried: Counter[str], minutes: float) -> None:
    print(f"\nin {minutes:.1f} minutes")
    for name, count in sorted(played.items()):
        print(f"  {count:5} times {name}, of which {failed[name]} broke a promise")
    for what, count in sorted(tried.items()):
        print(f"  {count:5} {what}")


if __name__ == "__main__":
    raise SystemExit(tyro.cli(soak))
