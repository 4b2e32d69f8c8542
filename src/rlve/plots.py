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
PANELS_AT_MOST = 36  # more environments than this become rows of a heat map
NAMES_AT_MOST = 100  # more rows than this cannot be labelled readably
SHADED_AT_MOST = 5  # of more settings only the curves are drawn, without noise and range
DPI = 144

History = Mapping[str, Sequence[Record]]  # label of a setting -> its records


def overview(plan: Plan, history: History) -> "Figure":
    """All settings side by side: h, accuracy at h, effective prompt ratio, and the skill."""
    import matplotlib as mpl
    from matplotlib.lines import Line2D
    from matplotlib.ticker import PercentFormatter

    with mpl.rc_context(LOOK):
        handles = [Line2D([], [], label=label, **style) for label, style in _styles(plan).items()]
        figure = _figure(11, 6.8, handles)
        ((high, accuracy), (ratio, skill)) = figure.subplots(2, 2, sharex=True)
        few = len(history) <= SHADED_AT_MOST
        for label, style in _styles(plan).items():
            records = history[label]
            steps = _array([record.step for record in records])
            _spread(high, steps, _array([record.high for record in records]), style, few)
            _smoothed(accuracy, steps, _array([r.accuracy_at_high for r in records]), style, few)
            _smoothed(ratio, steps, _array([r.effective_prompt_ratio for r in records]), style, few)
            _spread(skill, steps, _array([record.skill for record in records]), style, few)

        among = "" if len(plan.names) == 1 else ", mean and range" if few else ", mean"
        high.set(title="Highest difficulty h", ylabel=f"difficulty{among}")
        accuracy.set(title="Accuracy at h", ylabel="share of rollouts", ylim=(-0.02, 1.02))
        ratio.set(title="Effective prompt ratio", ylabel="share of prompts", ylim=(-0.02, 1.02))
        skill.set(title="Skill of the simulated policy", ylabel=f"difficulty{among}")
        for target in {s.tau_acc for s in plan.settings if isinstance(s, Adaptive)}:
            accuracy.axhline(target, color=INK, linewidth=0.9, linestyle=":")
            accuracy.annotate(
                f"tau_acc {target:g}",
                (1, target),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=INK,
            )
        for axes in (accuracy, ratio):
            axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
        for axes in (high, skill):
            _whole_levels(axes)
        for axes in (ratio, skill):
            axes.set_xlabel("training step")
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

    styles = _styles(plan)
    moving = [
        label
        for setting, label in zip(plan.settings, styles, strict=True)
        if isinstance(setting, Adaptive)
    ]
    # With many settings a panel has room for one curve each: h, or the skill where h stands still.
    with_skill = list(styles) if len(styles) <= SHADED_AT_MOST or not moving else []
    handles = [
        Line2D([], [], label=f"h, {label}" if with_skill else label, **styles[label])
        for label in moving
    ]
    handles += [
        Line2D([], [], label=f"skill, {label}", **_thin(styles[label])) for label in with_skill
    ]
    columns = min(4, len(plan.names))
    rows = math.ceil(len(plan.names) / columns)
    figure = _figure(max(2.9 * columns, 6), 0.5 + 2.0 * rows, handles)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(plan.names):
            axes.set_visible(False)
            continue
        name = plan.names[index]
        axes.set_title(name, fontsize=min(9, 270 / len(name)))  # long names have to fit, too
        for label in with_skill:
            skill = [record.skill[index] for record in history[label]]
            axes.plot([record.step for record in history[label]], skill, **_thin(styles[label]))
        for label in moving:
            high = [record.high[index] for record in history[label]]
            steps = [record.step for record in history[label]]
            axes.step(steps, high, where="post", **styles[label])
        _whole_levels(axes)
        if index + columns >= len(plan.names):
            axes.set_xlabel("training step")
            axes.tick_params(labelbottom=True)
        if index % columns == 0:
            axes.set_ylabel("difficulty" if with_skill else "difficulty h")
    return figure


def _heat_maps(plan: Plan, history: History) -> "Figure":
    import numpy as np

    moving = [
        label
        for setting, label in zip(plan.settings, plan.labels(), strict=True)
        if isinstance(setting, Adaptive)
    ]
    shown = moving or list(plan.labels())
    values = {
        label: _array([r.high if moving else r.skill for r in history[label]]).T for label in shown
    }
    advance = sum(rows.mean(axis=1) for rows in values.values())  # far and early
    order = np.argsort(advance, kind="stable")[::-1]
    lowest = min(float(rows.min()) for rows in values.values())
    highest = max(float(rows.max()) for rows in values.values())
    named = len(plan.names) <= NAMES_AT_MOST
    grid_rows = math.ceil(len(shown) / 3)
    columns = math.ceil(len(shown) / grid_rows)
    height = 1.0 + (0.155 * len(plan.names) if named else max(4.0, 0.025 * len(plan.names)))
    figure = _figure(3.0 + 3.6 * columns, height * grid_rows, [])
    grid = figure.subplots(grid_rows, columns, sharex=True, sharey=True, squeeze=False)
    image = None
    for index, axes in enumerate(grid.flat):
        if index >= len(shown):
            axes.set_visible(False)
            continue
        records = history[shown[index]]
        image = axes.imshow(
            values[shown[index]][order],
            aspect="auto",
            interpolation="nearest",
            cmap="viridis",
            vmin=lowest,
            vmax=max(highest, lowest + 1),
            extent=(records[0].step - 0.5, records[-1].step + 0.5, len(plan.names), 0),
        )
        axes.set_title(shown[index])
        axes.grid(visible=False)
        if named:
            axes.set_yticks(np.arange(len(plan.names)) + 0.5, [plan.names[i] for i in order])
            axes.tick_params(axis="y", labelsize=7, length=0)
        else:
            axes.set_yticks([])
        if index + columns >= len(shown):
            axes.set_xlabel("training step")
            axes.tick_params(labelbottom=True)
        if index % columns == 0 and not named:
            axes.set_ylabel(f"{len(plan.names)} environments, most advanced first")
    if image is not None:
        what = "highest difficulty h" if moving else "skill"
        figure.colorbar(image, ax=grid, label=what, fraction=0.05, pad=0.02)
    return figure


def _figure(width: float, height: float, handles: "Sequence[Line2D]") -> "Figure":
    """A figure with a legend above the given height; what has no handles has no legend."""
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
    axes: "Axes", steps: "Curve", values: "Curve", style: dict[str, Any], shaded: bool
) -> None:
    axes.plot(steps, values.mean(axis=1), **style)
    if shaded:
        low, high = values.min(axis=1), values.max(axis=1)
        axes.fill_between(steps, low, high, color=style["color"], alpha=0.12, linewidth=0)


def _smoothed(
    axes: "Axes", steps: "Curve", values: "Curve", style: dict[str, Any], shaded: bool
) -> None:
    if shaded:
        axes.plot(steps, values, color=style["color"], alpha=0.18, linewidth=0.6)
    axes.plot(steps, _moving_average(values), **style)


def _moving_average(values: "Curve") -> "Curve":
    """The mean over a thirtieth of the run around each step, of the values that are there."""
    import numpy as np

    reach = max(1, len(values) // 60)
    known = ~np.isnan(values)
    total = np.concatenate(([0.0], np.cumsum(np.where(known, values, 0.0))))
    count = np.concatenate(([0], np.cumsum(known)))
    at = np.arange(len(values))
    low, high = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(values))
    seen = count[high] - count[low]
    return np.where(seen > 0, (total[high] - total[low]) / np.maximum(seen, 1), np.nan)


def _whole_levels(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
