"""`rlve draft`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import metavar
from rlve.cli.eval import (
    EngineOptions,
    ServerOptions,
    make_backend,
)
from rlve.datasets.outputs import SampleKey
from rlve.drafts.drafting import Ask, Outcome, Question, costs, draft
from rlve.drafts.gates import GATES
from rlve.errors import UserError
from rlve.evaluate.backends import (
    Backend,
    ModelOutput,
    SampleRequest,
    Sampling,
    response_limit,
    seed_of,
)
from rlve.foundation.limits import AtLeastZero, check_limit
from rlve.reports.terminal import echo, print_table


def run(
    ideas: Annotated[Positional[Path], metavar("IDEAS.txt")],
    /,
    *,
    folder: Annotated[Path, metavar("FOLDER")],
    model: Annotated[str | None, metavar("MODEL", "-m", hint="(default: files)")] = None,
    server: ServerOptions = ServerOptions(),  # noqa: B008  frozen
    sampling: EngineOptions = EngineOptions(),  # noqa: B008  frozen
    repairs: Annotated[int, metavar("INT")] = 3,
) -> None:
    """Have environments written from ideas, and admit those that pass all gates.

    Each idea is a line. It becomes a specification, an environment and, from prompts alone, a
    solver; what is wrong goes back, and the environment is written again. With --model, that model
    replies, on a server or here. Without it, questions are written to files, NAME.question.md:
    write each reply to NAME.reply.md beside it, and call the command again. It goes on where it
    stopped. Admitted environments are in FOLDER/admitted, each with its solver and certificate.

    Args:
        ideas: A file with an idea on each line.
        folder: Where questions, replies, code and certificates are kept.
        model: The model that replies; without one, questions wait in files for a reply.
        server: The server that runs the model, if one does.
        sampling: How replies are drawn.
        repairs: How often an environment may be written again.
    """
    check_limit("repairs", repairs, AtLeastZero)
    lines = [line.strip() for line in ideas.read_text(encoding="utf-8").splitlines()]
    if server.url is not None and model is None:
        raise UserError("--url needs --model, the name of the model there")
    ask: Ask | None = None
    if model is not None:
        limit = sampling.max_tokens or response_limit("chat")
        settings = Sampling(sampling.temperature, sampling.top_p, limit)
        settings.check()
        ask = _asking(make_backend(model, server, sampling), settings)
    example = files("rlve.cli").joinpath("_example.py").read_text(encoding="utf-8")
    found = list(filter(None, lines))
    outcomes = draft(found, folder, example=example, repairs=repairs, ask=ask)
    _print(outcomes)
    spent = costs(folder)
    if spent:
        tokens = sum(cost.tokens or 0 for cost in spent)
        seconds = sum(cost.seconds or 0 for cost in spent)
        echo(f"\n{len(spent):,} replies: {tokens:,} tokens in {seconds:,.0f} s.")
    waiting = [outcome.waiting for outcome in outcomes if outcome.waiting is not None]
    if waiting:
        echo(f"\n{len(waiting):,} questions wait for a reply:")
        for question in waiting:
            echo(f"  {question.path} -> {question.reply.name}")


def _asking(backend: Backend, sampling: Sampling) -> Ask:
    def ask(questions: Sequence[Question]) -> Iterable[tuple[Question, ModelOutput]]:
        asked = {SampleKey(str(question.path), 0): question for question in questions}
        requests = [
            SampleRequest(key, [{"role": "user", "content": question.text}], seed_of(0, key))
            for key, question in asked.items()
        ]
        for key, output in backend.generate(requests, sampling):
            yield asked[key], output

    return ask


def _print(outcomes: Sequence[Outcome]) -> None:
    """A row for each idea, and how many came how far."""
    rows = [(o.folder.name, o.idea[:40], str(o.attempts), _state(o)) for o in outcomes]
    print_table(("", "idea", "written", "state"), rows)
    held: Counter[str] = Counter()
    for outcome in outcomes:
        for finding in outcome.certificate.findings if outcome.certificate else ():
            held[finding.gate] += finding.held
    admitted = sum(o.certificate is not None and o.certificate.admitted for o in outcomes)
    funnel = [("ideas", len(outcomes)), ("written", sum(o.attempts > 0 for o in outcomes))]
    funnel += [(gate, held[gate]) for gate in GATES] + [("admitted", admitted)]
    echo()
    print_table(("of the finished, what held at last", "ideas"), [(a, str(b)) for a, b in funnel])


def _state(outcome: Outcome) -> str:
    if outcome.waiting is not None:
        return f"waits for {outcome.waiting.reply.name}"
    if outcome.certificate is None or outcome.certificate.admitted:
        return "admitted"
    return "refused: " + ", ".join(f.gate for f in outcome.certificate.findings if not f.held)
