"""What of the vLLM engine can be tested without vLLM: some of it with a stand-in."""

import asyncio
import copy
import importlib
import os
import signal
import subprocess
import sys
import threading
from array import array
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

import numpy as np
import torch
from safetensors.torch import load_file
from torch.nn import Linear
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM

from rlve.errors import UserError
from rlve.formats import PLAIN
from rlve.models.engines.vllm import (
    FOLDER,
    TRAINER,
    VllmEngine,
    opened,
    parcels,
    write_weights,
)
from rlve.models.logprobs import logprobs_of
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout
from rlve.train.config import Config, RolloutConfig
from support.families import tiny, tiny_model
from support.sampling import complete

TOKENS = torch.arange(3, 15).unsqueeze(0)


def written(model, folder, dtype=torch.float32):
    model.config.save_pretrained(folder)
    write_weights(model, folder, dtype)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()


def test_without_vllm_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)  # so that importing it fails
    with pytest.raises(UserError, match=r"rlve\[vllm\]"):
        VllmEngine(None, max_tokens=8)


@pytest.mark.parametrize("memory", [0.0, 1.0, -0.5])
def test_the_share_of_memory_is_checked(memory):
    with pytest.raises(UserError, match=r"rollout\.memory"):
        Config(rollout=RolloutConfig(memory=memory)).check()


@torch.no_grad()
@pytest.mark.parametrize("tied", [False, True])
def test_written_weights_are_the_models(tied, tmp_path):
    model = tiny_model("llama", tie_word_embeddings=tied)
    assert torch.equal(written(model, tmp_path)(TOKENS).logits, model(TOKENS).logits)
    for weight in model.parameters():
        weight += 0.1
    assert torch.equal(written(model, tmp_path)(TOKENS).logits, model(TOKENS).logits)


def test_weights_are_written_in_the_type_that_vllm_computes_in(tmp_path):
    loaded = written(tiny_model("llama", tie_word_embeddings=True), tmp_path, torch.bfloat16)
    assert {weight.dtype for weight in loaded.parameters()} == {torch.bfloat16}


@torch.no_grad()
@pytest.mark.parametrize("tied", [False, True])
def test_adapters_are_added_into_the_weights(tied, tmp_path):
    peft = pytest.importorskip("peft", reason="needs rlve[lora]")
    settings = peft.LoraConfig(r=2, lora_alpha=4, target_modules="all-linear")
    model = peft.get_peft_model(tiny_model("llama", tie_word_embeddings=tied), settings).eval()
    plain = model(TOKENS).logits
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            weight += 0.3 * torch.randn_like(weight)
            before[name] = weight.clone()
    logits = model(TOKENS).logits
    assert not torch.allclose(logits, plain, atol=1e-3)
    assert torch.allclose(written(model, tmp_path)(TOKENS).logits, logits, atol=1e-5)
    for name, weight in model.state_dict().items():  # the model itself is as it was
        assert torch.equal(weight, before[name])


@torch.no_grad()
@pytest.mark.parametrize("size", [1, 3000, 10**9])
def test_parcels_hold_all_weights(size):
    model = tiny_model("llama", tie_word_embeddings=True)
    found = {}
    for contents, row in parcels(model, torch.bfloat16, size):
        assert row.dtype == torch.bfloat16
        assert row.is_contiguous()
        found |= dict(opened(contents, row))
    expected = {
        name: weight for name, weight in model.state_dict().items() if name != "lm_head.weight"
    }
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        assert torch.equal(found[name], weight.bfloat16())


@torch.no_grad()
@pytest.mark.parametrize(
    "family", ["qwen3_moe", "mixtral", "deepseek_v3", "gpt_neox", "gemma3, with images", "llama"]
)
def test_parcels_name_and_cut_weights_as_files_do(family, tmp_path):
    """vLLM takes experts one by one, as they are stored; in memory, transformers joins them."""
    model = tiny(family)
    write_weights(model, tmp_path, torch.float32)
    found = {}
    for contents, row in parcels(model, torch.float32, 3000):
        found |= dict(opened(contents, row))
    expected = load_file(tmp_path / "model.safetensors")
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


# With a stand-in for vLLM, which always says the same.

SCRIPT = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]


