"""An evaluation that is killed, of a server that lies and dies, ends with every sample once."""

import json
import signal
import threading
import time
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from random import Random

import rlve
from faults.evaluee import GAVE_UP
from faults.scenes import Child, Scene, wait_until
from rlve.datasets.rows import ProblemRow, write_rows
from rlve.evaluate.results import read_evaluation, read_results
from support.model_server import ModelServer, Reply, said

QUESTIONS, SAMPLES = 20, 4

LIES = {
    "server: 500": Reply(status=500, message="out of memory"),
    "server: 429": Reply(status=429, message="slow down"),
    "server: hangs up": Reply(drop=True),
    "server: a byte at a time": Reply(drip=True),
    "server: HTML": Reply(message="<html>please log in</html>"),
    "server: null message": Reply(
        message='{"choices": [{"message": null, "finish_reason": "stop"}]}'
    ),
    "server: half a JSON": Reply(message='{"choices": [{"mess'),
    "server: unasked compression": Reply(
        message="\x1f\x8b", headers=(("Content-Encoding", "gzip"),)
    ),
    "server: aborted output": Reply(finish="abort"),
    "server: deep JSON": Reply(message="[" * 100_000),
}


def evaluation(scene: Scene) -> None:
    suite = scene.place / "suite.jsonl"
    write_rows(suite, [question(number) for number in range(QUESTIONS)])
    liar = Liar(scene)
    folder = scene.place / "evaluation"
    with ModelServer(liar.answer) as server:
        for _ in range(scene.rng.randint(1, 3)):
            interrupt(scene, server, start(scene, server, suite, folder), folder)
        for _ in range(10):  # a server that lies too often ends an evaluation
            child = start(scene, server, suite, folder)
            status = child.wait()
            if status == 0:
                break
            assert status == GAVE_UP, child.said()
    check(folder)


def start(scene: Scene, server: ModelServer, suite: Path, folder: Path) -> Child:
    clock = scene.rng.randrange(1000) if scene.rng.random() < 0.3 else None
    scene.tried["evaluation: clock jumps"] += clock is not None
    settings = {"url": server.url, "suite": str(suite), "folder": str(folder)}
    words = json.dumps(settings | {"samples": SAMPLES, "clock": clock})
    return Child("faults.evaluee", words, log=scene.place / "log")


def interrupt(scene: Scene, server: ModelServer, child: Child, folder: Path) -> None:
    target = scene.rng.randrange(QUESTIONS * SAMPLES)
    wait_until(lambda: not child.running or stored(folder) >= target, "nothing is stored")
    if scene.rng.random() < 0.5:
        restart(scene, server)
    number = scene.rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT))
    child.send(number)
    if child.wait() not in (0, GAVE_UP):
        scene.tried[f"evaluation: {number.name}"] += 1


def restart(scene: Scene, server: ModelServer) -> None:
    server.stop()
    time.sleep(scene.rng.uniform(0, 0.3))
    server.start()
    scene.tried["server: killed and started again"] += 1


class Liar:
    """A server that answers well most of the time."""

    def __init__(self, scene: Scene) -> None:
        self.tried = scene.tried
        self.rng = Random(scene.rng.random())
        self.lock = threading.Lock()

    def answer(self, body: dict[str, object]) -> Reply:
        with self.lock:
            lie = self.rng.choice(list(LIES)) if self.rng.random() < 0.2 else None
            if lie is not None:
                self.tried[lie] += 1
                return LIES[lie]
        return Reply(true_answer(said(body), int(str(body["seed"]))))


def true_answer(prompt: str, seed: int) -> str:
    """Determined by what was asked, so that a sample that came from elsewhere is seen."""
    digest = blake2b(f"{prompt}/{seed}".encode(), digest_size=4).hexdigest()
    return rf"{digest} \boxed{{{seed % 3}}}"


def question(number: int) -> ProblemRow:
    problem = rlve.environment("Division").generate(difficulty=number % 3, seed=number)
    return ProblemRow(
        id=f"q{number}", environment="Division", parameters=problem.parameters(), difficulty=0
    )


def stored(folder: Path) -> int:
    place = folder / "outputs.jsonl"
    return place.read_bytes().count(b"\n") if place.exists() else 0


def check(folder: Path) -> None:
    """Every sample is there once, as the server said it, with the verdict it deserves."""
    from rlve.evaluate.backends import seed_of

    found = read_evaluation(folder)
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        lines = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        counts = Counter((line["id"], line["sample"]) for line in lines)
        assert len(counts) == QUESTIONS * SAMPLES, f"samples are lost in {name}"
        assert set(counts.values()) == {1}, f"samples are doubled in {name}"
    format = found.plan.prompt_format()
    for row in found.questions:
        prompt, marker = row.asked(format)
        for sample in range(SAMPLES):
            [key] = [key for key in found.outputs if key == (row.id, sample)]
            text = true_answer(prompt[-1]["content"], seed_of(0, key))
            assert found.outputs[key].output == text
            verdict = row.problem().verify(text, marker=marker)
            assert found.verdicts[key].reward == verdict.reward
            assert found.verdicts[key].correct == verdict.correct
    assert read_results(folder).overall.unanswered == 0
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    assert left == [".lock"], left
