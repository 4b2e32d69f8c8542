from random import Random

import msgspec
import pytest

from rlve.foundation.files import write_lines
from rlve.foundation.intervals import change_interval
from rlve.foundation.run_folders import VALIDATION
from rlve.reports import accuracy
from rlve.reports.training import headline
from rlve.server.studio.folders import Folders
from rlve.server.studio.run_charts import draw_runs
from rlve.server.studio.runs import RunBook
from rlve.server.studio.saved import write_report
from rlve.train.history import Accuracy, ValidationRecord, read_history
from support.run_folders import run_folder


def measured(step, shares, held_out=(), problems=20):
    """Accuracy at two levels; at the second temperature it is higher by a tenth."""

    def marks(share):
        return "1" * round(share * problems) + "0" * (problems - round(share * problems))

    return ValidationRecord(
        step=step,
        problems=2 * problems * len(shares),
        held_out=list(held_out),
        measured=[
            Accuracy(
                temperature=temperature,
                by_level={
                    name: {0: share + more, 3: share + more} for name, share in shares.items()
                },
                solved={
                    name: {0: marks(share + more), 3: marks(share + more)}
                    for name, share in shares.items()
                },
                ill_formed=0.0,
                truncated=0.0,
                tokens=100,
            )
            for temperature, more in ((1.0, 0.0), (0.6, 0.1))
        ],
        seconds=2.0,
    )


RECORDS = [
    measured(0, {"Sorting": 0.2, "SAT": 0.5, "Division": 0.1}, ["Division"]),
    measured(10, {"Sorting": 0.3, "SAT": 0.5, "Division": 0.1}, ["Division"]),
    measured(20, {"Sorting": 0.6, "SAT": 0.4, "Division": 0.15}, ["Division"]),
]


def test_the_sentence_says_what_got_better_and_what_got_worse():
    assert accuracy.sentence(RECORDS) == (
        "On 80 test problems accuracy went from 35.0% to 50.0% at temperature 1 and from 45.0% "
        "to 60.0% at temperature 0.6. 95% intervals of the change: +4.1 to +25.1 and +4.1 to +25.1 "
        "points. At temperature 1 it got better in Sorting (+40.0), and worse in none, beyond "
        "chance. On 1 environment that it was not trained on, accuracy went from 20.0% to "
        "25.0% at temperature 0.6."
    )


def test_what_was_measured_once_or_never_has_no_change():
    assert "was not measured" in accuracy.sentence([])
    assert accuracy.sentence(RECORDS[:1]) == (
        "On 80 test problems accuracy is 35.0% at temperature 1 and 45.0% at temperature 0.6."
    )
    again = measured(5, {"Sorting": 0.2, "SAT": 0.5, "Division": 0.1}, ["Division"])
    assert "No environment changed beyond chance at temperature 1." in accuracy.sentence(
        [RECORDS[0], again]
    )


def marked(step, solved, seen=msgspec.UNSET):
    """The same marks at both temperatures, but at the second the last problem is solved, too."""
    return ValidationRecord(
        step=step,
        problems=sum(map(len, solved.values())),
        measured=[
            Accuracy(
                temperature=temperature,
                by_level={name: {0: row.count("1") / len(row)} for name, row in rows.items()},
                solved={name: {0: row} for name, row in rows.items()},
                ill_formed=0.0,
                truncated=0.0,
                tokens=100,
            )
            for temperature, rows in (
                (1.0, solved),
                (0.6, {name: f"{row[:-1]}1" for name, row in solved.items()}),
            )
        ],
        seen=seen,
        seconds=2.0,
    )


def test_what_came_up_in_training_is_told_apart():
    first = marked(0, {"Sorting": "1000", "SAT": "0100"})
    middle = marked(
        5, {"Sorting": "1000", "SAT": "0100"}, {"Sorting": {0: "1000"}, "SAT": {0: "0000"}}
    )
    last = marked(
        9, {"Sorting": "1110", "SAT": "1100"}, {"Sorting": {0: "1010"}, "SAT": {0: "1000"}}
    )
    assert last.seen_problems == 3
    assert accuracy.sentence([first, middle, last]) == (
        "On 8 test problems accuracy went from 25.0% to 62.5% at temperature 1 and from 50.0% to "
        "87.5% at temperature 0.6. 95% intervals of the change: -4.5 to +64.5 (may be chance) and "
        "-4.5 to +64.5 (may be chance) points. 3 of them also came up in training; on the other 5 "
        "it went from 20.0% to 40.0% at temperature 1 and from 60.0% to 80.0% at temperature 0.6. "
        "No environment changed beyond chance at temperature 1."
    )
    assert accuracy.sentence([last]).endswith(
        "3 of them also came up in training; on the other 5 it is 40.0% at temperature 1 and 80.0% "
        "at temperature 0.6."
    )
    everything = msgspec.structs.replace(last, seen={"Sorting": {0: "1111"}, "SAT": {0: "1111"}})
    assert "8 of them also came up in training. No" in accuracy.sentence([first, everything])


