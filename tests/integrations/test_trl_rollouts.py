"""The rollout function for TRL with a scripted policy, and threads in the place of ranks."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest

from rlve.contract import Verdict
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.integrations.trl.rollout_function import Ranks, Rollouts, Sampled
from rlve.pool import Failure, Pool

NAMES = ["Sorting", "EuclidGame", "MinimalCyclicShift"]


@pytest.fixture(scope="module")
def pool():
    with Pool(1, deadline=60) as pool:
        yield pool


class Together:
    """Threads that exchange lists as ranks do."""

    def __init__(self, count):
        self.barrier = Barrier(count)
        self.given = [None] * count

    def ranks(self, index):
        return Ranks(
            index,
            len(self.given),
            lambda own: [each for given in self.exchange(index, own) for each in given],
            lambda own: self.exchange(index, own)[0],
        )

    def exchange(self, index, own):
        self.given[index] = own
        self.barrier.wait(60)
        given = list(self.given)
        self.barrier.wait(60)
        return given


class Policy:
    """Solves each problem with a chance of its own; remembers all that it was asked."""

    def __init__(self, index, solves):
        self.rng = Random(index)
        self.solves = solves
        self.index = index
        self.asked = []
        self.right = {}

    def __call__(self, items):
        sampled, texts = [], []
        for item in items:
            mark = [self.index, len(self.asked)]
            right = self.rng.random() < self.solves(item)
            self.asked.append((item.name, item.difficulty, right))
            self.right[tuple(mark)] = right
            sampled.append(Sampled([item.position], mark, [-0.5, -0.25]))
            answer = item.problem.reference() if right else "no answer"
            texts.append(f"<answer>{answer}</answer>")
        return sampled, texts


def sometimes(item):
    return Random(item.position).choice([0.0, 0.5, 0.8, 1.0])


def together(count, work):
    """What `work(ranks)` returns on every rank."""
    meeting = Together(count)

    def run(index):
        try:
            return work(meeting.ranks(index))
        except Exception:
            meeting.barrier.abort()  # the others must not wait for this one
            raise

    with ThreadPoolExecutor(count) as threads:
        futures = [threads.submit(run, index) for index in range(count)]
    errors = [future.exception() for future in futures]
    first = [error for error in errors if error and not isinstance(error, BrokenBarrierError)]
    if first:
        raise first[0]
    return [future.result() for future in futures]


def observed(gym):
    """All that the curriculum is told from now on."""
    seen, observe = [], gym.curriculum.observe_group

    def watched(name, difficulty, correct, rewards):
        seen.extend((name, difficulty, each) for each in correct)
        observe(name, difficulty, correct, rewards)

    gym.curriculum.observe_group = watched
    return seen


def make(pool, ranks, group, rounds=3, tau_acc=0.9, static=None, **settings):
    gym = Gym(
        NAMES,
        group=group,
        format="plain",
        pool=pool,
        curriculum=CurriculumSettings(tau_num=8, tau_acc=tau_acc, static=static),
        ahead=0 if ranks.index else 16,
        **settings,
    )
    return Rollouts(gym, ranks, rounds=rounds)


@pytest.mark.parametrize(
    ("ranks", "group", "count"), [(1, 4, 5), (2, 4, 4), (2, 6, 3), (3, 4, 6), (4, 2, 6)]
)
def test_all_ranks_hold_one_curriculum_and_share_the_batch(pool, ranks, group, count):
    def work(own):
        rollouts = make(pool, own, group, tau_acc=0.3)
        seen, policy = observed(rollouts.gym), Policy(own.index, sometimes)
        batches = [rollouts.collect(count, policy) for _ in range(4)]
        return rollouts, seen, policy, batches

    results = together(ranks, work)
    rollouts, seen, _, _ = results[0]
    asked = Counter(each for _, _, policy, _ in results for each in policy.asked)
    assert Counter(seen) == asked  # every verdict of every rank, each once
    for other, others_seen, policy, _ in results[1:]:
        assert other.gym.state_dict() == rollouts.gym.state_dict()
        assert other.metrics == rollouts.metrics
        assert others_seen == seen
        assert len(policy.asked) == len(results[0][2].asked)
    assert rollouts.metrics["rlve/h"] > 0
    right = {mark: value for _, _, policy, _ in results for mark, value in policy.right.items()}
    for step in range(4):
        shares = [batches[step] for _, _, _, batches in results]
        assert {len(share) for share in shares} == {count * group // ranks}
        rows = [row for share in shares for row in share]
        for start in range(0, len(rows), group):
            members = rows[start : start + group]
            assert {row.item.position for row in members} == {members[0].item.position}
            assert len({tuple(row.sampled.output) for row in members}) == group
            assert (len({row.reward for row in members}) > 1) is members[0].trained
            for row in members:
                assert row.sampled.prompt == [row.item.position]
                assert (row.reward == 1.0) is right[tuple(row.sampled.output)]


def test_groups_without_signal_are_dropped_and_replaced(pool):
    rollouts = make(pool, Ranks(), group=8, rounds=20)
    policy = Policy(0, sometimes)
    rows = rollouts.collect(10, policy)
    assert all(row.trained for row in rows)
    assert rollouts.metrics["rlve/trained"] == 10
    assert rollouts.metrics["rlve/groups"] * 8 == len(policy.asked) > 80
    assert rollouts.metrics["rlve/effective_prompt_ratio"] < 1


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_refilling_ends_after_so_many_rounds(pool, rounds):
    rollouts = make(pool, Ranks(), group=4, rounds=rounds)
    policy = Policy(0, lambda item: 1.0)
    rows = rollouts.collect(6, policy)
    assert len(rows) == 24
    assert not any(row.trained for row in rows)
    assert len(policy.asked) == rounds * 24
    assert rollouts.metrics["rlve/trained"] == 0
    assert rollouts.metrics["rlve/accuracy"] == 1
    assert rollouts.metrics["rlve/h"] > 0  # dropped groups are what moves it on


def test_a_rollout_that_cannot_be_judged_is_masked_and_not_counted(pool, monkeypatch):
    rollouts = make(pool, Ranks(), group=4, rounds=1)
    seen = observed(rollouts.gym)
    right, wrong = Verdict(1.0, True, True), Verdict(-1.0, False, False)
    found = [right, Failure("crash", "its process ended"), wrong, wrong]
    monkeypatch.setattr(rollouts.gym, "judge", lambda outputs: found * (len(list(outputs)) // 4))
    rows = rollouts.collect(3, Policy(0, sometimes))
    assert [row.trained for row in rows] == [True, False, True, True] * 3
    assert [row.reward for row in rows] == pytest.approx([1, -1 / 3, -1, -1] * 3)
    assert Counter(correct for _, _, correct in seen) == {True: 3, False: 6}
    assert rollouts.metrics["rlve/failed"] == 3
    assert rollouts.metrics["rlve/trained"] == 3
    # What TRL is given: tokens under a 0 are left out of the loss.
    trainer = SimpleNamespace(
        model=SimpleNamespace(training=True),
        processing_class=SimpleNamespace(batch_decode=lambda outputs, **_: [""] * len(outputs)),
        _tokenize_prompts=lambda prompts: ([[1]] * len(prompts), None, None),
        _generate_single_turn=lambda prompts, *_: ([[2, 3]] * len(prompts), None),
    )
    batch = rollouts([None] * 12, trainer)
    assert batch["env_mask"] == [[1, 1], [0, 0], [1, 1], [1, 1]] * 3
    found[1] = wrong
    assert "env_mask" not in rollouts([None] * 12, trainer)


def test_a_refill_draws_what_should_suffice(pool):
    rollouts = make(pool, Ranks(), group=16, rounds=2)
    few = {0, 1}  # without signal, of the ten that come first
    policy = Policy(0, lambda item: 1.0 if item.position in few else 0.5)
    rollouts.collect(10, policy)
    assert rollouts.gym.stream.position == 13  # 2 are missing, and 8 of 10 had signal


def test_problems_are_never_stale(pool):
    rollouts = make(pool, Ranks(), group=8, rounds=1)
    for _ in range(5):
        bounds = {name: rollouts.gym.curriculum.bounds(name) for name in NAMES}
        for row in rollouts.collect(12, Policy(0, lambda item: 1.0)):
            low, high = bounds[row.item.name]
            assert low <= row.item.difficulty <= high
    assert rollouts.metrics["rlve/h"] > 3


@pytest.mark.parametrize("late", [False, True])
def test_a_rank_that_counts_only_its_own_verdicts_is_caught(pool, late):
    """Also where the decision that follows resets all counts, so that they are equal again."""

    def work(own):
        rollouts = make(pool, own, group=8)
        rollouts.gym.curriculum.tau_num = 10_000 if late else 1
        count = rollouts.gym.count
        half = slice(own.index * 4, own.index * 4 + 4)
        rollouts.gym.count = lambda name, d, verdicts: count(name, d, verdicts[half])
        rollouts.collect(4, Policy(own.index, lambda item: 0.2 + 0.6 * own.index))

    message = r"different curricula: \S+ differs between rank 0 and rank 1\. .*of all ranks"
    with pytest.raises(UserError, match=message):
        together(2, work)


@pytest.mark.parametrize(
    ("settings", "where"), [({"seed": 1}, "seed"), ({"static": (0, 1)}, "curriculum")]
)
def test_ranks_with_different_settings_are_caught_before_they_begin(pool, settings, where):
    def work(own):
        rollouts = make(pool, own, group=4, **(settings if own.index == 1 else {}))
        rollouts.collect(4, lambda items: pytest.fail("nothing is to be sampled"))

    with pytest.raises(UserError, match=rf"different curricula: {where}"):
        together(2, work)


def test_what_one_rank_gives_up_does_not_part_them(pool):
    """As with a deadline that is missed on one rank only. Rank 0 draws, so it decides for all."""

    def work(own):
        def length(text):
            return 1 + (own.index == 0 and "7" in text)

        rollouts = make(pool, own, group=4, max_prompt_length=1, length=length)
        rows = [row for _ in range(3) for row in rollouts.collect(4, Policy(own.index, sometimes))]
        return rollouts.gym.state_dict(), rows

    (one, _), (other, rows) = together(2, work)
    assert one == other
    assert one["redrawn"]
    assert all("7" not in row.item.problem.prompt() for row in rows)


def test_it_refuses_to_evaluate(pool):
    trainer = SimpleNamespace(model=SimpleNamespace(training=False))
    with pytest.raises(UserError, match="does not evaluate"):
        make(pool, Ranks(), group=4)([""] * 8, trainer)
