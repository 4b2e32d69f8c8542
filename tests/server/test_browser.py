"""The studio in a real browser: every test also sees to it that the console is silent, and that
nothing is asked of another host."""

import json
import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright", reason="the browser is driven by playwright: rlve[dev]")

from msgspec import structs, to_builtins
from playwright.sync_api import expect

import rlve
from rlve.datasets.rows import ProblemRow
from rlve.dialogue import conversation
from rlve.evaluate.frontier.profile import FrontierPlan, summarise
from rlve.evaluate.results import read_evaluation
from rlve.foundation.files import pretty
from rlve.foundation.run_folders import CONFIG, METRICS, OUTPUTS, PLAN, RESULTS, VALIDATION, locked
from rlve.registry import entry
from rlve.server.studio import environment_pages, svg
from rlve.server.studio.app import create_studio
from rlve.server.studio.charts import HeatMap
from rlve.server.studio.folders import Folders
from rlve.server.studio.run_charts import SECTIONS, draw_runs
from rlve.server.studio.runs import RunBook
from rlve.server.studio.saved import write_report
from rlve.server.studio.views import Studio
from support.browser import browser, chromium
from support.evaluation_folders import QUESTIONS
from support.serving import serving
from support.studio_folders import (
    HOSTILE,
    PAGES,
    add_step,
    make_evaluation,
    make_frontiers,
    make_run,
    make_teaching_run,
)

pytestmark = pytest.mark.skipif(
    chromium() is None, reason="there is no Chromium; apt-get install chromium"
)

NAMES = ("Sorting", "SAT")
PATIENCE = 30_000  # milliseconds, for machines that are busy
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def chrome():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("studio")
    make_run(place / "runs" / "hostile", NAMES, steps=6)
    make_run(place / "runs" / "other", NAMES, steps=3, seed=1)
    make_teaching_run(place / "runs" / "taught")
    make_run(place / "runs" / "many", rlve.environments()[:30], steps=5)
    make_run(place / "runs" / "long", NAMES, steps=120)
    change(make_run(place / "runs" / "quiet", NAMES, steps=22), **dict.fromkeys(QUIET))
    worrying = make_run(place / "runs" / "worrying", NAMES, steps=22)
    change(worrying, every=1, entropy=0.001, truncated=0.9)
    small = make_run(place / "runs" / "small", ("Division",), steps=22)
    change(small, every=1, loss=0.2, sampler_gap=4e-7, grad_norm=2.0)
    change(small, loss=-0.1, sampler_gap=5.8e-7, grad_norm=1.0)
    eight_levels(small)
    write_report(worrying)
    make_frontiers(place / "evals")
    questions = [
        *(named(row, f"2798867449664{n:02}") for n, row in enumerate(QUESTIONS)),
        *(named(row, "279886744966499") for row in asked(LONG_NAMED, range(2))),
    ]
    make_evaluation(place / "evals" / "first", 0.3, output=HOSTILE, questions=questions)
    make_evaluation(place / "evals" / "second", 0.8, seed=1, questions=questions)
    half = make_evaluation(place / "evals" / "half", 0.9)
    (half / "results.json").unlink()
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        lines = (half / name).read_text().splitlines(keepends=True)
        (half / name).write_text("".join(lines[:40]))
    return place


# What a step whose batch was in the cache has no value of.
QUIET = ("reward", "accuracy", "accuracy_at_high", "ill_formed")


def change(folder, *, every=2, **values):
    """Give every so many steps of a run other values."""
    steps = [json.loads(line) for line in (folder / METRICS).open()]
    for step in steps[every - 1 :: every]:
        step |= values
    (folder / METRICS).write_text("".join(json.dumps(step) + "\n" for step in steps))
    return folder


def eight_levels(folder):
    """Let accuracy be measured at as many levels as `--preset nano` has."""
    records = [json.loads(line) for line in (folder / VALIDATION).open()]
    for record in records:
        for accuracy in record["measured"]:
            accuracy["solved"] = {n: dict.fromkeys(range(8), "1" * 38) for n in accuracy["solved"]}
            accuracy["by_level"] = {n: dict.fromkeys(range(8), 1.0) for n in accuracy["solved"]}
    (folder / VALIDATION).write_text("".join(json.dumps(each) + "\n" for each in records))


def named(row, seed):
    """A question with an id as `rlve suite` gives them."""
    return structs.replace(row, id=f"{row.environment}/{row.difficulty}/{seed}")


@pytest.fixture(scope="module")
def studio(place, pool):
    return Studio(Folders([place / "runs", place / "evals"]), pool)


@pytest.fixture(scope="module")
def url(studio):
    with serving(create_studio(studio)) as found:
        yield found


SAID = ["<answer>1</answer>", "I do not know", "<answer>2</answer>"]
DRAWN_IN, LONG_NAMED = "GridBFS", "Clique_IndependentSet_Partitioning_Counting"


def asked(name, levels):
    """Questions of one environment."""
    rows = []
    for difficulty in levels:
        problem = rlve.environment(name).generate(difficulty=difficulty, seed=3)
        row = ProblemRow(
            id=f"{name}-{difficulty}",
            environment=name,
            parameters=problem.parameters(),
            difficulty=difficulty,
            seed=3,
        )
        rows.append(row)
    return rows


def make_measured_frontier(folder):
    """A frontier with the questions and outputs behind it."""
    rows = [*asked("Sorting", range(16)), *asked(LONG_NAMED, range(4))]
    make_evaluation(folder, 0.6, questions=rows, samples=1)
    stored = read_evaluation(folder)
    names = ["Sorting", LONG_NAMED]
    plan = FrontierPlan(**structs.asdict(stored.plan), environments=names, outputs=20)
    (folder / PLAN).write_bytes(pretty({"kind": "frontier"} | to_builtins(plan)))
    (folder / RESULTS).write_bytes(pretty(summarise(stored, plan)))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, pool):
    """The address of a studio with dialogues, problems that are drawn, and a frontier."""
    place = tmp_path_factory.mktemp("drawn")
    make_run(place / "talk", ("GuessNumber",), steps=1, text=conversation(SAID))
    make_run(place / "grids", (DRAWN_IN,), steps=1, text="<answer>1</answer>")
    rows = [*asked(DRAWN_IN, (0, 1)), *asked("GuessNumber", (0, 1)), *asked("Sorting", (3, 4))]
    make_evaluation(place / "eval", 0.4, questions=rows, output="<answer>7</answer>")
    outputs = place / "eval" / OUTPUTS
    lines = [json.loads(line) for line in outputs.open()]
    for line in lines:
        if line["id"].startswith("GuessNumber"):
            line["output"] = conversation(SAID)
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    make_measured_frontier(place / "frontier")
    with serving(create_studio(Studio(Folders([place]), pool))) as found:
        yield found


