"""The pages of the studio, without a browser: what is shown, and what never is."""

import csv
import importlib.util
import json
import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

import rlve
from rlve import rewards
from rlve.dialogue import conversation
from rlve.errors import UserError
from rlve.foundation.intervals import wilson
from rlve.foundation.run_folders import GROUPS, METRICS, ROLLOUTS, VERDICTS
from rlve.pool import Request
from rlve.server.studio import app, evaluations, failures, rollouts, run_charts
from rlve.server.studio.app import create_studio
from rlve.server.studio.evaluations import QuestionFilter
from rlve.server.studio.failures import Output, places
from rlve.server.studio.folders import Folders
from rlve.server.studio.group_rows import row_of_group
from rlve.server.studio.pages import Links
from rlve.server.studio.problems import replay_output
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.run_table import RunFilter, select
from rlve.server.studio.saved import write_report
from rlve.server.studio.views import Pages, Studio
from rlve.train.history import GroupRecord
from support.serving import serving
from support.studio_folders import (
    HOSTILE,
    LONG,
    PAGES,
    PARTS,
    add_step,
    make_evaluation,
    make_frontiers,
    make_run,
    make_teaching_run,
)

NAMES = ("Sorting", "SAT")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("studio")
    make_run(place / "runs" / "hostile", NAMES, steps=6)
    make_run(place / "runs" / "long", NAMES, steps=1, text=LONG)
    make_teaching_run(place / "runs" / "taught")
    make_evaluation(place / "evals" / "first", 0.3, model=HOSTILE, output=HOSTILE)
    make_evaluation(place / "evals" / "second", 0.8, seed=1, output=LONG)
    make_frontiers(place / "evals")
    (place / "secret.txt").write_text("a secret")
    return place


@pytest.fixture(scope="module")
def studio(place, pool):
    return Studio(Folders([place / "runs", place / "evals"]), pool, ["runs/", "evals/"])


@pytest.fixture(scope="module")
def client(studio):
    with serving(create_studio(studio)) as url, httpx.Client(base_url=url, timeout=60) as found:
        yield found


class Checker(HTMLParser):
    """Finds elements that a model wrote, and addresses of other hosts."""

    def __init__(self):
        super().__init__()
        self.tags = []
        self.scripts = []
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        given = dict(attrs)
        if tag == "script":
            self.scripts.append(given)
        assert not [name for name in given if name.startswith("on")], given
        assert "style" not in given
        self.addresses += [given[k] for k in ("href", "src", "action", "hx-get") if given.get(k)]


def check(text):
    found = Checker()
    found.feed(text)
    assert "img" not in found.tags
    for script in found.scripts:
        assert script.get("type") == "application/json" or script["src"].startswith("/static/")
    for address in found.addresses:
        assert "//" not in address, address
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "{{" not in text.replace("{{ 7 * 7 }}", "")
    assert "49" not in re.findall(r"</main>(\d+)", text)
    return found


@pytest.mark.parametrize(
    "path", [*PAGES, "/evals/second", "/evals/second/questions/3", "/env/Nothing"]
)
def test_no_page_runs_what_a_model_wrote_or_asks_another_host(client, path):
    reply = client.get(path)
    assert reply.status_code == (404 if "Nothing" in path else 200), reply.text
    found = check(reply.text)
    assert {"html", "main", "h1", "nav"} <= set(found.tags)
    assert len(reply.content) < 400_000
    policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", PARTS)
def test_no_part_of_a_page_does_either(client, path):
    reply = client.get(path)
    assert reply.status_code == 200, reply.text
    check(reply.text)


