"""Build the documentation site: the pages of docs/, in order, and a reference made from the code.

    python tools/site.py              build it; then open build/site/index.html
    python tools/site.py --serve      build it, and serve it at http://127.0.0.1:8001

Pages are written for the repository, where links lead from file to file. Here they are copied into
one folder, and a link to a file that is not a page leads to a page that shows the file, at the line
of the name if the link's text is one (`rlve.module.name`). A broken link, or a page that is in no
chapter, stops the build.
"""

import argparse
import ast
import contextlib
import dataclasses
import functools
import http.server
import inspect
import io
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import rlve
from rlve import cli

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS: dict[str, tuple[str, ...]] = {
    "Start": ("README.md",),
    "Guides": (
        "docs/first_hour.md",
        "docs/train.md",
        "docs/troubleshooting.md",
        "docs/environments.md",
        "docs/dialogues.md",
        "docs/drafts.md",
        "docs/teaching.md",
        "docs/evaluation.md",
        "docs/frontier.md",
        "docs/test_sets.md",
        "docs/benchmarks.md",
        "docs/comparing.md",
        "docs/curricula.md",
        "docs/experiments.md",
        "docs/studio.md",
        "docs/serve.md",
    ),
    "Notebooks": ("docs/notebooks/*.ipynb",),
    "Other trainers": ("docs/trainers.md", "docs/trainers/*.md"),
    "Catalogue": ("docs/catalogue/README.md", "docs/catalogue/*.md"),
    "Results": ("docs/results/README.md", "docs/results/*/README.md"),
    "Reference": ("commands.md", "api.md", "docs/metrics.md", "docs/dapo.md"),
    "Project": (
        "docs/peers.md",
        "docs/citing.md",
        "docs/architecture.md",
        "docs/security.md",
        "docs/sandbox.md",
        "docs/versions.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
    ),
}
SHOWN = (".png", ".svg", ".jpg", ".html", ".json", ".jsonl", ".txt", ".csv")  # as they are
LINK = re.compile(r"((?:\[`(?P<name>rlve\.[\w.]+)`)?\]\()(?P<target>[^)\s]+)\)")
WIDTH = 80  # of a signature in one line
LANGUAGES = {".py": "python", ".yaml": "yaml", ".toml": "toml", ".sh": "bash"}


class FaultError(Exception):
    """What is wrong with the pages."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site, and serve it if asked to."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--into", type=Path, default=ROOT / "build", metavar="FOLDER")
    parser.add_argument("--serve", action="store_true")
    wanted = parser.parse_args(arguments)
    try:
        site = build(wanted.into)
    except FaultError as fault:
        print(f"site.py: {fault}", file=sys.stderr)
        return 1
    print(f"The site is {site / 'index.html'}", flush=True)
    if wanted.serve:
        serve(site)
    return 0


def build(folder: Path) -> Path:
    """Write the site into a folder, and return its root."""
    staged = folder / "pages"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    chapters = {name: _pages(patterns) for name, patterns in CHAPTERS.items()}
    _check_all_are_in(chapters)
    made = {"commands.md": commands_page(), "api.md": api_page()}
    texts = made | {
        page: _text(ROOT / page)
        for pages in chapters.values()
        for page in pages
        if page not in made
    }
    places = {page: _place(page) for page in texts}
    if twice := [place for place, count in Counter(places.values()).items() if count > 1]:
        raise FaultError(f"two pages have the path {twice[0]} in the site")
    for page, text in texts.items():
        target = staged / places[page]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(relinked(text, page, places, staged), encoding="utf-8")
    config = folder / "zensical.toml"
    config.write_text(_config(chapters, places), encoding="utf-8")
    tool = Path(sys.executable).with_name("zensical")
    done = subprocess.run(
        [tool, "build", "--strict", "--clean", "-f", config],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        plain = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)  # it colours each letter
        raise FaultError(f"zensical found faults:\n{plain}")
    (folder / "site" / "llms.txt").write_text(llms_page(chapters, texts, places), encoding="utf-8")
    return folder / "site"


def llms_page(chapters: dict[str, list[str]], texts: dict[str, str], places: dict[str, str]) -> str:
    """What language models read first (llmstxt.org): each page with its title and its beginning."""
    lines = [
        "# rlve",
        "",
        "> Reinforcement learning of language models with adaptive verifiable environments: "
        f"{len(rlve.environments())} environments that generate problems of any difficulty and "
        "verify answers by program, an adaptive curriculum, a trainer, evaluation, and adapters "
        "for other trainers.",
        "",
        "Python 3.11 or later: `pip install .` in a checkout. `rlve --help` lists the commands.",
    ]
    for chapter, pages in chapters.items():
        lines += ["", f"## {chapter}", ""]
        for page in pages:
            title, beginning = _opening(texts[page])
            address = places[page].removesuffix(".md") + ".html"
            lines.append(f"- [{title}]({address})" + (f": {beginning}" if beginning else ""))
    return "\n".join(lines) + "\n"


def _opening(text: str) -> tuple[str, str]:
    """The title of a page, and its first sentence, if it begins with one."""
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n", text[title.end() :] if title else text)
    said = (each.strip() for each in paragraphs)
    first = next((each for each in said if each[:1].isalpha() or each[:1] == "`"), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))
    sentence = re.match(r".+?[.:](?=\s|$)", plain)
    return (title[1] if title else "rlve"), (sentence[0].rstrip(":.") if sentence else plain)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return notebook_page(json.loads(text)) if path.suffix == ".ipynb" else text


def _pages(patterns: Iterable[str]) -> list[str]:
    """The pages of a chapter, in order, without repetition."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern in ("commands.md", "api.md"):
            found[pattern] = None
        for path in sorted(ROOT.glob(pattern)):
            found[path.relative_to(ROOT).as_posix()] = None
    return list(found)


