"""The leaderboard: a static page that ranks profiles, and says how each was measured."""

from collections.abc import Sequence
from html import escape

from rlve.evaluate.frontier.profile import FrontierProfile
from rlve.files import pretty
from rlve.reports.frontier import family_rows, headline, interval_text
from rlve.reports.pages import count, details, document, table

HEADINGS = (
    *("model", "frontier", "95% interval", "read forgivingly", "environments"),
    *("below 0", "beyond", "outputs", "tokens", "collection", "seed"),
)

STYLE = """
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid #0072B2; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
"""

SCRIPT = """
const table = document.querySelector("table.sortable"), body = table.tBodies[0];
table.querySelectorAll("th").forEach((head, column) => {
  head.querySelector("button").addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    const key = row => row.cells[column].dataset.key;
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      return isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
    };
    [...body.rows].sort((a, b) => (up ? 1 : -1) * order(a, b)).forEach(row => body.append(row));
    table.querySelectorAll("th").forEach(each => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  });
});
"""


def rows(profiles: Sequence[FrontierProfile]) -> list[tuple[str, ...]]:
    """A row for each profile, under HEADINGS."""
    return [tuple(text for text, _ in _cells(profile)) for profile in profiles]


def page(profiles: Sequence[FrontierProfile]) -> str:
    """One HTML file; names are escaped."""
    head = "".join(f"<th><button>{escape(text)}</button></th>" for text in HEADINGS)
    lines = "\n".join(
        "<tr>"
        + "".join(
            f'<td data-key="{escape(str(key))}">{escape(text)}</td>'
            for text, key in _cells(profile)
        )
        + "</tr>"
        for profile in profiles
    )
    body = [
        "<h1>The frontiers of models</h1>",
        f"<p>{count(len(profiles), 'profile')}. The frontier is the difficulty at which a model is "
        "right half of the time, averaged over environments; so is its 95% interval. "
        "Compare only what was measured on the same collection.</p>",
        f'<div class="wide"><table class="sortable"><thead><tr>{head}</tr></thead>\n<tbody>{lines}'
        "</tbody></table></div>",
        "<h2>How each was measured</h2>",
        *(_measured(profile) for profile in profiles),
        f"<script>{SCRIPT}</script>",
    ]
    return document("The frontiers of models", body, style=STYLE)


def _cells(profile: FrontierProfile) -> list[tuple[str, str | float]]:
    """What is shown, and what it is sorted by."""
    places = [each.place for each in profile.environments.values()]
    tokens = profile.tokens
    return [
        (profile.model, profile.model),
        (f"{profile.frontier.value:.2f}", profile.frontier.value),
        (interval_text(profile.frontier), profile.frontier.interval[0]),
        (f"{profile.forgiving.value:.2f}", profile.forgiving.value),
        (f"{len(places):,}", len(places)),
        (f"{places.count('below'):,}", places.count("below")),
        (f"{places.count('beyond'):,}", places.count("beyond")),
        (f"{profile.outputs:,}", profile.outputs),
        ("" if tokens is None else f"{tokens:,}", tokens or 0),
        (profile.collection, profile.collection),
        (str(profile.seed), profile.seed),
    ]


def _measured(profile: FrontierProfile) -> str:
    families = table(
        ("family", "environments", "frontier", "95% interval", "read forgivingly"),
        family_rows(profile),
    )
    plan = f"<pre>{escape(pretty(profile.plan).decode())}</pre>"
    words = (
        f"<p>{escape(headline(profile))}. Measured with version {escape(profile.plan.version)}.</p>"
    )
    return details(escape(f"{profile.model}, seed {profile.seed}"), words + families + plan)
