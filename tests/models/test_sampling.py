import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlve.models.engines.sampling import sample, stream, uniform

MASK = 2**64 - 1


def mixed(value):
    """SplitMix64's finaliser, in Python's integers."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return (value ^ value >> 31) >> 11


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**31 - 1))
def test_numbers_are_those_of_splitmix(seed, count):
    found = uniform(torch.tensor([stream(seed) + count]))
    assert found.item() == mixed(seed << 32 | count) / 2**53


@pytest.mark.parametrize("size", [3, 128, 129, 1000])
def test_a_number_picks_the_token_into_whose_share_it_falls(size):
    torch.manual_seed(0)
    logits = 3 * torch.randn(64, size)
    numbers = torch.rand(64, dtype=torch.float64)
    tokens, logprobs = sample(logits, numbers, temperature=1.0, top_p=1.0)
    ends = logits.double().softmax(-1).cumsum(-1)
    begins = ends - logits.double().softmax(-1)
    rows = torch.arange(64)
    assert (begins[rows, tokens] <= numbers + 1e-6).all()
    assert (numbers <= ends[rows, tokens] + 1e-6).all()
    assert torch.allclose(logprobs, logits.log_softmax(-1)[rows, tokens], atol=1e-5)


@pytest.mark.parametrize("number", [0.0, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("place", [0, 127, 128, 300])
def test_a_token_without_probability_is_never_picked(number, place):
    logits = torch.full((1, 301), -torch.inf)
    logits[0, place] = 2.0
    numbers = torch.tensor([number], dtype=torch.float64)
    for settings in ({"temperature": 1.0, "top_p": 1.0}, {"temperature": 0.5, "top_p": 0.9}):
        tokens, logprobs = sample(logits, numbers, **settings)
        assert tokens.tolist() == [place]
        assert logprobs.tolist() == [0.0]


def test_unlikely_tokens_are_not_swallowed():
    logits = torch.zeros(1, 50_000)
    logits[0, 7] = 25.0  # all others together have less than a millionth
    rest = 49_999 / (49_999 + torch.tensor(25.0, dtype=torch.float64).exp().item())
    numbers = torch.tensor([1 - rest / 2], dtype=torch.float64)
    tokens, _ = sample(logits, numbers, temperature=1.0, top_p=1.0)
    assert tokens.item() == pytest.approx(25_000, abs=50)


def test_temperature_0_takes_the_likeliest_and_says_its_probability_at_1():
    logits = torch.tensor([[0.0, 2.0, 1.0]])
    tokens, logprobs = sample(logits, torch.zeros(1, dtype=torch.float64), temperature=0, top_p=0.3)
    assert tokens.tolist() == [1]
    assert torch.allclose(logprobs, logits.log_softmax(-1)[:, 1])
