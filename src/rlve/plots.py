"""The pictures of a simulation, one look for all of them.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; static ranges
are dashed besides. Figures are made without pyplot, so that drawing changes no global state.
"""

# Matplotlib leaves its **kwargs untyped, which makes every call to it partially unknown.
# pyright: reportUnknownMemberType=false

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from rlve.simulation import Adaptive, Plan, Record

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
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
PANELS_AT_MOST = 36  # more environments than this become rows of a heat map
NAMES_AT_MOST = 100  # more rows than this cannot be labelled readably
DPI = 144

History = Mapping[str, Sequence[Record]]  # label of a setting -> its records


def overview(plan: Plan, history: History) -> "Figure":
    """All settings side by side: h, accuracy at h, effective prompt ratio, and the skill."""
    import matplotlib as mpl

    with mpl.rc_context(LOOK):
        figure = _figure(11, 7.6)
        ((high, accuracy), (ratio, skill)) = figure.subplots(2, 2, sharex=True)
        for label, style in _styles(plan).items():
            records = history[label]
            steps = _array([record.step for record in records])
            _spread(high, steps, _array([record.high for record in records]), style, label)
            _smoothed(accuracy, steps, _array([r.accuracy_at_high for r in records]), style)
            _smoothed(ratio, steps, _array([r.effective_prompt_ratio for r in records]), style)
            _spread(skill, steps, _array([record.skill for record in records]), style)

        among = ", mean and range" if len(plan.names) > 1 else ""
        high.set(title="Highest difficulty h", ylabel=f"difficulty{among}")
        accuracy.set(title="Accuracy at h", ylabel="share of rollouts", ylim=(-0.02, 1.02))
        ratio.set(title="Effective prompt ratio", ylabel="share of prompts", ylim=(-0.02, 1.02))
        skill.set(title="Skill of the simulated policy", ylabel=f"difficulty{among}")
        for target in sorted({s.tau_acc for s in plan.settings if isinstance(s, Adaptive)}):
            accuracy.axhline(target, color=INK, linewidth=0.9, linestyle=":")
            accuracy.annotate(
                f"tau_acc {target:g}",
                (1, target),
                xycoords=("axes fraction", "data"),
                xytext=(0, 2),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=8,
                color=INK,
            )
        for axes in (accuracy, ratio):
            axes.yaxis.set_major_formatter(_percent())
        for axes in (ratio, skill):
            axes.set_xlabel("training step")
        _whole_levels(high)
        _whole_levels(skill)
        handles, labels = high.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=min(4, len(labels)))
    return figure


def by_environment(plan: Plan, history: History) -> "Figure":
    """Every environment by itself: a panel each or, if there are too many, a row of a heat map."""
    import matplotlib as mpl

    with mpl.rc_context(LOOK):
        if len(plan.names) <= PANELS_AT_MOST:
            return _panels(plan, history)
        return _heat_maps(plan, history)


def png(figure: "Figure") -> bytes:
    """The figure as a PNG file."""
    file = BytesIO()
    # Without this entry the same picture is the same file, whichever matplotlib draws it.
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
    return file.getvalue()


