"""Without any extra every command explains itself, and names the extra that it needs."""

import json
import subprocess
import sys

import pytest

BLOCKED = '''
import sys
from importlib import metadata
from importlib.abc import MetaPathFinder

MODULES = """torch transformers safetensors tokenizers huggingface_hub httpx pyarrow mpmath
sympy gguf peft vllm ray verl trl datasets verifiers openenv tinker_cookbook
starlette fastapi uvicorn wandb""".split()


class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
installed = metadata.version


def version(name):
    if name.replace("-", "_") in MODULES or name in ("tinker-cookbook", "openenv-core"):
        raise metadata.PackageNotFoundError(name)
    return installed(name)


metadata.version = version
'''

HELP = """
from rlve.cli import COMMANDS, main

for command in COMMANDS:
    assert main([command, "--help"]) == 0, command
"""

EACH = """
import contextlib, io, json
from rlve.cli import main

said = []
for line in json.loads(sys.stdin.read()):
    with contextlib.redirect_stderr(io.StringIO()) as heard:
        code = main(line.split())
    said.append((code, heard.getvalue()))
print(json.dumps(said))
"""

NEEDS = {
    "train": "train",
    "train --policy.lora-rank 4": "train",
    "eval -m nano --suite held-out": "train",
    "eval -m some/model --suite held-out": "train",
    "eval -m m --suite held-out --url http://localhost:9/v1": "client",
    "dataset Sorting -n 1 -o problems.parquet": "parquet",
    "dataset Sorting -n 1 -o problems.jsonl --ray auto": "ray",
    "verl --model m -c C16 --gpus 8": "verl",
    "serve": "studio",
    "studio": "studio",
}


def run(code, folder, given=""):
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + code],
        input=given,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_every_command_explains_itself(tmp_path):
    done = run(HELP, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each command says, and the files that all of them leave."""
    folder = tmp_path_factory.mktemp("empty")
    done = run(EACH, folder, json.dumps(list(NEEDS)))
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    return dict(zip(NEEDS, answers, strict=True)), list(folder.iterdir())


@pytest.mark.parametrize("line", NEEDS)
def test_what_is_missing_is_one_line_that_names_the_extra(line, said):
    code, message = said[0][line]
    assert code == 2
    assert message.count("\n") == 1
    assert f"pip install 'rlve[{NEEDS[line]}]'" in message


def test_nothing_was_written(said):
    assert said[1] == []
