"""The pictures of a run of teaching."""

from typing import TYPE_CHECKING

from rlve.reports.figures import LOOK, new_figure
from rlve.reports.training_figures import all_steps, curve
from rlve.train.teaching_history import TeachingHistory

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def overview(history: TeachingHistory) -> "Figure":
    """Loss, norm of the gradient, and learning rate over the steps."""
    import matplotlib as mpl

    steps = history.steps
    with mpl.rc_context(LOOK):
        figure = new_figure(11, 3.4, [])
        loss, norm, rate = figure.subplots(1, 3)
        curve(loss, steps, [step.loss for step in steps])
        curve(norm, steps, [step.grad_norm for step in steps])
        curve(rate, steps, [step.learning_rate for step in steps])
        loss.set(title="Loss", ylabel="nats per answer token")
        norm.set(title="Norm of the gradient", ylabel="before it is cut")
        rate.set(title="Learning rate")
        for axes in (loss, norm, rate):
            axes.set_xlabel("step")
            axes.set_ylim(bottom=0)
            all_steps(axes, steps)
    return figure