# What htmx says of requests under way when a page is left or loaded again. It says more of one that
# fails, and so does the browser.
LEFT = ("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort")
# And what the browser says of those that a test makes fail.
FAILED = ("Failed to load resource", "Response Status Error Code 413")


@pytest.fixture
def page(chrome, url, request):
    options = getattr(request, "param", {})
    context = chrome.new_context(base_url=url, **options)
    context.set_default_timeout(PATIENCE)
    found = context.new_page()
    complaints, hosts = [], set()
    found.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    found.on("pageerror", lambda error: complaints.append(str(error)))
    found.on("request", lambda asked: hosts.add(urlsplit(asked.url).hostname))
    yield found
    context.close()
    expected = (*LEFT, *(FAILED if options.get("storage_state") else ()))
    assert [text for text in complaints if not text.startswith(expected)] == []
    assert hosts <= {"127.0.0.1", None}  # None: a file


def address(page):
    parts = urlsplit(page.url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def shown(page):
    """The problem on the page, once it is the one of the address."""
    query = dict(re.findall(r"(\w+)=(-?\d+)", page.url))
    name = urlsplit(page.url).path.split("/")[2]
    difficulty, seed = int(query["d"]), int(query["seed"])
    return rlve.environment(name).generate(difficulty=difficulty, seed=seed)


def test_the_gallery_is_searched_and_filtered_as_one_types(page):
    page.goto("/")
    every = len(environment_pages.names())  # tests before this one may have registered some
    assert page.locator(".card:visible").count() == every
    page.keyboard.press("/")
    page.keyboard.type("spanning tree")
    expect(page.locator("#count")).not_to_have_text(f"{every} environments")
    names = page.locator(".card:visible strong").all_inner_texts()
    assert "MinimumSpanningTree" in names
    assert page.locator("#count").inner_text() == f"{len(names)} environments"
    page.select_option("#collection", "HELD_OUT")
    assert page.locator(".card:visible strong").all_inner_texts() == ["MinimumSpanningTree"]
    assert address(page) == "/?q=spanning+tree&collection=HELD_OUT"
    page.reload()
    assert page.locator(".card:visible").count() == 1
    page.fill("#q", "")
    page.select_option("#collection", "")
    page.select_option("#guessable", "yes")
    guessable = page.locator(".card:visible").count()
    assert 0 < guessable < every
    page.select_option("#guessable", "")
    page.select_option("#family", "graphs")
    assert page.locator(".card:visible").count() == len(rlve.families()["graphs"])
    page.select_option("#family", "dialogues")
    assert page.locator(".card:visible").count() == len(rlve.dialogues())
    page.select_option("#family", "")
    page.fill("#max", "1000")
    far = [e for e in map(entry, environment_pages.names()) if (e.max_difficulty or 1000) >= 1000]
    assert page.locator(".card:visible").count() == len(far)
    page.fill("#max", "")
    page.fill("#q", "sorting")
    assert page.locator(".card:visible strong").first.inner_text() == "Sorting"
    page.fill("#q", "nothing has this")
    assert page.locator("#none").is_visible()


def test_problems_of_every_difficulty_are_shown_judged_and_solved(page):
    page.goto("/env/Sorting?d=1&seed=5")
    assert page.locator("#prompt").inner_text() == shown(page).prompt()
    page.locator("#difficulty").press("ArrowRight")
    page.wait_for_url("**/env/Sorting?d=2&seed=5")
    assert page.input_value("#difficulty-value") == "2"
    page.click("text=New problem")
    page.wait_for_url(lambda there: "d=2" in there and not there.endswith("seed=5"))
    before = page.url
    page.locator("h1").click()
    page.keyboard.press("n")
    page.wait_for_url(lambda there: there != before)
    problem = shown(page)
    page.fill("#seed", "")  # nothing is asked for until there is a seed
    assert page.locator("#prompt").inner_text() == problem.prompt()
    page.fill("#difficulty-value", "80")  # the end of the range
    page.fill("#seed", "3")
    page.wait_for_url("**/env/Sorting?d=80&seed=3")
    page.fill("#difficulty-value", "2")
    page.wait_for_url("**/env/Sorting?d=2&seed=3")
    page.fill("#answer", "a b")
    page.keyboard.press("Control+Enter")
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("not an integer")
    assert "Ill-formed" in verdict.inner_text()
    assert "reward -1" in verdict.inner_text()
    page.click("text=Show a correct answer and the way to it")
    page.wait_for_selector("pre.worked")
    assert page.locator("pre.worked").inner_text() == "\n".join(shown(page).worked())
    page.click("text=Use it")
    assert page.input_value("#answer") == shown(page).reference()
    page.click("button:has-text('Judge')")
    page.wait_for_selector(".verdict.right")
    page.locator("#answer").press("End")
    page.keyboard.type(" 7")
    expect(page.locator(".verdict")).to_have_count(0)  # it was about another answer
    page.click("text=Parameters")
    assert '"gold_answer"' in page.locator("details pre").first.inner_text()


def test_a_dialogue_is_played_against_the_environment(page):
    page.goto("/env/GuessNumber?d=1&seed=4")
    assert page.locator("#prompt").inner_text() == shown(page).prompt()
    said = page.locator(".talk li")
    status = page.locator("#problem .note[role=status]")
    assert status.inner_text() == "0 of 5 messages used, 5 left."
    for turn, move in enumerate(("ten & <b>", "<answer>10</answer>"), 1):
        page.fill("#message", move)
        page.keyboard.press("Control+Enter")
        expect(said).to_have_count(turn)
    expect(page.locator("#message")).to_be_focused()
    assert said.nth(0).locator("pre.wrong").inner_text().startswith("This move cannot be read: not")
    assert said.nth(1).inner_text().split("\n") == [
        "<answer>10</answer>", "higher", "You have 3 messages left.",
    ]  # fmt: skip
    assert status.inner_text() == "2 of 5 messages used, 3 left; 1 could not be read."
    page.goto(page.url)  # the address is the conversation as it stands
    expect(said).to_have_count(2)
    page.fill("#message", "15")
    page.click("button:has-text('Send')")
    expect(page.locator("#problem .verdict.right")).to_have_text("Won reward 1")
    assert page.locator("#message").count() == 0
    page.click("text=Start again")
    expect(said).to_have_count(0)
    assert address(page) == "/env/GuessNumber?d=1&seed=4"
    page.click("text=Show how a program wins")
    expect(page.locator("#reference .verdict.right")).to_be_visible()
    messages = ["<answer>hm</answer>"] * 5
    page.goto("/env/GuessNumber?d=1&seed=4" + "".join(f"&message={each}" for each in messages))
    expect(page.locator("#problem .verdict.wrong")).to_have_text("Lost reward -1")
    page.goto("/env/Sorting_2Tries?d=1&seed=4&message=1")
    assert "1 of 2 messages used" in status.inner_text()


def test_a_message_sent_the_moment_its_form_appears_keeps_the_page(page):
    page.goto("/env/GuessNumber?d=1&seed=4")
    page.evaluate("""() => {
        window.unbroken = true;
        new MutationObserver((_, observer) => {
            const field = document.querySelector("#message");
            if (!field || field.value || document.querySelectorAll(".talk li").length !== 1) return;
            observer.disconnect();
            field.value = "<answer>10</answer>";
            field.form.requestSubmit();
        }).observe(document.querySelector("#problem"), { childList: true, subtree: true });
    }""")
    page.fill("#message", "<answer>9</answer>")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".talk li")).to_have_count(2)
    expect(page.locator("#message")).to_be_focused()
    assert page.evaluate("window.unbroken")


