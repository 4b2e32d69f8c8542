"""`rlve eval`."""

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import UseAppendAction, arg

from rlve.cli import INTERRUPTED
from rlve.cli._evaluations import show_progress, show_results
from rlve.cli._options import Columns, Flag, Load, Workers, column_names, metavar
from rlve.cli._reports import write_report
from rlve.datasets.outputs import StoredOutput, read_samples
from rlve.errors import UserError
from rlve.evaluate.backends import Backend, BackendError, Sampling, response_limit
from rlve.evaluate.checkpoint_policy import find_trained_policy
from rlve.evaluate.questions import AS_GIVEN, Suite
from rlve.evaluate.results import EvaluationPlan, EvaluationResults, ModelSettings
from rlve.evaluate.runner import evaluate, folder_of, make_plan
from rlve.evaluate.suite import load_suite
from rlve.foundation.files import pretty
from rlve.foundation.run_folders import OUTPUTS, REPORT
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports.terminal import complain, echo, say
from rlve.targets import find_format, load_code

KEY_VARIABLE = "OPENAI_API_KEY"
CONCURRENCY = 64  # requests to a server


@dataclass(frozen=True)
class Asking:
    """How questions are put to a model; None is what nobody has said."""

    format: Annotated[
        str | None, metavar("FORMAT", hint="(default: the run's; else chat; plain for nano)")
    ] = None
    """The format of the prompts, also of those that a file has in another format: chat, base,
    plain, or MODULE:NAME for your own."""
    system_prompt: Annotated[str | None, metavar("TEXT", hint="(default: the run's)")] = None
    """The system message of a chat; "" for none."""
    template_arguments: Annotated[
        tuple[str, ...] | None, metavar("[NAME=VALUE ...]", hint="(default: the run's)")
    ] = None
    """Arguments for the chat template, such as enable_thinking=false."""
    stop_strings: Annotated[
        tuple[str, ...] | None, metavar("[TEXT ...]", hint="(default: the run's)")
    ] = None
    """Strings that end an output, such as </answer> for base models."""


@dataclass(frozen=True)
class EngineOptions:
    """How outputs are drawn."""

    temperature: float = 0.6
    """The sampling temperature; 0 takes the most likely token."""
    top_p: float = 0.95
    """Sample from the most likely tokens whose probabilities add up to this."""
    max_tokens: Annotated[
        int | None, metavar("INT", hint="(default: 32768; 16384 for the format base)")
    ] = None
    """Longer outputs are truncated. Capped at the model's context length."""
    concurrency: Annotated[int | None, metavar("INT", hint="(default: 64; 512 on a GPU here)")] = (
        None
    )
    """Requests to the server, or outputs sampled here, at the same time."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model runs; auto is the GPU if there is one."""


@dataclass(frozen=True)
class SamplingOptions(EngineOptions):
    """How outputs are drawn."""

    samples: Annotated[int | None, metavar("INT", "-n", hint="(default: the suite's)")] = None
    """Outputs per question."""
    seed: Annotated[int, arg(aliases=["-s"])] = 0
    """Another seed gives other samples."""


@dataclass(frozen=True)
class ServerOptions:
    """The server that runs the model, if one does."""

    url: Annotated[str | None, metavar("URL")] = None
    """The server, such as http://localhost:8000/v1. Without it the model runs here."""
    retries: int = 10
    """How often to retry a failed request."""
    timeout: Annotated[float, arg(metavar="SECONDS")] = 3600.0
    """Time allowed for the server's full answer to one request."""
    api_key_env: Annotated[str, arg(metavar="NAME")] = KEY_VARIABLE
    """The environment variable that holds the server's key, if it needs one."""


