"""The vLLM engine against the real vLLM, with the embedded policy: `make test-vllm`."""

import json
import multiprocessing
import signal

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed here; `make test-vllm` runs these")

import psutil
import torch

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.engines import vllm as module
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.vllm import VllmEngine
from rlve.models.policy import load_policy
from rlve.models.rollouts import Rollout
from rlve.models.stop_strings import stop_strings
from rlve.registry import environment
from rlve.train.config import Config, DataConfig, RolloutConfig, RunConfig, UpdateConfig
from rlve.train.trainer import train
from support.sampling import complete, finish, gaps

MAX_TOKENS = 64
NANO = PolicyConfig(model="nano", format="plain", device="cpu")


@pytest.fixture(scope="module")
def policy():
    torch.set_num_threads(1)
    return load_policy(NANO, context=512)


@pytest.fixture(scope="module")
def engine(policy):
    """One for all tests, because it takes long to start."""
    engine = VllmEngine(policy, max_tokens=MAX_TOKENS, slots=64, memory=0.1, seed=1)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def prompts(policy):
    names = ("Sorting", "MinimalCyclicShift")
    return [
        policy.encode(environment(name).generate(difficulty=d, seed=d))
        for d in range(4)
        for name in names
    ]


def test_greedy_tokens_are_those_of_the_in_process_engine(engine, policy, prompts, monkeypatch):
    monkeypatch.setattr(engine, "temperature", 0.0)
    theirs = complete(engine, [Rollout(prompt) for prompt in prompts])
    other = InProcessEngine(
        policy.model, stop_tokens=policy.stop_tokens, max_tokens=MAX_TOKENS, temperature=0
    )
    ours = complete(other, [Rollout(prompt) for prompt in prompts])
    assert [r.tokens for r in theirs] == [r.tokens for r in ours]
    assert [r.ending for r in theirs] == [r.ending for r in ours]


def test_log_probabilities_are_the_models_own(engine, policy, prompts):
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(8)]
    complete(engine, rollouts)
    assert gaps(policy.model, rollouts).max() < 1e-4
    for rollout in rollouts:
        assert 1 <= len(rollout.tokens) <= MAX_TOKENS
        assert (rollout.ending == "stop") == (rollout.tokens[-1] in policy.stop_tokens)
        assert not set(rollout.tokens[:-1]) & set(policy.stop_tokens)


def test_new_weights_are_used(engine, policy, prompts):
    """All of them: the policy's head shares the weights of its embedding."""
    model = policy.model
    before = complete(engine, [Rollout(prompt) for prompt in prompts for _ in range(4)])
    for _ in range(2):
        with torch.no_grad():
            for weight in model.parameters():
                weight += 0.05 * weight.std() * torch.randn_like(weight)
        engine.update(model)
        rollouts = complete(engine, [Rollout(prompt) for prompt in prompts for _ in range(4)])
        assert gaps(model, rollouts).max() < 1e-4
    assert gaps(model, before).max() > 1e-2


def test_an_update_that_had_no_effect_is_noticed(engine, policy, monkeypatch):
    with torch.no_grad():
        policy.model.get_input_embeddings().weight *= 1.1
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_weights", lambda *arguments: None)
        with pytest.raises(RuntimeError, match="does not compute with the new weights"):
            engine.update(policy.model)
    engine.update(policy.model)


def test_an_aborted_rollout_keeps_its_tokens_and_goes_on_from_them(
    engine, policy, prompts, monkeypatch
):
    monkeypatch.setattr(module, "LINGER", 0.0)
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(16)]
    engine.submit(rollouts)
    ended = engine.collect()
    unfinished = engine.stop()
    assert sorted(map(id, ended + unfinished)) == sorted(map(id, rollouts))
    assert all(r.ending is None for r in unfinished)
    assert any(r.tokens for r in unfinished)
    assert engine.collect() == []
    before = [(list(r.tokens), list(r.logprobs)) for r in unfinished]
    assert all(len(tokens) == len(logprobs) for tokens, logprobs in before)
    engine.submit(unfinished)
    assert sorted(map(id, finish(engine))) == sorted(map(id, unfinished))
    for rollout, (tokens, logprobs) in zip(unfinished, before, strict=True):
        assert rollout.tokens[: len(tokens)] == tokens
        assert rollout.logprobs[: len(logprobs)] == logprobs
        assert rollout.ending is not None
    assert gaps(policy.model, unfinished).max() < 1e-4


