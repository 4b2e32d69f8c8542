"""The documentation site is built without a warning, and holds what it should."""

import re
from pathlib import Path

import pytest

import rlve
from rlve import cli

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(maker, tmp_path_factory):
    return maker.build(tmp_path_factory.mktemp("site"))


def test_every_page_of_the_documents_is_in_the_site(site):
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html", "commands.html", "api.html", "catalogue/graphs.html"} <= pages
    for path in (ROOT / "docs").glob("*.md"):
        assert f"{path.stem}.html" in pages


def test_language_models_find_every_page(site):
    text = (site / "llms.txt").read_text()
    assert text.startswith("# rlve\n\n> ")
    addresses = re.findall(r"^- \[.+\]\(([^)]+)\)", text, re.M)
    assert "frontier.html" in addresses
    assert all((site / address).is_file() for address in addresses)


def test_pages_of_the_same_name_are_both_in_the_site(site):
    assert "What is not promised" in (site / "security.html").read_text()
    assert "Report a vulnerability" in (site / "project/security.html").read_text()


def test_the_reference_has_every_command_and_every_public_name(site):
    commands = (site / "commands.html").read_text()
    assert all(f"rlve {name}</h2>" in re.sub(r"<a .*?</a>", "", commands) for name in cli.COMMANDS)
    names = (site / "api.html").read_text()
    assert all(f"rlve.{name}" in names for name in rlve.__all__)


def test_no_page_asks_another_host_for_anything(site):
    asks = re.compile(r'<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*')
    for path in site.rglob("*.html"):
        found = [each for each in asks.findall(path.read_text()) if 'rel="canonical"' not in each]
        assert not found, path


def test_a_link_that_leads_nowhere_is_refused(maker, tmp_path):
    with pytest.raises(maker.FaultError, match=r"docs/train\.md links to gone\.md"):
        maker.relinked("[x](gone.md)", "docs/train.md", {"docs/train.md": "train.md"}, tmp_path)


def test_a_link_to_code_leads_to_a_page_that_shows_it(maker, tmp_path):
    places = {"docs/train.md": "train.md"}
    text = maker.relinked("[x](../examples/loop.py#a)", "docs/train.md", places, tmp_path)
    assert text == "[x](files/examples/loop.py.md#a)"
    assert "```python" in (tmp_path / "files/examples/loop.py.md").read_text()


def test_a_link_from_a_name_leads_to_the_line_that_defines_it(maker, tmp_path):
    path = "src/rlve/gym.py"
    lines = (ROOT / path).read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.startswith("    def count("))
    link = f"[`rlve.gym.Gym.count`](../{path})"
    text = maker.relinked(link, "docs/train.md", {"docs/train.md": "train.md"}, tmp_path)
    assert text == f"[`rlve.gym.Gym.count`](files/{path}.md#__codelineno-0-{line})"


@pytest.mark.parametrize("name", ["rlve.gym.Gym.counts", "rlve.train.Gym.count", "rlve.gym"])
def test_a_link_from_a_name_to_a_file_that_does_not_define_it_is_refused(maker, tmp_path, name):
    link = f"[`{name}`](../src/rlve/gym.py)"
    with pytest.raises(maker.FaultError, match=r"src/rlve/gym\.py does not define"):
        maker.relinked(link, "docs/train.md", {"docs/train.md": "train.md"}, tmp_path)
