"""The pictures of a simulation; static ranges are dashed."""

from typing import TYPE_CHECKING, Any

from rlve.reports.figures import (
    PALETTE,
    PANELS_AT_MOST,
    array,
    draw_smooth,
    handles_of,
    heat_maps,
    in_style,
    new_figure,
    panels,
    percentages,
    target_line,
    whole_levels,
)
from rlve.studies.simulation import Simulation, SimulationPlan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rlve.reports.figures import Curve

SHADED_AT_MOST = 5  # settings; with more, only the curves are drawn, without noise and range


@in_style
def overview(simulation: Simulation) -> "Figure":
    """All settings side by side: h, accuracy at h, effective prompt ratio, and the skill."""
    plan, history = simulation.plan, simulation.history
    forgets = bool(plan.policy.forgetting)
    figure = new_figure(11, 9.4 if forgets else 6.8, handles_of(_styles(plan)))
    grid = figure.add_gridspec(3 if forgets else 2, 2)
    high, accuracy, ratio, skill = (figure.add_subplot(grid[i // 2, i % 2]) for i in range(4))
    kept = figure.add_subplot(grid[2, :]) if forgets else None
    few = len(history) <= SHADED_AT_MOST
    for label, style in _styles(plan).items():
        records = history[label]
        steps = array([record.step for record in records])
        _spread(high, steps, array([record.high for record in records]), style, few)
        draw_smooth(accuracy, steps, array([r.accuracy_at_high for r in records]), style, few)
        draw_smooth(ratio, steps, array([r.effective_prompt_ratio for r in records]), style, few)
        _spread(skill, steps, array([record.skill for record in records]), style, few)
        if kept is not None:
            kept.plot(steps, array([record.kept for record in records]), **style)

    among = "" if len(plan.names) == 1 else ", mean and range" if few else ", mean"
    high.set(title="Highest difficulty h", ylabel=f"difficulty{among}")
    accuracy.set(title="Accuracy at h", ylabel="share of rollouts", ylim=(-0.02, 1.02))
    ratio.set(title="Effective prompt ratio", ylabel="share of prompts", ylim=(-0.02, 1.02))
    skill.set(title="Skill of the simulated policy", ylabel=f"difficulty{among}")
    moving = [s for s in plan.settings if s.static is None and s.curriculum == "adaptive"]
    for target in {s.tau_acc for s in moving}:
        target_line(accuracy, target, f"tau_acc {target:g}")
    shares = [accuracy, ratio]
    if kept is not None:
        kept.set(
            title="Accuracy at the levels that were ever mastered",
            ylabel="chance to solve a problem",
            xlabel="training step",
            ylim=(-0.02, 1.02),
        )
        shares.append(kept)
    for axes in shares:
        percentages(axes.yaxis, 0)
    for axes in (high, skill):
        whole_levels(axes)
    for axes in (ratio, skill):
        axes.set_xlabel("training step")
    return figure


@in_style
def by_environment(simulation: Simulation) -> "Figure":
    """Every environment separately: in a panel or, if there are too many, a row of a heat map."""
    plan, history = simulation.plan, simulation.history
    if len(plan.names) <= PANELS_AT_MOST:
        return _panels(simulation)
    moving = plan.adaptive_labels()
    shown = moving or list(plan.labels())
    records = next(iter(history.values()))
    return heat_maps(
        plan.names,
        {
            label: array([r.high if moving else r.skill for r in history[label]]).T
            for label in shown
        },
        (records[0].step, records[-1].step),
        what="highest difficulty h" if moving else "skill",
    )


def _panels(simulation: Simulation) -> "Figure":
    plan, history = simulation.plan, simulation.history
    styles, moving = _styles(plan), plan.adaptive_labels()
    # With many settings a panel has room for one curve each: h, or the skill if h never moves.
    with_skill = list(styles) if len(styles) <= SHADED_AT_MOST or not moving else []
    shown = {f"h, {label}" if with_skill else label: styles[label] for label in moving}
    shown |= {f"skill, {label}": _thin(styles[label]) for label in with_skill}
    figure, grid = panels(plan.names, handles_of(shown))
    for index, axes in enumerate(grid):
        for label in with_skill:
            skill = [record.skill[index] for record in history[label]]
            axes.plot([record.step for record in history[label]], skill, **_thin(styles[label]))
        for label in moving:
            high = [record.high[index] for record in history[label]]
            steps = [record.step for record in history[label]]
            axes.step(steps, high, where="post", **styles[label])
    return figure


def _styles(plan: SimulationPlan) -> dict[str, dict[str, Any]]:
    styles: dict[str, dict[str, Any]] = {}
    for index, (setting, label) in enumerate(zip(plan.settings, plan.labels(), strict=True)):
        # Beyond the palette the dashes change, so that no two settings look alike.
        dashes = ("-", (0, (6, 1, 1, 1))) if setting.static is None else ("--", ":")
        styles[label] = {
            "color": PALETTE[index % len(PALETTE)],
            "linestyle": dashes[index // len(PALETTE) % 2],
            "linewidth": 2.0,
        }
    return styles


def _thin(style: dict[str, Any]) -> dict[str, Any]:
    return {**style, "linewidth": 1.0, "linestyle": ":"}


def _spread(
    axes: "Axes", steps: "Curve", values: "Curve", style: dict[str, Any], shaded: bool
) -> None:
    axes.plot(steps, values.mean(axis=1), **style)
    if shaded:
        low, high = values.min(axis=1), values.max(axis=1)
        axes.fill_between(steps, low, high, color=style["color"], alpha=0.12, linewidth=0)
