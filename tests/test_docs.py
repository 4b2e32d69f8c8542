"""What the documents say is true: code runs and prints what they show, and names what there is.

A block that is not run has the reason above it, as in <!-- not run: needs verl -->, and so has one
whose commands are run and exit 0, but print something else each time: <!-- not compared: ... -->.
That commands, flags and names exist is tested all the same. What stands in other blocks is run by
test_first_hour.py, with smaller numbers where it is long.
"""

import ast
import functools
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from operator import attrgetter
from pathlib import Path

import pytest
import tyro

import rlve
from rlve import cli, registry
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.gym import GymMetrics
from rlve.train.config_files import SettingsFile
from rlve.train.history import Accuracy, StepMetrics, ValidationRecord
from rlve.train.presets import preset
from support.kernel import landlocked
from support.markdown import Block, blocks, console, inline_code, links
from support.printed_commands import NOT_RUN, RUN

ROOT = Path(__file__).parent.parent
PAGES = [
    str(place.relative_to(ROOT))
    for place in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
    if "catalogue" not in place.parts  # those are made by a program, and compared with it below
]
OURS = [  # the others speak of flags of other programs
    page for page in PAGES if "trainers/" not in page and "results/" not in page
]
FLAG = re.compile(r"(?<![\w-])--[a-z][\w.-]*")
FLAGS_OF_EXPERIMENTS = set(FLAG.findall((ROOT / "experiments" / "runner.py").read_text()))
NAME = re.compile(r"rlve(\.\w+)+")


def read(page: str) -> str:
    return (ROOT / page).read_text()


def code(page: str, *languages: str) -> list[Block]:
    return [block for block in blocks(read(page)) if block.language in languages]


def stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def test_there_is_no_more_to_read_than_somebody_would():
    results = [page for page in PAGES if page.startswith("docs/results/")]
    pages = [page for page in PAGES if page.startswith("docs/") and page not in results]
    assert len(read("README.md").splitlines()) <= 140
    assert words("README.md", "CONTRIBUTING.md", *pages) <= 37_000
    assert words(*results) <= 22_000


def words(*pages: str) -> int:
    return sum(len(read(page).split()) for page in pages)