def load(path):
    """A file that is no module of ours."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_every_page_is_tested_and_measured():
    measured = load(Path(__file__).parents[2] / "benchmarks" / "studio.py").PAGES
    parts = [part for page in measured for part in page.parts]
    for paths in ((*PAGES, *PARTS), parts):
        for path in app.PAGES:
            wanted = re.sub(r"{\w+}", "[^/]+", path)
            assert any(re.fullmatch(wanted, each.partition("?")[0]) for each in paths), path


def test_each_cell_says_in_which_column_it_is(client):
    """A phone has no headings, and shows each cell below the others."""
    for path in (*PAGES, *PARTS):
        text = re.sub(r"<svg.*?</svg>", "", client.get(path).text, flags=re.DOTALL)
        for head, body in re.findall(r"<thead>(.*?)</thead>(.*?)</table>", text, re.DOTALL):
            heads = re.findall(r"<th\b([^>]*)>(.*?)</th>", head)
            names = [re.sub("<.*?>", "", name) for given, name in heads for _ in range(wide(given))]
            for row in re.findall(r"<tr\b.*?</tr>", body, re.DOTALL):
                at = 0
                for kind, given in re.findall(r"<(td|th)\b([^>]*)>", row):
                    label = re.search(r'data-label="(.*?)"', given)
                    again = at > 0 and names[at] == names[at - 1]
                    assert kind == "th" or label[1] == ("" if again else names[at]), (path, row)
                    at += wide(given)


def wide(attributes):
    """How many columns a cell has."""
    found = re.search(r'colspan="(\d+)"', attributes)
    return int(found[1]) if found else 1


def test_hostile_outputs_are_there_as_text(client):
    text = client.get("/runs/hostile/rollouts/15").text
    assert "&lt;script&gt;document.title" in text
    assert "\u241b[31mred" in text
    assert "[U+202E]gnp.exe" in text
    assert "{{ 7 * 7 }}" in text
    long = client.get("/runs/long/rollouts/0").text
    assert "980,000 characters left out" in long
    assert "980,000 characters left out" in client.get("/evals/second/questions/3").text


@pytest.mark.parametrize(
    "path",
    [
        "/runs/..%2fsecret.txt",
        "/runs/%2e%2e/secret.txt",
        "/runs/hostile/..%2f..%2fsecret.txt",
        "/static/../views.py",
        "/static/..%2fviews.py",
        "/static/%2e%2e/views.py",
        "/env/..%2f..%2fsecret.txt",
        "/env/os:path",
        "/env/os:path/source",
    ],
)
def test_no_path_of_a_request_reaches_a_file(client, path):
    raw = httpx.Request("GET", str(client.base_url))
    raw.url = raw.url.copy_with(raw_path=path.encode())
    reply = client.send(raw)
    assert reply.status_code in (404, 405, 422)
    assert "a secret" not in reply.text
    assert "class Studio" not in reply.text


def test_other_sites_are_kept_out(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    form = {"d": 0, "seed": 0, "answer": "1"}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        for path in ("/env/Sorting/verdict", "/env/Sorting/turn"):
            assert client.post(path, data=form, headers=headers).status_code == 403
    assert client.get("/env/Sorting/turn").status_code == 405
    large = client.post("/env/Sorting/verdict", data=form | {"answer": "1" * 2**21})
    assert large.status_code == 413


def test_an_answer_is_judged_by_the_real_verifier(client):
    problem = rlve.environment("Sorting").generate(difficulty=2, seed=9)
    right = problem.reference()
    for answer, words in {
        right: ("Correct", "reward 1<"),
        f"so \\boxed{{{right}}}": ("Correct", "reward 1<"),
        "1 2": ("Wrong", "reward -0.5"),
        "a <b>": ("Ill-formed", "not an integer"),
        "": ("Wrong",),
    }.items():
        form = {"d": 2, "seed": 9, "answer": answer}
        text = client.post("/env/Sorting/verdict", data=form).text
        for word in words:
            assert word in text
        assert "<b>'" not in text
    half = client.post("/env/Sorting/verdict", content=b"d=0&seed=0&answer=%ED%A0%80")
    assert "Ill-formed" in half.text
    refused = client.post("/env/Sorting/verdict", data={"d": "x"}, headers={"hx-request": "true"})
    assert "is not a number" in refused.text


def test_a_problem_has_an_address(client):
    reply = client.get("/env/SAT/problem?d=2&seed=5", headers={"hx-request": "true"})
    assert reply.headers["hx-replace-url"] == "/env/SAT?d=2&seed=5"
    prompt = rlve.environment("SAT").generate(difficulty=2, seed=5).prompt()
    for text in (reply.text, client.get("/env/SAT?d=2&seed=5").text):
        assert prompt.splitlines()[0] in text
    too_far = client.get("/env/GaussianElimination?d=99")
    assert (too_far.status_code, "highest difficulty" in too_far.text) == (422, True)


def test_the_charts_of_a_run_are_sent_again_only_when_it_has_grown(client):
    first = client.get("/charts?run=hostile")
    assert set(first.json()) == {"drawn", "texts"}
    again = client.get("/charts?run=hostile", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304


def test_a_step_that_ends_while_a_page_is_made_is_shown_by_the_next_request(
    tmp_path, pool, monkeypatch
):
    folder = make_run(tmp_path / "run", NAMES, steps=5)
    studio = Studio(Folders([tmp_path]), pool)
    charts = run_charts.draw_runs

    def overtaken(*arguments):
        drawn = charts(*arguments)
        add_step(folder, NAMES, 6)
        return drawn

    monkeypatch.setattr(run_charts, "draw_runs", overtaken)
    page = Pages(studio, Links()).run("run")
    (stamp,) = re.findall(r'data-stamp="&#34;(.*?)&#34;"', page)
    assert stamp != studio.run("run").stamp()


def test_runs_and_evaluations_of_one_name_are_told_apart(tmp_path, pool):
    folders = [tmp_path / seed / name for seed in ("s0", "s1") for name in ("run", "eval")]
    for folder in folders:
        if folder.name == "run":
            make_run(folder, NAMES, steps=2)
        else:
            make_evaluation(folder, 0.5)
    studio = Studio(Folders(folders), pool)
    pages = Pages(studio, Links())
    assert "<h1>s0/run and s1/run</h1>" in pages.compared_runs(["s0-run", "s1-run"])
    compared = pages.compared_evals("s0-eval", "s1-eval", "second")
    assert "<h1>s0/eval and s1/eval</h1>" in compared
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', compared, re.DOTALL)
    curves = json.loads(data)["charts"]["levels-of-evals"]["series"]
    assert [curve["name"] for curve in curves] == ["s0/eval", "s1/eval"]
    measured = studio.find_measurements("Sorting")
    assert {each.name for each in measured} == {"s0/eval", "s1/eval", "s0/run", "s1/run"}
    assert {curve.name for curve in studio.accuracy(measured).series} == {
        "s0/eval", "s1/eval", "s0/run, step 2", "s1/run, step 2",
    }  # fmt: skip


def test_a_broken_folder_is_told_of_and_hides_nothing(place, pool, tmp_path):
    make_run(tmp_path / "good", NAMES, steps=1)
    bad = make_run(tmp_path / "bad", NAMES, steps=3)
    good, *rest = (bad / "metrics.jsonl").read_text().splitlines(keepends=True)
    (bad / "metrics.jsonl").write_text("".join([good, "nonsense\n", *rest]))
    torn = make_run(tmp_path / "torn", NAMES, steps=1)
    (torn / "config.json").write_text("{")
    linked = make_run(tmp_path / "linked", NAMES, steps=1)
    (linked / "metrics.jsonl").unlink()
    (linked / "metrics.jsonl").symlink_to(place / "secret.txt")
    broken = make_evaluation(tmp_path / "broken", 0.5)
    half = broken / "outputs.jsonl"  # of a surrogate pair
    half.write_text(half.read_text().replace('"text"', '"\\ud800"'))
    lost = make_run(tmp_path / "lost", NAMES, steps=1)
    texts = (lost / "rollouts.jsonl").read_text()
    (lost / "rollouts.jsonl").write_text(texts.replace('"prompt"', '"forgotten"'))
    wrong = make_evaluation(tmp_path / "wrong", 0.5)
    (wrong / "verdicts.jsonl").write_text("nonsense\n")
    with (
        serving(create_studio(Studio(Folders([tmp_path]), pool))) as url,
        httpx.Client(base_url=url) as client,
    ):
        text = client.get("/runs").text
        assert "metrics.jsonl is a link out of the folder" in text
        assert "torn: " in text
        assert 'href="/runs/good"' in text
        bad = client.get("/runs/bad")
        assert bad.status_code == 200
        assert "metrics.jsonl, line 2, is damaged" in bad.text
        assert client.get("/charts?run=bad").json()["texts"]["number-0"] == "3 of 400"
        assert "is damaged" in client.get("/evals").text
        assert "verdicts.jsonl:1 is damaged" in client.get("/evals/wrong").text
        assert "is damaged" not in client.get("/runs/lost").text
        assert "rollouts.jsonl, line 1, is damaged" in client.get("/runs/lost/rollouts/0").text
        assert "is damaged" not in client.get("/runs/good/rollouts/0").text
        assert client.get("/env/Sorting/accuracy").status_code == 200


def test_an_unfinished_evaluation_is_marked_wherever_it_stands(pool, tmp_path):
    folder = make_evaluation(tmp_path / "half", 0.9)
    make_evaluation(tmp_path / "whole", 0.5)
    (folder / "results.json").unlink()
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:40]))
    studio = Studio(Folders([tmp_path]), pool)
    pages = Pages(studio, Links())
    told = "40 of 80 outputs judged"
    page = pages.evaluation("half", QuestionFilter())
    assert f"Partial: {told}" in page
    assert f"Not finished: {told}" in page  # below the chart
    assert "not answered yet" in page
    assert "0 of 0" not in page
    assert f"partial</span> {told}" in pages.evals()
    with pytest.raises(rlve.UserError, match="40 of 80 outputs are missing"):
        pages.compared_evals("half", "whole", "second")
    assert f"half (so far: {told})" in pages.accuracy("Sorting")


def test_the_reason_of_a_verdict_is_told(client, place):
    text = client.get("/runs/hostile/rollouts/15/reason/0").text
    assert "The answer is not in the output format" in text
    assert "right 6" in text
    assert "Judged again, the reward is -1" in text  # the folder was made up
    assert "No answer is marked" in client.get("/runs/hostile/rollouts/15/reason/2").text
    assert "was not kept" in client.get("/runs/hostile/rollouts/15/reason/1").text
    assert 'class="reason"' in client.get("/evals/first/questions/3/reason/0").text


def test_metrics_are_handed_out_as_they_were_recorded(client, place):
    rows = list(csv.DictReader(client.get("/metrics.csv?run=hostile").text.splitlines()))
    assert [row["step"] for row in rows] == list("123456")
    assert [float(row["reward"]) for row in rows] == [step / 400 for step in range(1, 7)]
    both = client.get("/metrics.csv?run=hostile&run=long").text
    assert {row["run"] for row in csv.DictReader(both.splitlines())} == {"hostile", "long"}


def test_a_group_leads_only_to_environments_that_are_known(pool, tmp_path):
    for name in ("Sorting", "MyOwn"):
        make_run(tmp_path / "runs" / name, [name], steps=1)
    pages = Pages(Studio(Folders([tmp_path / "runs"]), pool), Links())
    for name, linked in (("Sorting", True), ("MyOwn", False)):
        assert (f"/env/{name}" in pages.group(name, 0, RolloutFilter())) == linked


def test_rollouts_show_what_was_trained_on_beside_the_shaped_reward(pool, tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=1)
    config = json.loads((folder / "config.json").read_text())
    config["rollout"]["signal"] = "correct"
    (folder / "config.json").write_text(json.dumps(config))
    groups = [json.loads(line) for line in (folder / GROUPS).open()]
    for group in groups:
        group["rewards"] = [float(letter == "c") for letter in group["verdicts"]]
    (folder / GROUPS).write_text("".join(json.dumps(group) + "\n" for group in groups))
    pages = Pages(Studio(Folders([folder]), pool), Links())
    text = pages.group("run", 0, RolloutFilter())
    assert "trained on 1<" in text
    assert "trained on 0, shaped reward -1<" in text
    assert "trained on 0<" in text  # its text was not kept
    assert text.count("Its text was not kept.") == 2
    assert "(1 if correct, otherwise 0) is not the same" in pages.rollouts("run", RolloutFilter())
    rows = pages.rollout_rows("run", RolloutFilter())
    assert 'data-label="reward trained on">0.25</td>' in rows
    assert 'data-label="shaped, of kept texts">0</td>' in rows  # of 1 and -1
    assert "Reward trained on, from" in pages.rollouts("run", RolloutFilter())
    drawn = pages.live_charts([pages.studio.run("run")])["drawn"]
    assert "Trained on: 1 if correct, otherwise 0." in drawn.charts["reward"].note


def test_outputs_of_dialogues_are_replayed_turn_by_turn(pool, tmp_path):
    said = conversation(["<answer>1</answer>", "I do not know", "<answer>2</answer>"])
    folder = make_run(tmp_path / "run", ("GuessNumber",), steps=1, text=said)
    pages = Pages(Studio(Folders([folder]), pool), Links())
    text = pages.group("run", 0, RolloutFilter())
    problem = rlve.environment("GuessNumber").generate(
        difficulty=0, seed=pages.studio.run("run").groups.read()[0].seed
    )
    replies = list(problem.replies(["<answer>1</answer>", "I do not know", "<answer>2</answer>"]))
    for reply in replies:
        assert escape(reply.text) in text
    assert "No move could be read: the turn is wasted." in text
    assert "This problem in its environment" in text
    assert "\u241e" not in text  # the mark between messages
    for saved in (pages.run("run"), write_report(folder).read_text()):
        for reply in replies:
            assert escape(reply.text) in saved
        assert "the turn is wasted" in saved


def test_a_turn_is_wasted_by_a_move_that_is_not_allowed(pool, tmp_path):
    said = conversation(["<answer>1 99</answer>", "I pass", "<answer>1 1</answer>"])
    talk = replay_output((rlve.environment("PlayNim")(heaps=[5, 6]), said))
    assert [turn.allowed for turn in talk.turns] == [False, True, True]
    assert [turn.readable for turn in talk.turns] == [True, False, True]
    folder = make_run(tmp_path / "run", ("PlayNim",), steps=1, text=said)
    text = Pages(Studio(Folders([folder]), pool), Links()).group("run", 0, RolloutFilter())
    wasted = '<p class="note">The move is not allowed: the turn is wasted.</p><pre class="wrong">'
    assert wasted in text
    assert "; 1 could not be read; 1 not allowed." in text


def test_failures_are_counted_by_verdict_environment_and_level(pool, tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=20, text="<answer>3 2 1</answer>")
    studio = Studio(Folders([folder]), pool)
    run = studio.run("run")
    found = {(each.environment, each.difficulty): each for each in places(run.groups.read())}
    first = found["Sorting", 0]
    assert (first.outputs, first.counts["c"], first.counts["w"]) == (160, 20, 80)
    assert first.counts["t"] == 20
    drawn = failures.draw(run, run.groups.read())
    shares = {each.name: each.values for each in drawn.charts["endings"].series}
    assert list(shares) == ["correct", "wrong", "ill-formed", "cut off", "not judged"]
    assert sum(column[0] for column in shares.values()) == pytest.approx(1, abs=1e-3)
    pages = Pages(studio, Links())
    assert first.correct[:4] == (0.125, *wilson(0.125, 40).ends, 40)
    text = pages.failures("run", RolloutFilter())
    assert "/runs/run/rollouts?environment=Sorting&amp;difficulty=0&amp;outcome=ill-formed" in text
    total, reasons = failures.reasons(pool, failed(run), "any")
    assert total == sum(each.outputs for each in reasons) == 8
    assert all("3" not in each.text for each in reasons)
    told = pages.failure_reasons("run", RolloutFilter())
    for each in reasons:
        wanted = RolloutFilter(groups=each.numbers, reason=each.text)
        listed = {str(row.number) for row in rollouts.find_groups(run, wanted)}
        assert listed == set(each.numbers.split(","))
        query = escape(pages.links.page("runs", "run", "rollouts", **wanted.query()))
        assert f'href="{query}"' in told
        assert escape(each.text) in pages.rollouts("run", wanted)


def failed(run):
    return failures.some_failed(failures.outputs_of_run(run, run.groups.read()), latest=True)


def test_a_broken_rule_is_a_class_of_its_own(pool, tmp_path):
    folder = make_run(tmp_path / "run", ("Sorting",), steps=2, text="<answer>1</answer>")
    groups = (folder / GROUPS).read_text()
    groups = groups.replace('"cwif"', '"crif"').replace('"wwww"', '"rrrr"')
    (folder / GROUPS).write_text(groups)
    pages = Pages(Studio(Folders([tmp_path]), pool), Links())
    run = pages.studio.run("run")
    assert [row.verdicts for row in run.groups.read()][:3] == ["crif", "cccc", "rrrt"]
    shares = failures.draw(run, run.groups.read()).charts["endings"].series
    assert {each.name: each.values[0] for each in shares}["rule broken"] == 0.3333
    assert "outcome=rule-broken" in pages.failures("run", RolloutFilter())
    found = rollouts.find_groups(run, RolloutFilter(outcome="rule-broken"))
    assert sorted(row.verdicts for row in found) == ["crif", "crif", "rrrt", "rrrt"]
    evaluation = make_evaluation(tmp_path / "eval", 0.5)
    lines = [json.loads(line) for line in (evaluation / VERDICTS).open()]
    for line in lines:
        line["reward"] = 1.0 if line["correct"] else rewards.INVALID
    (evaluation / VERDICTS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    opened = pages.studio.evaluations.open(Folders([evaluation]).all("eval")[0])
    assert {letter for line in opened.lines for letter in line.verdicts} == {"c", "r"}


def test_failures_of_one_environment_and_level_narrow_the_charts_as_well(client):
    def counted(path):
        text = client.get(path).text
        (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
        endings = json.loads(data)["charts"]["endings"]["series"]
        rows = re.findall(r'<td data-label="problems">(\d+)</td><td data-label="outputs">', text)
        return sum(map(int, rows)), {each["name"]: each["values"] for each in endings}, text

    every, _, _ = counted("/runs/hostile/failures")
    problems, shares, text = counted("/runs/hostile/failures?environment=SAT&difficulty=1")
    assert (every, problems) == (18, 6)
    assert shares == {"correct": [1.0] * 6}
    assert "/runs/hostile/rollouts?environment=SAT&amp;difficulty=1" in text  # from the chart
    assert "failures/reasons?environment=SAT&amp;difficulty=1" in text
    told = client.get("/runs/hostile/failures/reasons?environment=SAT&difficulty=1").text
    assert "No output that was kept is wrong" in told
    one = client.get("/evals/first/failures?environment=Sorting&difficulty=1").text
    assert re.findall(r'<td data-label="problems">(\d+)</td><td data-label="out', one) == ["5"]


def test_repeated_answers_lead_to_their_groups_and_correct_ones_are_left_out(pool, tmp_path):
    folder = make_run(tmp_path / "run", ("Sorting",), steps=20, text="<answer>7</answer>")
    lines = [json.loads(line) for line in (folder / ROLLOUTS).open()]
    for number, line in enumerate(lines):  # a right answer to the first, and 7 to the others
        line["best"]["text"] = "<answer>7</answer>" if number > 1 else "<answer>1</answer>"
        line["worst"]["text"] = line["best"]["text"]
        line["worst"]["verdict"]["reward"] = 1.0 if number < 2 else -1.0
    (folder / ROLLOUTS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    pages = Pages(Studio(Folders([folder]), pool), Links())
    run = pages.studio.run("run")
    (found,) = failures.repeated(failures.outputs_of_run(run, run.groups.read()), "any")
    assert (found.answer, found.problems, found.reward) == ("7", len(lines) - 2, 0.0)
    wanted = RolloutFilter(groups=found.numbers, reason="answered 7")
    assert len(rollouts.find_groups(run, wanted)) == found.problems
    link = escape(pages.links.page("runs", "run", "rollouts", **wanted.query()))
    assert f'href="{link}">{found.problems}</a>' in pages.failures("run", RolloutFilter())


def test_what_was_cut_off_is_a_class_of_its_own(pool, tmp_path):
    folder = make_run(tmp_path / "run", ("Sorting",), steps=2, text="and so I go on and")
    groups = [json.loads(line) | {"truncated": [1, 2, 3]} for line in (folder / GROUPS).open()]
    (folder / GROUPS).write_text("".join(json.dumps(group) + "\n" for group in groups))
    pages = Pages(Studio(Folders([folder]), pool), Links())
    run = pages.studio.run("run")
    assert run.groups.read()[0].verdicts == "cttf"  # what could not be judged is not a failure
    text = pages.group("run", 0, RolloutFilter())
    assert '<span class="badge wrong">cut off</span>' in text
    assert '"badge wrong">ill-formed' not in text
    assert "Why cut off?" in text
    told = pages.failures("run", RolloutFilter())
    assert ">ill-formed</th>" in told
    assert "outcome=cut-off" in told
    assert "outcome=ill-formed" not in told
    assert failures.CUT_OFF in pages.failure_reasons("run", RolloutFilter())
    assert len(rollouts.find_groups(run, RolloutFilter(outcome="cut-off"))) == 4


def test_reasons_that_differ_in_number_alone_are_counted_together(pool):
    wanted = Request(rlve.environment("Sorting"), 3, 0)
    texts = ["<answer>1</answer>", "<answer>1 2</answer>", "<answer>7 7</answer>"]
    row = row_of_group(
        0,
        GroupRecord(
            step=1, environment="Sorting", difficulty=3, seed=0, verdicts="", rewards=[], tokens=[]
        ),
    )
    outputs = [Output(number, row, text, "w", 0.0) for number, text in enumerate(texts)]
    told = [each.reason for each in pool.explain([(wanted, text) for text in texts])]
    assert "1 value," in told[0]
    assert "2 values," in told[1]
    total, (reason,) = failures.reasons(pool, outputs, "any")
    assert (total, reason.outputs, reason.numbers) == (3, 3, "0,1,2")
    assert "# values," in reason.text


def test_an_evaluation_says_why_its_outputs_fail(pool, tmp_path):
    folder = make_evaluation(tmp_path / "eval", 0.5, output="<answer>7</answer>")
    lines = [json.loads(line) for line in (folder / "outputs.jsonl").open()]
    for line in lines[::2]:
        line["finish"] = "length"
    (folder / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    pages = Pages(Studio(Folders([folder]), pool), Links())
    opened = pages.studio.evaluation("eval")
    text = pages.eval_failures("eval", QuestionFilter())
    check(text)
    assert "rewards" in text
    assert "/evals/eval/failures" in pages.evaluation("eval", QuestionFilter())
    wanted = QuestionFilter(environment="Sorting", difficulty=1, outcome="cut-off")
    assert f"{escape(pages.links.page('evals', 'eval', **wanted.query()))}#questions" in text
    cut = evaluations.find_questions(pool, opened, wanted)
    assert cut
    assert all("t" in line.verdicts for line in cut)
    assert "cut off</span>" in pages.question("eval", cut[0].number, QuestionFilter())
    outputs = list(failures.outputs_of_evaluation(opened, opened.lines))
    costly, other = failures.repeated(outputs, "any")
    assert (costly.answer, costly.problems, other.problems) == ("7", 10, 10)
    assert costly.lost >= other.lost > 0
    told = pages.eval_failure_reasons("eval", QuestionFilter())
    total, found = failures.reasons(pool, failures.some_failed(outputs, latest=False), "any")
    assert total == sum(not each.correct for each in opened.stored.verdicts.values())
    assert failures.CUT_OFF in {each.text for each in found}
    for each in found:
        wanted = QuestionFilter(questions=each.numbers, reason=each.text)
        listed = [str(line.number) for line in evaluations.find_questions(pool, opened, wanted)]
        assert listed == each.numbers.split(",")
        assert f"{escape(pages.links.page('evals', 'eval', **wanted.query()))}#questions" in told
        assert escape(each.text) in pages.evaluation("eval", wanted)


def test_the_table_of_runs_has_any_setting_or_metric_as_a_column(pool, tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=3)
    lines = [json.loads(line) | {"ill_formed": 0.9} for line in (folder / METRICS).open()]
    (folder / METRICS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    pages = Pages(Studio(Folders([folder]), pool), Links())
    text = pages.run_rows(RunFilter(columns=["rollout.group", "entropy", "nonsense"]))
    assert "rollout.group</button>" in text
    assert 'data-label="Entropy">1.00</td>' in text
    assert "nonsense" not in text
    assert "37.5 → 56.2% (" in text
    assert "1 warning<" in text
    assert RunFilter(columns=["rollout.group"]).query()["columns"].endswith("seed,rollout.group")
    select([pages.studio.runs.row(pages.studio.run("run").found)], RunFilter(sort="-rollout.group"))
    with pytest.raises(UserError, match="no column"):
        pages.run_rows(RunFilter(sort="-nonsense"))