def test_an_environment_shows_levels_lengths_and_accuracy(page):
    page.goto("/env/Sorting")
    page.wait_for_selector("[data-name=lengths] canvas")
    page.wait_for_selector("[data-name=accuracy] canvas")
    told = page.locator("[data-name=accuracy] .u-over").get_attribute("aria-label")
    for name in ("first", "second", "hostile, step 6", "half (so far: 40 of 80"):
        assert name in told
    assert page.locator("h2:has-text('Levels') ~ .scroll tbody tr").count() == 41
    page.click("text=Source: sorting.py")
    assert "class Sorting(" in page.locator("pre").inner_text()
    page.go_back()
    page.click(".crumbs >> text=arrays")
    expect(page.locator(".card:visible")).to_have_count(len(rlve.families()["arrays"]))


@pytest.mark.parametrize("page", [{"storage_state": {"cookies": []}}], indirect=True)
def test_a_failure_is_told_and_leaves_nothing_that_is_wrong(page, studio):
    with serving(create_studio(studio)) as there:
        page.goto(f"{there}/env/Sorting?d=2&seed=3")
        page.fill("#answer", "1 2 3")
        page.click("button:has-text('Judge')")
        page.wait_for_selector(".verdict.wrong")
        page.fill("#answer", "1" * 2**21)
        page.click("button:has-text('Judge')")
        expect(page.locator("#banner")).to_contain_text("at most 1,048,576 bytes")
        assert page.locator(".verdict").count() == 0
        page.fill("#answer", "1 2 3")
        page.click("button:has-text('Judge')")
        page.wait_for_selector(".verdict.wrong")
        expect(page.locator("#banner")).to_be_hidden()
    page.click("button:has-text('Judge')")
    expect(page.locator("#banner")).to_contain_text("The studio cannot be reached")
    assert page.locator(".verdict").count() == 0
    prompt = page.locator("#prompt").inner_text()
    page.click("text=New problem")
    expect(page.locator("#seed")).to_have_value("3")
    assert page.locator("#prompt").inner_text() == prompt


def test_a_run_is_followed_from_its_page(page, place, studio):
    folder = make_run(place / "runs" / "growing", NAMES, steps=2)
    studio.folders._since = float("-inf")  # as if it had been a while
    with locked(folder):
        page.goto("/runs/growing")
        page.wait_for_selector("[data-name=levels] canvas")
        reward = page.locator("[data-name=reward]")
        reward.locator(".u-legend .u-series", has_text="Reward").locator("th").click()
        hidden = reward.locator(".u-series.u-off")
        expect(hidden).to_have_count(1)
        zoom(page, page.locator("[data-name=levels] .u-over"))
        page.wait_for_url("**from=*")
        before = page.evaluate(RANGE, "levels")
        for step in (3, 4, 5):
            add_step(folder, NAMES, step)
        expect(page.locator("[data-text=number-0]")).to_have_text("5 of 400")
        assert "In 5 steps" in page.locator("[data-text=headline]").text_content()
        assert page.evaluate(RANGE, "levels") == before  # zoom and hidden curves survive
        expect(hidden).to_have_count(1)
        with page.expect_response(
            lambda reply: "/pulse" in reply.url and reply.text().count("grow")
        ):
            pass  # the page has seen it running
    expect(page.locator("#notices")).to_contain_text("growing has stopped after step 5")
    page.goto(page.url)
    assert page.evaluate(RANGE, "levels") == before  # the link has them
    expect(reward.locator(".u-series.u-off")).to_have_count(1)
    page.click("text=Whole run")
    assert page.evaluate(RANGE, "levels") == [0, 5]
    page.click("summary:has-text('Constant so far')")
    page.wait_for_selector("[data-name=entropy] canvas")
    page.locator("#smooth").focus()
    page.keyboard.press("ArrowRight")
    assert "mean of 3 values" in page.locator("#smooth-value").inner_text()
    curves = page.locator("[data-name=entropy] .u-series:visible")
    expect(curves).to_have_text(["steplatest", "Entropy1"])
    page.select_option("#along", "tokens")
    expect(page.locator("[data-name=entropy] .u-legend")).to_contain_text("tokens")
    assert "x=tokens" in page.url
    assert "smooth=1" in page.url
    page.select_option("#along", "step")
    for kind in ("csv", "png"):
        with page.expect_download() as download:
            page.click(f"[data-name=entropy] [data-save={kind}]")
        assert download.value.suggested_filename == f"entropy.{kind}"
    page.locator("[data-name=entropy] .u-over").click(position={"x": 2, "y": 40})
    page.click("[data-name=entropy] .at a")
    assert address(page) == "/runs/growing/rollouts?first=1&last=1"
    assert page.locator("#rows tbody tr").count() == 3


