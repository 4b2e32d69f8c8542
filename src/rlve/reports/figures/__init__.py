"""What all our pictures share: one style, and the pieces they are made of.

The colours are those of Okabe and Ito, which can be told apart with any colour vision. Figures are
made without pyplot, so that drawing changes no global state.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from io import BytesIO
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    Curve = NDArray[np.float64]

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#999999")
INK = "#333333"
FAINT = "#DDDDDD"
LOOK: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}
BESIDE: Any = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "color": INK}
DPI = 144
PANELS_AT_MOST = 36  # more environments than this become rows of a heat map
NAMES_AT_MOST = 100  # more rows than this cannot be labelled readably


P = ParamSpec("P")
R = TypeVar("R")


def in_style(draw: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw in our style."""

    @wraps(draw)
    def draw_in_style(*arguments: P.args, **options: P.kwargs) -> R:
        import matplotlib as mpl

        with mpl.rc_context(LOOK):
            return draw(*arguments, **options)

    return draw_in_style


def png(figure: "Figure") -> bytes:
    """The figure as a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    file = BytesIO()
    figure.set_dpi(DPI)
    # savefig() would draw twice, to lay the figure out before. Without this entry the same picture
    # gives the same file in every version of matplotlib.
    FigureCanvasAgg(figure).print_png(file, metadata={"Software": None})
    return file.getvalue()


def handles_of(styles: Mapping[str, Mapping[str, Any]]) -> "list[Line2D]":
    """The entries of a legend: a line of its style for each name."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], label=plain(name), **style) for name, style in styles.items()]


