"""Log-probabilities, entropies and gradients against the model's own logits, row by row."""

import copy
from random import Random

import pytest
import torch

from rlve.models.logprobs import Scorer, body_and_head
from rlve.models.packs import SHARING_MODELS, PackedRow
from support.families import FAMILIES, OTHERS, VOCABULARY, tiny, tiny_model

WIDE = {"sliding_window": 64}  # no row is longer
MODELS = {
    **{family: lambda family=family: tiny(family) for family in FAMILIES},
    "gemma3, wide window": lambda: tiny_model("gemma3_text", query_pre_attn_scalar=8, **WIDE),
    "mistral, wide window": lambda: tiny_model("mistral", **WIDE),
    "olmo2": lambda: tiny_model("olmo2"),
    "smollm3": lambda: tiny_model("smollm3"),
    "phi3": lambda: tiny_model("phi3", sliding_window=None),
    "qwen3_moe": lambda: tiny_model(
        "qwen3_moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16
    ),
    "granite": lambda: tiny_model("granite", logits_scaling=3.0),
    "cohere": lambda: tiny_model("cohere", logit_scale=0.25),
}
SHARING = {
    "gemma3, wide window",
    "gpt2",
    "llama",
    "mistral, wide window",
    "olmo2",
    "qwen2",
    "qwen3",
    "smollm3",
}


def random_rows(seed=0, groups=4, outputs=4):
    rng = Random(seed)

    def sequence(low, high):
        return [rng.randrange(VOCABULARY) for _ in range(rng.randint(low, high))]

    return [
        PackedRow(sequence(9, 20), [sequence(1, 9) for _ in range(outputs)]) for _ in range(groups)
    ]


def plain(rows):
    return [PackedRow(row.prompt, [output]) for row in rows for output in row.outputs]


def own_scores(model, rows, temperature):
    """From the model's own logits, one output at a time."""
    logprobs, entropies = [], []
    for row in plain(rows):
        output = torch.tensor(row.outputs[0])
        ids = torch.tensor([[*row.prompt, *row.outputs[0]]])
        logits = model(ids, use_cache=False).logits[0, len(row.prompt) - 1 : -1]
        all_of_them = (logits.float() / temperature).log_softmax(-1)
        logprobs.append(all_of_them.gather(1, output.unsqueeze(1)).squeeze(1))
        entropies.append(torch.distributions.Categorical(logits=all_of_them).entropy())
    return torch.cat(logprobs), torch.cat(entropies)


def gradients(model, logprobs):
    weights = torch.linspace(-1, 1, len(logprobs))
    trained = [p for p in model.parameters() if p.requires_grad]
    return torch.autograd.grad((weights * logprobs).sum(), trained, allow_unused=True)


def assert_same_scores(model, scorer, rows, temperature, atol=2e-5):
    expected, entropy = own_scores(model, rows, temperature)
    found = scorer(rows)
    assert torch.allclose(found.logprobs, expected, atol=atol)
    assert torch.allclose(found.entropy, entropy, atol=atol)
    assert not found.entropy.requires_grad
    pairs = zip(gradients(model, found.logprobs), gradients(model, expected), strict=True)
    for mine, theirs in pairs:
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert torch.allclose(mine, theirs, rtol=1e-3, atol=1e-4 * float(theirs.abs().max()))


@pytest.mark.parametrize("chunk", [2**27, 7 * VOCABULARY])
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_the_models_own(name, chunk):
    model = MODELS[name]()
    rows = plain(random_rows())
    assert_same_scores(model, Scorer(model, temperature=0.7, chunk=chunk), rows, 0.7)


@pytest.mark.parametrize("name", sorted(SHARING))
def test_shared_rows_score_as_plain_ones_do(name):
    model = MODELS[name]()
    rows = random_rows(1)
    assert all(row.shared for row in rows)
    assert_same_scores(model, Scorer(model, chunk=7 * VOCABULARY), rows, 1.0)


NARROW = {
    "gemma3, narrow window": lambda: tiny_model(
        "gemma3_text", query_pre_attn_scalar=8, sliding_window=5
    ),
    "mistral, narrow window": lambda: tiny_model("mistral", sliding_window=5),
}