KINDS = """(name) => document.querySelector(`[data-name=${name}]`).made.kinds.map((k) => k.kind)"""

RANGE = """(name) => {
  const { min, max } = document.querySelector(`[data-name=${name}]`).plot.scales.x;
  return [min, max];
}"""


def zoom(page, area):
    """Drag over the middle of a chart."""
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, y, steps=5)
    page.mouse.up()


def test_runs_are_searched_sorted_chosen_and_compared(page):
    page.goto("/runs")
    rows = page.locator("#rows tbody tr")
    page.fill("#q", "sorting nano")
    expect(page.locator("#rows [role=status]")).to_contain_text(" of ")
    page.fill("#q", "sorting")
    page.click("th >> text=steps")
    expect(page.locator("#rows th[aria-sort=descending]")).to_have_text("steps")
    steps = [
        int(text.split()[0]) for text in page.locator("#rows td:nth-child(5)").all_inner_texts()
    ]
    assert steps == sorted(steps, reverse=True)
    page.click("summary:has-text('Columns')")
    page.check("input[name=column][value=change]")
    expect(page.locator("#rows thead")).to_contain_text("change, points")
    page.reload()
    assert "change" in page.locator("#rows thead").inner_text()
    assert page.locator("#chosen").is_hidden()
    page.check("#pick-hostile")
    assert page.locator("#chosen button[type=submit]").is_disabled()
    page.check("#pick-other")
    page.fill("#q", "hostile")
    expect(rows).to_have_count(1)
    expect(page.locator("#chosen-count")).to_have_text("2 chosen")
    page.click("text=Compare the chosen runs")
    page.wait_for_selector("[data-name=reward] canvas")
    label = page.locator("[data-name=reward] .u-over").get_attribute("aria-label")
    assert "hostile from" in label
    assert "other from" in label
    differing = page.locator("h2:has-text('What differs') + .scroll tbody").inner_text()
    assert "run.seed" in differing
    colours = page.evaluate(COLOURS)
    assert len(colours) >= 8
    assert len({json.dumps(each) for each in colours}) == 1  # one colour per run, in every chart
    page.click("text=as mean and band")
    expect(page.locator("[data-name=reward] .u-legend")).to_contain_text("and 1 more")
    page.goto("/runs/many")
    page.wait_for_selector("canvas.heat")
    page.hover("[data-name=levels_of] canvas.heat")
    told = page.locator("[data-name=levels_of] .legend-bar").inner_text()
    assert re.search(r"\w+: h = \d+ at step \d", told)


COLOURS = """() => [...document.querySelectorAll(".chart")].map(
  (chart) => Object.fromEntries(chart.spec.series.map((series) => [series.name, series.colour])))"""


def test_rollouts_are_filtered_read_compared_and_explained(page):
    page.goto("/runs/hostile/rollouts")
    count = page.locator("#rows [role=status]")
    assert count.inner_text() == "18 groups"
    assert page.locator("#rows tbody tr td:last-child").first.inner_text() == "kept"
    page.select_option("#outcome", "mixed")
    expect(count).to_have_text("6 groups")
    page.select_option("#order", "latest")
    page.wait_for_url("**order=latest*")
    page.click("#rows tbody a >> nth=0")
    assert "1 of 6" in page.locator(".neighbours").inner_text()
    page.keyboard.press("n")
    page.wait_for_url("**/rollouts/12?**")
    page.keyboard.press("p")
    page.wait_for_url("**/rollouts/15?**")
    assert page.locator("h1").inner_text().startswith("Sorting difficulty 0")
    outputs = page.locator(".output")
    assert outputs.count() == 4
    assert "advantage +1.50" in outputs.nth(0).inner_text()
    assert "<script>document.title" in outputs.nth(2).inner_text()
    assert "\u241b[31mred" in outputs.nth(2).inner_text()
    page.click("text=Why correct?")
    expect(page.locator(".reason")).to_contain_text("What was read")
    page.click("text=A correct answer and the way to it")
    page.wait_for_selector("pre.worked")
    assert "outcome=mixed" in page.url
    assert "owned" not in page.title()
    page.click("text=This problem in its environment")
    assert re.fullmatch(r"/env/Sorting\?d=0&seed=\d+", address(page))
    page.goto("/runs/hostile/rollouts?first=3&text=right+5")
    assert count.inner_text() == "1 group"
    page.goto("/runs/taught")
    assert page.locator(".group").count() == 4


def test_evaluations_show_every_question_and_two_of_them_side_by_side(page):
    page.goto("/evals")
    assert "partial 40 of 80 outputs judged" in page.locator("tr", has_text="half").inner_text()
    page.click("a:text-is('second')")
    page.wait_for_selector("[data-name=levels-of-eval] canvas")
    page.select_option("#environment", "Division")
    page.fill("#difficulty-is", "1")
    expect(page.locator("#rows [role=status]")).to_have_text("5 questions")
    page.click("#rows tbody a >> nth=0")
    assert page.locator(".output").count() == 4
    assert page.locator(".output header b").all_inner_texts() == ["1", "2", "3", "4"]
    page.click("text=Next")
    expect(page.locator(".neighbours")).to_contain_text("2 of 5")
    page.goto("/evals")
    page.check("input[name=first][value=first]")
    page.check("input[name=second][value=second]")
    page.click("text=Compare the two")
    assert "second has accuracy" in page.locator(".lead").inner_text()
    assert page.locator(".pair").count() > 0
    page.click("text=The first is right more often")
    assert "ahead=first" in page.url
    page.goto("/evals/half")
    assert "Partial: 40 of 80" in page.locator(".partial").inner_text()
    assert "so far" in page.locator("[data-name=levels-of-eval] .title").inner_text()
    assert "owned" not in page.title()