class StandIn:
    """The engine of vLLM, as far as we use it."""

    def __init__(self, model, arguments):
        self.model = model
        self.arguments = arguments
        self.blocked = signal.pthread_sigmask(signal.SIG_BLOCK, set())  # as processes inherit it
        self.told = {name: os.environ[name] for name in (TRAINER, FOLDER)}
        self.calls = []
        self.asked = []
        self.aborted = []
        self.kept = {}  # the log-probabilities of each request, with one more than it has tokens
        self.forgets = False
        self.cut = None  # set, it is cut off after the first token by us or by vLLM

    async def collective_rpc(self, method, args=()):
        if method == "rlve_kept":
            rows = [self.kept.pop(name) for name in args[0]]
            return [[array("f", [] if self.forgets else row).tobytes() for row in rows]]
        self.calls.append(method)
        return [None]

    async def reset_prefix_cache(self):
        return True

    async def sleep(self, level):
        self.calls.append(f"sleep {level}")

    async def wake_up(self):
        self.calls.append("wake up")

    def shutdown(self, timeout):
        self.calls.append("shutdown")

    async def abort(self, names):
        self.cut.set()

    async def generate(self, prompt, settings, name):
        if settings.prompt_logprobs is not None:
            yield self.probed(prompt)
            return
        self.asked.append((prompt, settings.max_tokens))
        if self.cut is not None:
            await self.cut.wait()
            self.kept[name] = [-3.0, -9.0]
            sampled = SimpleNamespace(token_ids=[3], finish_reason="abort")
            yield SimpleNamespace(outputs=[sampled])
            return
        tokens = (SCRIPT * 10)[: settings.max_tokens]
        self.kept[name] = [*(-float(token) for token in tokens), -9.0]
        step = 3 if settings.output_kind == "delta" else len(tokens)
        try:
            for at in range(0, len(tokens), step):
                await asyncio.sleep(0)
                new = tokens[at : at + step]
                over = at + step >= len(tokens)
                reason = "length" if over else None
                sampled = SimpleNamespace(token_ids=new, finish_reason=reason)
                yield SimpleNamespace(outputs=[sampled])
        except GeneratorExit:
            self.aborted.append(name)
            raise

    @torch.no_grad()
    def probed(self, prompt):
        rows = self.model(torch.tensor([prompt])).logits[0].float().log_softmax(-1)
        chances = [
            {token: SimpleNamespace(logprob=float(rows[i, token]))}
            for i, token in enumerate(prompt[1:])
        ]
        return SimpleNamespace(prompt_logprobs=[None, *chances])


@dataclass
class Settings:
    temperature: float
    max_tokens: int
    top_p: float = 1.0
    logprobs: int | None = None
    stop_token_ids: list | None = None
    ignore_eos: bool = False
    detokenize: bool = True
    output_kind: str = "cumulative"
    prompt_logprobs: int | None = None


class Words:
    """A tokenizer whose tokens are letters."""

    def decode(self, tokens, **settings):
        return "".join(chr(ord("a") + token) for token in tokens)


@pytest.fixture
def engines(monkeypatch):
    model = tiny_model("llama")
    vllm = ModuleType("vllm")
    vllm.SamplingParams = Settings
    vllm.sampling_params = SimpleNamespace(
        RequestOutputKind=SimpleNamespace(FINAL_ONLY="final", DELTA="delta")
    )
    vllm.AsyncEngineArgs = SimpleNamespace
    vllm.AsyncLLMEngine = SimpleNamespace(
        from_engine_args=lambda arguments, usage_context: StandIn(model, arguments)
    )
    inputs = ModuleType("vllm.inputs")
    inputs.tokens_input = list
    usage = ModuleType("vllm.usage.usage_lib")
    usage.UsageContext = SimpleNamespace(LLM_CLASS="LLM_CLASS")
    for module in (vllm, inputs, usage):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    made = []

    def make(strings=(), **settings):
        policy = Policy(model, Words(), PLAIN, (1,), strings)
        made.append(VllmEngine(policy, **{"max_tokens": 8, **settings}))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.mark.parametrize(
    ("strings", "count"), [(("gh",), 5), (("k", "fgh"), 5), (("l",), 8), (("d",), 1), ((), 8)]
)
def test_outputs_end_with_a_string(engines, strings, count):
    engine = engines(strings)
    rollouts = complete(engine, [Rollout([2, 3]) for _ in range(3)])
    for rollout in rollouts:
        assert rollout.tokens == SCRIPT[:count]
        assert rollout.logprobs == [-float(token) for token in SCRIPT[:count]]
        assert rollout.ending == ("length" if count == 8 else "stop")
    assert len(engine._llm.aborted) == (0 if count == 8 else 3)


def test_a_string_may_have_begun_before_a_rollout_was_resumed(engines):
    engine = engines(("ded",))
    rollout = Rollout([2], [3, 4], [-1.0, -1.0])
    over = Rollout([2], [3, 4, 3], [-1.0] * 3)
    complete(engine, [rollout, over])
    assert (rollout.tokens, rollout.ending) == ([3, 4, 3], "stop")
    assert (over.tokens, over.ending) == ([3, 4, 3], "stop")


