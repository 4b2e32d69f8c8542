import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlve
from support.curriculum_traces import NAMES


class Model:
    """Algorithm 1 once more, from scratch: a list of all rollouts, judged at the end of a step."""

    def __init__(self, tau_acc, tau_num, window):
        self.settings = tau_acc, tau_num, window
        self.ranges = dict.fromkeys(NAMES, (0, 0))
        self.seen = {name: [] for name in NAMES}

    def observe(self, name, difficulty, correct):
        self.seen[name].append((difficulty, correct))

    def step(self):
        tau_acc, tau_num, window = self.settings
        for name in NAMES:
            low, high = self.ranges[name]
            at_high = [correct for difficulty, correct in self.seen[name] if difficulty == high]
            # What was seen at other levels is of no use later either: high only ever rises.
            self.seen[name] = [(high, correct) for correct in at_high]
            if len(at_high) < tau_num:
                continue
            self.seen[name] = []
            if at_high.count(True) / len(at_high) < tau_acc or (name == "Low" and high == 2):
                continue
            high += 1
            self.ranges[name] = (high - window + 1 if high - low + 1 > window else low, high)


rollouts = st.tuples(st.sampled_from(NAMES), st.integers(0, 6), st.integers(0, 9))


@given(
    tau_acc=st.sampled_from([0.5, 0.75, 0.9, 1.0]),
    tau_num=st.integers(1, 5),
    window=st.integers(1, 4),
    steps=st.lists(st.lists(rollouts, max_size=25), max_size=25),
    reloads=st.sets(st.integers(0, 24)),
    rng=st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_follows_algorithm_1(tau_acc, tau_num, window, steps, reloads, rng):
    """Random traces: late rollouts, any order of workers, saving and loading in the middle."""
    model = Model(tau_acc, tau_num, window)
    curriculum = rlve.AdaptiveCurriculum(NAMES, tau_acc=tau_acc, tau_num=tau_num, window=window)
    for i, step in enumerate(steps):
        # Levels are given relative to the present range: most at high, some late.
        batch = [
            (name, max(0, curriculum.bounds(name)[1] - max(0, lag - 3)), luck < 8)
            for name, lag, luck in step
        ]
        for rollout in batch:
            model.observe(*rollout)
        rng.shuffle(batch)
        for rollout in batch:
            curriculum.observe(*rollout)
        before = {name: curriculum.bounds(name) for name in NAMES}
        changes = curriculum.step()
        model.step()
        after = {name: curriculum.bounds(name) for name in NAMES}
        assert after == model.ranges
        assert {change.name: (change.low, change.high) for change in changes} == {
            name: after[name] for name in NAMES if after[name] != before[name]
        }
        if i in reloads:
            state = json.loads(json.dumps(curriculum.state_dict()))
            curriculum = rlve.AdaptiveCurriculum(
                reversed(NAMES), tau_acc=tau_acc, tau_num=tau_num, window=window
            )
            curriculum.load_state_dict(state)
            assert curriculum.state_dict() == state


def test_starts_at_zero():
    curriculum = rlve.AdaptiveCurriculum(["Sorting"])
    assert curriculum.bounds("Sorting") == (0, 0)
    assert (curriculum.tau_acc, curriculum.tau_num, curriculum.window) == (0.9, 128, 4)


def test_counts_start_anew_after_a_failed_decision():
    curriculum = rlve.AdaptiveCurriculum(["Sorting"], tau_acc=0.5, tau_num=2)
    for correct in (False, False):
        curriculum.observe("Sorting", 0, correct)
    assert curriculum.counts("Sorting") == (0, 2)
    assert curriculum.step() == []
    assert curriculum.counts("Sorting") == (0, 0)
    for correct in (True, False):
        curriculum.observe("Sorting", 0, correct)
    assert curriculum.step() == [rlve.Change("Sorting", 0, 1, 0.5)]


@pytest.mark.parametrize("curriculum", ["adaptive", "static"])
def test_draws_environments_and_levels_uniformly(curriculum):
    if curriculum == "static":
        subject = rlve.StaticCurriculum(NAMES, 0, 2)
    else:
        subject = rlve.AdaptiveCurriculum(NAMES, tau_num=1, window=3)
        for _ in range(2):
            for name in NAMES:
                subject.observe(name, subject.bounds(name)[1], True)
            subject.step()
    rng = Random(0)
    drawn = [subject.draw(rng) for _ in range(9_000)]
    for name in NAMES:
        for difficulty in range(3):
            assert 850 < drawn.count((name, difficulty)) < 1150


def test_static_ranges_never_move_and_respect_the_highest_difficulty():
    curriculum = rlve.StaticCurriculum(NAMES, 1, 20)
    for _ in range(1000):
        curriculum.observe("Sorting", 20, True)
    assert curriculum.step() == []
    assert curriculum.bounds("Sorting") == (1, 20)
    assert curriculum.bounds("Low") == (1, 2)
    fresh = rlve.StaticCurriculum(NAMES, 1, 20)
    fresh.load_state_dict(json.loads(json.dumps(curriculum.state_dict())))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: rlve.AdaptiveCurriculum([]), "at least one environment"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting", "Sorting"]), "more than once"),
        (lambda: rlve.AdaptiveCurriculum(["Sort"]), "did you mean 'Sorting'"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting"], tau_acc=0), "tau_acc"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting"], tau_acc=1.1), "tau_acc"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting"], tau_num=0), "tau_num"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting"], window=0), "window"),
        (lambda: rlve.AdaptiveCurriculum(["Sorting"]).observe("Low", 0, True), "'Low'"),
        (lambda: rlve.StaticCurriculum(["Sorting"], 3, 2), "low <= high"),
        (lambda: rlve.StaticCurriculum(["Sorting"], -1, 2), "low must be at least 0, not -1"),
        (lambda: rlve.StaticCurriculum(["Low"], 3, 4), "highest difficulty of Low is 2"),
        (lambda: rlve.StaticCurriculum(["Sorting"], 0, 1).bounds("Low"), "'Low'"),
        (
            lambda: rlve.StaticCurriculum(["Sorting"], 0, 1).load_state_dict(
                rlve.StaticCurriculum(["Sorting"], 0, 2).state_dict()
            ),
            "not the state",
        ),
    ],
)
def test_bad_input_is_named(make, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        make()
