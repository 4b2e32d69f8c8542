import re

import msgspec

from rlve.evaluate.compare import compare
from rlve.evaluate.sources import find_evaluations
from rlve.reports import comparison as report
from rlve.server.studio.charts import round_off
from rlve.server.studio.comparison_pages import _over_steps, comparison_page
from support.evaluation_folders import NAMES, write


def run(*folders: object):
    return compare(find_evaluations(map(str, folders)))


def test_the_headline_says_what_chance_can_explain(tmp_path):
    a, b = (write(tmp_path / name, 0.5, model=name) for name in "ab")
    assert "may be chance" in report.headline(run(a, b))
    assert report.headline(run(a)).startswith("a: accuracy ")


def test_checkpoints_are_a_curve(tmp_path):
    for step in (100, 20, 3):
        model = f"runs/adaptive/checkpoints/step-{step:06d}"
        write(tmp_path / "evals" / f"adaptive-{step}" / "few", 0.3 + step / 200, model=model)
    other = write(tmp_path / "other" / "checkpoint-20", 0.4, model="served")
    plain = write(tmp_path / "base", 0.2, model="Qwen/Qwen2.5-7B")
    found = run(tmp_path / "evals", other, plain)
    chart = _over_steps(found)
    assert chart.x == [3, 20, 100]
    adaptive, served, plain = chart.series
    assert (adaptive.name, served.name, plain.name) == ("adaptive", "served", "Qwen/Qwen2.5-7B")
    assert adaptive.values == [round_off(each.overall.value) for each in found.evaluations[:3]]
    assert adaptive.low == [round_off(each.overall.interval[0]) for each in found.evaluations[:3]]
    assert served.values[0] is served.values[2] is None
    assert plain.dashed
    text = comparison_page(found)
    assert "<noscript>" in text  # the curves, where scripts do not run
    for name in NAMES:
        assert f">{name}</td>" in text


def test_tables(tmp_path):
    found = run(write(tmp_path / "a", 0.0, model="A"), write(tmp_path / "b", 1.5, model="B"))
    headings, (first, second) = report.table(found)
    assert headings[4] == "against A"
    assert first[:6] == ("A", "4", first[2], first[3], "", "")
    assert headings[6:] == ("ill-formed", "cut off", "tokens")
    endings = found.evaluations[0].endings
    assert first[6:] == (
        f"{endings.ill_formed:.1%}",
        f"{endings.truncated:.1%}",
        f"{endings.tokens:.0f}",
    )
    unknown = msgspec.structs.replace(found.evaluations[0], endings=None)
    other = msgspec.structs.replace(found, evaluations=[unknown])
    assert report.table(other).rows[0] == (*first[:6], "", "", "")
    assert second[:3] == ("B", "4", "100.0%")
    assert second[4] == f"+{100 - float(first[2].rstrip('%')):.1f}"
    groups = report.group_table(found).rows
    assert [row[0] for row in groups] == ["Division", "", "Sorting", ""]
    assert [row[2] for row in groups] == ["A", "B", "A", "B"]
    assert "better, by more than chance easily explains" in report.headline(found)
    worse = compare(find_evaluations([str(tmp_path / "b"), str(tmp_path / "a")]))
    assert "worse, by more than chance" in report.headline(worse)


def test_the_page_escapes_names(tmp_path):
    a = write(tmp_path / "a", 0.4, model="<script>alert(1)</script> $x$")
    b = write(tmp_path / "b", 0.4, model="B $ & co")
    text = comparison_page(run(a, b))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert text.count('class="interval"') == 6  # of both, and by environment
    assert not re.search(r'(src|href)="(?!#)', text)
