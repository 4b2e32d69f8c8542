"""`rlve draft`."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import metavar
from rlve.cli._replies import Replies, asking
from rlve.cli.eval import EngineOptions, ServerOptions, notice
from rlve.drafts.admission import Certificate
from rlve.drafts.drafting import COSTS, FIRST, Ask, Cost, Outcome, draft, reply_of
from rlve.drafts.gates import GATES
from rlve.evaluate.backends import ModelOutput
from rlve.formats import Prompt
from rlve.foundation.files import read_lines
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
    replies = asking(model, server, sampling, again=True)
    ask = None if replies is None else _asking(replies)
    example = files("rlve.cli").joinpath("_example.py").read_text(encoding="utf-8")
    found = list(filter(None, lines))
    outcomes = draft(found, folder, example=example, repairs=repairs, ask=ask, tell=notice)
    _print(outcomes)
    costs = folder / COSTS
    if costs.exists():
        spent = read_lines(costs, Cost)
        tokens = sum(cost.tokens or 0 for cost in spent)
        seconds = sum(cost.seconds or 0 for cost in spent)
        echo(f"\n{len(spent):,} replies: {tokens:,} tokens in {seconds:,.0f} s.")
    waiting = [outcome.waiting for outcome in outcomes if outcome.waiting is not None]
    if waiting:
        echo(f"\n{len(waiting):,} questions wait for a reply:")
        for question in waiting:
            echo(f"  {question} -> {reply_of(question).name}")


def _asking(replies: Replies) -> Ask:
    def ask(questions: Sequence[Path]) -> Iterable[tuple[Path, ModelOutput]]:
        prompts: dict[str, Prompt] = {
            str(question): [{"role": "user", "content": question.read_text(encoding="utf-8")}]
            for question in questions
        }
        for name, output in replies(prompts):
            yield Path(name), output

    return ask


def _print(outcomes: Sequence[Outcome]) -> None:
    """A row for each idea, and how many came how far."""
    rows = [(o.folder.name, o.idea[:40], str(len(o.certificates)), _state(o)) for o in outcomes]
    print_table(("", "idea", "written", "state"), rows)
    examined = [o.certificates for o in outcomes if o.certificates]
    first, last = (_funnel(found[which] for found in examined) for which in (0, -1))
    written = len(examined)
    counts = [("ideas", len(outcomes), len(outcomes)), ("written", written, written)]
    counts += [(gate, first[gate], last[gate]) for gate in last]
    echo()
    print_table(
        ("left after", "first attempt", "last"), [(a, str(b), str(c)) for a, b, c in counts]
    )


def _funnel(certificates: Iterable[Certificate]) -> dict[str, int]:
    """How many are left after each gate, in the order in which they are asked here."""
    left = dict.fromkeys([*FIRST, *(gate for gate in GATES if gate not in FIRST)], 0)
    for certificate in certificates:
        held = {finding.gate: finding.held for finding in certificate.findings}
        for gate in left:
            if not held.get(gate):
                break
            left[gate] += 1
    return left


def _state(outcome: Outcome) -> str:
    if outcome.waiting is not None:
        return f"waits for {reply_of(outcome.waiting).name}"
    last = outcome.certificates[-1]
    refused = ", ".join(finding.gate for finding in last.findings if not finding.held)
    return "admitted" if last.admitted else f"refused: {refused}"