@pytest.mark.parametrize("page", [page for page in PAGES if code(page, "python", "console")])
def test_blocks_run_and_print_what_is_shown(page, capsys, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    if "results/" in page:  # these speak of files beside them
        for file in (ROOT / page).parent.iterdir():
            (tmp_path / file.name).symlink_to(file)
    known = set(rlve.environments())
    request.addfinalizer(lambda: forget({*rlve.environments()} - known))
    names: dict[str, object] = {"__name__": "page"}
    for block in code(page, "python", "console"):
        where = f"{page}:{block.line}"
        if block.not_run is not None:
            compile(block.text if block.language == "python" else "", where, "exec")
        elif "rlve.sandbox" in block.text and not landlocked():
            continue
        elif block.not_compared is not None:
            for command, _ in console(block.text):
                assert succeeds(command), f"{where}: {command}: {capsys.readouterr()}"
        elif block.language == "console":
            for command, shown in console(block.text):
                assert answer(command) == stripped(shown), f"{where}: {command}"
        else:
            capsys.readouterr()
            exec(compile(block.text, where, "exec"), names)  # our own document, not a model's text
            assert stripped(capsys.readouterr().out) == stripped(block.printed or ""), where


def forget(names: set[str]) -> None:
    for name in names:
        del registry._registered[name]


def answer(command: str) -> str:
    """All that a command prints, in the present folder."""
    if words := alone(command):
        with StringIO() as said, redirect_stdout(said), redirect_stderr(said):
            cli.main(words)
            return stripped(said.getvalue())
    return stripped(shell(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout)


def succeeds(command: str) -> bool:
    """Whether a command exits 0."""
    words = alone(command)
    return (cli.main(words) if words else shell(command).returncode) == 0


def alone(command: str) -> list[str] | None:
    """The words of a command of ours alone, which is run in this process, where torch is known."""
    program, *words = shlex.split(command)
    return words if program == "rlve" and not {"|", ">", "&&"} & {*words} else None


def shell(command: str, **options: object) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONUNBUFFERED": "1"}
    return subprocess.run(["bash", "-c", command], env=env, text=True, timeout=600, **options)


def commands(page: str) -> list[str]:
    """The command lines of the blocks of a page, without what follows them in the same line."""
    found: list[str] = []
    for block in code(page, "console", "indented", ""):
        lines = block.text.replace("\\\n", " ").splitlines()
        if block.language == "console":
            lines = [command for command, _ in console(block.text)]
        found += ours(lines)
    return found


def ours(lines: list[str]) -> list[str]:
    """Those lines that are commands, without what explains them."""
    words = (re.split(r"\s{2,}(?=[^-\s'])| [|&>]", line.strip())[0].strip() for line in lines)
    return [each for each in words if re.match(r"(rlve [a-z]|make |pip |python )", each)]


@pytest.fixture
def parse_only(monkeypatch):
    """Commands read their flags, and do nothing."""
    real = tyro.cli

    def parse(call, **options):
        inner = call.func if isinstance(call, functools.partial) else call

        @functools.wraps(inner)
        def nothing(*_, **__):
            return 0

        if isinstance(call, functools.partial):
            nothing = functools.partial(nothing, *call.args, **call.keywords)
        return real(nothing, **options)

    monkeypatch.setattr(tyro, "cli", parse)
    train = import_module("rlve.cli.train")
    monkeypatch.setattr(train, "read_config", lambda folder: preset("nano"))
    monkeypatch.setattr(train, "read_settings", lambda file: SettingsFile({}))


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_flags_exist(page, parse_only, capsys):
    makefile = read("Makefile")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    libraries = re.search(r"^LIBRARIES := (.*)", makefile, re.MULTILINE)[1].split()
    targets |= {f"test-{name}" for name in libraries}
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    for command in commands(page):
        program, *words = shlex.split(command, comments=True)
        if program == "rlve" and len(words) == 1:
            assert words[0] in cli.COMMANDS, command
        elif program == "rlve":
            assert cli.main(words) == 0, f"{command}: {capsys.readouterr()}"
        elif program == "make":
            assert {word for word in words if "=" not in word} <= targets, command
        elif program == "python" and words[0] == "-m":
            assert "rlve" not in words[1] or find_spec(words[1]), command
        elif program == "python":
            assert (ROOT / words[0]).exists(), command
        for extra in re.findall(r"(?:rlve|\.)\[([\w,]+)\]", command):
            assert set(extra.split(",")) <= set(extras), command


@pytest.mark.parametrize("page", [page for page in PAGES if "results/" not in page])
def test_every_command_is_run(page):
    """make and pip set up what the tests run in; pages of results say what was run once."""
    for block in code(page, "indented", ""):
        if block.not_run is None:
            for command in ours(block.text.replace("\\\n", " ").splitlines()):
                plain = " ".join(command.split())
                if plain.startswith(("rlve ", "python ")):
                    assert plain in {*RUN, *NOT_RUN}, f"{page}:{block.line}: {plain}"


@functools.cache
def flags(command: str) -> frozenset[str]:
    """All flags of a command."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as shown:
        patch.setenv("COLUMNS", "100")
        assert cli.main([command, "--help-all"]) == 0
    return frozenset({"--help-all", *FLAG.findall(shown.getvalue())})


@pytest.mark.parametrize("page", OURS)
def test_flags_in_sentences_exist(page):
    for text in inline_code(read(page)):
        found = set(FLAG.findall(text))
        if text.startswith("rlve ") and (command := text.split()[1]) != "COMMAND":
            assert command in cli.COMMANDS, text
            assert found <= flags(command), text
        elif text.startswith("--"):
            known = [FLAGS_OF_EXPERIMENTS, *map(flags, cli.COMMANDS)]
            assert any(found <= each for each in known), text


@pytest.mark.parametrize("page", PAGES)
def test_names_exist(page):
    for text in inline_code(read(page)):
        if text.startswith("rlve.") and (name := NAME.match(text)):
            assert is_there(name[0]), text
        if text.startswith(("src/", "docs/", "tests/", "benchmarks/", "examples/")):
            assert (ROOT / re.split(r"[<*]", text)[0]).exists(), text
    for block in code(page, "python"):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module[:4] == "rlve":
                for each in node.names:
                    assert is_there(f"{node.module}.{each.name}"), each.name


def is_there(name: str) -> bool:
    """Whether there is a module, or something in a module, of that name."""
    place, parts = ROOT / "src", name.split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if parts and (place / f"{parts[0]}.py").exists():
        place /= f"{parts.pop(0)}.py"
    if not parts:
        return True
    module = ".".join(place.relative_to(ROOT / "src").with_suffix("").parts)
    try:
        return bool(attrgetter(".".join(parts))(import_module(module)))
    except AttributeError:
        return False
    except (ImportError, UserError):  # it needs a library that is not here
        source = place if place.suffix else place / "__init__.py"
        return re.search(rf"\b{parts[0]}\b", source.read_text()) is not None


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in links(read(page)):
        place, _, _ = link.partition("#")
        if place and "://" not in place:
            assert ((ROOT / page).parent / place).exists(), link


def test_every_metric_is_explained():
    explained = set(inline_code(read("docs/metrics.md")))
    for record in (GymMetrics, StepMetrics, ValidationRecord, Accuracy):
        assert set(record.__struct_fields__) <= explained


def test_the_storeys_and_rooms_are_those_that_are_checked():
    storeys, rooms = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    page = read("docs/architecture.md")
    named = [name.replace("`", "") for name in re.findall(r"^\| (`[\w`, ]+`) \|", page, re.M)]
    assert [layer.replace(" | ", ", ") for layer in rooms["layers"]] == named[
        : len(rooms["layers"])
    ]
    rows = re.findall(r"^\| [a-z ]+ \| (`[\w`, ]+`) \| [a-z ]+ \|$", page, re.M)
    named = [row.replace("`", "").replace(", ", " : ") for row in rows]
    assert named == storeys["layers"]
    assert len(named) == 6


def test_the_documented_environment_keeps_the_contract():
    page = read("docs/environments.md")
    for part in ("template", "level", "sample", "parse", "score", "reference", "passing"):
        assert f"`{part}" in page
        assert hasattr(Sorting, part)


def test_the_catalogue_is_up_to_date():
    made = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "catalogue.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, f"{made.stdout}{made.stderr}; run `make catalogue`"


@pytest.mark.parametrize("page", PAGES)
def test_what_is_to_be_installed_is_in_a_checkout(page):
    """No index has the package; first_hour.md says how it would be installed from one."""
    if page != "docs/first_hour.md":
        assert not re.search(r"pip install '?rlve\b", (ROOT / page).read_text())


def rows(section: str) -> list[list[str]]:
    """The rows of the first table of a section, by cell, without its head."""
    lines = [line for line in section.splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_cell_about_another_library_has_a_source():
    compared = rows(read("docs/peers.md"))
    shown = rows(read("README.md").partition("## Alternatives")[2])
    assert [row[0] for row in shown] == [row[0] for row in compared]
    for (name, our, *theirs), (_, *short) in zip(compared, shown, strict=True):
        assert "](" in our, name
        for cell in theirs:
            assert "](https://" in cell, (name, cell)
            assert "/main/" not in cell, f"{name}: name the commit that was read"
        missing = [cell.startswith("[not found]") for cell in (our, *theirs)]
        assert [cell == "-" for cell in short] == missing, name
