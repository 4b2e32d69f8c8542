"""Finding frontiers: the curves, the rounds, resuming, the profile and what is made of profiles."""

import json
import resource
from math import exp
from random import Random

import pytest

import rlve
from rlve.cli import main
from rlve.errors import UserError
from rlve.evaluate.backends import DOES_NOT_FIT, ModelOutput, Sampling
from rlve.evaluate.frontier.compare import compare_profiles, difference, find_profiles
from rlve.evaluate.frontier.curves import HIGHEST, Tally, posteriors
from rlve.evaluate.frontier.measure import ROUND, make_plan, measure
from rlve.evaluate.frontier.profile import Measured, is_profile, mean_of, read_profile
from rlve.reports import tell
from rlve.server.studio.saved import write_report

NAMES = ("Sorting", "Multiplication", "EuclidGame")
BUDGET = 40 * len(NAMES)


class Simulated:
    """A model that is right with a chance that falls with the difficulty, by environment."""

    def __init__(self, frontiers, stops_after=None, holds=HIGHEST, fenced=()):
        self.frontiers, self.fenced = frontiers, fenced
        self.stops_after, self.holds = stops_after, holds
        self.rounds = []

    def generate(self, requests, sampling):
        self.rounds.append([request.key.id for request in requests])
        for request in requests:
            name, level, seed = request.key.id.split("/")
            if self.stops_after == 0:
                raise KeyboardInterrupt
            if self.stops_after:
                self.stops_after -= 1
            if int(level) > self.holds:
                yield request.key, DOES_NOT_FIT
                continue
            chance = 1 / (1 + exp(2 * (int(level) - self.frontiers[name])))
            problem = rlve.environment(name).generate(difficulty=int(level), seed=int(seed))
            right = Random(request.seed).random() < chance
            text = problem.reference() if right else "nothing"
            if name in self.fenced:
                text = f"```\n{text}\n```"
            yield request.key, ModelOutput(f"<answer>{text}</answer>", "stop", 5, 0.1)


def plan_for(outputs=BUDGET, seed=1, **changes):
    settings = {"model": "m", "backend": "fake", "format": "plain", "outputs": outputs}
    return make_plan(NAMES, **(settings | changes), sampling=Sampling(seed=seed))


TRUTH = {"Sorting": 3.3, "Multiplication": -5.0, "EuclidGame": 6.5}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frontiers") / "m"
    model = Simulated(TRUTH, fenced=["EuclidGame"])
    return folder, measure(plan_for(), model, folder, workers=1), model


def test_frontiers_are_found_and_the_budget_goes_where_it_says_most(measured):
    folder, profile, model = measured
    found = profile.environments
    assert abs(found["Sorting"].frontier.value - 3.3) < 1
    low, high = found["Sorting"].frontier.interval
    assert low <= 3.3 <= high
    assert found["Multiplication"].place == "below"
    assert found["Multiplication"].frontier.interval == (0, 0)
    # Answers of EuclidGame are right, but in another form.
    assert found["EuclidGame"].place == "below"
    assert found["EuclidGame"].forgiving.value > 3
    assert profile.forgiving.value > profile.frontier.value
    assert sum(each.outputs for each in found.values()) == profile.outputs <= BUDGET
    asked = [
        level for level in found["Sorting"].levels for _ in range(found["Sorting"].levels[level][1])
    ]
    assert sum(1 <= level <= 6 for level in asked) > 0.6 * len(asked)
    assert len(model.rounds[0]) == ROUND * len(NAMES)
    assert read_profile(folder) == profile
    assert "frontier" in tell(folder)
    assert "Sorting" in write_report(folder).read_text()


def test_an_interrupted_measurement_resumes_to_the_same_profile(measured, tmp_path):
    _, profile, _ = measured
    for stop in (5, 30, 20):
        with pytest.raises(KeyboardInterrupt):
            measure(plan_for(), Simulated(TRUTH, stop, fenced=["EuclidGame"]), tmp_path, workers=1)
    whole = measure(plan_for(), Simulated(TRUTH, fenced=["EuclidGame"]), tmp_path, workers=1)
    assert whole == profile
    with pytest.raises(UserError, match="seed is 1 there and 2 here"):
        measure(plan_for(seed=2), Simulated(TRUTH), tmp_path)


def test_what_the_context_cannot_hold_is_told_apart_and_a_budget_can_grow(tmp_path):
    strong = {"Sorting": 50.0, "Multiplication": 50.0, "EuclidGame": 2.0}
    profile = measure(plan_for(48), Simulated(strong, holds=9), tmp_path, workers=1)
    each = profile.environments["Sorting"]
    assert each.limit == "context"
    assert each.top <= 12
    assert each.frontier.interval[1] == each.top
    assert each.frontier.value > 8
    assert all(level <= 9 for level in each.levels)
    more = measure(plan_for(72), Simulated(strong, holds=9), tmp_path, workers=1)
    assert more.outputs > profile.outputs
    nothing = measure(plan_for(24), Simulated(strong, holds=9), tmp_path, workers=1)
    assert nothing.environments == more.environments
    with pytest.raises(UserError, match="no prompt of these environments fits"):
        measure(plan_for(), Simulated(strong, holds=-1), tmp_path / "none", workers=1)


