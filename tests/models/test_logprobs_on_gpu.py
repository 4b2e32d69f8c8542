"""What only a GPU can show: its kernel for rows without padding."""

from random import Random

import pytest
import torch

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from rlve.models.logprobs import Scorer
from rlve.models.packs import PackedRow
from support.families import VOCABULARY, tiny_model

MODELS = {
    "llama": {"num_attention_heads": 4, "num_key_value_heads": 2},
    "qwen2": {"num_attention_heads": 6, "num_key_value_heads": 2},
    "mistral": {"sliding_window": 50},
}


@pytest.mark.parametrize("family", MODELS)
@pytest.mark.parametrize("recomputing", [False, True])
def test_rows_without_padding_score_as_padded_ones_do(family, recomputing):
    model = tiny_model(family, hidden_size=96, head_dim=16, **MODELS[family]).cuda()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(0.1)  # with larger ones, rounding would change everything
    if recomputing:
        model.gradient_checkpointing_enable()
        model.train()
    rng = Random(0)

    def tokens(low, high):
        return [rng.randrange(VOCABULARY) for _ in range(rng.randint(low, high))]

    rows = [PackedRow(tokens(1, 200), [tokens(1, 150) for _ in range(5)]) for _ in range(4)]
    plain = [PackedRow(row.prompt, [output]) for row in rows for output in row.outputs]
    half = torch.autocast("cuda", dtype=torch.bfloat16)
    exact, padded = Scorer(model, flat=False), Scorer(model, computing=half, flat=False)
    flat = Scorer(model, computing=half)
    assert flat.flat
    trained = list(model.parameters())

    def score(scorer, rows):
        logprobs = scorer(rows).logprobs
        weights = torch.linspace(-1, 1, len(logprobs), device="cuda")
        with scorer.attention():
            return [logprobs.detach(), *torch.autograd.grad((weights * logprobs).sum(), trained)]

    found = score(flat, rows)
    for one, other, right in zip(found, score(padded, plain), score(exact, plain), strict=True):
        # Half precision rounds both; by how much depends on the parameter.
        assert (one - right).norm() < 1.5 * (other - right).norm() + 1e-3 * right.norm()
