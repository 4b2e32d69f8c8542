"""The studio in a real browser: every test also sees to it that the console is silent, and that
nothing is asked of another host."""

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright", reason="the browser is driven by playwright: rlve[dev]")

from playwright.sync_api import expect

import rlve
from rlve.registry import entry
from rlve.server.studio.app import create_studio
from rlve.server.studio.export import export
from rlve.server.studio.folders import Folders
from rlve.server.studio.views import Studio
from support.browser import browser, chromium
from support.serving import serving
from support.studio_folders import HOSTILE, add_step, make_evaluation, make_run

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
    make_run(place / "runs" / "other", NAMES, steps=3)
    make_run(place / "runs" / "many", rlve.environments()[:30], steps=5)
    make_evaluation(place / "evals" / "first", 0.3, output=HOSTILE)
    make_evaluation(place / "evals" / "second", 0.8, seed=1)
    return place


@pytest.fixture(scope="module")
def studio(place, pool):
    return Studio(Folders([place / "runs", place / "evals"]), pool)


@pytest.fixture(scope="module")
def url(studio):
    with serving(create_studio(studio)) as found:
        yield found


# What htmx says of requests under way when a page is left or loaded again. It says more of one that
# fails, and so does the browser.
LEFT = ("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort")


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
    assert [text for text in complaints if not text.startswith(LEFT)] == []
    assert hosts <= {"127.0.0.1"}


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
    every = len(rlve.environments())  # tests before this one may have registered some
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
    page.select_option("#family", "")
    page.fill("#max", "1000")
    far = [e for e in map(entry, rlve.environments()) if (e.max_difficulty or 1000) >= 1000]
    assert page.locator(".card:visible").count() == len(far)
    page.fill("#q", "nothing has this")
    assert page.locator("#none").is_visible()


def test_the_slider_and_the_button_show_real_problems(page):
    page.goto("/env/Sorting?d=1&seed=5")
    assert page.locator("#prompt").inner_text() == shown(page).prompt()
    slider = page.locator("#difficulty")
    for _ in range(3):
        slider.press("ArrowRight")
    page.wait_for_url("**/env/Sorting?d=4&seed=5")
    assert page.locator("#difficulty-value").inner_text() == "4"
    assert page.locator("#prompt").inner_text() == shown(page).prompt()
    page.click("text=New problem")
    page.wait_for_url(lambda there: "d=4" in there and not there.endswith("seed=5"))
    first = page.url
    page.locator("h1").click()
    page.keyboard.press("n")
    page.wait_for_url(lambda there: there != first)
    problem = shown(page)
    assert page.locator("#prompt").inner_text() == problem.prompt()
    page.reload()
    assert page.locator("#prompt").inner_text() == problem.prompt()
    page.click("text=Parameters")
    assert '"gold_answer"' in page.locator("details pre").first.inner_text()


def test_an_answer_is_judged_live(page):
    page.goto("/env/Sorting?d=2&seed=3")
    page.fill("#answer", "a b")
    page.keyboard.press("Control+Enter")
    verdict = page.locator(".verdict")
    verdict.wait_for()
    assert "Unreadable" in verdict.inner_text()
    assert "reward -1" in verdict.inner_text()
    assert "not an integer" in verdict.inner_text()
    page.click("text=Show a correct answer")
    page.click("text=Use it")
    assert page.input_value("#answer") == shown(page).reference()
    page.click("button:has-text('Judge')")
    page.wait_for_selector(".verdict.right")
    assert "reward 1" in page.locator(".verdict").inner_text()
    page.locator("#difficulty").press("ArrowRight")
    page.wait_for_url("**d=3&seed=3")
    assert page.locator(".verdict").count() == 0