def test_frontiers_are_ranked_and_each_has_its_page(page):
    page.goto("/frontiers")
    models = page.locator("tbody td:first-child")
    assert models.all_inner_texts() == ["strong <b>", "nano"]
    assert page.locator("tbody .interval").count() == 2
    assert "unfinished: there is no" in page.locator(".note").inner_text()
    page.click("a:text-is('nano')")
    assert page.locator("h1").inner_text() == "The frontier of nano"
    rows = page.locator("h2:has-text('By environment') + .scroll tbody tr")
    assert rows.count() == 3
    assert re.search(r"d = 5: \d+ of \d+", rows.first.inner_text())
    page.click("summary:has-text('How it was measured')")
    expect(page.locator("details pre")).to_contain_text('"suite"')
    page.click("tbody a >> nth=0")
    assert address(page).startswith("/env/")


PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
SCREENS = [{"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}, PHONE]


@pytest.mark.parametrize("page", SCREENS, indirect=True)
def test_every_page_can_be_read_on_every_screen(page, place, drawn):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="rlve[dev]").Axe()
    report = (place / "runs" / "worrying" / "report.html").as_uri()
    for path in (*PATHS, *(drawn + each for each in DRAWN_PATHS), report):
        page.goto(path)
        page.wait_for_load_state("load")
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == [], path
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.lang") == "en"
        width = page.viewport_size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        if "/source" not in path:
            assert page.evaluate(SIDEWAYS) == [], path
        if width > 390:
            continue
        assert page.evaluate(SMALL) == [], path
        assert page.locator("kbd:visible").count() == 0
        if path != report:
            assert page.locator(".top nav").bounding_box()["height"] < 48  # a single line


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_row_on_a_phone_is_a_card_of_two_lines(page):
    for path in ("/runs", "/runs/hostile/rollouts", "/evals/first"):
        page.goto(path)
        tops = page.evaluate(TOPS)
        assert max(b - a for a, b in pairwise(tops)) < 64, path
    page.goto("/runs")
    page.locator("#rows tbody tr", has_text="long").locator("input").check()


TOPS = """() => [...document.querySelectorAll("#rows tbody tr")]
  .map((each) => each.getBoundingClientRect().top)"""

# What is pressed, and is smaller than a finger, except in a sentence.
SMALL = """() => [...document.querySelectorAll(
  "button, .button, summary, input:not([type=hidden]), select, nav a, .u-legend .u-series")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width)
  .map((each) => [each.outerHTML.slice(0, 120), each.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 23.5)
  .map(([html, box]) => `${html}: ${box.width} x ${box.height}`)"""

# Captions of more than two lines, and charts whose legends name a curve twice.
CAPTIONS = """() => [...document.querySelectorAll(".chart .note")]
  .filter((note) => note.clientHeight > 2.2 * parseFloat(getComputedStyle(note).lineHeight))
  .map((note) => note.textContent)"""
TWICE = """() => [...document.querySelectorAll(".chart")].map((chart) =>
  [...chart.querySelectorAll(".u-series:not([hidden]) th")].map((each) => each.textContent))
  .filter((names) => new Set(names).size < names.length)"""

# Tables that scroll sideways.
SIDEWAYS = """() => [...document.querySelectorAll(".scroll")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.innerText.slice(0, 80))"""

PATHS = (
    *PAGES,
    "/env/GridBFS?d=1&seed=3",
    "/runs-compared?run=hostile&run=other",
    "/runs/long",
    "/runs/many",
    "/runs/worrying",
    "/runs/small",
    "/evals/second/questions/21",
)
DRAWN_PATHS = ("/runs/talk/rollouts/0", "/evals/eval/failures", "/evals/eval/questions/1")


def test_problems_are_drawn_and_so_is_the_answer_on_demand(page, drawn):
    page.goto(f"{drawn}/env/{DRAWN_IN}?d=1&seed=3")
    picture = page.locator("#problem > .picture svg")
    prompt, box = page.locator("#prompt").bounding_box(), picture.bounding_box()
    assert 0 <= box["y"] - prompt["y"] - prompt["height"] < 20  # directly below
    assert box["width"] >= 180
    answered = page.locator("#reference .picture svg")
    expect(answered).to_have_count(0)
    page.click("text=Show a correct answer")
    expect(answered).to_be_visible()
    assert answered.inner_html() != picture.inner_html()
    for there in ("/runs/grids/rollouts/0", "/evals/eval/questions/1"):
        page.goto(f"{drawn}{there}")
        shown = page.locator(".side > div:first-child > div .picture svg").first
        expect(shown).to_be_visible()
        page.click("summary:has-text('A correct answer')")
        expect(page.locator("details .picture svg")).to_be_visible()
        assert page.locator("details .picture svg").inner_html() != shown.inner_html()


@pytest.mark.parametrize("page", [{"viewport": {"width": 1280, "height": 800}}], indirect=True)
def test_a_frontier_leads_to_the_outputs_behind_it(page, drawn):
    page.goto("/frontiers")
    assert page.evaluate(SIDEWAYS) == []
    page.goto(f"{drawn}/frontiers/frontier")
    assert page.evaluate(SIDEWAYS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    row = page.locator("h2:has-text('By environment') ~ .scroll tr", has_text="Sorting")
    row.locator("a", has_text=" of 1").nth(5).click()
    assert page.url.endswith("/evals/frontier?environment=Sorting&difficulty=5#questions")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    assert page.locator(".partial").count() == 0
    page.click("#rows tbody a")
    assert page.locator(".output").count() == 1
    page.goto("/frontiers/nano.json")  # a profile alone
    assert page.locator("a[href^='/evals/']").count() == 0


def test_failures_are_narrowed_to_an_environment_and_a_level(page):
    page.goto("/runs/hostile/failures")
    page.wait_for_selector("[data-name=endings] canvas")
    legend = page.locator("[data-name=endings] .u-legend")
    expect(legend).to_contain_text("ill-formed")
    page.select_option("#environment", "SAT")
    page.wait_for_url("**/failures?environment=SAT*")
    expect(legend).not_to_contain_text("ill-formed")
    page.locator("[data-name=endings] .u-over").click(position={"x": 2, "y": 40})
    page.click("[data-name=endings] .at a")
    assert address(page) == "/runs/hostile/rollouts?environment=SAT&first=1&last=1"
    expect(page.locator("#rows tbody tr")).to_have_count(1)


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page):
    page.goto("/env/Sorting?d=1&seed=1")
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.innerText")
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", reached[-1]
    for name in ("Skip to content", "Runs", "difficulty", "difficulty-value", "seed", "answer"):
        assert name in reached


def test_a_report_works_from_disk(page, tmp_path):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    folder = make_run(tmp_path / "runs" / "saved", NAMES, steps=120)
    page.goto(write_report(folder).as_uri())
    page.wait_for_selector("[data-name=validation] canvas")
    assert len(asked) == 1  # the page alone
    assert "120 of 400" in page.locator(".numbers").inner_text()
    # Long runs are smoothed, with what was measured behind.
    expect(page.locator("#smooth-value")).to_have_text("mean of 5 values, raw values behind")
    assert page.evaluate(KINDS, "reward") == ["faint", "line"]
    bands = page.locator("[data-name=validation] .u-legend").inner_text()
    assert "56.2% (" in bands
    assert "95% interval over problems" in page.locator("[data-name=validation] .note").inner_text()
    # Everybody sees the same step: the crosshair is shared.
    over = page.locator("[data-name=reward] .u-over")
    over.focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-name=levels] .u-legend")).to_contain_text("step1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-name=levels] .u-legend")).to_contain_text("step2")
    assert "Reward" in over.get_attribute("aria-valuetext")
    make_frontiers(tmp_path / "evals")
    for other in (
        make_teaching_run(tmp_path / "runs" / "taught"),
        make_evaluation(tmp_path / "evals" / "eval", 0.5),
        tmp_path / "evals" / "strong",
    ):
        page.goto(write_report(other).as_uri())
        page.wait_for_load_state("load")
        assert page.locator("h1").count() == 1


