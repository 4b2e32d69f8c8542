"""The curriculum in the real training loops of tinker-cookbook: `make test-tinker`.

Only the service is replaced: its clients, which sample and train far away. The policy here reads
the numbers of a Sorting problem and, but for a few rollouts, sorts them.
"""

import asyncio
import json
import re
import threading
import zlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("tinker_cookbook", reason="needs rlve[tinker]; run make test-tinker")

import tinker
from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl import train
from tinker_cookbook.rl.rollouts import do_group_rollout
from tinker_cookbook.tokenizer_utils import get_tokenizer

import rlve
from rlve.contract import Verdict
from rlve.curricula import AdaptiveCurriculum, CurriculumSettings
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.integrations.tinker import STATES, RlveDataset, RlveDatasetBuilder
from rlve.pool import Failure, Pool

NANO = str(Path(rlve.__file__).parent / "models" / "nano")
SETTINGS = CurriculumSettings(tau_num=8)
PAGE = Path(__file__).parents[3] / "docs" / "trainers" / "tinker.md"
GROUP, BATCH = 4, 3

RIGHT = Verdict(reward=1.0, correct=True, well_formed=True)
WRONG = Verdict(reward=-1.0, correct=False, well_formed=False)


def sort(prompt, rollout):
    """The right answer; but in one group of four, one rollout has no idea."""
    numbers = prompt.split("\n\n")[1].split()
    if zlib.crc32(prompt.encode()) % 16 == rollout:
        return "I do not know."
    return r"\boxed{" + " ".join(sorted(numbers, key=int)) + "}"


class Service:
    """What stands for the remote service: samples with a policy, and trains nothing."""

    def __init__(self, policy=sort, train_steps=None):
        self.policy = policy
        self.train_steps = train_steps  # after which it breaks down
        self.tokenizer = get_tokenizer(NANO)
        self.sampled = Counter()  # rollouts of each prompt
        self.prompts = []  # in the order in which they were first sampled
        self.data = []  # what was trained on
        self.resumed_from = None

    # tinker.ServiceClient

    def __call__(self, **_):
        return self

    async def create_lora_training_client_async(self, *_, **__):
        return self

    async def create_training_client_from_state_with_optimizer_async(self, path, **_):
        self.resumed_from = path
        return self

    def create_rest_client(self):
        return self

    async def get_training_run_by_tinker_path_async(self, _):
        return SimpleNamespace(user_metadata={"renderer_name": "role_colon"})

    # tinker.TrainingClient

    async def forward_backward_async(self, data, **_):
        if self.train_steps is not None:
            if self.train_steps == 0:
                raise ConnectionError("the service is gone")
            self.train_steps -= 1
        self.data.append(data)
        outputs = [{"logprobs": datum.loss_fn_inputs["logprobs"]} for datum in data]
        return Future(SimpleNamespace(loss_fn_outputs=outputs))

    async def optim_step_async(self, _):
        return Future(SimpleNamespace(metrics={}))

    async def save_state_async(self, name, **_):
        return Future(SimpleNamespace(path=f"tinker://run/state/{name}"))

    async def save_weights_for_sampler_async(self, name, **_):
        return Future(SimpleNamespace(path=f"tinker://run/sampler/{name}"))

    async def save_weights_and_get_sampling_client_async(self, *_):
        return self

    def create_sampling_client(self, *_, **__):
        return self

    # tinker.SamplingClient

    async def sample_async(self, *, prompt, num_samples, sampling_params):
        assert num_samples == 1
        text = self.tokenizer.decode(prompt.to_ints())
        if text not in self.sampled:
            self.prompts.append(text)
        rollout = self.sampled[text]
        self.sampled[text] += 1
        await asyncio.sleep(0)
        tokens = self.tokenizer.encode(f" {self.policy(text, rollout)}\n\nUser:")
        sequence = SimpleNamespace(tokens=tokens, logprobs=[-1.0] * len(tokens), stop_reason="stop")
        return SimpleNamespace(sequences=[sequence])


