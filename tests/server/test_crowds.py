"""Clients that are slow, say nothing or do not read hold up nobody else."""

import logging
import resource
import socket
import time
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from rlve.server import guard, listener
from rlve.server.guard import Limits
from rlve.server.service import create_service
from support.serving import serving

TOKEN = "correct horse battery staple"
KNOWN = {"authorization": f"Bearer {TOKEN}"}
HALF_HEAD = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nX: "
ITEM = {"environment": "Sorting", "difficulty": 0, "seed": 0, "output": ""}


def half_body(path, token=TOKEN):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    return f"{head}Content-Length: 100\r\n\r\n{{".encode()


@contextmanager
def clients(url, said, count):
    """Connections that have said this, and wait."""
    place = urlsplit(url)
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            held = socket.create_connection((place.hostname, place.port), timeout=60)
            found.append(stack.enter_context(held))
            held.sendall(said)
        yield found


def end_of(client):
    """What a client reads until its connection is closed."""
    read = b""
    try:
        while part := client.recv(2**16):
            read += part
    except ConnectionResetError:
        pass
    return read


@pytest.fixture
def crowded(pool):
    """A server that has two slots."""
    with serving(create_service(pool, limits=Limits(concurrency=2), token=TOKEN)) as url:
        yield url


@pytest.mark.parametrize(
    "said",
    [b"", HALF_HEAD, half_body("/health", "wrong"), half_body("/v1/verify")],
    ids=["nothing", "half a head", "a body on an open path", "half a body"],
)
def test_slots_are_for_requests_that_have_arrived(crowded, said):
    with clients(crowded, said, 40):
        for _ in range(3):
            reply = httpx.post(f"{crowded}/v1/verify", json={"items": [ITEM]}, headers=KNOWN)
            assert reply.status_code == 200
        assert httpx.get(f"{crowded}/health").json()["requests"] == 1


def test_an_open_path_has_no_body(crowded):
    with clients(crowded, half_body("/health", "wrong"), 1) as [client]:
        assert end_of(client).startswith(b"HTTP/1.1 405")


def test_requests_arrive_in_time_or_not_at_all(crowded, monkeypatch):
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)
    with clients(crowded, HALF_HEAD, 1) as [head], clients(crowded, b"", 1) as [silent]:
        assert end_of(head) == end_of(silent) == b""
    with clients(crowded, half_body("/v1/verify"), 1) as [body]:
        assert end_of(body).startswith(b"HTTP/1.1 408")
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with clients(crowded, whole + HALF_HEAD, 1) as [second]:
        assert end_of(second).startswith(b"HTTP/1.1 200")


def test_a_reply_that_nobody_reads_is_dropped(monkeypatch):
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.3)
    size = 50_000_000  # more than the system keeps

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": f"{message['type']}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        length = [(b"content-length", str(size).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": length})
        await send({"type": "http.response.body", "body": bytes(size)})

    asked = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(app) as url, clients(url, asked, 2) as [reader, other]:
        read = 0
        while part := reader.recv(2**20):  # slowly, but it reads
            read += len(part)
            time.sleep(0.01)
            if read > size:
                break
        assert read > size
        assert len(end_of(other)) < size


def test_whoever_waits_longest_makes_room(pool, monkeypatch):
    monkeypatch.setattr(listener, "most_connections", lambda: 4)
    with (
        serving(create_service(pool)) as url,
        clients(url, HALF_HEAD, 1) as [first],
        httpx.Client(base_url=url) as later,
    ):
        assert later.get("/health").status_code == 200
        with clients(url, b"", 12) as others:
            assert end_of(first) == b""
            assert [end_of(each) for each in others[:8]] == [b""] * 8
            assert later.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("soft", "hard", "most"),
    [(1024, 2**20, listener.CONNECTIONS), (256, 256, None), (64, 64, listener.ACCEPTED)],
)
def test_there_are_fewer_connections_than_there_may_be_open_files(monkeypatch, soft, hard, most):
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.append(new))
    found = listener.most_connections()
    assert found == most or (most is None and found <= hard - listener.SPARE_FILES)
    assert limits[-1][0] <= hard
    assert found + listener.SPARE_FILES <= limits[-1][0] or hard == 64


def test_connections_that_cannot_be_accepted_do_not_fill_the_log(pool, caplog):
    server = listener.Server(create_service(pool))
    loop = type("Loop", (), {"time": lambda _: 0.0, "default_exception_handler": None})()
    full = OSError(24, "Too many open files")
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            server._complain(loop, {"message": "accept", "exception": full})
    assert caplog.text.count("Too many open files") == 1
