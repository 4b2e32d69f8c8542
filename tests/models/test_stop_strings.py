import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM

from rlve.envs.arrays.sorting import Sorting
from rlve.models.config import PolicyConfig
from rlve.models.engines.choice import make_engine
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.paged import PagedEngine
from rlve.models.policy import load_policy, load_reader
from rlve.models.rollouts import Rollout
from rlve.models.stop_strings import StopStrings, stop_strings
from rlve.train.trainer import train
from support.run_tiny import tiny_config
from support.sampling import complete, gaps, sampled

# What tokens mean here: pieces of texts, some of them half a character.
PIECES = [b"", b"", b"a", b"b", b"ab", b"ba", b"</", b"a>", b">", b"\xc3", b"\xa4", b"b</a", b" "]
PIECES += [b"a>", b"</"] * 5
STRINGS = ("</a>", "äb", "bab")


def decode(tokens):
    return b"".join(PIECES[token] for token in tokens).decode("utf-8", "replace")


def slow_end(tokens, strings=STRINGS):
    texts = (decode(tokens[:count]) for count in range(1, len(tokens) + 1))
    return next(
        (count for count, text in enumerate(texts, 1) if any(each in text for each in strings)),
        None,
    )


@settings(deadline=None)
@given(st.lists(st.integers(2, 22), max_size=60), st.integers(0, 60))
def test_an_output_ends_with_the_shortest_prefix_that_has_a_string(tokens, known):
    found = slow_end(tokens)
    assert StopStrings(STRINGS, decode).end(tokens) == found
    if found is None or known < found:
        assert StopStrings(STRINGS, decode).end(tokens, known) == found


def test_little_is_decoded_of_a_long_output():
    lengths = []

    def counted(tokens):
        lengths.append(len(tokens))
        return decode(tokens)

    stops = StopStrings(STRINGS, counted)
    assert stops.end([2] * 5000, 4990) is None
    assert len(lengths) == 1
    assert lengths[0] < 40
    assert stops.end([2] * 5000 + [6, 7, 2, 2], 4995) == 5002
    assert max(lengths) < 40


def test_special_tokens_count_with_their_text():
    tokenizer = load_reader(PolicyConfig(model="nano", format="plain")).tokenizer
    assert stop_strings(tokenizer, ()) is None
    stops = stop_strings(tokenizer, (tokenizer.eos_token,))
    tokens = tokenizer("1 2")["input_ids"]
    assert stops.end(tokens) is None
    assert stops.end([*tokens, tokenizer.eos_token_id, *tokens]) == len(tokens) + 1


# In engines.


@pytest.fixture
def model(tiny_policy):
    return AutoModelForCausalLM.from_pretrained(tiny_policy).eval()


def check(model, rollout, limit):
    end = slow_end(rollout.tokens)
    if end is None and rollout.tokens[-1] != 1:
        assert rollout.ending == "length"
        assert len(rollout.tokens) == limit
    else:
        assert rollout.ending == "stop"
        assert end in (None, len(rollout.tokens))
    assert len(rollout.logprobs) == len(rollout.tokens)
    assert gaps(model, [rollout]).max() < 1e-4


@pytest.mark.parametrize("kind", [InProcessEngine, PagedEngine])
@pytest.mark.parametrize("slots", [3, 64])
def test_outputs_end_with_a_string(model, kind, slots):
    stops = StopStrings(STRINGS, decode)
    engine = kind(model, stop_tokens=[1], stop_strings=stops, max_tokens=30, slots=slots, seed=1)
    rollouts = sampled(engine, count=10, group=6)
    for rollout in rollouts:
        check(model, rollout, 30)
    ends = [slow_end(rollout.tokens) for rollout in rollouts]
    assert sum(end is not None for end in ends) > 10
    assert None in ends


