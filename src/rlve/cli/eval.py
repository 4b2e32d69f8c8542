"""`rlve eval`."""

import os
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import UseAppendAction, arg

from rlve.cli import INTERRUPTED
from rlve.cli._evaluations import say, show_results, watching
from rlve.cli._options import Flag, Load
from rlve.datasets.outputs import StoredOutput, read_samples
from rlve.errors import UserError
from rlve.evaluate.backends import Backend, BackendError, Sampling, response_limit
from rlve.evaluate.results import OUTPUTS, REPORT, EvaluationPlan, EvaluationResults
from rlve.evaluate.runner import evaluate, folder_of, make_plan
from rlve.evaluate.suite import Suite, load_suite
from rlve.files import pretty
from rlve.models.config import PolicyConfig
from rlve.models.places import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports import evaluation as report
from rlve.targets import load_code

KEY_VARIABLE = "OPENAI_API_KEY"
CONCURRENCY = 64  # requests to a server


def run(
    *,
    model: Annotated[str, arg(aliases=["-m"], metavar="MODEL")],
    suite: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(metavar="SUITE", help_behavior_hint="(can be repeated)"),
    ],
    folder: Annotated[
        Path | None,
        arg(metavar="FOLDER", help_behavior_hint="(default: evals/MODEL/SUITE)"),
    ] = None,
    url: Annotated[str | None, arg(metavar="URL", help_behavior_hint="")] = None,
    samples: Annotated[
        int | None, arg(aliases=["-n"], metavar="INT", help_behavior_hint="(default: the suite's)")
    ] = None,
    format: Annotated[  # noqa: A002
        str | None, arg(metavar="FORMAT", help_behavior_hint="(default: chat; plain for nano)")
    ] = None,
    temperature: float = 0.6,
    top_p: float = 0.95,
    max_tokens: Annotated[
        int | None,
        arg(metavar="INT", help_behavior_hint="(default: 32768; 16384 for the format base)"),
    ] = None,
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    concurrency: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: 64; 512 on a GPU here)")
    ] = None,
    retries: int = 10,
    timeout: Annotated[float, arg(metavar="SECONDS")] = 3600.0,
    api_key_env: Annotated[str, arg(metavar="NAME")] = KEY_VARIABLE,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    workers: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: one per core)")
    ] = None,
    deadline: Annotated[
        float | None, arg(metavar="SECONDS", help_behavior_hint="(default: the suite's)")
    ] = None,
    load: Load = (),
    json: Flag = False,
) -> int:
    r"""Evaluate a model on test sets and benchmarks.

    The model runs in this process with transformers or, with --url, behind any server that speaks
    OpenAI's protocol, such as vLLM and SGLang. Suites are held-out, in-distribution:NAME,
    published:FILE, aime-2024, aime-2025, omega-500, olympiad-bench, bbeh, livecodebench-v6, and
    files of `rlve testset` or `rlve dataset`.

    The folder gets plan.json, suite.jsonl, outputs.jsonl, verdicts.jsonl, results.json and
    report.html. Every output is stored as it arrives: what was interrupted, by Ctrl-C or by a
    server that died, goes on where it stopped when the same command is given again. `rlve score
    FOLDER` judges the outputs again, without a model.

    Args:
        model: The embedded policy nano, a folder or hub name of a model, or the server's name.
        suite: What to evaluate on. Several get a folder each below --folder.
        folder: Where to; the same folder and settings go on with what is there.
        url: The server, such as http://localhost:8000/v1. Without one the model runs here.
        samples: Outputs to each question.
        format: How problems are put: chat, base, plain, or MODULE:NAME (yours).
        temperature: 0 takes the likeliest token.
        top_p: Sample from the likeliest tokens that have this much probability together.
        max_tokens: Longer outputs are truncated. Clipped to the model's context.
        seed: Another seed, other samples.
        concurrency: Requests under way at a time; here, outputs sampled at a time.
        retries: How often a request that failed is sent again.
        timeout: Time for the server to answer one request, to the last byte.
        api_key_env: The environment variable that holds the server's key, if it wants one.
        device: Where the model runs; auto is the GPU if there is one.
        workers: Processes that judge.
        deadline: Time after which a verdict is given up, and the reward is -1.
        load: A file, or module, of your own that defines environments of the suite.
        json: Print the results as JSON.
    """
    for place in load:
        load_code(place)
    if not suite:
        raise UserError("no suite was given; --suite held-out is one")
    form = format or ("plain" if model == "nano" and url is None else "chat")
    sampling = Sampling(
        temperature=temperature,
        top_p=top_p,
        max_tokens=response_limit(form) if max_tokens is None else max_tokens,
        seed=seed,
    )
    backend: Backend
    if url is not None:
        from rlve.evaluate.backends.openai import OpenAIBackend

        backend = OpenAIBackend(
            url,
            model,
            key=_key(api_key_env),
            concurrency=CONCURRENCY if concurrency is None else concurrency,
            retries=retries,
            timeout=timeout,
            notify=_notice,
        )
    else:
        backend = _in_process(model, concurrency, device)
    # All of them are found and planned before the first is run.
    planned: list[tuple[Suite, EvaluationPlan, Path]] = []
    for target in dict.fromkeys(suite):
        loaded = load_suite(target)
        plan = make_plan(
            loaded,
            model=model,
            backend="in process" if url is None else "server",
            url=url,
            format=form,
            samples=samples,
            sampling=sampling,
            deadline=deadline,
        )
        planned.append((loaded, plan, folder_of(plan, folder, alone=len(suite) == 1)))
    places = [place for _, _, place in planned]
    if len(set(places)) < len(places):
        raise UserError(
            "two of the suites have the same name and would share a folder; run them one by one"
        )
    found: list[EvaluationResults] = []
    for loaded, plan, place in planned:
        try:
            with watching() as watch:
                results = evaluate(loaded, plan, backend, place, workers=workers, watch=watch)
        except KeyboardInterrupt:
            say(f"rlve: interrupted; {_stored(plan, loaded, place)}")
            return INTERRUPTED
        except BackendError as error:
            raise UserError(f"{error}; {_stored(plan, loaded, place)}") from error
        report.write_report(place)
        found.append(results)
        if not json:
            show_results(results)
            print(
                f"report: {place / REPORT}\n" if len(planned) > 1 else f"report: {place / REPORT}"
            )
    if json:
        print(pretty(found[0] if len(planned) == 1 else found).decode(), end="")
    return 0


def _key(variable: str) -> str | None:
    """The server's key. Many servers want none, so that only a variable asked for must be there."""
    key = os.environ.get(variable)
    if not key and variable != KEY_VARIABLE:
        raise UserError(f"the environment variable {variable} is not set")
    return key or None


def _in_process(model: str, slots: int | None, device: Literal["auto", "cpu", "cuda"]) -> Backend:
    require_torch("a model in this process, without the --url of a server,")
    check_model(PolicyConfig(model=model))
    share_cores()
    from rlve.evaluate.backends.in_process import InProcessBackend

    return InProcessBackend(model, slots=slots, device=device, notify=_notice)


def _notice(text: str) -> None:
    say(f"rlve: {text}")


def _stored(plan: EvaluationPlan, suite: Suite, place: Path) -> str:
    stored = len(read_samples(place / OUTPUTS, StoredOutput))
    wanted = plan.samples * len(suite.questions)
    return f"{stored:,} of {wanted:,} outputs are stored in {place}; the same command goes on"