def test_outputs_end_where_the_context_does(engines):
    engine = engines(context=10)
    assert engine._llm.arguments.max_model_len == 10
    rollouts = complete(engine, [Rollout([2] * 4), Rollout([2])])
    assert [len(rollout.tokens) for rollout in rollouts] == [6, 8]
    assert {rollout.ending for rollout in rollouts} == {"length"}


def test_vllm_is_compared_with_the_model_on_a_text(engines):
    text = [5, 6, 7, 8] * 5
    assert engines(probe=text)._probe == text
    assert engines(probe=text, context=12)._probe == text[:11]
    assert len(engines()._probe) == 32


def test_steps_that_rounding_undoes_are_no_error(engines):
    """vLLM does not see them, while in single precision they change the model a lot."""
    engine = engines(dtype=torch.bfloat16)
    model = tiny_model("llama", hidden_size=512, intermediate_size=1024, spread=0.02)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.bfloat16())
    theirs = engine._llm.model = copy.deepcopy(model).bfloat16()
    engine._gap = engine._gap_to(model)  # as if the run had begun with these weights
    before = logprobs_of(model, engine._probe)
    logits = model(torch.tensor([engine._probe])).logits[0, :-1]
    cross_entropy(logits, torch.tensor(engine._probe[1:])).backward()
    with torch.no_grad():
        for weight in (layer.weight for layer in model.modules() if isinstance(layer, Linear)):
            last_bit = 2.0 ** (weight.abs().log2().floor() - 7)
            weight += 0.24 * last_bit * weight.grad.sign()
    for ours, known in zip(model.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(ours.bfloat16(), known)
    assert (logprobs_of(model, engine._probe) - before).abs().mean() > 0.02 + 3 * engine._gap
    engine.update(model)


def test_the_next_message_goes_on_from_a_reply(engines):
    """Its request is the conversation so far; what is in there ends nothing."""
    engine = engines(("gh",), context=14)
    rollout = Rollout([2, 3])
    complete(engine, [rollout])
    assert rollout.tokens == SCRIPT[:5]
    rollout.hear([6, 7], 8)
    complete(engine, [rollout])
    assert engine._llm.asked[-1] == ([2, 3, *SCRIPT[:5], 6, 7], 1)
    assert (rollout.tokens, rollout.given) == ([*SCRIPT[:5], 6, 7, SCRIPT[0]], [(5, 7)])
    assert rollout.ending == "length"


def test_it_sleeps_while_nothing_is_sampled(engines):
    engine = engines()
    assert not engine.sleeps  # without a GPU
    engine.sleeps = True
    calls = engine._llm.calls
    calls.clear()
    complete(engine, [Rollout([2])])
    assert engine.stop() == []
    assert engine.stop() == []
    assert calls == ["sleep 1"]
    engine.update(tiny_model("llama"))
    assert calls == ["sleep 1", "wake up", "rlve_load", "rlve_seed"]
    engine.stop()
    complete(engine, [Rollout([2])])
    assert calls[4:] == ["sleep 1", "wake up"]


def test_a_rollout_that_is_stopped_keeps_its_tokens(engines):
    engine = engines()
    engine._llm.cut = asyncio.Event()
    rollouts = [Rollout([2]) for _ in range(3)]
    engine.submit(rollouts)
    assert engine.stop() == rollouts
    assert {tuple(rollout.tokens) for rollout in rollouts} == {(3,)}
    assert {tuple(rollout.logprobs) for rollout in rollouts} == {(-3.0,)}
    assert {rollout.ending for rollout in rollouts} == {None}
    engine._llm.cut = None
    complete(engine, rollouts)
    assert {rollout.ending for rollout in rollouts} == {"length"}
    later = [-float(token) for token in SCRIPT[:7]]
    assert all(rollout.logprobs == [-3.0, *later] for rollout in rollouts)


def test_tokens_without_log_probabilities_are_an_error(engines):
    engine = engines()
    engine._llm.forgets = True
    engine.submit([Rollout([2])])
    with pytest.raises(RuntimeError, match="did not keep the log-probabilities"):
        engine.collect()


def test_a_rollout_that_vllm_aborts_is_an_error(engines):
    """Its core aborts everything, for example, when it is told to end."""
    engine = engines()
    engine._llm.cut = asyncio.Event()
    engine.submit([Rollout([2])])
    assert engine.stop()[0].tokens == [3]  # asked for, and soon over
    engine.submit([Rollout([2])])
    raised = []

    def collect():
        try:
            engine.collect()
        except UserError as error:
            raised.append(str(error))

    collecting = threading.Thread(target=collect, daemon=True)
    collecting.start()
    collecting.join(60)
    assert raised == ["vLLM failed, see its messages above: it ended an output early: abort"]


def test_signals_that_end_a_run_do_not_reach_vllm(engines):
    ending = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    assert ending <= engines()._llm.blocked
    assert not ending & signal.pthread_sigmask(signal.SIG_BLOCK, set())  # they reach the trainer


def test_it_can_be_kept_awake(engines):
    engine = engines(sleep=False)
    engine.stop()
    assert "sleep 1" not in engine._llm.calls
    assert engine._llm.arguments.enable_sleep_mode is False


WORKER = """
import threading
import rlve.models.engines.vllm_worker
print("watching", flush=True)
threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="watches processes as Linux can")
def test_vllm_ends_with_the_trainer_and_leaves_no_weights(tmp_path):
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "model.safetensors").touch()
    with subprocess.Popen(["sleep", "infinity"]) as trainer:
        told = os.environ | {TRAINER: str(trainer.pid), FOLDER: str(folder)}
        worker = [sys.executable, "-c", WORKER]
        with subprocess.Popen(worker, env=told, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "watching\n"
            assert process.poll() is None
            assert folder.exists()
            trainer.kill()
            trainer.wait()
            assert process.wait(60) == -signal.SIGKILL
    assert not folder.exists()
    late = subprocess.run(worker, env=told, check=False, capture_output=True, timeout=300)
    assert late.returncode == -signal.SIGKILL  # the trainer had already ended


def test_the_worker_is_told_with_whom_to_end(engines):
    engine = engines()
    assert engine._llm.told == {TRAINER: str(os.getpid()), FOLDER: str(engine._folder)}
    assert not {TRAINER, FOLDER} & os.environ.keys()


def test_sampling_settings_reach_vllm(engines):
    engine = engines(top_p=0.9, temperature=0.6)
    settings = engine._parameters(5)
    assert (settings.top_p, settings.temperature, settings.max_tokens) == (0.9, 0.6, 5)
    engine.temperature, engine.top_p = 1.0, 1.0
    assert (engine._parameters(5).top_p, engine._parameters(5).temperature) == (1.0, 1.0)
    engine._llm.calls.clear()
    engine.reseed(3)
    assert engine._llm.calls == ["rlve_seed"]


@pytest.fixture
def worker(monkeypatch, tmp_path):
    """A worker of vLLM, as far as the extension uses it; each step samples what it is given."""
    monkeypatch.setenv(TRAINER, str(os.getpid()))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    extension = importlib.import_module("rlve.models.engines.vllm_worker").WorkerExtension
    worker = extension()
    worker.model_runner = SimpleNamespace(sample_tokens=lambda output: output)
    worker.rlve_keep()
    return worker


def sampled(rows, *, begins=None):
    """A step's output: a name, the number of its tokens, and log-probabilities, for each row."""
    logprobs = np.array([[value, -50.0] for *_, values in rows for value in values])
    return SimpleNamespace(
        req_ids=[name for name, *_ in rows],
        sampled_token_ids=[[5] * count for _, count, _ in rows],
        logprobs=SimpleNamespace(logprobs=logprobs, cu_num_generated_tokens=begins),
    )


def floats(rows):
    return [array("f", row).tolist() for row in rows]


@pytest.mark.parametrize("awaited", [False, True])
def test_the_worker_keeps_log_probabilities(worker, awaited):
    def step(rows, **settings):
        output = sampled(rows, **settings)
        if awaited:
            later = SimpleNamespace(get_output=lambda: output)
            assert worker.model_runner.sample_tokens(later) is later
            assert output.logprobs is not None
            assert later.get_output() is output
        else:
            assert worker.model_runner.sample_tokens(output) is output
        assert output.logprobs is None

    step([("1-ab", 1, [-1.0]), ("2-cd", 0, [-7.0])])  # the prompt of the second goes on
    step([("2-cd", 1, [-2.0]), ("1-ab", 1, [-1.5])])
    assert floats(worker.rlve_kept(["1"])) == [[-1.0, -1.5]]
    step([("2-cd", 2, [-2.5, -3.0]), ("3-ef", 1, [-4.0])], begins=[0, 2, 3])
    assert floats(worker.rlve_kept(["2", "3", "4"])) == [[-2.0, -2.5, -3.0], [-4.0], []]
    assert worker.rlve_rows == {}


def test_the_worker_leaves_other_outputs_alone(worker):
    for output in (None, SimpleNamespace(logprobs=None)):
        assert worker.model_runner.sample_tokens(output) is output
    assert worker.rlve_rows == {}
