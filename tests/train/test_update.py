import copy
from dataclasses import replace
from random import Random

import pytest
import torch
from transformers import AutoModelForCausalLM

from rlve.models.fusion import fuse_adapters
from rlve.models.logprobs import Scorer
from rlve.models.pass_sizes import PassSize
from rlve.train.config import UpdateConfig
from rlve.train.loss import LOSSES
from rlve.train.update import (
    DivergedError,
    TrainingRow,
    Updater,
    learning_rate,
    make_optimizer,
)
from support.families import tiny


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy)


def random_groups(seed, count=4, outputs=4, longest=7):
    """Groups whose prompts are long enough to be shared; the long outputs have a reply in them."""
    rng = Random(seed)
    groups = []
    for _ in range(count):
        prompt = [rng.randrange(23) for _ in range(rng.randint(20, 40))]
        group = []
        for _ in range(outputs):
            tokens = [rng.randrange(23) for _ in range(rng.randint(1, longest))]
            logprobs = [rng.uniform(-4, -2) for _ in tokens]
            stale = rng.randint(0, len(tokens))
            given = [(len(tokens) - 4, len(tokens) - 2)] if len(tokens) > 4 else []
            group.append(TrainingRow(prompt, tokens, logprobs, rng.uniform(-1, 1), stale, given))
        groups.append(group)
    return groups


def updated(
    model,
    groups,
    *,
    start=None,
    temperature=1.0,
    chunk=2**27,
    flat=False,
    adam=False,
    **settings,
):
    """The model after an update, and its metrics."""
    model = copy.deepcopy(model)
    settings = {"max_grad_norm": 1e9, **settings}
    config = UpdateConfig(learning_rate=1e-2, **settings)
    sgd = torch.optim.SGD(model.parameters(), lr=1e-2)
    optimizer = make_optimizer(model, config) if adam else sgd
    updater = Updater(
        model,
        optimizer,
        config,
        max_tokens=50,
        start=start,
        temperature=temperature,
        flat=flat,
    )
    updater.score.chunk = chunk
    return model, updater.update(groups)


def assert_same_step(start, one, other):
    """Both have moved, and by the same."""
    assert any(
        not torch.equal(a, b) for a, b in zip(start.parameters(), one.parameters(), strict=True)
    )
    for a, b, c in zip(start.parameters(), one.parameters(), other.parameters(), strict=True):
        step = (b - a).detach()
        assert torch.allclose(
            step, (c - a).detach(), rtol=1e-3, atol=1e-4 * float(step.abs().max()) + 1e-8
        )


