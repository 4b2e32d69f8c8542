"""The Chromium of this machine, for tests that drive a page."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-sandbox",  # which root has no use for
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Where it is."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((place for name in names if (place := shutil.which(name))), None)


@contextmanager
def browser() -> Generator[Any]:
    """A browser without a window, with a profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium(), headless=True, args=FLAGS)
        try:
            yield found
        finally:
            found.close()
