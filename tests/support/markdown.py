"""What a page in Markdown shows: blocks of code, what they print, and code in its sentences."""

import re
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w*)$")
MARK = re.compile(r"^<!-- not (run|compared): (.+) -->$")
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass
class Block:
    """A block of code."""

    language: str  # "" in a fence without a language, "indented" without a fence
    line: int
    text: str
    not_run: str | None  # the reason, if it is not run
    not_compared: str | None  # the reason, if what it prints is not compared with the page
    printed: str | None = None  # of Python: the text directly below it, which it has to print


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found: list[Block] = []
    lines = page.splitlines()
    reasons: dict[str, str] = {}  # why the next block is not run, or not compared
    words = True  # whether there are words since the last block
    i = 0
    while i < len(lines):
        begin, body = i, []
        i += 1
        if fence := FENCE.match(lines[begin]):
            language = fence[1]
            while lines[i] != "```":
                body.append(lines[i])
                i += 1
            i += 1
        elif lines[begin].startswith("    ") and begin and not lines[begin - 1].strip():
            language = "indented"
            i = begin
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                body.append(lines[i][4:])
                i += 1
        else:
            if lines[begin].strip():
                marked, words = MARK.match(lines[begin]), True
                reasons = {marked[1]: marked[2]} if marked else {}
            continue
        text = "\n".join(body).strip("\n") + "\n"
        if not words and language in ("indented", "text") and found[-1].language == "python":
            found[-1].printed = text
        else:
            not_run, not_compared = reasons.get("run"), reasons.get("compared")
            found.append(Block(language, begin + 1, text, not_run, not_compared))
        reasons, words = {}, False
    return found


def prose(page: str) -> str:
    """The page without its blocks."""
    kept, inside = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside and not line.startswith("    "):
            kept.append(line)
    return "\n".join(kept)


def inline_code(page: str) -> list[str]:
    """The code in its sentences and tables."""
    found = INLINE.findall(prose(page))
    return [" ".join(code.split()) for code in found if "\n\n" not in code]


def links(page: str) -> list[str]:
    """The places that it links to."""
    return LINK.findall(prose(page))


def console(text: str) -> list[tuple[str, str]]:
    """The commands of a block of a console, each with what is shown of its output."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            command, output = found[-1]
            found[-1] = command, f"{output}{line}\n"
    return [(command, output.strip("\n")) for command, output in found]
