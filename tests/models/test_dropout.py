"""What is trained is what is sampled: nothing is left to chance in training."""

import pytest
import torch
from transformers import AutoConfig

from rlve.errors import UserError
from rlve.models.dropout import check_certain, without_dropout
from rlve.models.fusion import fuse_for_training
from rlve.models.logprobs import Scorer
from support.families import FAMILIES, OTHERS, tiny, tiny_model


@pytest.mark.parametrize("family", [*FAMILIES, *(name for name in OTHERS if name != "phimoe")])
def test_models_compute_the_same_in_training(family):
    check_certain(tiny(family))


def test_routers_lose_their_noise():
    noisy = tiny_model("mixtral", **OTHERS["mixtral"], router_jitter_noise=0.3)
    with pytest.raises(UserError, match="MixtralForCausalLM cannot be trained: it draws random"):
        check_certain(noisy)
    certain = without_dropout(AutoConfig.for_model("mixtral", router_jitter_noise=0.3))
    assert certain.router_jitter_noise == 0.0
    # There it is a threshold, in sampling too.
    kept = without_dropout(AutoConfig.for_model("phimoe", router_jitter_noise=0.3))
    assert kept.router_jitter_noise == 0.3


def test_a_model_that_chooses_experts_at_random_is_refused_by_name():
    model = tiny("phimoe")
    state = torch.get_rng_state()
    with pytest.raises(UserError, match="PhimoeForCausalLM cannot be trained"):
        Scorer(model)
    assert torch.equal(torch.get_rng_state(), state)


def test_norms_without_weights_stay_as_they_are():
    model = tiny("gemma4")
    norm = model.model.layers[0].self_attn.v_norm
    assert not hasattr(norm, "weight")
    before = type(norm)
    fuse_for_training(torch.nn.ModuleList([norm]))
    assert type(norm) is before