def new_figure(width: float, height: float, handles: "Sequence[Line2D]") -> "Figure":
    """A figure of this height, plus a legend above it if there are handles."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    columns = max(1, min(len(handles), int(width / (0.6 + 0.085 * longest))))
    height += 0.25 * math.ceil(len(handles) / columns)
    roomy = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    figure = Figure(figsize=(width, height), layout=roomy)
    if handles:
        figure.legend(handles=handles, loc="outside upper left", ncols=columns)
    return figure


def panels(
    names: Sequence[str], handles: "Sequence[Line2D]", *, levels: bool = True
) -> "tuple[Figure, list[Axes]]":
    """A figure with a small panel over steps for each name, row by row; by default of levels."""
    columns = min(4, len(names))
    rows = math.ceil(len(names) / columns)
    figure = new_figure(max(2.9 * columns, 6), 0.5 + 2.0 * rows, handles)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    every: list[Axes] = list(grid.flat)
    for axes in every[len(names) :]:
        axes.set_visible(False)
    for index, (name, axes) in enumerate(zip(names, every, strict=False)):
        axes.set_title(plain(name), fontsize=min(9, 270 / len(name)))  # so that long names fit
        if levels:
            whole_levels(axes)
        if index + columns >= len(names):
            axes.set_xlabel("training step")
            axes.tick_params(labelbottom=True)
        if levels and index % columns == 0:
            axes.set_ylabel("difficulty")
    return figure, every[: len(names)]


def heat_maps(
    names: Sequence[str], maps: "Mapping[str, Curve]", steps: tuple[int, int], *, what: str
) -> "Figure":
    """A heat map of rows x steps for each title, with one row per name, in the same order."""
    import numpy as np

    advance = sum(rows.mean(axis=1) for rows in maps.values())  # far and early
    order = np.argsort(advance, kind="stable")[::-1]
    lowest = min(float(rows.min()) for rows in maps.values())
    highest = max(float(rows.max()) for rows in maps.values())
    named = len(names) <= NAMES_AT_MOST
    grid_rows = math.ceil(len(maps) / 3)
    columns = math.ceil(len(maps) / grid_rows)
    height = 1.0 + (0.155 * len(names) if named else max(4.0, 0.025 * len(names)))
    figure = new_figure(3.0 + 3.6 * columns, height * grid_rows, [])
    grid = figure.subplots(grid_rows, columns, sharex=True, sharey=True, squeeze=False)
    every: list[Axes] = list(grid.flat)
    for axes in every[len(maps) :]:
        axes.set_visible(False)
    image = None
    for index, ((title, rows), axes) in enumerate(zip(maps.items(), every, strict=False)):
        image = axes.imshow(
            rows[order],
            aspect="auto",
            interpolation="nearest",
            cmap="viridis",
            vmin=lowest,
            vmax=max(highest, lowest + 1),
            extent=(steps[0] - 0.5, steps[1] + 0.5, len(names), 0),
        )
        axes.set_title(title)
        axes.grid(visible=False)
        if named:
            axes.set_yticks(np.arange(len(names)) + 0.5, [names[int(i)] for i in order])
            axes.tick_params(axis="y", labelsize=7, length=0)
        else:
            axes.set_yticks([])
        if index + columns >= len(maps):
            axes.set_xlabel("training step")
            axes.tick_params(labelbottom=True)
        if index % columns == 0 and not named:
            axes.set_ylabel(f"{len(names)} environments, most advanced first")
    if image is not None:
        figure.colorbar(image, ax=grid, label=what, fraction=0.05, pad=0.02)
    return figure


def array(values: Sequence[object]) -> "Curve":
    """Numbers as an array; None (not measured) becomes nan."""
    import numpy as np

    return np.array(values, dtype=np.float64)


def draw_smooth(
    axes: "Axes",
    steps: "Curve",
    values: "Curve",
    style: dict[str, Any],
    shaded: bool,
    *,
    parts: int = 30,
) -> None:
    """A noisy curve: its moving average and, if shaded, the values themselves behind it."""
    if shaded:
        axes.plot(steps, values, color=style["color"], alpha=0.18, linewidth=0.6)
    axes.plot(steps, moving_average(values, parts), **style)


def moving_average(values: "Curve", parts: int = 30) -> "Curve":
    """The mean of the known values in a window around each step."""
    import numpy as np

    reach = max(1, len(values) // (2 * parts))
    known = ~np.isnan(values)
    total = np.concatenate(([0.0], np.cumsum(np.where(known, values, 0.0))))
    count = np.concatenate(([0], np.cumsum(known)))
    at = np.arange(len(values))
    low, high = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(values))
    seen = count[high] - count[low]
    return np.where(seen > 0, (total[high] - total[low]) / np.maximum(seen, 1), np.nan)


def whole_levels(axes: "Axes") -> None:
    """Put ticks at integers only, since difficulties are integers."""
    whole_numbers(axes.yaxis, nbins=6)


def whole_numbers(axis: "Axis", **options: Any) -> None:
    """Put ticks at integers only along this axis."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, **options))


def name_rows(axes: "Axes", names: Sequence[str], order: str) -> None:
    """Write the names beside their rows, or how many there are if they are too many."""
    axes.set_ylim(-0.7, len(names) - 0.3)
    if len(names) <= NAMES_AT_MOST:
        axes.set_yticks(range(len(names)), [plain(name) for name in names])
        axes.tick_params(axis="y", labelsize=8, length=0)
    else:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(names)} environments, the {order} at the top")


def target_line(axes: "Axes", value: float, text: str) -> None:
    """A dotted line across, labelled at its right end."""
    axes.axhline(value, color=INK, linewidth=0.9, linestyle=":")
    write_at_end(axes, text, value, fontsize=8)


def write_at_end(axes: "Axes", text: str, height: float, **options: Any) -> None:
    """Write a text beside the right end, at the height of a value."""
    write_beside(axes, text, (1, height), xycoords=("axes fraction", "data"), **options)


def write_beside(axes: "Axes", text: str, place: tuple[float, float], **options: Any) -> None:
    """Write a text a little to the right of a place."""
    axes.annotate(text, place, **BESIDE | options)


def percentages(axis: "Axis", decimals: int | None = None) -> None:
    """Write shares as percentages along this axis."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=decimals))


def plain(text: str) -> str:
    """The text with dollars escaped, because matplotlib reads text between two as a formula."""
    return text.replace("$", r"\$")