def run(
    *,
    model: Annotated[str, arg(aliases=["-m"], metavar="MODEL")],
    suite: Annotated[UseAppendAction[tuple[str, ...]], metavar("SUITE", hint="(can be repeated)")],
    folder: Annotated[Path | None, metavar("FOLDER", hint="(default: evals/MODEL/SUITE)")] = None,
    server: ServerOptions = ServerOptions(),  # noqa: B008  frozen
    prompt: Asking = Asking(),  # noqa: B008  frozen
    sampling: SamplingOptions = SamplingOptions(),  # noqa: B008  frozen
    workers: Workers = None,
    deadline: Annotated[float | None, metavar("SECONDS", hint="(default: the suite's)")] = None,
    load: Load = (),
    column: Columns = (),
    json: Flag = False,
) -> int:
    r"""Evaluate a model on test sets and benchmarks.

    The model runs in this process with transformers or, with --url, behind any server that speaks
    OpenAI's protocol, such as vLLM or SGLang. Suites are held-out, dialogues, in-distribution:NAME,
    published:FILE, aime-2024, aime-2025, omega-500, olympiad-bench, bbeh, livecodebench-v6, gsm8k,
    math-500, files written by `rlve testset` or `rlve dataset`, and your own questions: JSON lines
    with "question" and "answer", which are judged as mathematics.

    The folder receives plan.json, suite.jsonl, outputs.jsonl, verdicts.jsonl, results.json and
    report.html. Every output is stored as it arrives. If an evaluation is interrupted, by Ctrl-C or
    because the server died, the same command resumes it. `rlve score FOLDER` judges the outputs
    again, without a model.

    A checkpoint of `rlve train` or `rlve teach` is asked as in its run: format, system prompt,
    template arguments and stop strings come from the run's config.json, unless they are given here.
    With another --format, none of them does.

    Args:
        model: nano, the embedded policy; a model's folder or hub name; or its name on the server.
        suite: The suite to evaluate on. If several, each gets a folder inside --folder.
        folder: Where to write; the same folder and settings resume what is there.
        server: The server that runs the model, if one does.
        prompt: How questions are put to the model.
        sampling: How outputs are drawn.
        workers: Processes that judge outputs.
        deadline: Time allowed for judging an output; an answer that exceeds it is wrong.
        load: Your own file or module that defines environments of the suite.
        column: The column of the question or the answer in your own file, such as answer=gold.
        json: Print the results as JSON.
    """
    load_code(*load)
    if not suite:
        raise UserError("no suite was given; try --suite held-out")
    columns = column_names(column, ("question", "answer"))
    asking = complete(prompt, model, server.url)
    backend = make_backend(model, server, sampling)
    # All suites are read, checked and planned before the first is run.
    planned: list[tuple[Suite, EvaluationPlan, Path]] = []
    for target in dict.fromkeys(suite):
        loaded = load_suite(target, columns)
        asked = replace(asking, format=_format(loaded, prompt.format, asking.format or "chat"))
        settings = model_settings(model, server, asked, sampling, sampling.seed)
        plan = make_plan(loaded, samples=sampling.samples, deadline=deadline, **settings)
        planned.append((loaded, plan, folder_of(plan, folder, alone=len(suite) == 1)))
    destinations = [destination for _, _, destination in planned]
    if len(set(destinations)) < len(destinations):
        raise UserError(
            "two of the suites have the same name and would share a folder; run them separately"
        )
    finished: list[EvaluationResults] = []
    for loaded, plan, destination in planned:
        try:
            with show_progress() as watch:
                results = evaluate(
                    loaded,
                    plan,
                    backend,
                    destination,
                    workers=workers,
                    watch=watch,
                    notify=notice,
                )
        except KeyboardInterrupt:
            say(f"rlve: interrupted; {_tell_stored(plan, loaded, destination)}")
            return INTERRUPTED
        except BackendError as error:
            raise UserError(f"{error}; {_tell_stored(plan, loaded, destination)}") from error
        write_report(destination)
        finished.append(results)
        if not json:
            show_results(results)
            echo(f"report: {destination / REPORT}" + ("\n" if len(planned) > 1 else ""))
    if json:
        echo(pretty(finished[0] if len(planned) == 1 else finished).decode(), end="")
    return 0


def make_backend(model: str, server: ServerOptions, sampling: EngineOptions) -> Backend:
    """What draws outputs from the model."""
    if server.url is not None:
        from rlve.evaluate.backends.openai import OpenAIBackend

        return OpenAIBackend(
            server.url,
            model,
            key=_key(server.api_key_env),
            concurrency=CONCURRENCY if sampling.concurrency is None else sampling.concurrency,
            retries=server.retries,
            timeout=server.timeout,
            notify=notice,
        )
    require_torch("a model in this process (that is, without --url)")
    check_model(PolicyConfig(model=model))
    share_cores()
    from rlve.evaluate.backends.in_process import InProcessBackend

    return InProcessBackend(
        model, slots=sampling.concurrency, device=sampling.device, notify=notice
    )


def model_settings(
    model: str, server: ServerOptions, asking: Asking, options: EngineOptions, seed: int
) -> ModelSettings:
    """Which model is asked, and how, from what was said about it."""
    format = asking.format or "chat"
    limit = response_limit(format) if options.max_tokens is None else options.max_tokens
    return {
        "model": model,
        "backend": "in process" if server.url is None else "server",
        "url": server.url,
        "format": format,
        "system_prompt": asking.system_prompt or None,
        "sampling": Sampling(
            temperature=options.temperature,
            top_p=options.top_p,
            max_tokens=limit,
            seed=seed,
            stop_strings=asking.stop_strings or (),
            template_arguments=asking.template_arguments or (),
        ),
    }


def complete(given: Asking, model: str, url: str | None) -> Asking:
    """What is given; what is not, a checkpoint takes from its run, with a notice."""
    if model == "nano" and url is None:
        return replace(given, format=given.format or "plain")
    unsaid = [field.name for field in fields(Asking) if getattr(given, field.name) is None]
    trained = find_trained_policy(model) if unsaid else None
    if trained is None or given.format not in (None, trained.policy.format):
        return given
    missing = {name: value for name in unsaid if (value := getattr(trained.policy, name))}
    if missing:
        settings = ", ".join(
            f"{name.replace('_', ' ')} {value if isinstance(value, str) else ' '.join(value)}"
            for name, value in missing.items()
        )
        notice(f"as in {_from_here(trained.run)}, of which this is a checkpoint: {settings}")
    return replace(given, **missing)


def _format(suite: Suite, given: str | None, own: str) -> str:
    """The format of a suite's prompts: what is given, or the model's own, with a notice.

    Prompts of a file that does not say in which format they are stay, unless one is given.
    """
    if given is None and AS_GIVEN in suite.formats:
        notice(f"the prompts of {suite.name} are used as given; --format makes them anew")
        return AS_GIVEN
    format = given or own
    name = find_format(format).name
    if others := [other for other in suite.formats if other != name]:
        notice(f"the prompts of {suite.name} are {' and '.join(others)}; made anew as {name}")
    return format


def _from_here(folder: Path) -> Path:
    """A folder as people call it: from here, if it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _key(variable: str) -> str | None:
    """The server's key. Many servers need none, so only a variable the user names must be set."""
    key = os.environ.get(variable)
    if not key and variable != KEY_VARIABLE:
        raise UserError(f"the environment variable {variable} is not set")
    return key or None


def notice(text: str) -> None:
    complain(text)


def _tell_stored(plan: EvaluationPlan, suite: Suite, folder: Path) -> str:
    stored = len(read_samples(folder / OUTPUTS, StoredOutput))
    wanted = plan.samples * len(suite.questions)
    return f"{stored:,} of {wanted:,} outputs are stored in {folder}; the same command resumes"
