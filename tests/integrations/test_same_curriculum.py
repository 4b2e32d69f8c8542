"""All trainers, given the same verdicts, move the curriculum identically.

Each is driven without a model, at the place where verdicts reach it. They draw for themselves: the
same seed and the same ranges give the same problems, so that one that moved differently would also
draw differently from then on.

The adapters to TRL, verl and slime need no library up to here. Tinker's does: its part is run by
`make test-tinker`, and skipped elsewhere.
"""

import json
from collections import Counter
from random import Random
from types import SimpleNamespace

import pytest

from rlve.contract import Verdict
from rlve.curricula import CurriculumSettings
from rlve.gym import Gym
from rlve.registry import environment
from support.slime_stand_ins import Sample, stand_in

NAMES, SEED, GROUP, PROBLEMS, STEPS = ("Sorting", "Division"), 3, 4, 8, 12
TAU_ACC, TAU_NUM = 0.8, 16


def scripted(problem):
    """The verdicts on a group: the same for the same problem, and less good for a harder one."""
    parameters = json.dumps(problem.parameters(), sort_keys=True)
    rng = Random(f"{type(problem).__name__} {parameters}")
    chance = 1.0 if len(parameters) < 60 else 0.7
    return [
        Verdict(reward=1.0 if right else -0.5, correct=right, well_formed=True)
        for right in (rng.random() < chance for _ in range(GROUP))
    ]


CURRICULA = {
    "adaptive": {},
    "two-way": {"curriculum": "two-way", "target": 0.4},
    "all layers": {"rehearsal": 0.3, "weights": {"Sorting": 2.0}, "window": 2},
}


def make_gym(options):
    return Gym(
        NAMES,
        group=GROUP,
        seed=SEED,
        format="plain",
        curriculum=CurriculumSettings(tau_acc=TAU_ACC, tau_num=TAU_NUM, **options),
        workers=1,
    )


class Script:
    """A pool that generates, and judges by the script."""

    def __init__(self, pool):
        self._pool = pool
        self._seen = Counter()
        self._known = []  # keeps them, so that no two have the same id

    def judge(self, outputs, *, marker="any"):
        found = []
        for problem, _ in outputs:
            self._known.append(problem)
            found.append(scripted(problem)[self._seen[id(problem)]])
            self._seen[id(problem)] += 1
        return found


class Judged:
    """Stands for a Pending whose results are all there."""

    def __init__(self, results):
        self._results = list(enumerate(results))

    @property
    def unfinished(self):
        return len(self._results)

    def wait(self, timeout=None):
        return bool(self._results)

    def finished(self):
        found, self._results = self._results, []
        return found

    def cancel(self):
        pass


def by_the_gym(options):
    with make_gym(options) as gym:
        for _ in range(STEPS):
            for item in gym.take(PROBLEMS):
                gym.count(item.name, item.difficulty, scripted(item.problem))
            gym.step()
            yield gym.state_dict()


def by_our_trainer(options, monkeypatch):
    pytest.importorskip("torch", reason="needs rlve[train]")
    from rlve.train.collect import Collector
    from rlve.train.config import RolloutConfig

    class Engine:
        """Ends everything at once."""

        def __init__(self):
            self.waiting = []

        def submit(self, rollouts):
            self.waiting += rollouts

        def collect(self):
            ended, self.waiting = self.waiting, []
            for rollout in ended:
                rollout.tokens, rollout.logprobs, rollout.ending = [1], [0.0], "stop"
            return ended

        def stop(self):
            return []

    settings = RolloutConfig(
        problems=PROBLEMS, oversample=PROBLEMS, rounds=1, group=GROUP, partial=False
    )
    with make_gym(options) as gym:
        script = Script(gym.pool)
        monkeypatch.setattr(gym, "start_judging", lambda outputs: Judged(script.judge(outputs)))
        collector = Collector(
            gym, Engine(), settings, encode=lambda problem: [0], decode=lambda tokens: ""
        )
        for step in range(STEPS):
            collector.collect(step)
            gym.step()
            yield gym.state_dict()


