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
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from rlve.errors import UnknownEnvironment, UserError
from rlve.server.guard import Guard, Limits
from rlve.server.studio.evaluations import QuestionFilter
from rlve.server.studio.folders import NotThere
from rlve.server.studio.pages import STATIC, Links, stamp_of
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.run_table import RunFilter
from rlve.server.studio.runs import RunFolder
from rlve.server.studio.views import Pages, Studio

LIMITS = Limits(body=2**20, concurrency=64)
PAGES: Mapping[str, Callable[..., str]] = {
    "/frontiers": Pages.frontiers,
    "/frontiers/{name}": Pages.frontier,
    "/": Pages.gallery,
    "/catalogue/{family}": Pages.catalogue,
    "/env/{name}": Pages.environment,
    "/env/{name}/solution": Pages.solution,
    "/env/{name}/picture": Pages.picture,
    "/env/{name}/source": Pages.source,
    "/env/{name}/lengths": Pages.lengths,
    "/env/{name}/accuracy": Pages.accuracy,
    "/news": Pages.news,
    "/runs": Pages.runs,
    "/runs/{name}": Pages.run,
    "/runs/{name}/failures": Pages.failures,
    "/runs/{name}/failures/reasons": Pages.failure_reasons,
    "/runs/{name}/rollouts": Pages.rollouts,
    "/runs/{name}/rollouts/{index}": Pages.group,
    "/runs/{name}/rollouts/{index}/reason/{output}": Pages.reason,
    "/evals": Pages.evals,
    "/evals-compared": Pages.compared_evals,
    "/evals/{name}": Pages.evaluation,
    "/evals/{name}/failures": Pages.eval_failures,
    "/evals/{name}/failures/reasons": Pages.eval_failure_reasons,
    "/evals/{name}/questions/{index}": Pages.question,
    "/evals/{name}/questions/{index}/reason/{sample}": Pages.answer_reason,
}
"""Where each page is; what stands in braces or after a question mark, it is given."""


def create_studio(studio: Studio) -> Guard:
    """The app, which only answers to the names of this machine."""
    app = FastAPI(title="rlve studio", docs_url=None, redoc_url=None, openapi_url=None)
    pages = Pages(studio, Links())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_environments(app, pages)
    _add_runs(app, pages)
    _add_evaluations(app, pages)
    for path, page in PAGES.items():
        _get(app, path, partial(page, pages))
    _add_errors(app, pages)
    return Guard(app, limits=LIMITS)


def _post(app: FastAPI, path: str, handler: Callable[..., Any]) -> None:
    app.add_api_route(path, handler, methods=["POST"], response_class=HTMLResponse)


def _get(app: FastAPI, path: str, handler: Callable[..., Any]) -> None:
    """A page, whose arguments come from the address: pages know nothing of the web server."""
    wanted = inspect.signature(handler, eval_str=True).parameters

    def answer(request: Request) -> Response:
        arguments = {name: _argument(request, each) for name, each in wanted.items()}
        reply = handler(**arguments)
        return reply if isinstance(reply, Response) else HTMLResponse(reply)

    app.add_api_route(path, answer, methods=["GET"], response_class=HTMLResponse)


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


def _add_environments(app: FastAPI, pages: Pages) -> None:
    def problem(name: str, d: int = 0, seed: int = 0) -> HTMLResponse:
        url = pages.links.page("env", name, d=d, seed=seed)
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
        return HTMLResponse(body, headers={"HX-Replace-Url": url or "false"})

    _get(app, "/env/{name}/problem", problem)
    _post(app, "/env/{name}/verdict", verdict)
    _post(app, "/env/{name}/turn", turn)


def _add_runs(app: FastAPI, pages: Pages) -> None:
    def listed_rows(request: Request, wanted: RunFilter, offset: int = 0) -> Response:
        url = pages.links.page("runs", **wanted.query())
        return _rows(request, lambda at: pages.run_rows(wanted, at), offset, url)

    def pulse(was: str = "") -> Response:
        body = msgspec.json.encode({"runs": pages.pulse(was.split(",") if was else [])})
        return Response(body, media_type="application/json")

    def charts(name: str, request: Request) -> Response:
        return _charts(pages, [pages.studio.run(name)], request)

    def compared_charts(request: Request, run: Sequence[str], seeds: bool = False) -> Response:
        return _charts(pages, pages.chosen_runs(run), request, seeds=seeds)

    def compared(run: Sequence[str] = (), seeds: bool = False) -> Response:
        if len(set(run)) == 1:
            return RedirectResponse(pages.links.page("runs", run[0]))
        return HTMLResponse(pages.compared_runs(run, seeds=seeds))

    def table(name: str) -> Response:
        return _csv(pages.metrics_csv([pages.studio.run(name)]))

    def compared_table(run: Sequence[str]) -> Response:
        return _csv(pages.metrics_csv(pages.chosen_runs(run)))

    def rows(name: str, request: Request, wanted: RolloutFilter, offset: int = 0) -> Response:
        url = pages.links.page("runs", name, "rollouts", **wanted.query())
        return _rows(request, lambda at: pages.rollout_rows(name, wanted, at), offset, url)

    _get(app, "/runs-rows", listed_rows)
    _get(app, "/runs-compared", compared)
    _get(app, "/runs-compared/charts", compared_charts)
    _get(app, "/runs-compared/metrics.csv", compared_table)
    _get(app, "/pulse", pulse)
    _get(app, "/runs/{name}/charts", charts)
    _get(app, "/runs/{name}/metrics.csv", table)
    _get(app, "/runs/{name}/rollouts/rows", rows)


def _rows(request: Request, rows: Callable[[int], str], offset: int, url: str) -> Response:
    """Rows of a table, unless the page already has them."""
    table = rows(max(0, offset))
    stamp = stamp_of(table)
    if request.query_params.get("stamp") == stamp:
        return Response(status_code=204)
    live = request.headers.get("x-rlve-live")  # the page asked by itself, so it stays where it is
    headers = {} if offset or live else {"HX-Replace-Url": url}
    if not offset:
        table = f'<input type="hidden" name="stamp" form="unsent" value="{stamp}">{table}'
    return HTMLResponse(table, headers=headers)


def _charts(
    pages: Pages, runs: Sequence[RunFolder], request: Request, *, seeds: bool = False
) -> Response:
    stamp = f'"{"+".join(run.stamp() for run in runs)}"'
    if request.headers.get("if-none-match") == stamp:
        return Response(status_code=304, headers={"ETag": stamp})
    body = msgspec.json.encode(pages.live_charts(runs, seeds=seeds))
    return Response(body, media_type="application/json", headers={"ETag": stamp})


def _csv(text: str) -> Response:
    name = {"Content-Disposition": 'attachment; filename="metrics.csv"'}
    return PlainTextResponse(text, media_type="text/csv", headers=name)


def _add_evaluations(app: FastAPI, pages: Pages) -> None:
    def listed_rows(request: Request) -> Response:
        return _rows(request, lambda _: pages.eval_rows(), 0, pages.links.page("evals"))

    def rows(name: str, request: Request, wanted: QuestionFilter, offset: int = 0) -> Response:
        url = pages.links.page("evals", name, **wanted.query())
        return _rows(request, lambda at: pages.question_rows(name, wanted, at), offset, url)

    _get(app, "/evals-rows", listed_rows)
    _get(app, "/evals/{name}/rows", rows)


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