def _check_all_are_in(chapters: dict[str, list[str]]) -> None:
    known = {page for pages in chapters.values() for page in pages}
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")}
    # Tables of results belong to the pages that link to them.
    lost = sorted(p for p in there - known if not p.startswith("docs/results/"))
    if lost:
        raise FaultError(f"{lost[0]} is in no chapter: add it to CHAPTERS")


def _place(page: str) -> str:
    """The path of a page in the site."""
    if page == "README.md":
        return "index.md"
    if "/" not in page and (ROOT / page).is_file():
        return f"project/{page.lower()}"  # SECURITY.md is not docs/security.md
    place = page.removeprefix("docs/").replace(".ipynb", ".md")
    if place.endswith("/README.md"):
        return place.removesuffix("README.md") + "index.md"
    return place


def relinked(text: str, page: str, places: dict[str, str], staged: Path) -> str:
    """The page with its links adapted to its path in the site."""
    here = posixpath.dirname(places[page])

    def lead(match: re.Match[str]) -> str:
        target, _, part = match["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if path.endswith("/") or (ROOT / path).is_dir():
            path = posixpath.join(path, "README.md")
        if path in places:
            place = places[path]
        elif (ROOT / path).is_file():
            place = _shown(path, staged)
        else:
            raise FaultError(f"{page} links to {match['target']}, which does not exist")
        if match["name"] and path.endswith(".py"):
            part = f"__codelineno-0-{_line(match['name'], path)}"
        anchor = f"#{part}" if part else ""
        return f"{match[1]}{posixpath.relpath(place, here or '.')}{anchor})"

    return LINK.sub(lead, text)


def _line(name: str, path: str) -> int:
    """The line of a file that defines a name, such as rlve.gym.Gym.count."""
    module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    lines = dict(_definitions(tree.body, module.replace("/", ".")))
    if name not in lines:
        raise FaultError(f"{path} does not define {name}")
    return lines[name]


def _definitions(body: Iterable[ast.stmt], scope: str) -> Iterator[tuple[str, int]]:
    """The full names of classes and functions, with their lines."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            name = f"{scope}.{node.name}"
            yield name, node.lineno
            yield from _definitions(node.body, name)


def _shown(path: str, staged: Path) -> str:
    """The path of a copy of a file, or of a page that shows it."""
    source = ROOT / path
    if source.suffix in SHOWN:
        place = path.removeprefix("docs/")
        (staged / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, staged / place)
        return place
    place = f"files/{path}.md"
    (staged / place).parent.mkdir(parents=True, exist_ok=True)
    language = LANGUAGES.get(source.suffix, "text")
    code = source.read_text(encoding="utf-8").replace("```", "'''")
    (staged / place).write_text(f"# {path}\n\n```{language}\n{code}```\n", encoding="utf-8")
    return place


def _config(chapters: dict[str, list[str]], places: dict[str, str]) -> str:
    nav: list[str] = []
    for name, pages in chapters.items():
        inside = ", ".join(f'"{places[page]}"' for page in pages)
        nav.append(f'  {{ "{name}" = [{inside}] }},' if name != "Start" else f"  {inside},")
    features = ("navigation.sections", "navigation.top", "content.code.copy", "search.highlight")
    schemes = "\n".join(
        f'[[project.theme.palette]]\nmedia = "(prefers-color-scheme: {scheme})"\n'
        f'scheme = "{name}"\n'
        for scheme, name in (("light", "default"), ("dark", "slate"))
    )
    return (
        '[project]\nsite_name = "rlve"\n'
        f'site_description = "{rlve.__doc__.splitlines()[0] if rlve.__doc__ else "rlve"}"\n'
        'docs_dir = "pages"\nsite_dir = "site"\nuse_directory_urls = false\n'
        "nav = [\n"
        + "\n".join(nav)
        + f"\n]\n\n[project.theme]\nfont = false\nfeatures = {list(features)}\n\n{schemes}".replace(
            "'", '"'
        )
    )


def notebook_page(document: dict[str, Any]) -> str:
    """The cells of a notebook, with their output."""
    parts: list[str] = []
    for cell in document["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                parts.append(f"![a figure](data:image/png;base64,{data['image/png']})")
            else:
                text = "".join(output.get("text") or data["text/plain"]).rstrip("\n")
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """The help text of every command."""
    parts = [
        "# Commands\n\nThe output of `rlve COMMAND --help` for every command. "
        "[The first hour](docs/first_hour.md) introduces them.\n"
    ]
    for name, summary in cli.COMMANDS.items():
        said = _said([name, "--help"])
        parts.append(f"## rlve {name}\n\n{summary}\n\n```text\n{said}\n```\n")
    return "\n".join(parts)


def _said(words: list[str]) -> str:
    """What the command line prints."""
    text = io.StringIO()
    os.environ["COLUMNS"] = "100"
    os.environ["NO_COLOR"] = "1"
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        cli.main(words)
    return "\n".join(line.rstrip() for line in text.getvalue().strip("\n").splitlines())


def api_page() -> str:
    """The public names of rlve: signatures and docstrings."""
    parts = [
        "# Python API\n\nThe public names of `rlve`. Everything else may change in any version "
        "([what a version promises](docs/versions.md)).\n"
    ]
    for name in rlve.__all__:
        parts.append(_entry(f"rlve.{name}", getattr(rlve, name), "##"))
    return "\n".join(parts)


def _entry(name: str, value: Any, heading: str) -> str:
    """A name with its signature and its docstring."""
    parts = [f"{heading} {name}\n"]
    if callable(value) and (signature := _signature(value)):
        parts.append(f"```python\n{_wrapped(name + signature)}\n```\n")
    if text := _docstring(value):
        parts.append(f"{text}\n")
    if inspect.isclass(value):
        parts += [
            _entry(f"{name}.{member}", found, f"{heading}#")
            for member, found in vars(value).items()
            if not member.startswith("_") and _is_method(found) and inspect.getdoc(found)
        ]
    return "\n".join(parts)


def _is_method(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, (classmethod, staticmethod, property))


def _docstring(value: Any) -> str:
    """The docstring as Markdown; text in columns keeps its layout."""
    text = inspect.getdoc(value) or ""
    if dataclasses.is_dataclass(value) and text.startswith(f"{getattr(value, '__name__', '')}("):
        return ""  # generated by the dataclass, and the same as the signature
    blocks = text.split("\n\n")
    shown = [
        f"```text\n{textwrap.dedent(block)}\n```" if _in_columns(block) else block
        for block in blocks
    ]
    return "\n\n".join(shown)


def _in_columns(block: str) -> bool:
    return bool(re.search(r"\S {2,}\S", block) or re.search(r"^( {4}|>>>)", block, re.MULTILINE))


def _signature(value: Callable[..., Any]) -> str:
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    return re.sub(r"\b(?:rlve|collections|typing|pathlib)\.(?:\w+\.)*", "", text)


def _wrapped(call: str) -> str:
    """The call, with a line for each argument if it is too long for one line."""
    if len(call) <= WIDTH or not (match := re.fullmatch(r"([^(]*\()(.*)(\)(?: -> .*)?)", call)):
        return call
    # A comma within brackets belongs to a type.
    arguments = re.split(r", (?![^\[]*\])", match[2])
    return "\n".join([match[1], *(f"    {each}," for each in arguments), match[3]])


def serve(site: Path) -> None:
    """Serve the site until Ctrl-C."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 8001), handler) as server:
        print("http://127.0.0.1:8001 (press Ctrl-C to stop)", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
