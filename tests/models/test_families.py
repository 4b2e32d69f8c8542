"""Both engines of our own sample from each family of models as the model itself would."""

from random import Random

import pytest
import torch
from transformers import CONFIG_MAPPING, AutoModelForCausalLM

from rlve.errors import UserError
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.paged.copies import copy_of
from rlve.models.rollouts import Rollout
from support.families import FAMILIES, VOCABULARY, tiny, tiny_model
from support.sampling import complete, gaps

ENGINES = [InProcessEngine, PagedEngine]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("engine_class", ENGINES)
def test_log_probabilities_are_those_of_a_plain_forward_pass(engine_class, family):
    model = tiny(family)
    engine = engine_class(model, stop_tokens=[1], max_tokens=24, slots=7, seed=1)
    rng = Random(0)
    # Longer than the windows, and one longer than a page; below, outputs longer than the windows.
    prompts = [[rng.randrange(2, VOCABULARY) for _ in range(n)] for n in (1, 2, 12, 30, 70)]
    rollouts = [Rollout(prompt) for prompt in prompts for _ in range(3)]
    engine.submit(rollouts)
    unfinished: list[Rollout] = []
    while engine.collect():
        unfinished = engine.stop()  # and resumed, again and again
        engine.submit(unfinished)
    assert all(rollout.ending for rollout in rollouts)
    assert max(len(rollout.tokens) for rollout in rollouts) == 24
    assert gaps(model, rollouts).mean() < 1e-5


HALF = {
    PagedEngine: {"dtype": torch.bfloat16},
    InProcessEngine: {"computing": torch.autocast("cpu", torch.bfloat16)},
}


@pytest.mark.parametrize(
    ("engine_class", "family"),
    [*((PagedEngine, family) for family in FAMILIES), (InProcessEngine, "llama")],
)
def test_half_precision_stays_near(engine_class, family):
    model = tiny(family, spread=0.03)
    engine = engine_class(model, stop_tokens=[1], max_tokens=20, seed=1, **HALF[engine_class])
    rollouts = complete(engine, [Rollout([5, 6, 7, 8] * 4) for _ in range(16)])
    assert 1e-5 < gaps(model, rollouts).mean() < 5e-3


REFUSED = {
    "bloom": ({"hidden_size": 16, "n_layer": 1, "n_head": 2}, "BloomForCausalLM"),
    "mamba": ({"hidden_size": 16, "num_hidden_layers": 1}, "MambaForCausalLM"),
    "llama4_text": (
        {
            "hidden_size": 16,
            "intermediate_size": 16,
            "intermediate_size_mlp": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "head_dim": 8,
            "num_local_experts": 2,
            "layer_types": ["chunked_attention", "full_attention"],
        },
        "chunked_attention",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("engine_class", ENGINES)
def test_models_that_need_more_are_refused_by_name(engine_class, kind):
    settings, reason = REFUSED[kind]
    config = CONFIG_MAPPING[kind](vocab_size=VOCABULARY, pad_token_id=0, **settings)
    model = AutoModelForCausalLM.from_config(config)
    with pytest.raises(UserError, match=reason):
        engine_class(model, stop_tokens=[1], max_tokens=4)


@pytest.mark.parametrize("engine_class", ENGINES)
def test_what_a_layer_asks_for_and_we_do_not_know_is_refused_by_name(engine_class, monkeypatch):
    from transformers.models.llama import modeling_llama

    model = tiny("llama")
    plain = modeling_llama.LlamaAttention.forward

    def biased(self, *args, **kwargs):
        return plain(self, *args, **kwargs, position_bias=torch.zeros(1, 1, 1, 1))

    monkeypatch.setattr(modeling_llama.LlamaAttention, "forward", biased)

    def sample():
        engine = engine_class(model, stop_tokens=[1], max_tokens=4)
        complete(engine, [Rollout([5])])

    with pytest.raises(UserError, match="LlamaAttention asks its attention for position_bias"):
        sample()


def test_a_model_whose_copy_computes_something_else_is_refused(monkeypatch):
    from rlve.models.engines.paged import passes

    model = tiny("llama")
    monkeypatch.setattr(passes, "uniform", lambda counters: torch.zeros(len(counters)).double())
    PagedEngine(model, stop_tokens=[1], max_tokens=4)  # other tokens, the same distribution
    model.config.rms_norm_eps = 1.0  # what the copy is made by, and not the model
    with pytest.raises(UserError, match="LlamaForCausalLM the log-probabilities"):
        PagedEngine(model, stop_tokens=[1], max_tokens=4)


def test_a_text_whose_length_changes_the_rotation_is_refused():
    model = tiny("llama")
    model.config.rope_parameters = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    with pytest.raises(UserError, match="rotation of LlamaForCausalLM"):
        PagedEngine(model, stop_tokens=[1], max_tokens=4)


def test_a_rotation_that_changes_with_length_is_refused_only_beyond_its_limit():
    """Phi-3.5 rotates positions in another way beyond 4,096 tokens."""
    rope = {
        "rope_type": "longrope",
        "rope_theta": 1e4,
        "original_max_position_embeddings": 64,
        "short_factor": [1.0] * 4,
        "long_factor": [3.0] * 4,
    }
    model = tiny_model("phi3", rope_parameters=rope, original_max_position_embeddings=64)
    with pytest.raises(UserError, match="beyond 64 tokens Phi3ForCausalLM rotates"):
        InProcessEngine(model, stop_tokens=[1], max_tokens=40, context=65)
    with pytest.raises(UserError, match=r"rotation of Phi3.* the engine in-process or vllm"):
        PagedEngine(model, stop_tokens=[1], max_tokens=40, context=64)
    engine = InProcessEngine(model, stop_tokens=[], max_tokens=40, context=64)
    rollouts = complete(engine, [Rollout([5, 6, 7, 8] * n) for n in (2, 6)])
    assert gaps(model, rollouts).mean() < 1e-5


def test_the_scale_of_embeddings_is_not_rounded():
    copied = copy_of(tiny("gemma3"), torch.bfloat16)
    assert copied.get_input_embeddings().embed_scale == torch.tensor(32.0).sqrt()


@pytest.mark.parametrize("name", ["sdpa", "eager"])
def test_the_model_attends_as_before_once_sampling_is_over(name):
    model = tiny("llama, eager" if name == "eager" else "llama")
    engine = InProcessEngine(model, stop_tokens=[1], max_tokens=3)
    complete(engine, [Rollout([5])])
    assert model.config._attn_implementation == name


@pytest.mark.parametrize("family", ["mistral, window", "gpt-oss", "gemma2"])
def test_long_prompts_are_computed_in_chunks(family, monkeypatch):
    monkeypatch.setattr("rlve.models.engines.attention.CHUNK", 16)
    model = tiny(family)
    engine = PagedEngine(model, stop_tokens=[1], max_tokens=4, seed=1)
    rng = Random(0)
    rollouts = complete(
        engine, [Rollout([rng.randrange(2, VOCABULARY) for _ in range(n)]) for n in (5, 16, 50)]
    )
    assert gaps(model, rollouts).mean() < 1e-5