def test_of_many_environments_the_largest_changes_are_named():
    names = [f"E{i}" for i in range(9)]
    first = measured(0, dict.fromkeys(names, 0.1), problems=100)
    last = measured(9, {name: 0.1 + 0.05 * i for i, name in enumerate(names)}, problems=100)
    told = accuracy.sentence([first, last])
    assert (
        "better in E8 (+40.0), E7 (+35.0), E6 (+30.0), E5 (+25.0) and 4 more, and worse in none"
        in told
    )


@pytest.mark.parametrize(
    ("problems", "rates"), [(12, (0.5, 0.5)), (24, (0.3, 0.6)), (200, (0.1, 0.2))]
)
def test_the_interval_of_a_change_holds_it_as_often_as_it_should(problems, rates):
    rng = Random("interval")
    held = 0
    for _ in range(2000):
        pairs = [[rng.random() < rate for rate in rates] for _ in range(problems)]
        up, down = pairs.count([False, True]), pairs.count([True, False])
        low, high = change_interval(up, down, problems)
        held += low <= rates[1] - rates[0] <= high
    assert 0.92 <= held / 2000 <= 0.99


def drawn_twice(rng, names, problems, changed=()):
    """Two measurements of a policy that solves each problem with a probability of its own."""
    chances = {name: [rng.random() for _ in range(problems)] for name in names}

    def record(step):
        return marked(
            step,
            {
                name: "".join(
                    "01"[rng.random() < (0.1 if step and name in changed else chance)]
                    for chance in own
                )
                for name, own in chances.items()
            },
        )

    return [record(0), record(9)]


@pytest.mark.parametrize("names", [["E0"], [f"E{i}" for i in range(16)]])
def test_an_unchanged_environment_is_hardly_ever_named(names):
    rng = Random("unchanged")
    told = [accuracy.sentence(drawn_twice(rng, names, 24)) for _ in range(200)]
    named = sum("No environment changed beyond chance" not in text for text in told)
    certain = sum("may be chance" not in text for text in told)
    assert named / 200 <= 0.05
    assert certain / 200 <= 0.08  # at either of two temperatures that hardly differ


def test_a_changed_environment_is_named_alone():
    rng = Random("changed")
    names = [f"E{i}" for i in range(8)]
    told = [accuracy.sentence(drawn_twice(rng, names, 100, ("E3",))) for _ in range(50)]
    assert sum("it got worse in E3 (-" in text and ")," in text for text in told) >= 48


def test_a_run_that_was_measured_says_so(tmp_path):
    folder = run_folder(tmp_path / "run")
    write_lines(folder / VALIDATION, RECORDS)
    history = read_history(folder)
    assert headline(history).endswith(accuracy.sentence(RECORDS))
    page = write_report(folder).read_text()
    assert "Division (held out)" in page
    assert "d = 0, n = 20</th>" in page
    assert "20 → 60% (39 to 78)</td>" in page  # Wilson's interval of 12 of 20
    assert "+40.0 (+23 to +54)</td>" in page  # and of 16 of 40 that turned
    (found,) = Folders([folder]).all("train")
    drawn = draw_runs([RunBook().open(found)], {found.id: 0})
    curves = drawn.charts["validation"].series
    assert [(curve.name, curve.dashed) for curve in curves] == [
        ("temperature 1", False),
        ("temperature 1, held out", True),
        ("temperature 0.6", False),
        ("temperature 0.6, held out", True),
    ]
    assert drawn.axes[curves[0].axis].step == [0, 10, 20]
    assert curves[0].values == pytest.approx([0.35, 0.4, 0.5])
