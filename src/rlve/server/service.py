"""The gym over HTTP: `rlve serve`.

    GET  /v1/environments            all environments and collections
    POST /v1/generate                problems by name or collection, difficulty, seed and count
    POST /v1/verify                  verdicts on a batch of outputs
    POST /v1/respond                 replies of problems that answer back
    POST /v1/load                    problems from their parameters
    POST /v1/sessions                a curriculum of your own: then draw, report, step, state
    GET  /health  /metrics  /        whether it is up, what it has done, and how to use it

Environments run in the workers of a pool, under a deadline. Handlers are plain functions, each in
its own thread while it waits for the workers.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlve import __version__
from rlve.collections import COLLECTIONS
from rlve.contract import Verdict
from rlve.errors import GenerationError, UnknownEnvironment, UserError
from rlve.pool import Failure, Pool
from rlve.registry import dialogues, entry, environments
from rlve.reports.pages import render
from rlve.server import problems, wire
from rlve.server.counters import Counters
from rlve.server.guard import LOCAL, Guard, Limits
from rlve.server.problems import TooLarge
from rlve.server.sessions import NoSuchSession, SessionBook, TooManySessions

STATUS: dict[type[Exception], int] = {
    UnknownEnvironment: 404,
    NoSuchSession: 404,
    TooManySessions: 409,
    TooLarge: 413,
    UserError: 422,
    GenerationError: 422,
}
OPEN_PATHS = ("/health",)  # open to probes without a token, even under load


def create_service(
    pool: Pool,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen
    token: str | None = None,
) -> ASGIApp:
    """The app; with a token it answers to any host name, without one only to localhost."""
    counters = Counters()
    app = _app(pool, limits, counters)
    guard = Guard(
        app,
        hosts=None if token else LOCAL,
        token=token,
        limits=limits,
        open_paths=OPEN_PATHS,
    )
    _watch(app, pool, limits, counters, guard)
    return _Counted(guard, counters)


def _app(pool: Pool, limits: Limits, counters: Counters) -> FastAPI:
    @asynccontextmanager
    async def threads(_: FastAPI) -> AsyncGenerator[None]:
        # One for each request that may be under way: a waiting thread costs little.
        anyio.to_thread.current_default_thread_limiter().total_tokens = limits.concurrency
        yield

    app = FastAPI(
        title="RLVE-Gym",
        version=__version__,
        description="Adaptive verifiable environments over HTTP.",
        lifespan=threads,
        docs_url=None,  # these pages load scripts from another host
        redoc_url=None,
    )
    for error, status in STATUS.items():
        app.add_exception_handler(error, _refusal(status))
    app.add_exception_handler(RequestValidationError, _misunderstood)
    _add_gym(app, pool, limits, counters)
    app.state.sessions = SessionBook(pool, limits.sessions, counters)
    _add_sessions(app, app.state.sessions, limits)
    return app


def _add_gym(app: FastAPI, pool: Pool, limits: Limits, counters: Counters) -> None:
    """Routes that need no memory of earlier requests."""

    def list_environments() -> dict[str, Any]:
        """All environments, those that answer back, and the collections they are in."""
        return {
            "environments": [entry(name)._asdict() for name in environments()],
            "dialogues": [entry(name)._asdict() for name in dialogues()],
            "collections": COLLECTIONS,
        }

    def count(what: str, outcomes: Iterable[str], *usual: str) -> None:
        counted = Counter(dict.fromkeys(usual, 0))  # also shown if there are none
        counted.update(outcomes)
        for outcome, number in counted.items():
            counters.add(f"rlve_{what}_total", number, outcome=outcome)

    def generate(wanted: wire.Generate) -> wire.Problems:
        """Generate problems."""
        made = problems.generate(pool, wanted, limits.batch)
        outcomes = ("failed" if each.failure else "made" for each in made)
        count("problems", outcomes, "made", "failed")
        return wire.Problems(problems=made)

    def verify(wanted: wire.Verify) -> wire.Verdicts:
        """Judge outputs."""
        problems.check_size(len(wanted.items), limits.batch)
        judged = problems.judge(pool, wanted)
        count("verdicts", map(_outcome, judged))
        return wire.Verdicts(verdicts=[wire.WireVerdict.of(result) for result in judged])

    def respond(wanted: wire.Respond) -> wire.Replies:
        """Reply to conversations; nothing is remembered, so each has all its messages."""
        problems.check_size(len(wanted.items), limits.batch)
        told = problems.respond(pool, wanted)
        outcomes = ("failed" if isinstance(each, Failure) else "made" for each in told)
        count("replies", outcomes, "made", "failed")
        return wire.Replies(replies=[wire.WireReply.of(reply) for reply in told])

    def load(wanted: wire.Load) -> wire.LoadedProblems:
        """Load problems from their parameters, as anybody may have written them."""
        problems.check_size(len(wanted.records), limits.batch)
        loaded = problems.load(pool, wanted.records)
        outcomes = ("failed" if each.failure else "loaded" for each in loaded)
        count("problems", outcomes, "loaded", "failed")
        return wire.LoadedProblems(problems=loaded)

    app.add_api_route("/v1/environments", list_environments, methods=["GET"])
    app.add_api_route("/v1/generate", generate, methods=["POST"])
    app.add_api_route("/v1/verify", verify, methods=["POST"])
    app.add_api_route("/v1/respond", respond, methods=["POST"])
    app.add_api_route("/v1/load", load, methods=["POST"])


def _add_sessions(app: FastAPI, book: SessionBook, limits: Limits) -> None:
    """Routes for curricula that the server keeps."""

    def list_sessions() -> wire.Sessions:
        """All sessions."""
        return wire.Sessions(sessions=[session.describe() for session in book.all()])

    def create_session(wanted: wire.NewSession) -> wire.Session:
        """Start a curriculum, or continue one from its saved state."""
        return book.create(wanted).describe()

    def get_session(session: str) -> wire.Session:
        """The current state of a session."""
        return book.find(session).describe()

    def delete_session(session: str) -> None:
        """Delete a session."""
        book.delete(session)

    def draw(session: str, wanted: wire.Draw) -> wire.Drawn:
        """The next problems, drawn from the curriculum as it stands now."""
        problems.check_size(wanted.count, limits.batch)
        return book.find(session).draw(wanted)

    def report(session: str, verdicts: wire.Report) -> wire.Session:
        """Tell the curriculum which outputs were correct."""
        problems.check_size(len(verdicts.groups), limits.batch)
        return book.find(session).report(verdicts)

    def step(session: str, closing: wire.Step) -> wire.Stepped:
        """End a training step: ranges may move."""
        return book.find(session).step(closing)

    def get_state(session: str) -> wire.State:
        """Everything needed to continue exactly from here."""
        return book.find(session).state()

    def put_state(session: str, state: wire.State) -> wire.Session:
        """Continue from a saved state."""
        return book.find(session).load(state)

    path = "/v1/sessions/{session}"
    app.add_api_route("/v1/sessions", list_sessions, methods=["GET"])
    app.add_api_route("/v1/sessions", create_session, methods=["POST"], status_code=201)
    app.add_api_route(path, get_session, methods=["GET"])
    app.add_api_route(path, delete_session, methods=["DELETE"], status_code=204)
    app.add_api_route(f"{path}/draw", draw, methods=["POST"])
    app.add_api_route(f"{path}/report", report, methods=["POST"])
    app.add_api_route(f"{path}/step", step, methods=["POST"])
    app.add_api_route(f"{path}/state", get_state, methods=["GET"])
    app.add_api_route(f"{path}/state", put_state, methods=["PUT"])


def _watch(app: FastAPI, pool: Pool, limits: Limits, counters: Counters, guard: Guard) -> None:
    """Routes for people and probes; they need no thread, so they never wait for one."""

    async def health() -> dict[str, Any]:
        return {
            "status": "ok",
            "version": __version__,
            "workers": pool.workers,
            "batch": limits.batch,
            "body": limits.body,
        }

    async def metrics() -> PlainTextResponse:
        gauges = {
            "rlve_requests_in_flight": guard.in_flight,
            "rlve_sessions": len(app.state.sessions),
            "rlve_workers": pool.workers,
        }
        failures = {f"rlve_failures_{kind}": count for kind, count in sorted(pool.failures.items())}
        return PlainTextResponse(counters.text(gauges | failures))

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(render("api.html", **app.openapi(), base=str(request.base_url)))

    async def style() -> Response:
        return Response(render("api.css"), media_type="text/css")

    app.add_api_route("/health", health, methods=["GET"])
    app.add_api_route("/metrics", metrics, methods=["GET"])
    app.add_api_route("/", page, methods=["GET"], include_in_schema=False)
    app.add_api_route("/api.css", style, methods=["GET"], include_in_schema=False)


def _outcome(result: Verdict | Failure) -> str:
    if isinstance(result, Failure):
        return result.kind
    if result.correct:
        return "correct"
    return "wrong" if result.well_formed else "ill_formed"


def _refusal(status: int) -> Any:
    def answer(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=status)

    return answer


def _misunderstood(_: Request, error: Exception) -> JSONResponse:
    """The first fault of a request in a sentence, without what was sent, which may be anything."""
    faults: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
    first: dict[str, Any] = faults[0] if faults else {"loc": (), "msg": str(error)}
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    text = f"{field}: {first['msg']}" if field else str(first["msg"])
    clean = text.encode("utf-8", "replace").decode()[:500]
    return JSONResponse({"detail": clean}, status_code=422)


class _Counted:
    """An app whose requests are counted and timed, by route."""

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        self._app = app
        self._counters = counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begin, status = perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if scope["type"] == "http":
                route = getattr(scope.get("route"), "path", "unknown")
                self._counters.count_request(route, status, perf_counter() - begin)
