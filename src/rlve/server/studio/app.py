"""The studio's routes: each gets a page from `views`."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any
from urllib.parse import parse_qs

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from rlve.errors import UnknownEnvironment, UserError
from rlve.server.guard import Guard, Limits
from rlve.server.studio.folders import NotThere
from rlve.server.studio.pages import STATIC, Links
from rlve.server.studio.views import Pages, Studio

LIMITS = Limits(body=2**20, concurrency=64)
PAGES: Mapping[str, Callable[..., Any]] = {
    "/frontiers": Pages.frontiers,
    "/frontiers/{name}": Pages.frontier,
    "/": Pages.gallery,
    "/env/{name}": Pages.environment,
    "/env/{name}/solution": Pages.solution,
    "/env/{name}/picture": Pages.picture,
    "/env/{name}/source": Pages.source,
    "/env/{name}/lengths": Pages.lengths,
    "/env/{name}/accuracy": Pages.accuracy,
    "/news": Pages.news,
    "/pulse": Pages.pulse,
    "/runs": Pages.runs,
    "/runs-rows": Pages.run_rows,
    "/runs-compared": Pages.compared_runs,
    "/runs/{name}": Pages.run,
    "/runs/{name}/failures": Pages.failures,
    "/runs/{name}/failures/reasons": Pages.failure_reasons,
    "/runs/{name}/rollouts": Pages.rollouts,
    "/runs/{name}/rollouts/rows": Pages.rollout_rows,
    "/runs/{name}/rollouts/{index}": Pages.group,
    "/runs/{name}/rollouts/{index}/reason/{output}": Pages.reason,
    "/evals": Pages.evals,
    "/evals-rows": Pages.eval_rows,
    "/evals-compared": Pages.compared_evals,
    "/evals/{name}": Pages.evaluation,
    "/evals/{name}/rows": Pages.question_rows,
    "/evals/{name}/failures": Pages.eval_failures,
    "/evals/{name}/failures/reasons": Pages.eval_failure_reasons,
    "/evals/{name}/questions/{index}": Pages.question,
    "/evals/{name}/questions/{index}/reason/{sample}": Pages.answer_reason,
}
"""Where each page and each part of one is, and what a page asks for again and again, as JSON.

