import pytest

from rlve.curricula import CurriculumSettings
from rlve.reports import figures
from rlve.reports.figures import simulation as plots
from rlve.studies.simulation import SimulatedStep, Simulation, SimulationPlan

ADAPTIVE = tuple(CurriculumSettings(tau_acc=share, tau_num=128) for share in (0.8, 0.9))
STATIC = tuple(CurriculumSettings(static=(0, high)) for high in (1, 20))


def simulation(count, settings, steps=5):
    """One over so many environments that nobody made."""
    names = tuple(f"Environment{i}" for i in range(count))
    plan = SimulationPlan(names=names, settings=settings, steps=steps)
    history = {
        label: [
            SimulatedStep(
                setting=label,
                step=step,
                effective_prompt_ratio=0.5,
                accuracy=0.5,
                accuracy_at_high=None if step % 2 else 0.4,
                high=[step + i for i in range(count)],
                skill=[step / 2 + i for i in range(count)],
            )
            for step in range(1, steps + 1)
        ]
        for label in plan.labels()
    }
    return Simulation(plan, history)


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("settings", [ADAPTIVE[:1], STATIC, ADAPTIVE + STATIC])
def test_overview(settings, steps):
    found = simulation(2, settings, steps)
    figure = plots.overview(found)
    assert titles(figure) == [
        "Highest difficulty h",
        "Accuracy at h",
        "Effective prompt ratio",
        "Skill of the simulated policy",
    ]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(found.plan.labels())
    assert figures.png(figure).startswith(b"\x89PNG")


def test_few_environments_have_a_panel_each():
    found = simulation(5, ADAPTIVE + STATIC)
    figure = plots.by_environment(found)
    assert titles(figure) == list(found.plan.names)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 2 + 4  # h where it moves, and the skill of all
    assert figures.png(figure).startswith(b"\x89PNG")


def test_many_environments_share_a_heat_map_per_adaptive_setting():
    found = simulation(40, ADAPTIVE + STATIC)
    figure = plots.by_environment(found)
    first, second, _ = figure.axes
    assert titles(figure)[:2] == ["adaptive tau_acc=0.8", "adaptive tau_acc=0.9"]
    assert first.get_yticklabels()[0].get_text() == "Environment39"  # the most advanced
    assert second.get_images()[0].get_array().shape == (40, 5)
    assert figures.png(figure).startswith(b"\x89PNG")


def test_without_adaptive_settings_the_heat_map_shows_skill():
    found = simulation(110, STATIC)
    figure = plots.by_environment(found)
    assert titles(figure)[:2] == ["static [0, 1]", "static [0, 20]"]
    assert "110 environments" in figure.axes[0].get_ylabel()


def test_no_two_settings_look_alike():
    settings = tuple(CurriculumSettings(tau_acc=0.5, tau_num=n) for n in range(1, 13)) + STATIC
    found = simulation(1, settings)
    lines = plots.overview(found).axes[0].get_lines()
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}) == 14


def test_the_moving_average_skips_what_is_missing():
    values = figures.array([None, 1.0, None, None, None, 3.0, 5.0])
    assert [
        None if value != value else value for value in figures.moving_average(values).tolist()
    ] == [1, 1, 1, None, 3, 4, 4]