class Future:
    def __init__(self, result):
        self._result = result

    async def result_async(self):
        return self._result


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run the cookbook's main() in the folder of the test; the service that was used."""

    def run(service, *, folder=tmp_path, steps=6, builder=None, **settings):
        monkeypatch.setattr(tinker, "ServiceClient", service)
        config = train.Config(
            model_name=NANO,
            renderer_name="role_colon",
            recipe_name="test",
            log_path=str(folder),
            dataset_builder=dataset_builder(folder, steps=steps, **(builder or {})),
            learning_rate=1e-5,
            max_tokens=64,
            **({"save_every": 2, "eval_every": 0, "num_groups_to_log": 1} | settings),
        )
        asyncio.run(train.main(config))
        return service

    return run


def dataset_builder(folder, **changes):
    settings = {"batch_size": BATCH, "group_size": GROUP, "steps": 6, "workers": 1}
    settings["curriculum"] = SETTINGS
    return RlveDatasetBuilder(
        environments=("Sorting",),
        model_name_for_tokenizer=NANO,
        renderer_name="role_colon",
        log_path=str(folder),
        **(settings | changes),
    )


def lines(folder):
    return [json.loads(line) for line in (folder / STATES).read_text().splitlines()]


def states(folder):
    return {line["step"]: line["state"] for line in lines(folder)}


def high(state):
    return state["curriculum"]["adaptive"]["Sorting"]["high"]


@pytest.fixture
def dataset(tmp_path):
    with Gym(["Sorting", "EuclidGame"], group=GROUP, curriculum=SETTINGS, workers=1) as gym:
        yield make(gym, tmp_path / STATES)


def make(gym, path):
    renderer = get_renderer("role_colon", get_tokenizer(NANO))
    return RlveDataset(gym, groups=BATCH, steps=10, renderer=renderer, states=path)


# The training loop.


def test_the_curriculum_rises_and_is_that_of_algorithm_1(run, tmp_path):
    service = run(Service())
    assert len(service.prompts) == 6 * BATCH
    assert set(service.sampled.values()) == {GROUP}
    found = states(tmp_path)
    assert sorted(found) == [1, 2, 3, 4, 5, 6]
    assert high(found[6]) > high(found[1])

    expected = AdaptiveCurriculum(["Sorting"], tau_num=8)
    with Gym(["Sorting"], group=GROUP, curriculum=SETTINGS, workers=1) as gym:
        for step in range(6):
            for item in gym.take(BATCH):
                prompt = next(text for text in service.prompts if item.problem.prompt() in text)
                for rollout in range(GROUP):
                    verdict = item.problem.verify(sort(prompt, rollout), marker="boxed")
                    expected.observe("Sorting", item.difficulty, verdict.correct)
            expected.step()
            assert found[step + 1]["curriculum"] == expected.state_dict()
            gym.curriculum.load_state_dict(expected.state_dict())


def test_groups_without_signal_are_not_trained_on_but_counted(run, tmp_path):
    service = run(Service(), remove_constant_reward_groups=True)
    assert all(len(data) == GROUP for data in service.data)  # one group, that the loop insists on
    assert sum(line["metrics"]["rlve/groups"] for line in lines(tmp_path)) == 6 * BATCH
    assert high(states(tmp_path)[6]) > 0


def test_what_is_logged(run, tmp_path):
    run(Service(), steps=3)
    logged = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    steps = [line for line in logged if "env/all/correct" in line]
    for line, own in zip(steps, lines(tmp_path), strict=True):
        assert line["env/all/correct"] == pytest.approx(own["metrics"]["rlve/accuracy"])
        assert line["env/all/reward/total"] == pytest.approx(own["metrics"]["rlve/reward"])
        assert line["env/all/h"] >= line["env/all/difficulty"] >= 0