def test_an_environment_shows_levels_lengths_and_accuracy(page, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page.goto("/env/Sorting")
    page.wait_for_selector("[data-name=lengths] canvas")
    page.wait_for_selector("[data-name=accuracy] canvas")
    told = page.locator("[data-name=accuracy] .uplot").get_attribute("aria-label")
    for name in ("first", "second", "hostile, step 6"):
        assert name in told
    assert page.locator("h2:has-text('Levels') ~ .scroll tbody tr").count() == 21
    assert "not checked" in page.locator("#check").inner_text()
    page.click("text=check now")
    page.wait_for_selector("#check.right")
    assert "no complaints, checked" in page.locator("#check").inner_text()
    page.click("text=Source: sorting.py")
    assert "class Sorting(" in page.locator("pre").inner_text()
    page.go_back()
    page.click("text=Catalogue: arrays")
    assert address(page) == "/catalogue/arrays"


def test_a_run_grows_while_its_page_is_open(page, place, studio):
    folder = make_run(place / "runs" / "growing", NAMES, steps=2)
    studio.folders._since = -100.0  # look at once
    page.goto("/runs/growing")
    page.wait_for_selector("[data-name=levels] canvas")
    assert page.locator("[data-text=step]").inner_text() == "2"
    assert page.locator(".chart").count() == 8
    for step in (3, 4, 5):
        add_step(folder, NAMES, step)
    expect(page.locator("[data-text=step]")).to_have_text("5")
    assert "In 5 steps" in page.locator("[data-text=headline]").inner_text()
    assert page.title().startswith("growing")


def test_runs_lie_over_each_other_and_many_environments_are_a_heat_map(page):
    page.goto("/runs")
    page.check("#pick-hostile")
    page.check("#pick-other")
    page.click("text=Compare the chosen runs")
    page.wait_for_selector("[data-name=reward] canvas")
    label = page.locator("[data-name=reward] .uplot").get_attribute("aria-label")
    assert "hostile from" in label
    assert "other from" in label
    page.goto("/runs/many")
    page.wait_for_selector("canvas.heat")
    page.hover("canvas.heat")
    assert re.search(r"\w+: h = \d+ at step \d", page.locator(".legend-bar").inner_text())


def test_rollouts_are_filtered_and_lead_to_their_problem(page):
    page.goto("/runs/hostile/rollouts")
    count = page.locator("#rows [role=status]")
    assert count.inner_text() == "18 groups"
    page.select_option("#outcome", "mixed")
    expect(page.locator("#rows [role=status]")).to_have_text("6 groups")
    page.fill("#first", "3")
    page.fill("#text", "right 5")
    expect(page.locator("#rows [role=status]")).to_have_text("1 group")
    assert "outcome=mixed" in page.url
    assert "text=right" in page.url
    page.reload()
    assert count.inner_text() == "1 group"
    page.click("#rows tbody a")
    outputs = page.locator(".output")
    assert outputs.count() == 4
    assert "advantage +1.50" in outputs.nth(0).inner_text()
    assert "<script>document.title" in outputs.nth(2).inner_text()
    assert "\u241b[31mred" in outputs.nth(2).inner_text()
    assert "owned" not in page.title()
    page.click("text=This problem in its environment")
    assert re.fullmatch(r"/env/Sorting\?d=0&seed=\d+", address(page))
    assert page.locator("#prompt").inner_text() == shown(page).prompt()


def test_evaluations_show_every_question_and_two_of_them_side_by_side(page):
    page.goto("/evals")
    page.click("text=second")
    page.wait_for_selector("[data-name=levels-of-eval] canvas")
    page.select_option("#environment", "Division")
    page.fill("#difficulty-is", "1")
    expect(page.locator("#rows [role=status]")).to_have_text("5 questions")
    page.click("#rows tbody a >> nth=0")
    assert page.locator(".output").count() == 4
    page.goto("/evals")
    page.check("input[name=first][value=first]")
    page.check("input[name=second][value=second]")
    page.click("text=Compare the two")
    assert "second has accuracy" in page.locator(".lead").inner_text()
    assert page.locator(".pair").count() > 0
    page.click("text=The first is right more often")
    assert "ahead=first" in page.url
    assert "owned" not in page.title()


@pytest.mark.parametrize(
    "page", [{"java_script_enabled": True, "viewport": {"width": 390, "height": 844}}],
    indirect=True,
)  # fmt: skip
def test_on_a_phone_nothing_is_wider_than_the_screen(page):
    for path in PATHS:
        page.goto(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, path


PATHS = (
    "/",
    "/env/Sorting?d=1&seed=1",
    "/runs",
    "/runs/hostile",
    "/runs/hostile/rollouts",
    "/runs/hostile/rollouts/15",
    "/evals",
    "/evals/first",
    "/evals-compared?first=first&second=second",
)

# Every text that is seen: its contrast with what is behind it, by the formula of WCAG.
FAINT = """() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (place) => {
    for (; place; place = place.parentElement) {
      const found = parts(getComputedStyle(place).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const place = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !place.checkVisibility()) continue;
    if (place.closest("script, .skip, canvas")) continue;
    const [a, b] = [light(parts(getComputedStyle(place).color)), light(behind(place))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${place.tagName}.${place.className} ${ratio.toFixed(1)}`);
  }
  return [...found];
}"""

# Every field has a name that a screen reader can say, and every page one first heading.
UNNAMED = """() => [
  ...[...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
    .filter((each) => !each.labels.length && !each.getAttribute("aria-label")),
  ...[...document.querySelectorAll("button, a")].filter((each) => !each.textContent.trim()),
].map((each) => each.outerHTML)"""


@pytest.mark.parametrize(
    "page", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True
)
def test_texts_can_be_read_and_fields_have_names(page):
    for path in PATHS:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(FAINT) == [], path
        assert page.evaluate(UNNAMED) == [], path
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.lang") == "en"


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page):
    page.goto("/env/Sorting?d=1&seed=1")
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.innerText")
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", reached[-1]
    for name in ("Skip to content", "Runs", "difficulty", "seed", "answer"):
        assert name in reached


def test_the_export_works_from_any_web_server(page, studio, tmp_path):
    export(studio, tmp_path / "deep" / "site", names=["Sorting", "SAT"])

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.goto(f"http://127.0.0.1:{server.server_port}/deep/site/index.html")
        page.fill("#q", "sort")
        expect(page.locator("#count")).not_to_have_text("400 environments")
        page.click(".card:visible:has(strong:text-is('Sorting')) a")
        page.wait_for_selector("[data-name=lengths] canvas")
        problem = rlve.environment("Sorting").generate(difficulty=2, seed=1)
        assert problem.prompt() in page.locator("#d2-1 pre").first.inner_text()
        page.click("nav >> text=Runs")
        page.click("text=hostile")
        page.wait_for_selector("[data-name=levels] canvas")
        page.click("text=Rollouts: prompts")
        assert page.locator(".group").count() == 3
        page.click("nav >> text=Evaluations")
        page.click("text=first")
        assert page.locator(".group").count() == 20
        assert "owned" not in page.title()
    finally:
        server.shutdown()
        server.server_close()
