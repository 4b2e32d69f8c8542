"""Run the notebooks in docs/notebooks and store their output.

    python tools/notebooks.py               run all
    python tools/notebooks.py tour          run one
    python tools/notebooks.py --check       compare their output with what is stored

A notebook is run from top to bottom, in a new folder and in its own process.
"""

import argparse
import ast
import base64
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")  # figures are stored, not shown

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
WRITE = "%%writefile "
TRAINING = ("training_run",)  # sums of floats differ a little from one processor to another


def main(arguments: Sequence[str] | None = None) -> int:
    """Run notebooks; return 1 if the output of one differs from what is stored."""
    parser = argparse.ArgumentParser(description="Run the notebooks and store their output.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args(arguments)
    names = wanted.names or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    if len(names) > 1:  # the next must not see what one registers
        flags = ["--check"] if wanted.check else []
        return max(subprocess.call([sys.executable, __file__, name, *flags]) for name in names)
    path = FOLDER / f"{names[0]}.ipynb"
    document = json.loads(path.read_text(encoding="utf-8"))
    stored = shown(document)
    with tempfile.TemporaryDirectory() as folder:
        run(document, Path(folder))
    if wanted.check:
        return compare(path.stem, stored, shown(document))
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{path.name}: done", flush=True)
    return 0


def shown(document: dict[str, Any]) -> list[str]:
    """The text of all outputs; pictures differ from machine to machine."""
    return [
        "".join(output.get("text") or output["data"].get("text/plain", "a picture"))
        for cell in document["cells"]
        for output in cell.get("outputs", ())
    ]


def compare(name: str, stored: list[str], printed: list[str]) -> int:
    """Report the first output that differs from what is stored."""
    if name in TRAINING and len(stored) == len(printed):
        return 0
    for old, new in zip_longest(stored, printed, fillvalue="nothing"):
        if old != new:
            print(f"{name} shows:\n{old}\nbut prints:\n{new}", file=sys.stderr)
            return 1
    return 0


def run(document: dict[str, Any], folder: Path) -> None:
    """Run the cells of a notebook in a folder, and replace their stored outputs."""
    names: dict[str, Any] = {"__name__": "notebook"}
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    with _working_in(folder):
        for count, cell in enumerate(cells, 1):
            cell["execution_count"] = count
            cell["outputs"] = list(_outputs("".join(cell["source"]), names, count))


@contextlib.contextmanager
def _working_in(folder: Path) -> Generator[None]:
    """Work in this folder, whose modules can be imported, also by other processes."""
    before, known, path = Path.cwd(), set(sys.modules), os.environ.get("PYTHONPATH")
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), path)))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        if path is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = path
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


def _outputs(source: str, names: dict[str, Any], count: int) -> Generator[dict[str, Any]]:
    """What a cell prints, the value of its last line, and its figures."""
    if source.startswith(WRITE):
        first, _, text = source.partition("\n")
        name = first.removeprefix(WRITE).strip()
        Path(name).write_text(text + "\n", encoding="utf-8")
        yield _printed(f"Writing {name}\n")
        return
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        # Our own documents, and never a model's text.
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if text := printed.getvalue():
        yield _printed(text)
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        yield {
            "output_type": "execute_result",
            "execution_count": count,
            "data": data,
            "metadata": {},
        }
    yield from _figures()


def _printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def _figures() -> Generator[dict[str, Any]]:
    """The open figures, which are then closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=80)
        pyplot.close(number)
        data = {"image/png": base64.b64encode(picture.getvalue()).decode()}
        yield {"output_type": "display_data", "data": data, "metadata": {}}


if __name__ == "__main__":
    sys.exit(main())