def test_a_run_that_broke_down_goes_on_exactly(run, tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    reference = run(Service(), folder=whole)
    service = Service(train_steps=4)
    with pytest.raises(ConnectionError):
        run(service, folder=broken)  # in the fifth step; the checkpoint is of the fourth
    assert max(states(broken)) == 5
    again = run(Service(), folder=broken)
    assert again.resumed_from is not None
    assert "000004" in again.resumed_from
    assert again.prompts == reference.prompts[4 * BATCH :]
    assert states(broken) == states(whole)


def test_streaming(run, tmp_path):
    config = train.StreamMinibatchConfig(groups_per_batch=BATCH, num_minibatches=BATCH)
    run(Service(), stream_minibatch_config=config)
    assert sorted(states(tmp_path)) == [1, 2, 3, 4, 5, 6]
    assert high(states(tmp_path)[6]) > 0


def test_asynchronous_training(run, tmp_path):
    config = train.AsyncConfig(max_steps_off_policy=2, groups_per_batch=BATCH)
    service = run(Service(), async_config=config)
    assert sum(line["metrics"]["rlve/groups"] for line in lines(tmp_path)) <= len(service.prompts)
    assert high(states(tmp_path)[max(states(tmp_path))]) > 0


def test_the_documented_script(monkeypatch, tmp_path):
    (script,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    smaller = {
        '"Qwen/Qwen3-8B"': repr(NANO),
        '"qwen3"': '"role_colon"',
        '"runs/rlve-c16"': repr(str(tmp_path)),
        '("C16",)': '("Sorting",)',
        "batch_size=128": "workers=1, batch_size=2",
        "group_size=16": "group_size=2",
        "steps=400": "steps=2",
    }
    for before, after in smaller.items():
        assert before in script
        script = script.replace(before, after)
    monkeypatch.setattr(tinker, "ServiceClient", Service())
    exec(compile(script, PAGE.name, "exec"), {"__name__": "__main__"})
    assert sorted(states(tmp_path)) == [1, 2]


# The cookbook's rollouts.


class Says(TokenCompleter):
    """A policy that always says the same."""

    def __init__(self, text):
        self.text = text

    async def __call__(self, model_input, stop, *, max_tokens=None):
        assert stop == ["\n\nUser:"]
        tokens = get_tokenizer(NANO).encode(self.text)
        return TokensWithLogprobs(tokens=tokens, maybe_logprobs=[0.0] * len(tokens))


@pytest.mark.parametrize("ending", ["\n\nUser:", ""])
def test_a_group_is_rewarded_with_its_verdicts(dataset, ending):
    builder = dataset.get_batch(0)[0]
    problem = builder.item.problem
    for text in (rf"So: \boxed{{{problem.reference()}}}", r"\boxed{1 2}", "no idea", ""):
        group = asyncio.run(do_group_rollout(builder, Says(f" {text}{ending}")))
        verdict = problem.verify(text, marker="boxed")
        assert group.get_total_rewards() == [verdict.reward] * GROUP
        assert [each["correct"] for each in group.metrics_G] == [float(verdict.correct)] * GROUP
        assert problem.prompt() in get_tokenizer(NANO).decode(
            group.trajectories_G[0].transitions[0].ob.to_ints()
        )
    assert builder.logging_tags() == [builder.item.name]


def test_judging_leaves_the_event_loop_free(dataset, monkeypatch):
    builder = dataset.get_batch(0)[0]
    judge, release = Pool.judge, threading.Event()

    def slow(self, *arguments, **options):
        assert release.wait(60)
        return judge(self, *arguments, **options)

    async def both():
        waiting = asyncio.create_task(do_group_rollout(builder, Says("no idea")))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        release.set()
        return await waiting

    monkeypatch.setattr(Pool, "judge", slow)
    assert asyncio.run(both()).get_total_rewards() == [-1.0] * GROUP


def test_a_rollout_that_cannot_be_judged_has_no_advantage(dataset):
    builder = dataset.get_batch(0)[0]
    right, wrong = Verdict(1.0, True, True), Verdict(-1.0, False, False)
    failed = Failure("deadline", "it took longer than 10 s")
    found = builder.count([right, failed, *[wrong] * (GROUP - 2)])
    rewards = [reward for reward, _ in found]
    assert rewards[1] == pytest.approx(sum(rewards) / GROUP)
    assert [metrics["failed"] for _, metrics in found] == [0, 1, *[0] * (GROUP - 2)]
    assert "correct" not in found[1][1]
    name = builder.item.name
    assert dataset.gym.curriculum.counts(name) == (1, GROUP - 1)
    assert dataset.gym.step().failures == {name: {"deadline": 1}}


# The dataset by itself.


def finish(builders, verdict):
    for builder in builders:
        builder.count([verdict] * GROUP)
        asyncio.run(builder.cleanup())


def test_a_step_is_closed_when_its_last_group_is_over_and_only_once(dataset, tmp_path):
    first = dataset.get_batch(0)
    assert not (tmp_path / STATES).exists()
    finish(first, RIGHT)
    assert sorted(states(tmp_path)) == [1]
    finish(first, RIGHT)  # cleanup may come twice
    dataset.get_batch(1)
    assert sorted(states(tmp_path)) == [1]
    dataset.get_batch(2)  # nothing of batch 1 has come yet
    assert sorted(states(tmp_path)) == [1, 2]


def test_late_groups_count_in_the_step_that_is_under_way(dataset):
    late = dataset.get_batch(0)
    dataset.get_batch(1)
    finish(late, RIGHT)
    counted = [dataset.gym.curriculum.counts(name)[1] for name in dataset.gym.curriculum.names]
    assert sum(counted) == GROUP * BATCH
    dataset.get_batch(2)
    assert max(dataset.gym.curriculum.bounds(name)[1] for name in dataset.gym.curriculum.names) > 0


def test_a_state_survives_a_line_that_was_cut_off(dataset, tmp_path):
    finish(dataset.get_batch(0), WRONG)
    finish(dataset.get_batch(1), RIGHT)
    path = tmp_path / STATES
    text = path.read_bytes()
    path.write_bytes(text + b'{"step":3,"metr')
    with Gym(["Sorting", "EuclidGame"], group=GROUP, curriculum=SETTINGS, workers=1) as gym:
        again = make(gym, path)
        items = [builder.item for builder in again.get_batch(2)]
        assert items == [builder.item for builder in dataset.get_batch(2)]
        dataset.get_batch(3)
        again.get_batch(3)
    assert [line["step"] for line in lines(tmp_path)] == [1, 2, 3, 3]  # one of either dataset


def test_what_is_wrong_is_said(tmp_path):
    with (
        Gym(["Sorting"], group=GROUP, workers=1) as gym,
        pytest.raises(UserError, match=r"step 4, but .* it is not in .*\.jsonl"),
    ):
        make(gym, tmp_path / STATES).get_batch(4)
    with pytest.raises(UserError, match="not 'base'"):
        asyncio.run(dataset_builder(tmp_path, format="base")())


def test_long_prompts_are_drawn_again(tmp_path):
    def length(group):
        """Of all that the model gets: the problem, the sentence about the answer's form, roles."""
        [env, *_] = asyncio.run(group.make_envs())
        prompt, _ = asyncio.run(env.initial_observation())
        return prompt.length

    limit = 55
    builder = dataset_builder(
        tmp_path,
        curriculum=CurriculumSettings(static=(0, 8)),
        max_prompt_tokens=limit,
        batch_size=16,
    )
    dataset, _ = asyncio.run(builder())
    lengths = [length(group) for group in dataset.get_batch(0)]
    assert max(lengths) <= limit
    assert dataset.gym.stream.redrawn
    dataset.gym.close()
