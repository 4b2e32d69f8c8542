"""The studio's routes: each gets a page from `views`."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import parse_qs

import msgspec
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from rlve.errors import UnknownEnvironment, UserError
from rlve.server.guard import Guard, Limits
from rlve.server.studio.evaluations import QuestionFilter
from rlve.server.studio.folders import NotThere
from rlve.server.studio.pages import STATIC, Links
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.runs import RunFolder
from rlve.server.studio.views import Pages, Studio, live_charts

LIMITS = Limits(body=2**20, concurrency=64)


def create_studio(studio: Studio) -> Guard:
    """The app, which only answers to the names of this machine."""
    app = FastAPI(title="rlve studio", docs_url=None, redoc_url=None, openapi_url=None)
    pages = Pages(studio, Links())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_environments(app, pages)
    _add_runs(app, pages)
    _add_evaluations(app, pages)
    _add_errors(app, pages)
    return Guard(app, limits=LIMITS)


def _get(app: FastAPI, path: str, handler: Any) -> None:
    app.add_api_route(path, handler, methods=["GET"], response_class=HTMLResponse)


def _add_environments(app: FastAPI, pages: Pages) -> None:
    def problem(name: str, d: int = 0, seed: int = 0) -> HTMLResponse:
        url = pages.links.page("env", name, d=d, seed=seed)
        return HTMLResponse(pages.problem(name, d, seed), headers={"HX-Replace-Url": url})

    async def verdict(name: str, request: Request) -> HTMLResponse:
        form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        difficulty, seed = (_number(form.get(key, ["0"])[0]) or 0 for key in ("d", "seed"))
        answer = form.get("answer", [""])[0]
        return HTMLResponse(await run_in_threadpool(pages.verdict, name, difficulty, seed, answer))

    def environment(name: str, d: int = 0, seed: int = 0) -> str:
        return pages.environment(name, d, seed)

    def reference(name: str, d: int = 0, seed: int = 0) -> str:
        return pages.reference(name, d, seed)

    _get(app, "/", pages.gallery)
    _get(app, "/catalogue/{family}", pages.catalogue)
    _get(app, "/env/{name}", environment)
    _get(app, "/env/{name}/problem", problem)
    _get(app, "/env/{name}/reference", reference)
    _get(app, "/env/{name}/source", pages.source)
    _get(app, "/env/{name}/lengths", pages.lengths)
    _get(app, "/env/{name}/accuracy", pages.accuracy)
    app.add_api_route("/env/{name}/verdict", verdict, methods=["POST"])
    app.add_api_route(
        "/env/{name}/check", pages.check, methods=["POST"], response_class=HTMLResponse
    )


def _add_runs(app: FastAPI, pages: Pages) -> None:
    def charts(name: str, request: Request) -> Response:
        return _charts([pages.studio.run(name)], request)

    def compared_charts(request: Request, run: Annotated[Sequence[str], Query()]) -> Response:
        return _charts([pages.studio.run(name) for name in run], request)

    def compared(run: Annotated[Sequence[str], Query()] = ()) -> str:
        return pages.compared_runs(run)

    def rollouts(name: str, request: Request) -> str:
        return pages.rollouts(name, _rollout_filter(request))

    def rows(name: str, request: Request, offset: int = 0) -> HTMLResponse:
        wanted = _rollout_filter(request)
        url = pages.links.page("runs", name, "rollouts", **wanted.query())
        table = pages.rollout_rows(name, wanted, max(0, offset))
        return HTMLResponse(table, headers={} if offset else {"HX-Replace-Url": url})

    def group(name: str, index: int) -> str:
        return pages.group(name, index)

    _get(app, "/runs", pages.runs)
    _get(app, "/runs-compared", compared)
    _get(app, "/runs-compared/charts", compared_charts)
    _get(app, "/runs/{name}", pages.run)
    _get(app, "/runs/{name}/charts", charts)
    _get(app, "/runs/{name}/rollouts", rollouts)
    _get(app, "/runs/{name}/rollouts/rows", rows)
    _get(app, "/runs/{name}/rollouts/{index}", group)


def _charts(runs: Sequence[RunFolder], request: Request) -> Response:
    stamp = f'"{"+".join(run.stamp() for run in runs)}"'
    if request.headers.get("if-none-match") == stamp:
        return Response(status_code=304, headers={"ETag": stamp})
    body = msgspec.json.encode(live_charts(runs))
    return Response(body, media_type="application/json", headers={"ETag": stamp})


def _add_evaluations(app: FastAPI, pages: Pages) -> None:
    def evaluation(name: str, request: Request) -> str:
        return pages.evaluation(name, _question_filter(request))

    def rows(name: str, request: Request, offset: int = 0) -> HTMLResponse:
        wanted = _question_filter(request)
        url = pages.links.page("evals", name, **wanted.query())
        table = pages.question_rows(name, wanted, max(0, offset))
        return HTMLResponse(table, headers={} if offset else {"HX-Replace-Url": url})

    def question(name: str, index: int) -> str:
        return pages.question(name, index)

    def compared(first: str = "", second: str = "", ahead: str = "second") -> str:
        return pages.compared_evals(first, second, ahead)

    _get(app, "/evals", pages.evals)
    _get(app, "/evals-compared", compared)
    _get(app, "/evals/{name}", evaluation)
    _get(app, "/evals/{name}/rows", rows)
    _get(app, "/evals/{name}/questions/{index}", question)


def _rollout_filter(request: Request) -> RolloutFilter:
    asked = request.query_params
    values = {key: asked.get(key, "") for key in ("environment", "outcome", "text")}
    numbers = {key: _number(asked.get(key, "")) for key in ("first", "last", "difficulty")}
    return _converted(
        values | numbers | {"texts_only": asked.get("texts_only") in ("true", "True")},
        RolloutFilter,
    )


def _question_filter(request: Request) -> QuestionFilter:
    asked = request.query_params
    values = {key: asked.get(key, "") for key in ("environment", "outcome", "text")}
    return _converted(values | {"difficulty": _number(asked.get("difficulty", ""))}, QuestionFilter)


def _converted(values: dict[str, Any], kind: Any) -> Any:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise UserError(f"there is no such filter: {error}") from None


def _number(text: str) -> int | None:
    """A number from a form; None if the field is empty."""
    if not text.strip():
        return None
    try:
        return int(text[:30])
    except ValueError:
        raise UserError(f"{text[:30]!r} is not a number") from None


def _add_errors(app: FastAPI, pages: Pages) -> None:
    """Errors as pages or, if a page asked for a part of itself, as that part."""

    def answer(request: Request, status: int, title: str, text: str) -> HTMLResponse:
        if request.headers.get("hx-request"):
            from html import escape

            return HTMLResponse(f'<p class="error" role="alert">{escape(text)}</p>')
        return HTMLResponse(pages.message(title, text), status_code=status)

    def missing(request: Request, error: Exception) -> HTMLResponse:
        return answer(request, 404, "Not found", str(error))

    def impossible(request: Request, error: Exception) -> HTMLResponse:
        return answer(request, 422, "Not possible", str(error))

    def misread(request: Request, _: Exception) -> HTMLResponse:
        return answer(request, 422, "Not possible", "Something in the address is wrong.")

    def nowhere(request: Request, _: Exception) -> HTMLResponse:
        return answer(request, 404, "Not found", "There is no such page.")

    app.add_exception_handler(UnknownEnvironment, missing)
    app.add_exception_handler(NotThere, missing)
    app.add_exception_handler(UserError, impossible)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(404, nowhere)