STILL = [{**screen, "java_script_enabled": False} for screen in SCREENS]


@pytest.mark.parametrize("page", STILL, indirect=True)
def test_a_report_has_pictures_where_scripts_do_not_run(page, tmp_path):
    page.goto(write_report(make_run(tmp_path / "run", NAMES, steps=40)).as_uri())
    for place in page.locator(".chart > svg text").all():
        assert place.bounding_box()["height"] > 11 or not place.is_visible()
    for note in page.locator(".chart .note").all():  # all of it can be read
        assert note.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")
    assert page.locator(".scroll td:not([data-label])").count() == 0
    pictures = page.locator(".chart > svg")
    assert pictures.count() > 10
    assert pictures.first.is_visible()
    assert "Accuracy on test problems" in page.locator(".chart .title").all_inner_texts()
    assert "temperature 0.6 56.2%" in page.locator(".legend-line").first.inner_text()


LAPTOPS = [{"viewport": {"width": w, "height": h}} for w, h in ((1280, 720), (1440, 900))]


@pytest.mark.parametrize("page", LAPTOPS, indirect=True)
def test_a_laptop_shows_what_matters_without_scrolling(page):
    page.goto("/runs")
    assert page.evaluate(SIDEWAYS) == []
    assert "test accuracy" in page.locator("#rows thead").inner_text()
    for run in ("hostile", "long", "many", "worrying"):
        page.goto(f"/runs/{run}")
        page.wait_for_selector("[data-name=levels] canvas")
        for name in ("validation", "reward", "levels", "accuracy_at_high"):
            box = page.locator(f"[data-name={name}] .u-wrap").bounding_box()
            assert box["y"] + box["height"] <= page.viewport_size["height"], (run, name)
            assert box["width"] > 250
        first = page.locator(".charts.key").bounding_box()
        last = page.locator(".charts.key .chart").last.bounding_box()
        assert last["x"] + last["width"] == pytest.approx(first["x"] + first["width"], abs=2)
        assert page.evaluate(CAPTIONS) == []
        assert page.evaluate(TWICE) == []
    page.mouse.wheel(0, 3000)
    expect(page.locator("#smooth")).to_be_in_viewport()  # controls stay
    page.goto("/runs-compared?run=hostile&run=other&seeds=true")
    page.wait_for_selector("[data-name=validation] canvas")
    note = page.locator("[data-name=validation] .note").inner_text()
    assert "lowest to highest seed" in note
    assert "95% interval" not in note


def test_the_first_page_tells_of_runs_and_evaluations(page):
    page.goto("/")
    news = page.locator(".news")
    expect(news).to_contain_text("test accuracy 37.5 → 56.2%")
    expect(news).to_contain_text("40 of 80 outputs judged")
    news.locator("a").first.click()
    assert address(page).startswith("/runs/")
    page.click(".foot summary")
    expect(page.locator(".foot")).to_contain_text("the difficulty at which a model is right half")


def test_no_difficulty_beyond_the_highest_can_be_asked_for(page):
    name = next(n for n in rlve.environments() if (entry(n).max_difficulty or 0) > 40)
    highest = str(entry(name).max_difficulty)
    page.goto(f"/env/{name}")
    page.fill("#difficulty-value", "9999999")
    expect(page.locator("#difficulty-value")).to_have_value(highest)
    expect(page.locator("#difficulty-told")).to_have_text(f"The highest difficulty is {highest}.")
    assert page.locator("#difficulty").get_attribute("max") == "40"


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_on_a_phone_rows_come_before_their_filters(page):
    page.goto("/runs/hostile/rollouts")
    assert not page.locator("#filter").is_visible()
    assert page.locator("#rows tbody tr").first.bounding_box()["y"] < 844
    page.click(".filters summary")
    page.select_option("#outcome", "mixed")
    expect(page.locator("#rows [role=status]")).to_have_text("6 groups")


def saved(tmp_path, *, names=NAMES, steps=120):
    """A report of a run with gaps, and what it draws."""
    folder = make_run(tmp_path / "runs" / "saved", names, steps=steps)
    change(folder, **dict.fromkeys(QUIET))
    (found,) = Folders([folder]).all("train")
    return write_report(folder), draw_runs([RunBook().open(found)], {found.id: 0})


