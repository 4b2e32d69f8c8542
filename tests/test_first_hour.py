"""The first hour of a new user: the wheel without extras, README from top to bottom, and then an
environment of one's own, from the page about that into check, dataset, train, eval and score."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="building the wheel needs hatchling, of rlve[dev]")
pytest.importorskip("torch", reason="training needs rlve[train]")

from support.bare_environment import ROOT, BareEnvironment
from support.forks import Forks
from support.markdown import blocks
from support.printed_commands import RUN, SMALL

EXTRAS = {  # commands of README that need one, and say so
    "rlve train": "train",
    "rlve eval -m nano --suite held-out": "train",
    "rlve dataset -c C16 -n 10000 -d 0..8 -o problems.parquet": "parquet",
}


class Walk:
    """A shell in an empty folder, in which the environment is active."""

    def __init__(self, environment, folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self.forks: Forks | None = None  # where torch is there
        folder.mkdir()

    def call(self, command: str) -> subprocess.CompletedProcess:
        program, *words = shlex.split(command)
        if self.forks is not None and program == "rlve" and ">" not in words:
            return self.forks.run(words, self.folder)
        return subprocess.run(
            ["bash", "-c", command],
            input="",
            cwd=self.folder,
            env=self.environment.variables,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def __call__(self, command: str) -> str:
        """What a command prints; it has to succeed, without any warning of ours or others."""
        done = self.call(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"
        return done.stdout

    def printed(self, command: str) -> str:
        """The same of a command that a page shows, in the size that is run here."""
        return self(RUN[command] or command)

    def run_python(self, page: str) -> None:
        """Run the Python blocks of a page; they print what stands below them."""
        found = blocks((ROOT / page).read_text())
        shown = [each for each in found if each.language == "python" and each.not_run is None]
        (self.folder / "page.py").write_text("\n".join(block.text for block in shown))
        expected = "".join(block.printed or "" for block in shown)
        assert self("python page.py").split() == expected.split()


def test_from_readme_to_ones_own_environment(tmp_path, request):
    environment = BareEnvironment(tmp_path)
    walk = Walk(environment, tmp_path / "first")

    # README without any extra: the package in Python, and all that needs no model.
    walk.run_python("README.md")
    walk.run_python("docs/first_hour.md")
    assert "EuclidGame" in walk.printed("rlve list -f games")
    assert "── reference ──" in walk.printed("rlve show ShortestPath -d 4 --seed 7")
    walk("rlve dataset Sorting EuclidGame -n 12 -d 0..1 --format plain -o few.jsonl")
    answered(walk.folder / "few.jsonl", walk.folder / "outputs.jsonl")
    assert "100.0%" in walk.printed("rlve score outputs.jsonl")
    assert "no complaints" in walk.printed("rlve check --all")
    for command in RUN:
        if command.startswith("rlve verl"):
            assert "verl.trainer.main_ppo" in walk.printed(command)
    before = files(walk.folder)
    for command, extra in EXTRAS.items():
        refused = walk.call(command)
        assert refused.returncode == 2
        assert refused.stdout == ""
        assert len(refused.stderr.splitlines()) == 1
        assert f"pip install 'rlve[{extra}]'" in refused.stderr
    assert files(walk.folder) == before

    # The rest of README, with the extras that it names.
    environment.extras()
    walk.forks = Forks(str(environment.bin / "python"), environment.variables)
    request.addfinalizer(walk.forks.close)
    assert "(train)" not in walk.printed("rlve doctor")
    walk.printed("rlve dataset -c C16 -n 10000 -d 0..8 -o problems.parquet")
    trained = walk.printed("rlve train")
    assert re.search(r"\nmeasuring accuracy, 0 of \d+ outputs, .*left\n", trained)
    assert "The report is runs/first/report.html" in trained
    for suggested in re.split(", or | and then ", trained.rpartition("Next: ")[2].strip()):
        few = " --outputs 24" if " frontier " in suggested else ""
        walk(f"rlve {suggested.partition(' ')[2]}{few}")
    reward = "from rlve.integrations.rewards import reward"
    row = "[json.loads(line) for line in open('few.jsonl')][:2]"
    columns = "{name: [row[name] for row in rows] for name in ('environment', 'parameters')}"
    answers = "[f'<answer>{row[\"answer\"]}</answer>' for row in rows]"
    (walk.folder / "reward.py").write_text(
        f"import json\n{reward}\nrows = {row}\nprint(reward({answers}, **{columns}))\n"
    )
    assert walk("python reward.py") == "[1.0, 1.0]\n"
    assert "step 1: " in walk.printed("rlve rollouts runs/NAME")
    assert "Its card is my-model/README.md" in walk.printed("rlve export runs/NAME my-model")
    walk("rlve train --preset nano --print-config > run.yaml")
    walk.printed("rlve train --config run.yaml --run.seed 1")
    walk.printed("rlve train --data.curriculum two-way --data.rehearsal 0.2")
    evaluate = "rlve eval -m nano --suite held-out"
    assert "report: evals/a/report.html" in walk.printed(evaluate)
    walk(RUN[evaluate].replace("evals/a", "evals/b --temperature 1"))
    assert "chance" in walk.printed("rlve compare evals/a evals/b")

    # One's own environment, begun by a command: its problems in another format, and its outputs.
    begun = walk.printed("rlve new RomanSum")
    for command in ("rlve check roman_sum.py:RomanSum", "rlve show roman_sum.py:RomanSum"):
        assert command in begun
    assert "no complaints" in walk("rlve check roman_sum.py:RomanSum --seeds 2")
    walk("rlve dataset roman_sum.py:RomanSum -n 6 -d 0..1 -o roman.jsonl")  # for chats
    load = "--load roman_sum.py"
    walk(f"rlve eval -m nano --suite roman.jsonl {load} -n 1 --max-tokens 16 --folder evals/roman")
    assert json.loads((walk.folder / "evals/roman/plan.json").read_text())["format"] == "plain"
    (walk.folder / "roman.yaml").write_text(
        "load: roman_sum.py\ndata: {environments: RomanSum}\nrun: {folder: runs/roman}\n"
    )
    assert "RomanSum 0" in walk(f"rlve train --config roman.yaml {SMALL}")
    answered(walk.folder / "roman.jsonl", walk.folder / "named.jsonl", column="completion")
    named = f"rlve score named.jsonl {load} --column output=completion --marker any"
    assert walk(named).count("100.0%") == 4  # RomanSum, all, and both difficulties
    explained = "RomanSum.generate(difficulty=0, seed=0).explain('<answer>9999</answer>')"
    told = walk(f'python -c "from roman_sum import RomanSum; print({explained}.reason)"')
    assert told == "The answer is too large.\n"

    # One's own questions.
    (walk.folder / "mine.jsonl").write_text('{"question": "What is 3 + 4?", "gold": "7"}\n')
    asked = "rlve eval -m nano --suite mine.jsonl --column answer=gold --max-tokens 16"
    assert "MathQuestion" in walk(f"{asked} --folder evals/mine")

    # One's own environment, from the page about that.
    page = blocks((ROOT / "docs/environments.md").read_text())
    code = next(block.text for block in page if block.language == "python")
    for place in ("path/to/my_file.py", "my_package/my_module.py"):
        (walk.folder / place).parent.mkdir(parents=True)
        (walk.folder / place).write_text(code)
    own = "path/to/my_file.py:DigitSum"
    assert "no complaints" in walk.printed(f"rlve check {own}")
    assert "no complaints" in walk.printed("rlve check my_package.my_module:DigitSum")
    walk(f"rlve dataset {own} -n 6 -d 0..1 --format plain -o own.jsonl")
    walk(f"rlve train --data.environments {own} {SMALL} --run.folder runs/own")
    load = "--load path/to/my_file.py"
    model = "runs/own/checkpoints/step-000001"
    sampled = f"rlve eval -m {model} --suite own.jsonl -n 1 --max-tokens 16 --format plain"
    assert "DigitSum" in walk(f"{sampled} {load} --folder evals/own")
    assert "DigitSum" in walk(f"rlve score evals/own {load}")
    answered(walk.folder / "own.jsonl", walk.folder / "right.jsonl")
    assert "100.0%" in walk(f"rlve score right.jsonl {load}")


def answered(problems: Path, outputs: Path, column: str = "output") -> None:
    """Write outputs that are right."""
    rows = [json.loads(line) for line in problems.read_text().splitlines()]
    outputs.write_text(
        "".join(
            json.dumps(row | {column: f"<answer>{row['answer']}</answer>"}) + "\n" for row in rows
        )
    )


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}
