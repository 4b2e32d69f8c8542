"""A sitting on a machine that is lent for minutes, has no network and keeps nothing.

Before, at home: what must travel, in parts that one call can carry. It prints the line that starts
each job there (jobs.py); --matrix makes `make test-gpu` one of them.

    python -m experiments.sitting pack OUT FILE ... --wheels WHEELS

There, once all parts are in a folder IN (they may come in several calls), also those of the last
sitting:

    cat IN/code.tar.gz.* | tar xz
    python3 -m experiments.sitting run IN OUT --keep runs/generalisation --seconds 480 -- \\
      python3 -m experiments.generalisation --minutes 5 --benchmarks IN

This restores what was kept, makes a model's folder of each GGUF file (models/NAME), runs the
command, ends it by SIGINT when the time is up, and packs the folders that are kept, with the
checkpoints that are needed to go on. `rest OUT` gives what is left where a call can return no more.
At home `unpack IN` restores the folders, and so does the next sitting. All paths are relative to
the present folder.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from experiments.archives import keep, split, unpack, weigh_checkpoints
from experiments.commands import ROOT

MIB = 2**20
PART, PARTS, TOGETHER = 15 * MIB, 8, 64 * MIB
"""Bytes of a file that comes back, files of all that is kept, and bytes that one call returns."""
ROOM, AT_ONCE = 60, 10
"""Seconds that a command has to save what it has, and to end when it is asked again."""
PACKED = Path("packed")
CODE, MATRIX = ("src/rlve", "experiments", "benchmarks"), ("tests/gpu", "tests/support")


def pack(out: Path, wheels: Path, files: Sequence[Path], size: int, *, matrix: bool) -> None:
    """Everything that must travel, in parts of at most this size."""
    out.mkdir(parents=True)
    code = out / "code.tar.gz"
    with tarfile.open(code, "w:gz") as archive:
        for name in CODE + MATRIX * matrix:
            archive.add(
                ROOT / name, name, filter=lambda each: None if "__pycache__" in each.name else each
            )
        for wheel in sorted(wheels.glob("*.whl")):
            archive.add(wheel, f"wheels/{wheel.name}")
    for file in (code, *files):
        split(file, out, size)
    code.unlink()
    from experiments.jobs import lines  # needs rlve, which is not there yet on that machine

    print("There, from an empty folder that has the parts in IN:\n\ncat IN/code.tar.gz.* | tar xz")
    models = [file.stem for file in files if file.suffix == ".gguf"]
    print("\n".join(lines(models, matrix=matrix, trl=any(wheels.glob("trl-*.whl")))))


def install(folder: Path) -> dict[str, str]:
    """Make the wheels and the models usable; the variables that commands need."""
    for wheel in Path("wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as opened:
            opened.extractall("site")
    own = map(os.path.abspath, ("src", ".", "tests", "site"))
    paths = [*own, os.environ.get("PYTHONPATH", "")]
    offline = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    for file in folder.glob("*.gguf"):
        if not (model := Path("models", file.stem)).exists():
            words = [sys.executable, "-m", "rlve", "model", str(file), str(model)]
            subprocess.run([*words, "--dtype", "bfloat16"], env=os.environ | offline, check=True)
    return os.environ | offline


def carry_out(command: Sequence[str], variables: dict[str, str], seconds: float) -> int:
    """Run a command; when its time is up, or we are told to stop, it saves what it has."""
    process = subprocess.Popen(command, env=variables, start_new_session=True)

    def tell(number: int, _: object = None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, tell)
    for wait, number in (
        (seconds, signal.SIGINT),
        (ROOM, signal.SIGINT),
        (AT_ONCE, signal.SIGKILL),
    ):
        try:
            return process.wait(max(0.0, wait))
        except subprocess.TimeoutExpired:
            tell(number)
    return process.wait()


def give(out: Path) -> None:
    """Put as many parts as one call can return into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    room = TOGETHER
    for part in sorted(PACKED.iterdir()):
        room -= part.stat().st_size
        if room >= 0:
            shutil.move(part, out)
    left = len([*PACKED.iterdir()])
    print(f"{len([*out.iterdir()])} parts are in {out}; {left} more are for `rest`", flush=True)


def sit(given: argparse.Namespace, command: Sequence[str]) -> int:
    """Go on from what was kept, and keep what came of it."""
    begin = time.monotonic()
    unpack(given.parts)
    variables = install(given.parts)
    code = carry_out(command, variables, given.seconds + begin - time.monotonic())
    print(f"it ended with {code} after {time.monotonic() - begin:.0f} s", flush=True)
    size = sum(map(weigh_checkpoints, given.keep))  # packing gigabytes to see it takes minutes
    keep(given.keep, PACKED, PART, checkpoints=size <= PARTS * PART)
    give(given.out)
    if size <= PARTS * PART:
        return code
    sys.exit(
        f"checkpoints of {size / MIB:,.0f} MiB are more than {PARTS} parts of {PART // MIB} MiB: "
        "those of adapters can be carried away (policy.lora-rank), those of all weights cannot. "
        "All but checkpoints was kept; unfinished runs will begin again"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Pack, sit or unpack from the command line."""
    words = [*(sys.argv[1:] if argv is None else argv), "--"]
    parser = argparse.ArgumentParser(description="One sitting on a machine lent for minutes.")
    parsers = parser.add_subparsers(dest="what", required=True)
    add = parsers.add_parser("pack", help="at home: put what must travel into parts").add_argument
    add("out", type=Path)
    add("files", type=Path, nargs="*", help="models and benchmarks, say")
    add("--wheels", type=Path, required=True, help="a folder of wheels that are missing there")
    add("--mib", type=int, default=36, help="the most of a part")
    add("--matrix", action="store_true", help="also tests/gpu, as a job")
    add = parsers.add_parser("run", help="there: run a command (after --)").add_argument
    add("parts", type=Path)
    add("out", type=Path)
    add("--keep", type=Path, nargs="+", required=True, help="folders of experiments")
    add("--seconds", type=float, required=True, help=f"then it has {ROOM} more to save and end")
    parsers.add_parser("rest", help="there: the parts that are left").add_argument("out", type=Path)
    parsers.add_parser("unpack", help="restore what was kept").add_argument("parts", type=Path)
    given = parser.parse_args(words[: words.index("--")])
    if given.what == "run":
        return sit(given, words[words.index("--") + 1 : -1])
    if given.what == "pack":
        pack(given.out, given.wheels, given.files, given.mib * MIB, matrix=given.matrix)
    elif given.what == "rest":
        give(given.out)
    else:
        unpack(given.parts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