# What is drawn with scripts and, of the same page, without.
DRAWN = """() => Object.fromEntries([...document.querySelectorAll(".chart")].map((chart) => [
  chart.dataset.name, {
    title: chart.querySelector(".title").textContent,
    note: chart.querySelector(".note").textContent,
    section: chart.closest("details")?.querySelector("h2").textContent ?? "",
    names: [...chart.querySelectorAll(".u-series:not([hidden]) th")].slice(1)
      .map((each) => each.textContent.trim()),
    latest: [...chart.querySelectorAll(".u-series:not([hidden]) td")].slice(1)
      .map((each) => each.textContent.trim().replace(/, n = .*/, "")),
    rows: [...chart.querySelectorAll(".heat-map li")].map((each) => each.textContent),
    scale: chart.querySelector(".legend-bar")?.textContent ?? "",
  }]))"""


PICTURES = """() => {
  const still = new DOMParser().parseFromString(
    document.querySelector("noscript").textContent, "text/html");
  return Object.fromEntries([...still.querySelectorAll(".chart")].map((chart) => [
    chart.id.replace("chart-", ""), {
      title: chart.querySelector(".title").textContent,
      note: chart.querySelector(".note").textContent,
      section: chart.closest("details")?.querySelector("h2").textContent ?? "",
      text: chart.querySelector(".legend-line")?.textContent ?? "",
      rows: [...chart.querySelectorAll(".heat-map li")].map((each) => each.textContent),
      scale: chart.querySelector(".legend-bar")?.textContent ?? "",
    }]));
}"""


SCALES = """() => Object.fromEntries([...document.querySelectorAll(".chart")].filter((c) => c.plot)
  .map((chart) => [chart.dataset.name, ["x", "y"].map((name) => {
    const { min, max } = chart.plot.scales[name];
    return [min, max];
  })]))"""


# The colours of a heat map: as it is drawn, and in the picture.
CELLS = """async (name) => {
  const canvas = document.querySelector(`[data-name=${name}] canvas.heat`);
  const still = new DOMParser().parseFromString(
    document.querySelector("noscript").textContent, "text/html");
  const image = new Image();
  image.src = still.querySelector(`#chart-${name} img`).src;
  await image.decode();
  const copy = Object.assign(document.createElement("canvas"),
    { width: image.naturalWidth, height: image.naturalHeight });
  copy.getContext("2d").drawImage(image, 0, 0);
  return [canvas, copy].map((each) => [each.width, each.height,
    ...each.getContext("2d").getImageData(0, 0, each.width, each.height).data]);
}"""


