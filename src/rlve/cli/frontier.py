"""`rlve frontier`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.cli import INTERRUPTED
from rlve.cli._evaluations import show_progress
from rlve.cli._options import Flag, Load, Selection, Workers, metavar
from rlve.cli._reports import write_report
from rlve.cli.eval import (
    Asking,
    EngineOptions,
    ServerOptions,
    complete,
    make_backend,
    model_settings,
    notice,
)
from rlve.datasets.outputs import StoredOutput, read_samples
from rlve.errors import UserError
from rlve.evaluate.backends import BackendError
from rlve.evaluate.frontier.measure import make_plan, measure, seed_by_date
from rlve.evaluate.frontier.profile import KIND, FrontierPlan
from rlve.evaluate.runner import slug
from rlve.foundation.files import pretty
from rlve.foundation.run_folders import OUTPUTS, PLAN, REPORT, read_settings
from rlve.reports import frontier as report
from rlve.reports.terminal import echo, print_table, print_text, say
from rlve.targets import load_code


def run(
    model: Annotated[Positional[str], metavar("MODEL")],
    /,
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    outputs: Annotated[int | None, metavar("INT", hint="(default: 100 per environment)")] = None,
    seed: Annotated[int | None, metavar("INT", "-s", hint="(default: today's date)")] = None,
    folder: Annotated[
        Path | None, metavar("FOLDER", hint="(default: frontiers/MODEL/COLLECTION-SEED)")
    ] = None,
    server: ServerOptions = ServerOptions(),  # noqa: B008  frozen
    prompt: Asking = Asking(),  # noqa: B008  frozen
    sampling: EngineOptions = EngineOptions(),  # noqa: B008  frozen
    workers: Workers = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    load: Load = (),
    cost: Flag = False,
    json: Flag = False,
) -> int:
    r"""Find the difficulty at which a model is right half of the time, in each environment.

    The model runs in this process or, with --url, behind a server, as for `rlve eval`. It is asked
    in rounds, each at the difficulties that say most after the rounds before. An environment is
    finished when the 95% interval of its frontier is at most one level wide, and all is finished
    when the outputs are spent. By default the environments are those that no training collection
    has, HELD_OUT, and the problems are as new as the date.

    The folder receives plan.json, suite.jsonl, outputs.jsonl, verdicts.jsonl, the profile in
    results.json, and report.html. The same command resumes what was interrupted, and a larger
    --outputs goes on. `rlve compare` ranks and compares the profiles of several models.

    Args:
        model: nano, the embedded policy; a model's folder or hub name; or its name on the server.
        selection: The environments to measure; by default those in HELD_OUT.
        outputs: The most outputs to sample, in all.
        seed: Another seed gives other problems and samples.
        folder: Where to write; the same folder and settings resume what is there.
        server: The server that runs the model, if one does.
        prompt: How questions are put to the model.
        sampling: How outputs are drawn.
        workers: Processes that make problems and judge outputs.
        deadline: Time allowed for making a problem, and for judging an output.
        load: Your own file or module that defines environments.
        cost: Say how many outputs and tokens it takes at most, and stop.
        json: Print the profile as JSON.
    """
    load_code(*load)
    asking = complete(prompt, model, server.url)
    known = _seed_in(folder) if seed is None else seed
    settings = model_settings(
        model, server, asking, sampling, seed_by_date() if known is None else known
    )
    targets = selection.words() if selection else ("HELD_OUT",)
    plan = make_plan(targets, outputs=outputs, deadline=deadline, **settings)
    say(f"rlve: {_cost(plan)}")
    if cost:
        return 0
    name = f"{slug(plan.suite)}-{plan.sampling.seed}"
    place = Path("frontiers") / slug(model) / name if folder is None else folder
    backend = make_backend(model, server, sampling)
    try:
        with show_progress() as watch:
            profile = measure(plan, backend, place, workers=workers, watch=watch, notify=notice)
    except KeyboardInterrupt:
        say(f"rlve: interrupted; {_tell_stored(plan, place)}")
        return INTERRUPTED
    except BackendError as error:
        raise UserError(f"{error}; {_tell_stored(plan, place)}") from error
    write_report(place)
    if json:
        echo(pretty(profile).decode(), end="")
        return 0
    print_table(*report.table(profile), keys=2)
    echo()
    print_table(*report.family_table(profile), total=report.total(profile))
    print_text(f"\n{report.headline(profile)}")
    echo(f"report: {place / REPORT}")
    return 0


def _seed_in(folder: Path | None) -> int | None:
    """The seed of a measurement that was begun in a folder."""
    if folder is None or not (folder / PLAN).exists():
        return None
    return read_settings(folder, KIND, FrontierPlan).sampling.seed


def _cost(plan: FrontierPlan) -> str:
    tokens = plan.outputs * plan.sampling.max_tokens
    return (
        f"{len(plan.environments)} environments, seed {plan.sampling.seed}: at most "
        f"{plan.outputs:,} outputs of at most {plan.sampling.max_tokens:,} tokens each, "
        f"{tokens:,} in all; fewer, if all frontiers are known before"
    )


def _tell_stored(plan: FrontierPlan, folder: Path) -> str:
    stored = len(read_samples(folder / OUTPUTS, StoredOutput))
    return (
        f"{stored:,} of at most {plan.outputs:,} outputs are stored in {folder}; the same command "
        f"with --seed {plan.sampling.seed} resumes"
    )
