"""The `rlve` command.

Each command is a module in this package with a function `run`: its typed signature becomes the
flags, its docstring the help, and its return value the exit code (None is 0). A module is imported
only when its command is called. From then on, `list` in this package is the module of that name.

A module with many settings lists the usual ones in USUAL, by their dataclass: `--help` shows these,
and `--help-all` shows all.

If the default values of flags depend on other flags, such as a preset, the module has a second
function, `prepare`, which takes the words of the command line and returns the function to call
instead of `run`.
"""

import difflib
import inspect
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from types import ModuleType
from typing import Any

from rlve import __version__
from rlve.errors import UserError
from rlve.foundation.terminals import survive_hangup
from rlve.reports.terminal import complain, echo, show_plainly

COMMANDS = {
    "list": "Find environments by name, family, collection or words.",
    "show": "Print one problem: what a model reads, and a correct answer.",
    "new": "Begin an environment of your own: a file that works, with a test.",
    "check": "Check environments against the rules they must follow.",
    "admit": "Decide by program whether somebody else's environment is admitted.",
    "draft": "Have environments written from ideas, and admit those that pass.",
    "dataset": "Export problems to JSONL or Parquet.",
    "testset": "Build the paper's test sets, disjoint from training data.",
    "eval": "Evaluate a model on test sets and benchmarks.",
    "frontier": "Find the difficulty at which a model is right half of the time.",
    "score": "Judge stored outputs, and report the scores.",
    "compare": "Compare evaluations or frontiers of models or checkpoints.",
    "model": "Turn a GGUF file into a Hugging Face folder.",
    "teach": "Teach a model correct answers before it learns from rewards.",
    "train": "Train a policy on environments whose difficulty adapts to it.",
    "export": "Export a run's model, with a model card.",
    "rollouts": "Show what a run's policy answered, with verdicts.",
    "verl": "Print the verl command for the paper's recipe, and run it.",
    "slime": "Print the slime script for the paper's recipe.",
    "report": "Write the report of a run or an evaluation.",
    "studio": "Look at environments, runs and answers in a browser.",
    "serve": "Serve the gym over HTTP, or as tools to an assistant.",
    "doctor": "Check this machine: what is installed, and what will be slow.",
}

INDENT = "  "
HELP_ALL = "--help-all"

FAULTY = 1  # the command ran, and found something wrong
MISUSED = 2  # the command could not do what was asked
INTERRUPTED = 130  # by Ctrl-C; 128 + SIGINT, as in shells
UNREAD = 141  # nobody reads our output any more; 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit code."""
    show_plainly()
    with survive_hangup():
        return _run_safely(sys.argv[1:] if argv is None else argv)


def _run_safely(words: Sequence[str]) -> int:
    """Run a command; turn expected errors into a message and an exit code."""
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit, and would report the broken pipe then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except UserError as error:
        complain(str(error))
        return MISUSED
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        message = f"{error.filename}: {error.strerror}" if named else str(error)
        complain(message)
        return MISUSED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    return code


def _run(words: Sequence[str]) -> int:
    first = words[0] if words else "--help"
    if first == "help" and len(words) == 2:
        return _run([words[1], "--help"])
    if first in ("-h", "--help", "help"):
        echo(_overview())
        return 0
    if first in ("-V", "--version"):
        echo(f"rlve {__version__}")
        return 0
    if first not in COMMANDS:
        near = difflib.get_close_matches(first, COMMANDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "'rlve --help' lists the commands."
        raise UserError(f"{first!r} is not a command; {hint}")
    return _call(first, words[1:])


def _call(command: str, words: Sequence[str]) -> int:
    if os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        # tyro ignores NO_COLOR, and assumes that stderr is whatever stdout is.
        os.environ.setdefault("PYTHON_TYRO_ANSI_CODES", "False")
    import tyro

    from rlve.cli._help_texts import help_registry

    if os.getcwd() not in sys.path:
        # MODULE:CLASS may be a file here. The folder comes last, so as not to hide any package.
        sys.path.append(os.getcwd())
    module = import_module(f"rlve.cli.{command}")
    run = module.run
    usual = {} if HELP_ALL in words else getattr(module, "USUAL", {})
    words = ["--help" if word == HELP_ALL else word for word in words]
    helping = "-h" in words or "--help" in words
    call = module.prepare(words) if hasattr(module, "prepare") else run
    text, heading, flags = inspect.cleandoc(run.__doc__ or "").partition("\n\nArgs:")
    # tyro would keep the line breaks of a text that goes on over several lines.
    run.__doc__ = text + heading + re.sub(r"\n {8,}", " ", flags)
    summary, _, details = text.partition("\n\n")
    try:
        code = tyro.cli(
            call,
            prog=f"rlve {command}",
            description=_fold(summary),
            args=words,
            config=_markers(module),
            registry=help_registry(usual if helping else {}),
        )
    except SystemExit as leaving:
        if leaving.code:  # tyro has printed what is wrong with the flags
            _suggest_flags(command, words)
            return MISUSED
        if usual and helping:
            echo(f"{INDENT}These are the usual settings; {HELP_ALL} shows all of them.")
        if details and helping:
            echo(f"\n{_fold(details)}")  # below tyro's help, because tyro would not wrap it
        return 0
    return code or 0


def _suggest_flags(command: str, words: Sequence[str]) -> None:
    """Name the flags that unknown ones may stand for: with another group, or by initials."""
    shown = io.StringIO()
    with redirect_stdout(shown):
        _call(command, [HELP_ALL])
    known = dict.fromkeys(re.findall(r"--[a-z][\w.-]*\w", shown.getvalue()))
    ends = {flag.lstrip("-").rpartition(".")[2]: flag for flag in known}
    initials = {"".join(part[0] for part in end.split("-")): flag for end, flag in ends.items()}
    for word in words:
        flag = word.partition("=")[0]
        if flag.startswith("--") and flag not in known:
            end = flag.lstrip("-").replace("_", "-").rpartition(".")[2]
            near = difflib.get_close_matches(flag, known, n=1, cutoff=0.8)
            near += [found for table in (ends, initials) if (found := table.get(end))]
            near += [ends[close] for close in difflib.get_close_matches(end, ends, n=1)]
            if near:
                complain(f"{flag} is not a flag; did you mean {near[0]}?")


def _markers(module: ModuleType) -> tuple[Any, ...]:
    """How tyro makes flags of a command's settings."""
    from tyro import conf

    named = conf.PositionalMetavarFromFieldName
    if hasattr(module, "prepare"):  # it has nested settings: --data.window, --rollout.no-partial
        return (named,)
    return (named, conf.FlagCreatePairsOff, conf.OmitArgPrefixes)


def _fold(text: str) -> str:
    width = min(shutil.get_terminal_size().columns, 80)
    return "\n\n".join(
        textwrap.fill(
            paragraph,
            width,
            initial_indent=INDENT,
            subsequent_indent=INDENT,
            break_on_hyphens=False,
        )
        for paragraph in text.split("\n\n")
    )


def _overview() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        (
            "usage: rlve COMMAND ...",
            "",
            "Adaptive verifiable environments for reinforcement learning of language models.",
            "",
            *(f"{INDENT}{command:{width}}  {text}" for command, text in COMMANDS.items()),
            "",
            "'rlve help COMMAND' explains a command; 'rlve --version' prints the version.",
        )
    )