def test_what_ended_but_was_not_collected_is_not_lost(engine, policy, prompts):
    over = [
        Rollout(prompts[0], tokens=[5, policy.stop_tokens[0]], logprobs=[-1.0, -1.0]),
        Rollout(prompts[0], tokens=[5] * MAX_TOKENS, logprobs=[-1.0] * MAX_TOKENS),
    ]
    engine.submit(over)
    assert engine.stop() == over
    assert [r.ending for r in over] == [None, None]
    engine.submit(over)
    assert finish(engine) == over
    assert [r.ending for r in over] == ["stop", "length"]
    assert [len(r.tokens) for r in over] == [2, MAX_TOKENS]


def test_signals_that_end_a_run_leave_it_sampling(engine, prompts):
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(16)]
    engine.submit(rollouts)
    [core] = [psutil.Process(process.pid) for process in multiprocessing.active_children()]
    for process in (core, *core.children(recursive=True)):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.send_signal(number)
    assert sorted(map(id, finish(engine))) == sorted(map(id, rollouts))
    assert {rollout.ending for rollout in rollouts} <= {"stop", "length"}


def test_each_step_has_random_numbers_of_its_own(engine, policy, prompts, monkeypatch):
    monkeypatch.setattr(engine, "temperature", 2.0)

    def sampled():
        rollout = Rollout(prompts[0])  # alone, so that its numbers do not depend on timing
        complete(engine, [rollout])
        return rollout.tokens

    state = engine.state_dict()
    engine.update(policy.model)
    first = sampled()
    engine.update(policy.model)
    second = sampled()
    engine.load_state_dict(state)
    engine.update(policy.model)
    assert sampled() == first
    assert second != first


def test_outputs_end_with_a_string(engine, policy, prompts, monkeypatch):
    stops = stop_strings(policy.tokenizer, ("</answer>", "</ans"))
    monkeypatch.setattr(engine, "stop_strings", stops)
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(4)]
    engine.submit(rollouts[:16])
    ended = engine.collect()
    unfinished = engine.stop()
    engine.submit(unfinished + rollouts[16:])
    ended += finish(engine)
    assert sorted(map(id, ended)) == sorted(map(id, rollouts))
    for rollout in rollouts:
        assert stops.end(rollout.tokens) in (None, len(rollout.tokens))
    ends = [rollout for rollout in rollouts if stops.end(rollout.tokens) is not None]
    assert len(ends) > 5
    assert {rollout.ending for rollout in ends} == {"stop"}
    assert gaps(policy.model, rollouts).max() < 1e-4


def test_random_numbers_can_be_begun_anew(engine, prompts, monkeypatch):
    monkeypatch.setattr(engine, "temperature", 2.0)

    def sampled():
        rollout = Rollout(prompts[0])  # alone, so that its numbers do not depend on timing
        engine.reseed(7)
        complete(engine, [rollout])
        return rollout.tokens

    assert sampled() == sampled()


def test_top_p_cuts_the_tail(engine, prompts, monkeypatch):
    monkeypatch.setattr(engine, "top_p", 1e-6)
    rollouts = complete(engine, [Rollout(prompts[0]) for _ in range(8)])
    assert len({tuple(rollout.tokens) for rollout in rollouts}) == 1


def test_what_vllm_refuses_is_refused_before_it_starts(policy):
    with pytest.raises(UserError, match=r"temperature must be in \[0, 2\]"):
        VllmEngine(policy, max_tokens=MAX_TOKENS, temperature=5.0)


def test_a_failing_request_is_reported(engine, prompts, monkeypatch):
    monkeypatch.setattr(engine, "temperature", 5.0)
    engine.submit([Rollout(prompts[0])])
    with pytest.raises(UserError, match="vLLM failed"):
        engine.collect()
    engine.stop()


@pytest.mark.parametrize("partial", [False, True])
def test_a_training_run(partial, tmp_path):
    config = Config(
        policy=NANO,
        data=DataConfig(environments=("MinimalCyclicShift",), max_prompt_tokens=256),
        rollout=RolloutConfig(
            problems=4,
            oversample=8,
            rounds=4,
            group=8,
            max_tokens=64,
            partial=partial,
            engine="vllm",
            slots=64,
            memory=0.1,
        ),
        update=UpdateConfig(learning_rate=1e-4, micro_batch_tokens=2048),
        run=RunConfig(folder=tmp_path / "run", steps=3, checkpoint_every=2, workers=1),
    )
    assert train(config).step == 3
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert [step["step"] for step in steps] == [1, 2, 3]
    trained = [step for step in steps if step["trained_groups"]]
    assert trained
    # In every step vLLM sampled with the weights that are trained; only what was begun in an
    # earlier step may differ.
    current = trained[:1] if partial else trained
    assert all(step["sampler_gap"] < 1e-4 for step in current)