@pytest.mark.parametrize("kind", [InProcessEngine, PagedEngine])
def test_without_strings_outputs_go_on(model, kind):
    engine = kind(model, stop_tokens=[], max_tokens=30, seed=1)
    rollouts = sampled(engine, count=10, group=1)
    assert {len(rollout.tokens) for rollout in rollouts} == {30}
    assert any(slow_end(rollout.tokens) for rollout in rollouts)


@pytest.mark.parametrize("kind", [InProcessEngine, PagedEngine])
def test_a_resumed_rollout_ends_with_a_string_that_was_begun_before(model, kind):
    stops = StopStrings(STRINGS, decode)
    engine = kind(model, stop_tokens=[1], stop_strings=stops, max_tokens=8, seed=1)
    rollouts = complete(engine, [Rollout([3, 4], [12, 6], [-1.0, -2.0]) for _ in range(60)])
    for rollout in rollouts:
        assert rollout.tokens[:2] == [12, 6]
        assert rollout.logprobs[:2] == [-1.0, -2.0]
        assert len(rollout.logprobs) == len(rollout.tokens)
        assert slow_end(rollout.tokens) in (None, len(rollout.tokens))
    ended = [rollout for rollout in rollouts if decode(rollout.tokens[2:3]) == "a>"]
    assert {(len(rollout.tokens), rollout.ending) for rollout in ended} == {(3, "stop")}


def test_what_had_ended_by_a_string_when_it_was_stopped_ends_at_once(model):
    stops = StopStrings(STRINGS, decode)
    engine = PagedEngine(model, stop_tokens=[1], stop_strings=stops, max_tokens=30)
    over = Rollout([4], [12, 6, 7], [-1.0] * 3)
    engine.submit([over])
    assert engine.collect() == [over]
    assert (over.tokens, over.ending) == ([12, 6, 7], "stop")


@pytest.mark.parametrize("name", ["in-process", "paged"])
def test_the_strings_of_a_policy_are_its_engines(name):
    config = PolicyConfig(
        model="nano", format="plain", device="cpu", stop_strings=("</answer>", "</ans")
    )
    policy = load_policy(config, context=700)
    engine = make_engine(policy, name=name, max_tokens=100, slots=8)
    prompt = policy.encode(Sorting.generate(difficulty=0, seed=0))
    rollouts = complete(engine, [Rollout(prompt) for _ in range(8)])
    texts = [policy.decode(rollout.tokens) for rollout in rollouts if rollout.ending == "stop"]
    assert sum("</ans" in text for text in texts) > 4
    assert not any("</answer>" in text for text in texts if not text.endswith("</answer>"))


def test_a_run_with_strings(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=2)
    config = replace(config, policy=replace(config.policy, stop_strings=("</answer>",)))
    train(config)
    first, _ = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert json.loads(first)["sampler_gap"] < 1e-4
    assert json.loads(first)["response_tokens"] < 5  # one token in two has an answer in it


@pytest.mark.parametrize("kind", [InProcessEngine, PagedEngine])
def test_what_ended_a_message_or_is_given_does_not_end_the_next(model, kind):
    stops = StopStrings(STRINGS, decode)
    engine = kind(model, stop_tokens=[1], stop_strings=stops, max_tokens=30, seed=1)
    message, reply = [12, 6, 7], [6, 7, 1]
    rollouts = [Rollout([3, 4], list(message), [-1.0] * 3, "stop") for _ in range(20)]
    for rollout in rollouts:
        rollout.hear(reply, 30)
        assert rollout.ending is None
    complete(engine, rollouts)
    for rollout in rollouts:
        assert rollout.messages[0] == message
        assert rollout.given == [(3, 6)]
        [_, written] = rollout.messages
        assert rollout.length == 3 + len(written)
        ends = slow_end(written) or (len(written) if written[-1] == 1 else None)
        assert rollout.ending == ("length" if ends is None else "stop")
        assert len(written) == (ends or 24)
    assert len({len(rollout.tokens) for rollout in rollouts}) > 3
