"""Pictures that are made, but not painted, which takes longer than most of what is tested."""

from base64 import b64decode

import pytest

DOT = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)


def leave_unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every picture be the smallest one; tests/reports paints them."""
    monkeypatch.setattr(
        "matplotlib.backends.backend_agg.FigureCanvasAgg.print_png",
        lambda canvas, file, **_: file.write(DOT),
    )
