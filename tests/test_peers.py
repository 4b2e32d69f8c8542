"""The table of other libraries says where each of its cells comes from."""

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "peers.md"


def test_every_cell_has_a_source():
    rows = [
        line.strip("| ").split("|") for line in PAGE.read_text().splitlines() if line[:1] == "|"
    ]
    _, _, *body = rows
    assert len(body) >= 8
    for name, ours, *theirs in body:
        assert "](" in ours, name
        for cell in theirs:
            assert "](https://" in cell, (name, cell)
            assert "/main/" not in cell, f"{name}: name the commit that was read"
