"""The gym over HTTP: `rlve serve`.

    GET  /v1/environments    all environments and collections
    POST /v1/generate        problems by name or collection, difficulty, seed and count
    POST /v1/verify          verdicts on outputs
    POST /v1/explain         the same, with their reasons
    POST /v1/score           rewards and accuracy of groups of outputs
    POST /v1/respond         replies of problems that answer back
    GET  /health  /          whether it is up, and how to use it

It remembers nothing: a problem is named by environment, difficulty and seed, or comes with its
parameters. Environments run in the workers of a pool, under a deadline. Handlers are plain
functions, each in its own thread while it waits for the workers.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp

from rlve import __version__
from rlve.collections import COLLECTIONS
from rlve.errors import GenerationError, UnknownEnvironment, UserError
from rlve.pool import Pool
from rlve.registry import dialogues, entry, environments
from rlve.reports.pages import render
from rlve.server import problems, wire
from rlve.server.guard import LOCAL, Guard, Limits
from rlve.server.problems import TooLarge, check_size

STATUS: dict[type[Exception], int] = {
    UnknownEnvironment: 404,
    TooLarge: 413,
    UserError: 422,
    GenerationError: 422,
}
LONGEST_ERROR = 500  # characters
OPEN_PATHS = ("/health",)  # open to probes without a token, even under load


def create_service(
    pool: Pool,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen
    token: str | None = None,
) -> ASGIApp:
    """The app; with a token it answers to any host name, without one only to localhost."""

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
    _add_gym(app, pool, limits.batch)
    guard = Guard(
        app,
        hosts=None if token else LOCAL,
        token=token,
        limits=limits,
        open_paths=OPEN_PATHS,
    )
    _add_pages(app, pool, limits, guard)
    return guard


def _add_gym(app: FastAPI, pool: Pool, most: int) -> None:
    def list_environments() -> dict[str, Any]:
        """All environments, those that answer back, and the collections they are in."""
        return {
            "environments": [entry(name)._asdict() for name in environments()],
            "dialogues": [entry(name)._asdict() for name in dialogues()],
            "collections": COLLECTIONS,
        }

    def generate(wanted: wire.Generate) -> wire.Problems:
        """Generate problems. Their prompts give no answer away; parameters and references do."""
        return wire.Problems(problems=problems.generate(pool, wanted, most))

    def verify(wanted: wire.Verify) -> wire.Verdicts:
        """Judge outputs."""
        check_size(len(wanted.items), most)
        judged = problems.verify(pool, wanted)
        return wire.Verdicts(verdicts=list(map(wire.WireVerdict.of, judged)))

    def explain(wanted: wire.Verify) -> wire.Explanations:
        """Judge outputs, and say what was read and why. A reason can give an answer away."""
        check_size(len(wanted.items), most)
        judged = problems.verify(pool, wanted, explain=True)
        return wire.Explanations(explanations=list(map(wire.WireExplanation.of, judged)))

    def score(wanted: wire.ScoreGroups) -> wire.GroupScores:
        """Judge groups: several outputs for one problem, as a trainer samples them."""
        check_size(sum(len(group.outputs) for group in wanted.items), most)
        scored = problems.score(pool, wanted)
        return wire.GroupScores(scores=list(map(wire.GroupScore.of, scored)))

    def respond(wanted: wire.Respond) -> wire.Replies:
        """Reply to conversations; nothing is remembered, so each has all its messages."""
        check_size(len(wanted.items), most)
        replies = problems.respond(pool, wanted)
        return wire.Replies(replies=list(map(wire.WireReply.of, replies)))

    app.add_api_route("/v1/environments", list_environments, methods=["GET"])
    for route in (generate, verify, explain, score, respond):
        app.add_api_route(f"/v1/{route.__name__}", route, methods=["POST"])


def _add_pages(app: FastAPI, pool: Pool, limits: Limits, guard: Guard) -> None:
    """Routes for people and probes; they need no thread, so they never wait for one."""

    async def health() -> dict[str, Any]:
        """Whether the server is up, its limits, and how many requests are under way."""
        return {
            "status": "ok",
            "version": __version__,
            "workers": pool.workers,
            "batch": limits.batch,
            "body": limits.body,
            "requests": guard.in_flight,
        }

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(render("api.html", **app.openapi(), base=str(request.base_url)))

    async def style() -> Response:
        return Response(render("api.css"), media_type="text/css")

    app.add_api_route("/health", health, methods=["GET"])
    app.add_api_route("/", page, methods=["GET"], include_in_schema=False)
    app.add_api_route("/api.css", style, methods=["GET"], include_in_schema=False)


def _refusal(status: int) -> Any:
    def answer(_: Request, error: Exception) -> JSONResponse:
        return _sentence(str(error), status)

    return answer


def _misunderstood(_: Request, error: Exception) -> JSONResponse:
    """The first fault of a request in a sentence, without what was sent, which may be anything."""
    first = cast(RequestValidationError, error).errors()[0]
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    return _sentence(f"{field}: {first['msg']}" if field else str(first["msg"]), 422)


def _sentence(text: str, status: int) -> JSONResponse:
    """An error, which may quote what was sent, in a text of bounded length."""
    clean = text[:LONGEST_ERROR].encode("utf-8", "replace").decode()
    return JSONResponse({"detail": clean}, status_code=status)
