"""`rlve eval`."""

import os
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from tyro.conf import UseAppendAction, arg

from rlve.cli import INTERRUPTED
from rlve.cli._evaluations import say, show_results, watching
from rlve.cli._options import Flag, Load
from rlve.datasets.outputs import StoredOutput, read_samples
from rlve.errors import UserError
from rlve.evaluate.backends import Backend, BackendError, Sampling, response_limit
from rlve.evaluate.questions import Suite
from rlve.evaluate.results import EvaluationPlan, EvaluationResults
from rlve.evaluate.runner import evaluate, folder_of, make_plan
from rlve.evaluate.suite import load_suite
from rlve.evaluate.trained import trained_policy
from rlve.files import pretty
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports import evaluation as report
from rlve.run_folders import OUTPUTS, REPORT
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
        str | None,
        arg(metavar="FORMAT", help_behavior_hint="(default: the run's; else chat; plain for nano)"),
    ] = None,
    system_prompt: Annotated[
        str | None, arg(metavar="TEXT", help_behavior_hint="(default: the run's)")
    ] = None,
    template_arguments: Annotated[
        tuple[str, ...] | None,
        arg(metavar="[NAME=VALUE ...]", help_behavior_hint="(default: the run's)"),
    ] = None,
    stop_strings: Annotated[
        tuple[str, ...] | None,
        arg(metavar="[TEXT ...]", help_behavior_hint="(default: the run's)"),
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
    OpenAI's protocol, such as vLLM or SGLang. Suites are held-out, in-distribution:NAME,
    published:FILE, aime-2024, aime-2025, omega-500, olympiad-bench, bbeh, livecodebench-v6, and
    files written by `rlve testset` or `rlve dataset`.

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
        url: The server, such as http://localhost:8000/v1. Without it the model runs here.
        samples: Outputs per question.
        format: The format of the prompts: chat, base, plain, or MODULE:NAME for your own.
        system_prompt: The system message of a chat; "" for none.
        template_arguments: Arguments for the chat template, such as enable_thinking=false.
        stop_strings: Strings that end an output, such as </answer> for base models.
        temperature: The sampling temperature; 0 takes the most likely token.
        top_p: Sample from the most likely tokens whose probabilities add up to this.
        max_tokens: Longer outputs are truncated. Capped at the model's context length.
        seed: Another seed gives other samples.
        concurrency: Requests to the server, or outputs sampled here, at the same time.
        retries: How often to retry a failed request.
        timeout: Time allowed for the server's full answer to one request.
        api_key_env: The environment variable that holds the server's key, if it needs one.
        device: Where the model runs; auto is the GPU if there is one.
        workers: Processes that judge outputs.
        deadline: Time allowed for judging an output; an answer that exceeds it is wrong.
        load: Your own file or module that defines environments of the suite.
        json: Print the results as JSON.
    """
    for code in load:
        load_code(code)
    if not suite:
        raise UserError("no suite was given; try --suite held-out")
    asking = _asking(model, url, Asking(format, system_prompt, template_arguments, stop_strings))
    form = asking.format or "chat"
    sampling = Sampling(
        temperature=temperature,
        top_p=top_p,
        max_tokens=response_limit(form) if max_tokens is None else max_tokens,
        seed=seed,
        stop_strings=asking.stop_strings or (),
        template_arguments=asking.template_arguments or (),
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
    # All suites are loaded and planned before the first is run.
    planned: list[tuple[Suite, EvaluationPlan, Path]] = []
    for target in dict.fromkeys(suite):
        loaded = load_suite(target)
        plan = make_plan(
            loaded,
            model=model,
            backend="in process" if url is None else "server",
            url=url,
            format=form,
            system_prompt=asking.system_prompt or None,
            samples=samples,
            sampling=sampling,
            deadline=deadline,
        )
        planned.append((loaded, plan, folder_of(plan, folder, alone=len(suite) == 1)))
    destinations = [destination for _, _, destination in planned]
    if len(set(destinations)) < len(destinations):
        raise UserError(
            "two of the suites have the same name and would share a folder; run them separately"
        )
    finished: list[EvaluationResults] = []
    for loaded, plan, destination in planned:
        try:
            with watching() as watch:
                results = evaluate(
                    loaded,
                    plan,
                    backend,
                    destination,
                    workers=workers,
                    watch=watch,
                    notify=_notice,
                )
        except KeyboardInterrupt:
            say(f"rlve: interrupted; {_stored(plan, loaded, destination)}")
            return INTERRUPTED
        except BackendError as error:
            raise UserError(f"{error}; {_stored(plan, loaded, destination)}") from error
        report.write_report(destination)
        finished.append(results)
        if not json:
            show_results(results)
            print(f"report: {destination / REPORT}" + ("\n" if len(planned) > 1 else ""))
    if json:
        print(pretty(finished[0] if len(planned) == 1 else finished).decode(), end="")
    return 0


class Asking(NamedTuple):
    """How questions are put to a model; None is what nobody has said."""

    format: str | None = None
    system_prompt: str | None = None
    template_arguments: tuple[str, ...] | None = None
    stop_strings: tuple[str, ...] | None = None


def _asking(model: str, url: str | None, given: Asking) -> Asking:
    """What is given; what is not, a checkpoint takes from its run, with a notice."""
    if model == "nano" and url is None:
        return given._replace(format=given.format or "plain")
    if None not in given:
        return given
    trained = trained_policy(model)
    if trained is None or given.format not in (None, trained.policy.format):
        return given
    policy = trained.policy
    own = Asking(
        policy.format, policy.system_prompt, policy.template_arguments, policy.stop_strings
    )
    missing = {
        name: value
        for name, value in own._asdict().items()
        if value and getattr(given, name) is None
    }
    if missing:
        settings = ", ".join(
            f"{name.replace('_', ' ')} {_worded(v)}" for name, v in missing.items()
        )
        _notice(f"as in {_shown(trained.run)}, of which this is a checkpoint: {settings}")
    return given._replace(**missing)


def _worded(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else " ".join(value)


def _shown(folder: Path) -> Path:
    """A folder as people call it: from here, if it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _key(variable: str) -> str | None:
    """The server's key. Many servers need none, so only a variable the user names must be set."""
    key = os.environ.get(variable)
    if not key and variable != KEY_VARIABLE:
        raise UserError(f"the environment variable {variable} is not set")
    return key or None


def _in_process(model: str, slots: int | None, device: Literal["auto", "cpu", "cuda"]) -> Backend:
    require_torch("a model in this process (that is, without --url)")
    check_model(PolicyConfig(model=model))
    share_cores()
    from rlve.evaluate.backends.in_process import InProcessBackend

    return InProcessBackend(model, slots=slots, device=device, notify=_notice)


def _notice(text: str) -> None:
    say(f"rlve: {text}")


def _stored(plan: EvaluationPlan, suite: Suite, folder: Path) -> str:
    stored = len(read_samples(folder / OUTPUTS, StoredOutput))
    wanted = plan.samples * len(suite.questions)
    return f"{stored:,} of {wanted:,} outputs are stored in {folder}; the same command resumes"
