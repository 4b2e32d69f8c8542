"""A checkout of slime, named by SLIME, without what it has only on GPUs."""

import argparse
import os
import shlex
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = os.environ.get("SLIME")

if CHECKOUT is None:
    collect_ignore_glob = ["test_*.py"]


class NoFlags:
    """SGLang's arguments, of which there are none here."""

    @staticmethod
    def add_cli_args(parser, **_):
        return parser


STAND_INS = {
    "ray": {},
    "wandb": {},
    "sglang": {},
    "sglang.srt": {},
    "sglang.srt.server_args": {"ServerArgs": NoFlags},
    "sglang_router": {},
    "sglang_router.launch_router": {"RouterArgs": NoFlags},
}


@pytest.fixture(scope="session", autouse=True)
def slime():
    """Let slime be imported, as its own contract tests do."""
    sys.path[:0] = [CHECKOUT, str(Path(CHECKOUT) / "tests")]
    for name, contents in STAND_INS.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__dict__.update(contents)
        sys.modules.setdefault(name, module)


@pytest.fixture(scope="session")
def parse():
    """slime's own parser; it returns the arguments, and the words that it does not know."""
    from slime.utils.arguments import get_slime_extra_args_provider

    parser = argparse.ArgumentParser(allow_abbrev=False)
    # Megatron's parser has these, and slime changes their defaults.
    for flag in ("--lr", "--load", "--save", "--seed"):
        parser.add_argument(flag)
    get_slime_extra_args_provider()(parser)

    def parse_words(script: str) -> tuple[argparse.Namespace, list[str]]:
        """The flags between the brackets of a script's arrays."""
        words: list[str] = []
        for array in ("RLVE_ARGS", "TRAIN_ARGS"):
            inside = script.partition(f"{array}=(\n")[2].partition("\n)\n")[0]
            words += shlex.split(inside, comments=True)
        return parser.parse_known_args(words)

    return parse_words