@pytest.mark.parametrize("count", [2, 12])
def test_a_report_draws_the_same_with_and_without_scripts(page, tmp_path, count):
    report, drawn = saved(tmp_path, names=(*NAMES, *rlve.environments()[:10])[:count])
    page.goto(report.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    page.wait_for_function(
        "[...document.querySelectorAll('.chart')].every((c) => c.querySelector('canvas'))"
    )
    live, still = page.evaluate(DRAWN), page.evaluate(PICTURES)
    assert live.keys() == still.keys() == drawn.charts.keys()
    for name, each in live.items():
        other = still[name]
        for part in ("title", "note", "section", "rows"):
            assert each[part] == other[part], (name, part)
        for text in (*each["names"], *each["latest"]):
            assert text in other["text"], (name, text)
        assert each["scale"] == other["scale"], name
    reach = svg.usual_reach(drawn.axes)
    assert reach == 2
    for name, (across, up) in page.evaluate(SCALES).items():
        chart = drawn.charts[name]
        curves = svg.arrange(chart, drawn.axes, reach)
        assert across == pytest.approx(svg.extent(chart, drawn.axes)), name
        assert up == pytest.approx(svg.ends(chart, curves), rel=1e-3), name
    heat = [name for name, each in drawn.charts.items() if isinstance(each, HeatMap)]
    assert ("levels_of" in heat) == (count > 8)
    for name in heat:
        one, two = page.evaluate(CELLS, name)
        assert max(abs(a - b) for a, b in zip(one, two, strict=True)) <= 2, name


@pytest.mark.parametrize("page", [{"viewport": {"width": 1280, "height": 800}}], indirect=True)
def test_a_logarithmic_scale_is_for_what_has_a_logarithm(page):
    page.goto("/runs/small?open=sampling,update,time&log=true")
    for name, linear in {
        "grad_norm": False,
        "loss": True,
        "time": True,
        "accuracy_at_high": True,
    }.items():
        chart = page.locator(f"[data-name={name}]")
        expect(chart.locator("canvas")).to_be_attached()
        assert ("Linear: a log" in chart.locator(".note").text_content()) == linear, name
        assert page.evaluate(DISTRIBUTION, name) == (1 if linear else 3), name
    page.goto("/runs/small?open=update")
    gap = page.locator("[data-name=sampler_gap]")
    expect(gap.locator(".u-legend")).to_contain_text("5.8e-7")
    widths = page.evaluate(WIDTHS, "sampler_gap")
    assert 0 < max(widths) < 50  # of 56 beside the axis


DISTRIBUTION = "(name) => document.querySelector(`[data-name=${name}]`).plot.scales.y.distr"
# How wide the numbers beside a chart are.
WIDTHS = """(name) => {
  const { plot } = document.querySelector(`[data-name=${name}]`);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px system-ui, sans-serif";
  return plot.axes[1]._values.filter(Boolean).map((text) => pen.measureText(text).width);
}"""

# Whether there is something of its colour halfway between the first two points of a curve.
JOINED = """([name, curve]) => {
  const figure = document.querySelector(`[data-name=${name}]`), { plot, spec } = figure;
  const aside = (curve - (spec.series.length - 1) / 2) * 6 * devicePixelRatio;
  const { values } = spec.series[curve];
  const at = (x, y) => [plot.valToPos(x, "x", true) + aside, plot.valToPos(y, "y", true)];
  const [from, to] = [0, 1].map((i) => at(spec.x[i], values[i]));
  const [x, y] = [0, 1].map((i) => Math.round((from[i] + to[i]) / 2) - 2);
  const { data } = figure.querySelector("canvas").getContext("2d").getImageData(x, y, 4, 4);
  return data.filter((each, i) => i % 4 === 3).some((alpha) => alpha > 200);
}"""


def test_lines_meet_their_points_and_legends_name_what_was_measured(page):
    page.goto("/evals-compared?first=first&second=second")
    chart = page.locator("[data-name=levels-of-evals]")
    expect(chart.locator("canvas")).to_be_visible()
    assert page.evaluate(JOINED, ["levels-of-evals", 0])
    assert page.evaluate(JOINED, ["levels-of-evals", 1])
    assert chart.locator(".u-legend td").all_inner_texts() == ["", "", ""]
    page.goto("/runs/long")  # whose curves are smoothed
    expect(page.locator("[data-name=reward] .u-legend")).to_contain_text("0.3")  # 120 of 400


def test_a_heat_map_is_reached_by_the_keyboard_and_told_in_words(page):
    page.goto("/runs/many")
    page.wait_for_selector("[data-name=levels_of] canvas.heat")
    canvas = page.locator("[data-name=levels_of] canvas.heat")
    names = page.evaluate("document.querySelector('[data-name=levels_of]').spec.names")
    assert f"{names[0]} from 2 to 2; {names[1]} from" in canvas.get_attribute("aria-label")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    readout = page.locator("[data-name=levels_of] .legend-bar [role=status]")
    expect(readout).to_have_text(re.compile(rf"{names[1]}: h = \d+ at step 5"))
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text("at step 4")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/many/rollouts?**")
    assert f"first=4&last=4&environment={names[1]}" in page.url


# The columns of a chart in which something is drawn in the colour of its first curve.
COLUMNS_DRAWN = """(name) => {
  const figure = document.querySelector(`[data-name=${name}]`), { plot } = figure;
  const canvas = figure.querySelector("canvas");
  const { left, top, width, height } = plot.bbox;
  const { data } = canvas.getContext("2d").getImageData(left, top, width, height);
  let columns = 0;
  for (let x = 0; x < width; x++) for (let y = 0; y < height; y++) {
    const [r, g, b, a] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 4);
    if (a > 200 && r < 40 && Math.abs(g - 114) < 20 && Math.abs(b - 178) < 20) { columns++; break; }
  }
  return columns / width;
}"""


def test_values_between_gaps_are_drawn(page, tmp_path):
    page.goto("/runs/quiet")
    page.click("summary:has-text('Constant so far')")
    for name in ("reward", "accuracy", "accuracy_at_high"):
        page.wait_for_selector(f"[data-name={name}] canvas")
        page.locator(f"[data-name={name}]").scroll_into_view_if_needed()
        assert page.evaluate(COLUMNS_DRAWN, name) > 0.8, name
    once = make_run(tmp_path / "runs" / "once", NAMES, steps=1)
    page.goto(write_report(once).as_uri())  # a single value is a point
    page.wait_for_selector("[data-name=reward] canvas")
    assert 0 < page.evaluate(COLUMNS_DRAWN, "reward") < 0.1
    (found,) = Folders([once]).all("train")
    drawn = draw_runs([RunBook().open(found)], {found.id: 0})
    assert str(svg.draw_all(drawn, SECTIONS)).count("<circle") >= 4


@pytest.mark.parametrize("page", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_nothing_is_shown_that_does_nothing(page, tmp_path):
    report, drawn = saved(tmp_path)
    page.goto(report.as_uri())
    assert page.locator("#chart-controls").is_hidden()
    assert page.locator("button:visible, input:visible, select:visible").count() == 0
    constant = page.locator("details.section", has_text="Constant so far")
    assert constant.get_attribute("open") is None
    page.emulate_media(media="print")
    assert constant.locator("svg").first.is_visible()
    assert page.locator(".chart:visible").count() == len(drawn.charts)


@pytest.mark.parametrize("page", [{}, {"color_scheme": "dark"}], indirect=True)
def test_on_paper_everything_is_open_and_nothing_sticks(page, tmp_path):
    report, drawn = saved(tmp_path)
    page.goto(report.as_uri())
    page.wait_for_selector("[data-name=validation] canvas")
    closed = page.locator("details.section:not([open])")
    before = closed.count()
    assert before > 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert closed.count() == 0
    assert page.locator(".chart canvas:visible").count() == len(drawn.charts)
    widths = page.evaluate(
        "[...document.querySelectorAll('.chart .u-wrap')].map((e) => e.offsetWidth)"
    )
    assert max(widths) <= 680
    assert (
        page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')")
        == "#fff"
    )
    for place in (".top", "#chart-controls"):
        assert page.locator(place).evaluate("(e) => getComputedStyle(e).position") == "static"
    assert page.locator("button:visible").count() == 0
    assert len(page.pdf()) > 50_000
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == before


def test_each_warning_leads_to_what_it_is_about(page, place):
    (place / "runs" / "worrying" / METRICS).touch()  # the latest
    page.goto("/runs/worrying")
    warnings = page.locator(".concerns li")
    page.wait_for_selector("[data-name=validation] canvas")
    warnings.filter(has_text="hardly vary").locator("a").click()
    expect(page.locator("#chart-entropy canvas")).to_be_in_viewport()  # its section opens
    warnings.filter(has_text="cut off").locator("a").click()
    assert address(page) == "/runs/worrying/rollouts?outcome=cut-off"
    page.goto("/")
    page.locator(".news a", has_text="Entropy").click()
    assert page.url.endswith("/runs/worrying#chart-entropy")
    expect(page.locator("#chart-entropy canvas")).to_be_in_viewport()


def test_runs_are_grouped_by_a_setting(page, place, studio):
    for n, group in enumerate((8, 8, 16)):
        folder = make_run(place / "runs" / f"grouped-{n}", NAMES, steps=2 + n)
        config = json.loads((folder / CONFIG).read_text())
        config["rollout"]["group"] = group
        (folder / CONFIG).write_text(json.dumps(config))
    studio.folders._since = float("-inf")
    page.goto("/runs?q=grouped")
    page.select_option("#by", "rollout.group")
    means = page.locator("#rows tr.means")
    expect(means).to_have_count(2)
    eight = means.filter(has_text="rollout.group = 8 (2 runs)").inner_text()
    assert "2 (2 to 3)" in eight  # steps
    assert "the lowest and the highest of them" in page.locator("#rows .note").inner_text()
    assert page.locator("#rows tbody tr").count() == 5
    page.reload()
    expect(means).to_have_count(2)
    assert "by=rollout.group" in page.url
