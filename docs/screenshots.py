"""Take the pictures of docs/studio.md: python docs/screenshots.py FOLDER ...

The folders are those that the studio is to show; the latest run and the latest evaluation in them
are taken. Needs rlve[dev] and a Chromium.
"""

import sys
from pathlib import Path

from playwright.sync_api import Page

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from rlve.pool import Pool
from rlve.server.studio.app import create_studio
from rlve.server.studio.folders import Folders
from rlve.server.studio.views import Studio
from support.browser import browser
from support.serving import serving

PICTURES = Path(__file__).parent / "pictures"
# in docs/studio.md
SHOWN = ("gallery", "environment", "dialogue", "runs", "run", "failures", "group", "compared")


def main() -> None:
    """Take all of them."""
    out = PICTURES
    words = sys.argv[1:]
    if words and words[0] == "--all-sizes":  # for whoever works on the style
        out = Path(words[1])
        words = words[2:]
    folders = Folders(Path(word) for word in words)
    out.mkdir(exist_ok=True, parents=True)
    with Pool() as pool, serving(create_studio(Studio(folders, pool))) as url, browser() as chrome:
        sizes = {"": (1200, 800, "light")}
        if out != PICTURES:
            sizes |= {"-dark": (1200, 800, "dark"), "-phone": (390, 844, "light")}
        for suffix, (width, height, scheme) in sizes.items():
            context = chrome.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = context.new_page()
            for name, path in paths(folders).items():
                if out == PICTURES and name not in SHOWN:
                    continue
                tall = 1.5 if name in ("run", "dialogue") else 1
                page.set_viewport_size({"width": width, "height": int(height * tall)})
                page.goto(url + path)
                settle(page, name)
                page.screenshot(
                    path=out / f"{name}{suffix}.png",
                    full_page=out != PICTURES and name != "gallery",
                )
            context.close()
    print(f"Wrote {len(list(out.glob('*.png')))} pictures to {out}")


def paths(folders: Folders) -> dict[str, str]:
    """The pages, by the names of their pictures."""
    found = {
        "gallery": "/",
        "environment": "/env/Sorting?d=3&seed=42",
        "dialogue": "/env/GuessNumber?d=1&seed=4&message=ten&message=10",
        "frontiers": "/frontiers",
        "runs": "/runs",
        "evals": "/evals",
    }
    runs = [each for each in folders.all("train") if (each.folder / "groups.jsonl").exists()]
    runs.sort(key=lambda each: -(each.folder / "metrics.jsonl").stat().st_size)  # the longest first
    if runs:
        found["run"] = f"/runs/{runs[0].id}?smooth=3"
        found["failures"] = f"/runs/{runs[0].id}/failures"
        found["rollouts"] = f"/runs/{runs[0].id}/rollouts?outcome=mixed"
        found["group"] = found["rollouts"]
    if len(runs) > 1:
        found["compared_runs"] = f"/runs-compared?run={runs[0].id}&run={runs[1].id}"
    evaluations = folders.all("eval")
    if evaluations:
        found["evaluation"] = f"/evals/{evaluations[0].id}"
    if len(evaluations) > 1:
        second, first = evaluations[:2]
        found["compared"] = f"/evals-compared?first={first.id}&second={second.id}"
    return found


def settle(page: Page, name: str) -> None:
    """Wait until everything is drawn; on some pages do something first."""
    page.wait_for_load_state("load")
    page.wait_for_timeout(3000)  # a page asks for parts of itself, and then again and again
    if name == "environment":
        page.fill("#answer", "4 7 14 17 29 17")
        page.click("text=Judge")
        page.wait_for_selector(".verdict")
        page.evaluate("scrollTo(0, 0)")
    if name == "runs":
        for box in page.locator("input[name=run]").all()[:2]:
            box.check()
    if name == "group":
        page.click("#rows tbody a >> nth=0")
        page.wait_for_load_state("load")
        page.click("text=Why wrong? >> nth=0")
        page.wait_for_selector(".reason")
        page.evaluate("scrollTo(0, 0)")


if __name__ == "__main__":
    main()
