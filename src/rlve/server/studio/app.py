"""The studio's routes: each gets a page from `views`."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Annotated, Any
from urllib.parse import parse_qs

import msgspec
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from rlve.errors import UnknownEnvironment, UserError
from rlve.reports import leaderboard
from rlve.server.guard import Guard, Limits
from rlve.server.studio.evaluation_pages import WantedQuestions
from rlve.server.studio.folders import NotThere
from rlve.server.studio.jobs import Refused
from rlve.server.studio.pages import SORTABLE, STATIC, Links, stamp_of
from rlve.server.studio.run_pages import Token, WantedGroups, WantedRuns
from rlve.server.studio.runs import RunFolder
from rlve.server.studio.views import Pages, Studio

LIMITS = Limits(body=2**20, concurrency=64)

Runs = Annotated[Sequence[str], Query()]


def create_studio(studio: Studio) -> Guard:
    """The app, which only answers to the names of this machine."""
    app = FastAPI(title="rlve studio", docs_url=None, redoc_url=None, openapi_url=None)
    pages = Pages(studio, Links())
    app.add_api_route(f"/static/{SORTABLE}", _sortable, methods=["GET"])
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_environments(app, pages)
    _add_runs(app, pages)
    _add_control(app, pages)
    _add_evaluations(app, pages)
    _get(app, "/frontiers", pages.frontiers)
    _get(app, "/studies", pages.studies)
    _get(app, "/studies/{name}", pages.study)
    _get(app, "/studies/{name}/findings", pages.findings)
    _add_errors(app, pages)
    return Guard(app, limits=LIMITS)


def _sortable() -> Response:
    return PlainTextResponse(leaderboard.script(), media_type="text/javascript")


def _get(app: FastAPI, path: str, handler: Any) -> None:
    app.add_api_route(path, handler, methods=["GET"], response_class=HTMLResponse)


def _post(app: FastAPI, path: str, handler: Any) -> None:
    app.add_api_route(path, handler, methods=["POST"], response_class=HTMLResponse)


def _add_environments(app: FastAPI, pages: Pages) -> None:
    def problem(name: str, d: int = 0, seed: int = 0) -> HTMLResponse:
        url = pages.links.page("env", name, d=d, seed=seed)
        return HTMLResponse(pages.problem(name, d, seed), headers={"HX-Replace-Url": url})

    async def verdict(name: str, request: Request) -> HTMLResponse:
        form = await _form(request)
        difficulty, seed = (_integer(form.get(key, "")) for key in ("d", "seed"))
        answer = form.get("answer", "")
        return HTMLResponse(await run_in_threadpool(pages.verdict, name, difficulty, seed, answer))

    async def turn(name: str, request: Request) -> HTMLResponse:
        form = await _forms(request)
        d, seed = (_integer(form.get(key, [""])[0]) for key in ("d", "seed"))
        messages = form.get("message", [])
        body = await run_in_threadpool(pages.problem, name, d, seed, messages)
        url = pages.problem_link(name, d, seed, messages)
        return HTMLResponse(body, headers={"HX-Replace-Url": url or "false"})

    _get(app, "/", pages.gallery)
    _get(app, "/catalogue/{family}", pages.catalogue)
    _get(app, "/env/{name}", pages.environment)
    _get(app, "/env/{name}/problem", problem)
    _get(app, "/env/{name}/solution", pages.solution)
    _get(app, "/env/{name}/source", pages.source)
    _get(app, "/env/{name}/lengths", pages.lengths)
    _get(app, "/env/{name}/accuracy", pages.accuracy)
    _get(app, "/env/{name}/guesses", pages.guesses)
    _post(app, "/env/{name}/verdict", verdict)
    _post(app, "/env/{name}/turn", turn)
    _post(app, "/env/{name}/check", pages.check)


def _add_runs(app: FastAPI, pages: Pages) -> None:
    def listed_rows(request: Request, wanted: WantedRuns, offset: int = 0) -> Response:
        url = pages.links.page("runs", **wanted.query())
        return _rows(request, lambda at: pages.run_rows(wanted, at), offset, url)

    def pulse(was: str = "") -> Response:
        body = msgspec.json.encode({"runs": pages.pulse(was.split(",") if was else [])})
        return Response(body, media_type="application/json")

    def charts(name: str, request: Request) -> Response:
        return _charts(pages, [pages.studio.run(name)], request)

    def compared_charts(request: Request, run: Runs, seeds: bool = False) -> Response:
        return _charts(pages, pages.chosen_runs(run), request, seeds=seeds)

    def compared(run: Runs = (), seeds: bool = False) -> Response:
        if len(set(run)) == 1:
            return RedirectResponse(pages.links.page("runs", run[0]))
        return HTMLResponse(pages.compared_runs(run, seeds=seeds))

    def table(name: str) -> Response:
        return _csv(pages.metrics_csv([pages.studio.run(name)]))

    def compared_table(run: Runs) -> Response:
        return _csv(pages.metrics_csv(pages.chosen_runs(run)))

    def rows(name: str, request: Request, wanted: WantedGroups, offset: int = 0) -> Response:
        url = pages.links.page("runs", name, "rollouts", **wanted.query())
        return _rows(request, lambda at: pages.rollout_rows(name, wanted, at), offset, url)

    _get(app, "/runs", pages.runs)
    _get(app, "/runs-rows", listed_rows)
    _get(app, "/runs-compared", compared)
    _get(app, "/runs-compared/charts", compared_charts)
    _get(app, "/runs-compared/metrics.csv", compared_table)
    _get(app, "/pulse", pulse)
    _get(app, "/runs/{name}", pages.run)
    _get(app, "/runs/{name}/charts", charts)
    _get(app, "/runs/{name}/metrics.csv", table)
    _get(app, "/runs/{name}/rollouts", pages.rollouts)
    _get(app, "/runs/{name}/rollouts/rows", rows)
    _get(app, "/runs/{name}/rollouts/{index}", pages.group)
    _get(app, "/runs/{name}/rollouts/{index}/reason/{output}", pages.reason)


def _add_control(app: FastAPI, pages: Pages) -> None:
    """Starting and stopping runs; each request must have the token."""

    async def start(request: Request, token: Token = "") -> HTMLResponse:
        form = await _form(request)
        return HTMLResponse(await run_in_threadpool(pages.start, form, token))

    _post(app, "/control/start", start)
    _post(app, "/control/stop/{name}", pages.stop)
    _post(app, "/control/resume/{name}", pages.resume)
    _post(app, "/control/jobs", pages.jobs)


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

    def rows(name: str, request: Request, wanted: WantedQuestions, offset: int = 0) -> Response:
        url = pages.links.page("evals", name, **wanted.query())
        return _rows(request, lambda at: pages.question_rows(name, wanted, at), offset, url)

    _get(app, "/evals", pages.evals)
    _get(app, "/evals-rows", listed_rows)
    _get(app, "/evals-compared", pages.compared_evals)
    _get(app, "/evals/{name}", pages.evaluation)
    _get(app, "/evals/{name}/rows", rows)
    _get(app, "/evals/{name}/questions/{index}", pages.question)
    _get(app, "/evals/{name}/questions/{index}/reason/{sample}", pages.answer_reason)


def _integer(text: str) -> int:
    """A whole number from a form; 0 if the field is empty."""
    try:
        return int(text.strip()[:30] or 0)
    except ValueError:
        raise UserError(f"{text[:30]!r} is not a number") from None


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form; of several with one name, the first."""
    return {key: values[0] for key, values in (await _forms(request)).items()}


async def _forms(request: Request) -> Mapping[str, list[str]]:
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
        Refused: answer(403, "Not allowed"),
        UserError: answer(422, "Not possible"),
        RequestValidationError: answer(422, "Not possible", "Something in the address is wrong."),
        404: answer(404, "Not found", "There is no such page."),
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
