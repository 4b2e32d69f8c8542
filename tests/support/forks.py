"""Commands that need torch, each in a process of its own that need not import it again.

One process imports what training needs, and forks for every command. A command so has all that a
new process gives it (its folder, its output, its exit), for a tenth of the time.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE = """
import gc, json, os, signal, sys
import rlve.cli, rlve.evaluate.backends.in_process, rlve.train.trainer
import transformers

transformers.AutoModelForCausalLM, transformers.PreTrainedTokenizerFast
gc.freeze()  # what is there is shared by all
for line in sys.stdin:
    words, folder, *files = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        for number, name in enumerate(files):
            os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
        signal.alarm(600)  # whatever it waits for
        sys.argv = ["rlve", *words]
        sys.exit(rlve.cli.main(words))
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Forks:
    """Runs `rlve` with a given Python and its variables."""

    def __init__(self, python: str = sys.executable, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [python, "-P", "-c", SOURCE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )

    def run(self, words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """What a command prints in a folder, and how it ends."""
        with tempfile.TemporaryDirectory() as place:
            files = [Path(place, name) for name in ("stdin", "stdout", "stderr")]
            for file in files:
                file.touch()
            request = json.dumps([[*words], str(folder), *map(str, files)])
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            _, out, err = (file.read_text() for file in files)
            return subprocess.CompletedProcess(words, code, out, err)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