def test_a_curve_never_rises_and_families_lend_strength():
    def tallied(level, right, wrong):
        return {level: Tally(right, wrong)}

    family = dict.fromkeys("abc", "f")
    sure = {"a": {2: Tally(9, 1), 4: Tally(1, 9)}, "b": {2: Tally(9, 1), 4: Tally(1, 9)}, "c": {}}
    found = posteriors(sure, family)
    assert found["a"].interval(HIGHEST).estimate == pytest.approx(3, abs=0.3)
    assert found["c"].interval(HIGHEST).estimate == pytest.approx(3, abs=1)
    alone = posteriors(sure, {name: name for name in "abc"})
    width = [each["c"].interval(HIGHEST) for each in (found, alone)]
    assert width[0].high - width[0].low < width[1].high - width[1].low
    better = posteriors({"a": tallied(3, 9, 1)}, family)["a"]
    worse = posteriors({"a": tallied(3, 1, 9)}, family)["a"]
    for chance in (0.1, 0.5, 0.9):
        assert better.quantile(chance) > worse.quantile(chance)
    assert max(worse.levels(8, 2)) == 2


def test_profiles_are_compared_in_pairs_and_ranked(measured, tmp_path, capsys):
    folder, profile, _ = measured
    other = tmp_path / "runs" / "n"
    better = measure(
        plan_for(model="<b>n</b>"), Simulated(TRUTH | {"Sorting": 8.0}), other, workers=1
    )
    comparison = compare_profiles([("m", profile), ("n", better)])
    first, second = comparison.profiles  # the farthest first
    assert (first.name, second.name, comparison.baseline) == ("n", "m", "m")
    assert first.environments["Sorting"].difference.interval[0] > 2
    assert second.overall.difference is None
    same = difference(
        profile.environments["Sorting"].frontier, profile.environments["Sorting"].frontier
    )
    assert same.value == 0
    assert same.interval[0] < 0 < same.interval[1]
    assert main(["compare", f"old={folder}", f"new={other}", "--by", "environment"]) == 0
    printed = capsys.readouterr().out
    assert "against old" in printed
    assert "beyond chance it is ahead in 2 environments" in printed
    assert main(["compare", f"old={folder}", f"again={folder}"]) == 0
    assert "again gets as far as old; beyond chance it is ahead in 0" in capsys.readouterr().out
    assert main(["compare", str(folder), f"new={other}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["baseline"] == "m"
    copied = tmp_path / "copied.json"
    copied.write_bytes((folder / "results.json").read_bytes())
    three = [f"old={folder}", f"new={other}", f"again={copied}"]
    page = tmp_path / "page.html"
    assert main(["compare", *three, "--baseline", "again", "-o", str(page)]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:5]]
    assert rows == ["new", "old", "again"]  # the farthest first
    assert "&lt;b&gt;n" not in page.read_text()  # names of one's own
    assert main(["compare", str(folder), str(other), "-o", str(page)]) == 0
    assert "<b>n</b>" not in page.read_text()
    assert "&lt;b&gt;n" in page.read_text()
    with pytest.raises(UserError, match="only with frontiers"):
        find_profiles([f"a={folder}", str(tmp_path)])


def test_the_cost_is_said_before_anything_is_asked(capsys):
    assert main(["frontier", "nano", "-c", "C4", "--outputs", "64", "--seed", "5", "--cost"]) == 0
    said = capsys.readouterr().err
    assert "4 environments, seed 5: at most 64 outputs of at most 32,768 tokens" in said
    assert main(["frontier", "nano", "--outputs", "10", "--cost"]) == 2
    assert "need at least 400 outputs" in capsys.readouterr().err


def test_means_of_estimates_are_narrower_than_each():
    one = Measured(value=2.0, interval=(1.0, 4.0))
    assert mean_of([one] * 4) == Measured(value=2.0, interval=(1.5, 3.0))


def test_only_what_may_be_a_profile_is_read_whole(measured, tmp_path):
    folder, _, _ = measured
    assert is_profile(folder / "results.json")
    assert not is_profile(folder / "plan.json")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(2**30)  # of zeros, which take no room on the disk
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert not is_profile(large)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**19  # kilobytes
    (tmp_path / "other.json").write_text("{]")
    assert not is_profile(tmp_path / "other.json")


@pytest.mark.parametrize(
    "forgery", [{"frontier": {"value": 1e308, "interval": [0, 1]}}, {"model": "x" * 2 * 10**6}]
)
def test_a_profile_that_nobody_measured_is_refused(forgery, measured, tmp_path):
    folder, _, _ = measured
    found = json.loads((folder / "results.json").read_bytes())
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(found | forgery))
    with pytest.raises(UserError, match="damaged"):
        read_profile(forged)