What stands in braces or after a question mark, it is given.
"""


def create_studio(studio: Studio) -> Guard:
    """The app, which only answers to the names of this machine."""
    app = FastAPI(title="rlve studio", docs_url=None, redoc_url=None, openapi_url=None)
    pages = Pages(studio, Links())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_problems(app, pages)
    _add_charts(app, pages)
    for path, page in PAGES.items():
        _get(app, path, partial(page, pages))
    _add_errors(app, pages)
    return Guard(app, limits=LIMITS)


def _get(app: FastAPI, path: str, handler: Callable[..., Any]) -> None:
    """A page, whose arguments come from the address: pages know nothing of the web server."""
    wanted = inspect.signature(handler, eval_str=True).parameters

    def answer(request: Request) -> Response:
        reply = handler(**{name: _argument(request, each) for name, each in wanted.items()})
        if isinstance(reply, Response):
            return reply
        return HTMLResponse(reply) if isinstance(reply, str) else _json(reply)

    app.add_api_route(path, answer, methods=["GET"], response_class=HTMLResponse)


def _json(value: Any, **headers: str) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json", headers=headers)


def _argument(request: Request, wanted: inspect.Parameter) -> Any:
    kind, asked = wanted.annotation, request.query_params
    if kind is Request:
        return request
    try:
        if inspect.isclass(kind) and issubclass(kind, msgspec.Struct):
            return _filter(kind, request)
        if kind == Sequence[str]:
            return asked.getlist(wanted.name) or _default(wanted)
        text = request.path_params.get(wanted.name, asked.get(wanted.name))
        return _default(wanted) if text is None else msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        raise UserError("Something in the address is wrong.") from None


def _default(wanted: inspect.Parameter) -> Any:
    if wanted.default is wanted.empty:
        raise UserError("Something in the address is missing.")
    return wanted.default


def _filter(kind: type[Any], request: Request) -> Any:
    """A filter; an empty field of the address is left out, and matches all."""
    asked = request.query_params
    given: dict[str, Any] = {key: value for key, value in asked.items() if value.strip()}
    given["columns"] = [*asked.getlist("column"), *asked.get("columns", "").split(",")]
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"there is no such filter: {error}") from None


def _add_problems(app: FastAPI, pages: Pages) -> None:
    """Problems, which change the address of their page, and what is sent about them."""

    def problem(name: str, d: int = 0, seed: int = 0) -> HTMLResponse:
        url = pages.problem_link(name, d, seed)
        return HTMLResponse(pages.problem(name, d, seed), headers={"HX-Replace-Url": url})

    async def verdict(name: str, request: Request) -> HTMLResponse:
        form = await _form(request)
        d, seed, answer = (form.get(key, [""])[0] for key in ("d", "seed", "answer"))
        numbers = _integer(d), _integer(seed)
        return HTMLResponse(await run_in_threadpool(pages.verdict, name, *numbers, answer))

    async def turn(name: str, request: Request) -> HTMLResponse:
        form = await _form(request)
        d, seed = (_integer(form.get(key, [""])[0]) for key in ("d", "seed"))
        messages = form.get("message", [])
        body = await run_in_threadpool(pages.problem, name, d, seed, messages)
        url = pages.problem_link(name, d, seed, messages)
        return HTMLResponse(body, headers={"HX-Replace-Url": url})

    _get(app, "/env/{name}/problem", problem)
    for path, handler in {"verdict": verdict, "turn": turn}.items():
        app.add_api_route(f"/env/{{name}}/{path}", handler, methods=["POST"])


def _add_charts(app: FastAPI, pages: Pages) -> None:
    """What one run or several have measured: to draw, and as CSV."""

    def charts(request: Request, run: Sequence[str], seeds: bool = False) -> Response:
        chosen = pages.chosen_runs(run)
        stamp = f'"{"+".join(each.stamp() for each in chosen)}"'
        if request.headers.get("if-none-match") == stamp:
            return Response(status_code=304, headers={"ETag": stamp})
        return _json(pages.live_charts(chosen, seeds=seeds), ETag=stamp)

    def table(run: Sequence[str]) -> Response:
        name = {"Content-Disposition": 'attachment; filename="metrics.csv"'}
        text = pages.metrics_csv(pages.chosen_runs(run))
        return PlainTextResponse(text, media_type="text/csv", headers=name)

    _get(app, "/charts", charts)
    _get(app, "/metrics.csv", table)


def _integer(text: str) -> int:
    """A whole number from a form; 0 if the field is empty."""
    try:
        return int(text.strip()[:30] or 0)
    except ValueError:
        raise UserError(f"{text[:30]!r} is not a number") from None


async def _form(request: Request) -> Mapping[str, list[str]]:
    """The fields of a form, which may have several with one name."""
    body = (await request.body()).decode("utf-8", "replace")
    return parse_qs(body, keep_blank_values=True)


def _add_errors(app: FastAPI, pages: Pages) -> None:
    """Errors as pages or, if a page asked for a part of itself, as that part."""

    def answer(status: int, title: str, words: str = "") -> Any:
        def handler(request: Request, error: Exception) -> HTMLResponse:
            text = words or str(error)
            if request.headers.get("hx-request"):
                return HTMLResponse(f'<p class="error" role="alert">{escape(text)}</p>')
            return HTMLResponse(pages.message(title, text), status_code=status)

        return handler

    handlers: dict[Any, Any] = {
        UnknownEnvironment: answer(404, "Not found"),
        NotThere: answer(404, "Not found"),
        UserError: answer(422, "Not possible"),
        RequestValidationError: answer(422, "Not possible", "Something in the address is wrong."),
        404: answer(404, "Not found", "There is no such page."),
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