@pytest.mark.parametrize("name", [*sorted(SHARING), *NARROW])
@pytest.mark.parametrize("recomputing", [False, True])
def test_rows_without_padding_score_as_plain_ones_do(name, recomputing):
    model = {**MODELS, **NARROW}[name]()
    rows = [*random_rows(2), *plain(random_rows(3, groups=1)), PackedRow([3, 4], [[5]])]
    expected, entropy = own_scores(model, rows, 0.7)
    theirs = gradients(model, expected)
    if recomputing:
        model.gradient_checkpointing_enable()
        model.train()
    scorer = Scorer(model, temperature=0.7, flat=True)
    found = scorer(rows)
    assert torch.allclose(found.logprobs, expected, atol=2e-5)
    assert torch.allclose(found.entropy, entropy, atol=2e-5)
    with scorer.attention():
        mine = gradients(model, found.logprobs)
    for one, other in zip(mine, theirs, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-4 * float(other.abs().max()))
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("family", [family for family in OTHERS if family != "phimoe"])
def test_no_family_makes_all_logits_at_once(family):
    model = tiny(family)
    scorer = Scorer(model, chunk=7 * VOCABULARY)
    assert scorer.parts is not None
    with torch.no_grad():
        rows = plain(random_rows(groups=1))
        found = scorer(rows)
        expected, entropy = own_scores(model.eval(), rows, 1.0)
    assert torch.allclose(found.logprobs, expected, atol=2e-5)
    assert torch.allclose(found.entropy, entropy, atol=2e-5)


def test_all_types_of_models_that_share_rows_are_tested():
    assert {MODELS[name]().config.model_type for name in SHARING} == SHARING_MODELS


def test_a_model_that_does_more_gives_its_logits_itself(monkeypatch):
    model = tiny("llama")
    assert body_and_head(model) is not None
    right = type(model).forward

    def shifted(self, *arguments, **settings):
        output = right(self, *arguments, **settings)
        output.logits = output.logits * torch.linspace(1, 1.1, VOCABULARY)
        return output

    monkeypatch.setattr(type(model), "forward", shifted)
    assert body_and_head(model) is None
    rows = plain(random_rows(groups=1))
    assert_same_scores(model, Scorer(model, chunk=7 * VOCABULARY), rows, 1.0)


@pytest.mark.parametrize("targets", ["all-linear", ["q_proj", "lm_head"]])
def test_adapters_take_part(targets):
    peft = pytest.importorskip("peft")
    settings = peft.LoraConfig(r=2, target_modules=targets, init_lora_weights=False)
    model = peft.get_peft_model(tiny("llama"), settings).eval()
    assert_same_scores(model, Scorer(model, chunk=7 * VOCABULARY), random_rows(2), 1.0)


def test_gradient_checkpointing_changes_nothing():
    model = tiny("llama").train()
    slow = copy.deepcopy(model)
    slow.gradient_checkpointing_enable()
    rows = random_rows(3)
    expected = gradients(model, Scorer(model)(rows).logprobs)
    for mine, theirs in zip(gradients(slow, Scorer(slow)(rows).logprobs), expected, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-6)


def test_logits_are_in_single_precision_before_the_temperature_divides_them():
    model = tiny("llama")
    rows = plain(random_rows(4))
    computing = torch.autocast("cpu", torch.bfloat16)
    found = Scorer(model, temperature=0.3, computing=computing)(rows)
    with computing:
        expected, entropy = own_scores(model, rows, 0.3)
    assert found.logprobs.dtype == found.entropy.dtype == torch.float32
    # Rows are padded here, and alone there; the rounding of bfloat16 sees that, but rarely.
    assert (found.logprobs - expected).abs().median() < 1e-4
    assert (found.entropy - entropy).abs().median() < 1e-4


def largest_kept(model, rows, chunk):
    """Elements of the largest tensor that a forward pass keeps for its gradient."""
    sizes = []

    def keep(tensor):
        sizes.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        Scorer(model, chunk=chunk)(rows)
    return max(sizes)


def test_the_logits_of_all_tokens_are_never_kept():
    model = tiny_model("llama", vocab_size=5000)
    rows = random_rows(5)
    tokens = sum(len(output) for row in rows for output in row.outputs)
    assert largest_kept(model, rows, chunk=2**27) == tokens * 5000
    weights = max(parameter.numel() for parameter in model.parameters())
    assert largest_kept(model, rows, chunk=7 * 5000) <= weights