@pytest.mark.parametrize("aggregation", ["token", "sample"])
@pytest.mark.parametrize("loss", LOSSES)
def test_micro_batch_size_does_not_change_the_update(model, loss, aggregation):
    groups = random_groups(1)
    settings = {"loss": loss, "aggregation": aggregation}
    whole, metrics = updated(model, groups, **settings)
    pieces, again = updated(model, groups, micro_batch_tokens=60, **settings)
    assert_same_step(model, whole, pieces)
    assert metrics == pytest.approx(again, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("updates", [1, 2])
def test_an_update_that_ran_out_of_memory_is_made_in_smaller_passes(model, updates, monkeypatch):
    groups = random_groups(1)
    expected, metrics = updated(model, groups, updates_per_step=updates)
    score, calls = Scorer.__call__, []

    def short(self, rows):
        calls.append(sum(map(len, rows)))
        if len(calls) == 2:  # after a pass whose gradient must not count twice
            raise torch.OutOfMemoryError
        return score(self, rows)

    monkeypatch.setattr(Scorer, "__call__", short)
    in_passes_that_shrink(monkeypatch)
    found, again = updated(model, groups, updates_per_step=updates)
    assert max(calls[2:]) < max(calls[:2])
    assert_same_step(model, expected, found)
    assert metrics == pytest.approx(again, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(
    ("owner", "name"), [(Scorer, "__call__"), (torch.Tensor, "backward")], ids=["forward", "back"]
)
def test_a_pass_that_ran_out_of_memory_leaves_nothing_behind(model, owner, name, monkeypatch):
    """A gradient that counted twice would show, bit by bit."""
    groups = random_groups(1)
    expected, metrics = updated(model, groups, adam=True, micro_batch_tokens=50)
    right, calls = getattr(owner, name), []

    def exhausted(*args):
        calls.append(args)
        found = right(*args)
        if len(calls) == 2:  # all is done, and then some more is wanted
            raise torch.OutOfMemoryError
        return found

    monkeypatch.setattr(owner, name, exhausted)
    in_passes_that_shrink(monkeypatch)
    found, again = updated(model, groups, adam=True)
    assert len(calls) > 3
    assert metrics == again
    assert_equal(expected, found)


def test_the_first_step_of_the_optimiser_takes_no_memory(model, monkeypatch):
    groups = random_groups(1)
    expected, metrics = updated(model, groups, adam=True, micro_batch_tokens=50)
    in_passes_that_shrink(monkeypatch, tokens=50)
    right = torch.optim.AdamW.step
    monkeypatch.setattr(torch.optim.AdamW, "step", without_memory(right))
    found, again = updated(model, groups, adam=True)
    assert metrics == again
    assert_equal(expected, found)


def test_a_step_that_ran_out_of_memory_is_not_taken_again(model, monkeypatch):
    """Half of it may be in the weights, and Adam would be lacking half of its moments."""
    in_passes_that_shrink(monkeypatch)
    steps = []
    optimizer = torch.optim.AdamW(model.parameters())  # which makes them in its first step
    optimizer.register_step_pre_hook(lambda *args: steps.append(args))
    updater = Updater(model, optimizer, UpdateConfig(learning_rate=1e-2))
    monkeypatch.setattr(optimizer, "step", without_memory(optimizer.step))
    with pytest.raises(torch.OutOfMemoryError):
        updater.update(random_groups(1))
    assert len(steps) == 1


def without_memory(step):
    """An optimiser's step that can have memory for three tensors."""
    right, calls = torch.zeros_like, []

    def exhausted(*args, **more):
        calls.append(args)
        if len(calls) > 3:
            raise torch.OutOfMemoryError
        return right(*args, **more)

    def run(*args):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(torch, "zeros_like", exhausted)
            return step(*args)

    return run


def assert_equal(one, other):
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def in_passes_that_shrink(monkeypatch, tokens=100):
    """On a CPU, too, where their size is not ours to choose."""
    monkeypatch.setattr("rlve.models.pass_sizes.LEAST", 8)
    monkeypatch.setattr("rlve.train.update.PassSize", lambda *args, **more: Chosen(tokens))


class Chosen(PassSize):
    """A size that may change, on a CPU."""

    def __init__(self, tokens):
        super().__init__(tokens, usual=1, device=torch.device("cpu"))
        self.chosen = True


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "gpt2", "mistral, window"])
def test_sharing_prompts_does_not_change_the_update(family, loss):
    """For each model of the list, the last of which cannot share."""
    model = tiny(family)
    model.config.update(dict.fromkeys(["attn_pdrop", "embd_pdrop", "resid_pdrop"], 0.0))
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    groups = random_groups(2)
    settings = {"loss": loss, "kl": 0.1, "start": tiny(family, seed=1), "temperature": 0.8}
    shared, metrics = updated(model, groups, share_prompts=True, **settings)
    plain, again = updated(model, groups, share_prompts=False, **settings)
    assert_same_step(model, plain, shared)
    assert metrics == pytest.approx(again, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("share_prompts", [True, False])
@pytest.mark.parametrize("family", ["llama", "qwen2", "mistral, window"])
def test_leaving_out_padding_does_not_change_the_update(family, share_prompts):
    model = tiny(family)
    groups = random_groups(4)
    settings = {"kl": 0.1, "start": tiny(family, seed=1), "share_prompts": share_prompts}
    padded, metrics = updated(model, groups, **settings)
    flat, again = updated(model, groups, flat=True, micro_batch_tokens=90, **settings)
    assert_same_step(model, padded, flat)
    assert metrics == pytest.approx(again, rel=1e-4, abs=1e-6)


def with_random_adapters(model):
    peft = pytest.importorskip("peft", reason="adapters need rlve[lora]")
    torch.manual_seed(7)
    settings = peft.LoraConfig(r=3, target_modules="all-linear", init_lora_weights=False)
    return peft.get_peft_model(model, settings)


@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("family", ["llama", "qwen2", "gemma3", "mistral, window"])
def test_adapters_get_the_gradient_of_a_plain_pass(family, fused, checkpointing):
    """On the path of a GPU, with a stand-in for its kernel; gemma3 has tied embeddings."""
    plain = with_random_adapters(tiny(family))
    model = copy.deepcopy(plain)
    if fused:
        fuse_adapters(model)
        kinds = {type(module).__name__ for module in model.modules()}
        assert "FusedLinear" in kinds
    if checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    groups = random_groups(5)
    settings = {"kl": 0.1, "start": with_random_adapters(tiny(family, seed=1))}
    expected, metrics = updated(plain, groups, share_prompts=False, **settings)
    flat, again = updated(model, groups, flat=True, micro_batch_tokens=90, **settings)
    assert_same_step(plain, expected, flat)
    assert metrics == pytest.approx(again, rel=1e-4, abs=1e-6)
    for (name, before), after in zip(plain.named_parameters(), flat.parameters(), strict=True):
        assert torch.equal(before, after) != ("lora_" in name)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize(
    ("family", "checkpointing"), [("llama", False), ("llama", True), ("qwen3_moe", False)]
)
def test_without_its_adapters_a_model_is_the_initial_policy(family, checkpointing, half):
    """Bit by bit what a copy of it gives, on the path of a GPU."""
    model = with_random_adapters(tiny(family))
    fuse_adapters(model)
    start = copy.deepcopy(model)
    with torch.no_grad():  # as adapters begin
        for name, weight in start.named_parameters():
            if "lora_B" in name:
                weight.zero_()
    if checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    groups, flat = random_groups(5), family == "llama"
    settings = {"kl": 0.1, "flat": flat, "micro_batch_tokens": 90}
    with torch.autocast("cpu", torch.bfloat16, enabled=half):
        expected, metrics = updated(model, groups, start=start, **settings)
        found, again = updated(model, groups, **settings)
    assert metrics == again
    assert metrics["kl"] > 1e-4
    assert_equal(expected, found)
    assert all(
        weight.requires_grad == ("lora_" in name) for name, weight in found.named_parameters()
    )


def test_shared_rows_are_used_where_they_can_be(model):
    groups = random_groups(3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def tokens(updater):
        seen = []
        hook = model.model.register_forward_pre_hook(
            lambda module, args, kwargs: seen.append(kwargs["input_ids"].numel()),
            with_kwargs=True,
        )
        updater.update(groups)
        hook.remove()
        return sum(seen)

    shared = tokens(Updater(model, optimizer, UpdateConfig()))
    plain = tokens(Updater(model, optimizer, UpdateConfig(share_prompts=False)))
    assert 2 * shared < plain


def test_outputs_of_different_prompts_are_no_group(model):
    mixed = [[rows[0] for rows in random_groups(3)]]
    with pytest.raises(ValueError, match="the same prompt"):
        updated(model, mixed)


@pytest.mark.parametrize("chunk", [2**27, 5 * 23])
@pytest.mark.parametrize("share_prompts", [True, False])
def test_the_gradient_is_that_of_one_row_at_a_time(model, share_prompts, chunk):
    """No padding, no batch, no chunks: each output alone, with the loss written out."""
    groups = random_groups(2, count=2)
    found, _ = updated(model, groups, share_prompts=share_prompts, chunk=chunk)
    slow = copy.deepcopy(model)
    optimizer = torch.optim.SGD(slow.parameters(), lr=1e-2)
    rows = [row for group in groups for row in group]
    replies = [{i for span in row.given for i in range(*span)} for row in rows]
    assert any(replies)
    total = sum(len(row.tokens) - len(given) for row, given in zip(rows, replies, strict=True))
    for row, given in zip(rows, replies, strict=True):
        logits = slow(torch.tensor([row.prompt + row.tokens])).logits[0]
        for i, token in enumerate(row.tokens):
            if i in given:
                continue
            logprob = logits[len(row.prompt) - 1 + i].log_softmax(-1)[token]
            weight = min(float((logprob.detach() - row.logprobs[i]).exp()), 2.0)
            ratio = (logprob - logprob.detach()).exp()
            (-weight * ratio * row.advantage / total).backward(retain_graph=True)
    optimizer.step()
    for a, b in zip(found.parameters(), slow.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def own_distributions(model, row):
    with torch.no_grad():
        logits = model(torch.tensor([row.prompt + row.tokens])).logits[0]
    return torch.distributions.Categorical(logits=logits[len(row.prompt) - 1 : -1])


def test_entropy_and_the_gaps_of_fresh_and_resumed_tokens_are_measured(model):
    groups = random_groups(6)
    _, metrics = updated(model, groups)
    entropies, fresh, resumed = [], [], []
    for row in (row for group in groups for row in group):
        chances = own_distributions(model, row)
        gaps = chances.log_prob(torch.tensor(row.tokens)) - torch.tensor(row.logprobs)
        for i, (entropy, gap) in enumerate(zip(chances.entropy(), gaps.abs(), strict=True)):
            if not any(begin <= i < end for begin, end in row.given):
                entropies.append(float(entropy))
                (resumed if i < row.stale_tokens else fresh).append(float(gap))
    assert metrics["entropy"] == pytest.approx(sum(entropies) / len(entropies), rel=1e-4)
    assert metrics["sampler_gap"] == pytest.approx(sum(fresh) / len(fresh), rel=1e-4)
    assert metrics["sampler_gap_resumed"] == pytest.approx(sum(resumed) / len(resumed), rel=1e-4)
    assert "kl" not in metrics


def test_without_resumed_tokens_there_is_no_gap_of_theirs(model):
    groups = [[replace(row, stale_tokens=0) for row in group] for group in random_groups(6)]
    assert "sampler_gap_resumed" not in updated(model, groups)[1]


def test_the_kl_term_is_measured_and_leads_to_the_start(model, tiny_policy):
    start = AutoModelForCausalLM.from_pretrained(tiny_policy)
    with torch.no_grad():
        for parameter in start.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    groups = [[replace(row, advantage=0.0) for row in group] for group in random_groups(7)]
    after, first = updated(model, groups, kl=1.0, start=start)
    _, second = updated(after, groups, kl=1.0, start=start)
    assert first["kl"] > second["kl"] > 0
    assert first["loss"] == pytest.approx(first["kl"], rel=1e-5)
    with pytest.raises(ValueError, match="KL"):
        updated(model, groups, kl=1.0)


def test_several_updates_use_the_log_probabilities_of_the_steps_beginning(model):
    """One group in each: for the second, ratios are taken to weights before the first."""
    groups = random_groups(3, count=2)
    model = copy.deepcopy(model)
    updater = Updater(
        model, torch.optim.SGD(model.parameters(), lr=0.5), UpdateConfig(updates_per_step=2)
    )
    beginning = copy.deepcopy(model)
    handed = []
    step = updater._step

    def spy(groups, old):
        rows = [row for group in groups for row in group]
        handed.append((rows, torch.cat([old[id(row)] for row in rows])))
        return step(groups, old)

    updater._step = spy
    updater.update(groups)
    assert len(handed) == 2
    for rows, old in handed:
        expected = [
            own_distributions(beginning, row).log_prob(torch.tensor(row.tokens))[row.learnt]
            for row in rows
        ]
        assert torch.allclose(old, torch.cat(expected), atol=1e-5)


def test_zero_advantages_change_nothing(model):
    groups = [[replace(row, advantage=0.0) for row in group] for group in random_groups(4)]
    after, _ = updated(model, groups)
    for a, b in zip(model.parameters(), after.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_loss_that_is_no_number_stops_before_the_weights_change(model):
    groups = random_groups(5)
    groups[1][3] = replace(groups[1][3], advantage=float("nan"))
    model = copy.deepcopy(model)
    before = copy.deepcopy(model.state_dict())
    updater = Updater(model, torch.optim.SGD(model.parameters(), lr=1), UpdateConfig())
    with pytest.raises(DivergedError, match="nan"):
        updater.update(groups)
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())


def test_the_learning_rate_rises_and_then_follows_its_schedule():
    config = UpdateConfig(learning_rate=0.8, warmup_steps=4)

    def rates(config):
        return [learning_rate(config, step, 8) for step in range(1, 9)]

    rising = [0.2, 0.4, 0.6, 0.8]
    assert rates(config) == pytest.approx([*rising, 0.8, 0.8, 0.8, 0.8])
    assert rates(replace(config, warmup_steps=0)) == [0.8] * 8
    assert rates(replace(config, schedule="linear")) == pytest.approx([*rising, 0.8, 0.6, 0.4, 0.2])
    cosine = rates(replace(config, schedule="cosine"))
    assert cosine[:5] == pytest.approx([*rising, 0.8])
    assert cosine[6] == pytest.approx(0.4)
    assert cosine[4:] == sorted(cosine[4:], reverse=True)