def by_trl(options, monkeypatch):
    from rlve.integrations.trl.rollout_function import Rollouts, Sampled

    with make_gym(options) as gym:
        script = Script(gym.pool)
        monkeypatch.setattr(gym, "judge", lambda outputs: script.judge(list(outputs)))
        rollouts = Rollouts(gym, rounds=1)
        for _ in range(STEPS):
            rollouts.collect(
                PROBLEMS,
                lambda items: ([Sampled([0], [1], None) for _ in items], [""] * len(items)),
            )
            yield gym.state_dict()


def by_verl(options, monkeypatch):
    from rlve.integrations.verl.ledger import Ledger, report

    with make_gym(options) as gym:
        ledger = Ledger(gym)
        for _ in range(STEPS):
            for item in gym.take(PROBLEMS):
                verdicts = scripted(item.problem)
                reports = [report(verdict, item.difficulty, "reward") for verdict in verdicts]
                for _ in range(3):  # verl shows a group at every poll
                    ledger.count(str(item.position), item.name, reports)
            ledger.step()
            yield gym.state_dict()


def by_slime(options, monkeypatch, tmp_path):
    from rlve.integrations.slime import DataSource, Settings
    from rlve.integrations.slime.reward import leave, row_of

    stand_in(monkeypatch)
    settings = Settings(
        environments=NAMES,
        format="plain",
        tau_acc=TAU_ACC,
        tau_num=TAU_NUM,
        workers=1,
        **options,
    )
    monkeypatch.setenv("RLVE_SLIME", settings.as_json())
    source = DataSource(
        SimpleNamespace(
            n_samples_per_prompt=GROUP,
            rollout_seed=SEED,
            rollout_max_prompt_len=None,
            num_rollout=STEPS,
            rollout_batch_size=PROBLEMS,
            save=str(tmp_path),
            load=None,
        )
    )
    for _ in range(STEPS):
        groups = source.get_samples(PROBLEMS)
        for group in groups:
            row = row_of(group[0])
            problem = environment(row.environment).from_parameters(json.loads(row.parameters))
            for sample, verdict in zip(group, scripted(problem), strict=True):
                leave(sample, verdict)
                sample.status = Sample.Status.COMPLETED
        source.count(groups)
        yield source.gym.state_dict()
    source.gym.close()


def by_tinker(options, monkeypatch, tmp_path):
    pytest.importorskip("tinker_cookbook", reason="needs rlve[tinker]; run make test-tinker")
    from rlve.integrations.tinker import RlveDataset

    with make_gym(options) as gym:
        states = tmp_path / "states.jsonl"
        dataset = RlveDataset(gym, groups=PROBLEMS, steps=STEPS + 1, renderer=None, states=states)
        builders = dataset.get_batch(0)
        for step in range(STEPS):
            for builder in builders:
                builder.count(scripted(builder.item.problem))
                dataset.finish(builder.item)
            yield gym.state_dict()  # the last group has closed the step
            builders = dataset.get_batch(step + 1)


TRAINERS = (by_our_trainer, by_trl, by_verl, by_slime, by_tinker)


@pytest.fixture(scope="module")
def expected():
    """What the gym by itself comes to, with each curriculum."""
    return {name: list(by_the_gym(options)) for name, options in CURRICULA.items()}


@pytest.mark.parametrize("curriculum", CURRICULA)
@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: trainer.__name__)
def test_all_trainers_move_the_curriculum_identically(
    trainer, curriculum, expected, monkeypatch, tmp_path
):
    places = (tmp_path,) if trainer in (by_slime, by_tinker) else ()
    found = list(trainer(CURRICULA[curriculum], monkeypatch, *places))
    assert found == expected[curriculum]


def test_the_curricula_did_move(expected):
    highs = [state["curriculum"]["adaptive"]["Sorting"]["high"] for state in expected["adaptive"]]
    assert highs == sorted(highs)
    assert highs[-1] >= 2
    for states in expected.values():
        assert states[-1]["curriculum"] != states[0]["curriculum"]
