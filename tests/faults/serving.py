"""A gym over HTTP whose server is killed."""

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Generator
from random import Random
from typing import Any

import httpx

import rlve
from faults.scenes import PATIENCE, Child, Scene, wait_until

NAMES = ("Sorting", "Multiplication", "SAT")
TOKEN = "correct horse battery staple"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
KILLED = "gym: SIGKILL"


class GymServer:
    """`rlve serve` in a process of its own, always on the same port."""

    def __init__(self, scene: Scene) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = scene.place / "gym.log"
        (scene.place / "token").write_text(TOKEN)
        self._words = f"serve --port {port} --workers 1 --token-file {scene.place / 'token'}"
        self.start()

    def start(self) -> None:
        self.child = Child("rlve", *self._words.split(), log=self.log)
        wait_until(lambda: not self.child.running or self.healthy(), self.child.said())
        assert self.child.running, self.child.said()

    def healthy(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/health", timeout=PATIENCE).is_success
        return False

    def stop(self, number: signal.Signals) -> None:
        self.child.send(number)
        self.child.wait()


def service(scene: Scene, kills: int | None = None) -> None:
    """Every verdict is what it would be if nothing had happened, and the log stays short."""
    server = GymServer(scene)
    try:
        with (
            httpx.Client(base_url=server.url, headers=KNOWN, timeout=PATIENCE) as gym,
            killed_now_and_then(scene, server, kills),
        ):
            for _ in range(40):
                judge(lambda path, body: ask(server, gym, path, body), Random(scene.rng.random()))
    finally:
        server.stop(signal.SIGTERM)
    said = server.log.read_text()
    assert "Traceback" not in said, said[-4000:]
    assert len(said) < 10_000, "the log is filled"


def ask(server: GymServer, gym: httpx.Client, path: str, body: object) -> Any:
    """The answer, of a server that remembers nothing, so that all can be asked again."""
    while True:
        try:
            return gym.post(path, json=body).raise_for_status().json()
        except httpx.TransportError:
            wait_until(server.healthy, server.child.said())


def judge(ask: Callable[[str, object], Any], rng: Random) -> None:
    """Have problems made and outputs judged there as here."""
    which = [
        {"environment": name, "difficulty": rng.randrange(3), "seed": rng.randrange(1000)}
        for name in NAMES
    ]
    problems = [
        rlve.environment(name).generate(difficulty=each["difficulty"], seed=each["seed"])
        for name, each in zip(NAMES, which, strict=True)
    ]
    made = ask("/v1/generate", {"requests": which})["problems"]
    assert [each["prompt"] for each in made] == [p.prompt() for p in problems]
    outputs = [[rf"\boxed{{{p.reference()}}}", r"\boxed{no}", "nothing"] for p in problems]
    items = [each | {"outputs": said} for each, said in zip(which, outputs, strict=True)]
    scores = ask("/v1/score", {"items": items})["scores"]
    for problem, said, scored in zip(problems, outputs, scores, strict=True):
        assert scored["rewards"] == [problem.verify(output).reward for output in said]


@contextlib.contextmanager
def killed_now_and_then(
    scene: Scene, server: GymServer, kills: int | None = None
) -> Generator[None]:
    """While the block runs, the server is killed and started again; at its end it runs."""
    over = threading.Event()
    rng = Random(scene.rng.random())
    failed: list[BaseException] = []

    def kill() -> None:
        try:
            for _ in range(rng.randint(1, 4) if kills is None else kills):
                if over.wait(rng.uniform(0.2, 2.0)) and kills is None:
                    return
                server.stop(signal.SIGKILL)
                scene.tried[KILLED] += 1
                server.start()
        except BaseException as error:  # noqa: BLE001  raised below
            failed.append(error)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
    for error in failed:
        raise error