def _panels(plan: Plan, history: History) -> "Figure":
    from matplotlib.lines import Line2D

    columns = min(4, len(plan.names))
    rows = math.ceil(len(plan.names) / columns)
    figure = _figure(max(2.9 * columns, 6), 1.2 + 2.0 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(plan.names):
            axes.set_visible(False)
            continue
        name = plan.names[index]
        axes.set_title(name, fontsize=min(9, 270 / len(name)))  # long names have to fit, too
        for setting, (label, style) in zip(plan.settings, _styles(plan).items(), strict=True):
            records = history[label]
            steps = [record.step for record in records]
            axes.plot(steps, [record.skill[index] for record in records], **_thin(style))
            if isinstance(setting, Adaptive):
                high = [record.high[index] for record in records]
                axes.step(steps, high, where="post", **style)
        _whole_levels(axes)
        if index + columns >= len(plan.names):
            axes.set_xlabel("training step")
            axes.tick_params(labelbottom=True)
        if index % columns == 0:
            axes.set_ylabel("difficulty")
    handles = [
        Line2D([], [], label=f"h, {label}", **style)
        for setting, (label, style) in zip(plan.settings, _styles(plan).items(), strict=True)
        if isinstance(setting, Adaptive)
    ]
    handles += [
        Line2D([], [], label=f"skill, {label}", **_thin(style))
        for label, style in _styles(plan).items()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=min(4, len(handles)), fontsize=9)
    return figure


def _heat_maps(plan: Plan, history: History) -> "Figure":
    import numpy as np

    adaptive = [
        label
        for setting, label in zip(plan.settings, plan.labels(), strict=True)
        if isinstance(setting, Adaptive)
    ]
    shown = adaptive or list(plan.labels())
    what = "highest difficulty h" if adaptive else "skill"
    values = {
        label: _array([r.high if adaptive else r.skill for r in history[label]]).T
        for label in shown
    }
    order = np.lexsort(tuple(row[:, -1] for row in reversed(values.values())))[::-1]
    named = len(plan.names) <= NAMES_AT_MOST
    height = 1.6 + (0.155 if named else 0.03) * len(plan.names)
    figure = _figure(3.0 + 4.2 * len(shown), min(height, 16))
    grid = figure.subplots(1, len(shown), sharey=True, squeeze=False)
    lowest = min(float(rows.min()) for rows in values.values())
    highest = max(float(rows.max()) for rows in values.values())
    image = None
    for axes, (label, rows) in zip(grid.flat, values.items(), strict=True):
        records = history[label]
        image = axes.imshow(
            rows[order],
            aspect="auto",
            interpolation="nearest",
            cmap="cividis",
            vmin=lowest,
            vmax=max(highest, lowest + 1),
            extent=(records[0].step - 0.5, records[-1].step + 0.5, len(plan.names), 0),
        )
        axes.set(title=label, xlabel="training step")
        axes.grid(visible=False)
    first = grid.flat[0]
    if named:
        first.set_yticks(np.arange(len(plan.names)) + 0.5, [plan.names[i] for i in order])
        first.tick_params(axis="y", labelsize=7, length=0)
    else:
        first.set_ylabel(f"{len(plan.names)} environments, the most advanced at the top")
    if image is not None:
        figure.colorbar(image, ax=grid, label=what, fraction=0.05, pad=0.02)
    return figure


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    roomy = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    return Figure(figsize=(width, height), layout=roomy)


def _styles(plan: Plan) -> dict[str, dict[str, Any]]:
    styles: dict[str, dict[str, Any]] = {}
    for index, (setting, label) in enumerate(zip(plan.settings, plan.labels(), strict=True)):
        # Beyond the palette the dashes change, so that no two settings look alike.
        dashes = ("-", (0, (6, 1, 1, 1))) if isinstance(setting, Adaptive) else ("--", ":")
        styles[label] = {
            "color": PALETTE[index % len(PALETTE)],
            "linestyle": dashes[index // len(PALETTE) % 2],
            "linewidth": 2.0,
        }
    return styles


def _thin(style: dict[str, Any]) -> dict[str, Any]:
    return {**style, "linewidth": 1.0, "linestyle": ":"}


def _array(values: Sequence[object]) -> "Curve":
    import numpy as np

    return np.array(values, dtype=np.float64)  # None becomes nan


def _spread(
    axes: "Axes", steps: "Curve", values: "Curve", style: dict[str, Any], label: str | None = None
) -> None:
    axes.plot(steps, values.mean(axis=1), label=label, **style)
    axes.fill_between(
        steps, values.min(axis=1), values.max(axis=1), color=style["color"], alpha=0.12, linewidth=0
    )


def _smoothed(axes: "Axes", steps: "Curve", values: "Curve", style: dict[str, Any]) -> None:
    axes.plot(steps, values, color=style["color"], alpha=0.18, linewidth=0.6)
    axes.plot(steps, _moving_average(values), **style)


def _moving_average(values: "Curve") -> "Curve":
    """The mean over a fiftieth of the run around each step, of the values that are there."""
    import numpy as np

    reach = max(1, len(values) // 100)
    known = ~np.isnan(values)
    total = np.concatenate(([0.0], np.cumsum(np.where(known, values, 0.0))))
    count = np.concatenate(([0], np.cumsum(known)))
    at = np.arange(len(values))
    low, high = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(values))
    seen = count[high] - count[low]
    return np.where(seen > 0, (total[high] - total[low]) / np.maximum(seen, 1), np.nan)


def _percent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(xmax=1, decimals=0)


def _whole_levels(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
