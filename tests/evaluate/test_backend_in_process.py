import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

pytest.importorskip("torch", reason="a model in this process needs rlve[train]")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from rlve.datasets.outputs import SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import DOES_NOT_FIT, SampleRequest, Sampling, seed_of
from rlve.evaluate.backends import in_process as module
from rlve.evaluate.backends.in_process import InProcessBackend
from rlve.models.engines.sampling import nucleus
from support.tiny import save_tiny_policy

CONTEXT = 128  # of the tiny model


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save_tiny_policy(tmp_path_factory.mktemp("tiny"))


def requests(count, samples=1, seed=0):
    rng = Random(7)
    found = []
    for i in range(count):
        prompt = " ".join(str(rng.randrange(10)) for _ in range(rng.randint(1, 9)))
        for sample in range(samples):
            key = SampleKey(f"q{i}", sample)
            found.append(SampleRequest(key, prompt, seed_of(seed, key)))
    return found


def generate(model, wanted, sampling=Sampling(max_tokens=12), **settings):  # noqa: B008
    found = list(InProcessBackend(str(model), device="cpu", **settings).generate(wanted, sampling))
    assert len(found) == len(wanted)
    return dict(found)


def test_a_conversation_is_sampled_turn_by_turn(tiny):
    told = {}

    def turn(key, prompt, number):
        def follow(output):
            told.setdefault(key, []).append((prompt, output.text))
            reply = " 5" * (CONTEXT if key.id == "q1" else 3)  # the second no longer fits
            if number == 3:
                return None
            return turn(key, f"{prompt} {output.text}{reply}", number + 1)

        return SampleRequest(key, prompt, seed_of(number, key), follow)

    wanted = [turn(key, prompt, 1) for key, prompt, *_ in requests(3)]
    found = generate(tiny, wanted)
    before, told = told, {}
    assert generate(tiny, wanted, slots=1) == found
    assert told == before
    assert found[SampleKey("q1", 0)] == DOES_NOT_FIT
    assert [len(told[request.key]) for request in wanted] == [3, 1, 3]
    assert found[wanted[0].key].text == told[wanted[0].key][-1][1]


def test_what_takes_hours_on_a_cpu_is_said_before_it_begins(tiny, monkeypatch):
    said = []
    backend = InProcessBackend(str(tiny), device="cpu", notify=said.append)
    wanted, sampling = requests(2), Sampling(max_tokens=12)
    usual = [output for _, output in backend.generate(wanted, sampling)]
    assert not said
    monkeypatch.setattr(module, "speeds", lambda engine, make: (100.0, 0.004))
    slow = InProcessBackend(str(tiny), device="cpu", notify=said.append)
    outputs = slow.generate(wanted, sampling)
    first = next(outputs)
    assert said == [
        "on this CPU, 2 outputs of up to 12 tokens take up to 1.7 hours, at about 0 tokens a "
        "second; a lower --max-tokens takes less"
    ]
    assert [first[1], *(output for _, output in outputs)] == usual
    assert len(said) == 1


@pytest.mark.parametrize("engine", ["in-process", "paged"])
def test_a_sample_is_the_same_whatever_is_sampled_beside_it(tiny, engine):
    """Also on the engine for a GPU, here in float32: there, now and then rounding decides."""
    wanted = requests(6, samples=4)
    expected = generate(tiny, wanted, engine="in-process")
    for slots in (None, 1, 5):
        assert generate(tiny, wanted, engine=engine, slots=slots) == expected
    shuffled = Random(1).sample(wanted, len(wanted))
    assert generate(tiny, shuffled, engine=engine) == expected
    some = {r.key: expected[r.key] for r in wanted[5:9]}
    assert generate(tiny, wanted[5:9], engine=engine) == some
    assert len({output.text for output in expected.values()}) > 12
    other = generate(tiny, requests(6, samples=4, seed=1), engine=engine)
    assert sum(expected[key] != other[key] for key in expected) > 12


def test_outputs_end_by_themselves_or_at_the_limit(tiny):
    outputs = generate(tiny, requests(8, 8)).values()
    assert {output.finish for output in outputs} == {"stop", "length"}
    for output in outputs:
        assert output.tokens == 12 if output.finish == "length" else output.tokens <= 12
        assert "<end>" not in output.text


def test_temperature_0_takes_the_likeliest_tokens(tiny):
    wanted = requests(5)
    outputs = generate(tiny, wanted, Sampling(temperature=0, max_tokens=9))
    model = AutoModelForCausalLM.from_pretrained(tiny).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    for request in wanted:
        ids = tokenizer(request.prompt, return_tensors="pt")["input_ids"]
        full = model.generate(ids, max_new_tokens=9, do_sample=False, eos_token_id=1)
        text = tokenizer.decode(full[0, ids.shape[1] :], skip_special_tokens=True)
        assert outputs[request.key].text == text


def test_tokens_follow_the_cut_distribution(tiny):
    """Against the distribution worked out slowly, token by token."""
    count, temperature, top_p = 6000, 0.6, 0.8
    wanted = [
        SampleRequest(SampleKey("q", sample), "4 5", seed_of(0, SampleKey("q", sample)))
        for sample in range(count)
    ]
    outputs = generate(tiny, wanted, Sampling(temperature, top_p, max_tokens=1), slots=512)
    model = AutoModelForCausalLM.from_pretrained(tiny).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    with torch.no_grad():
        logits = model(tokenizer("4 5", return_tensors="pt")["input_ids"]).logits[0, -1]
    chances = slow_nucleus((logits.double() / temperature).softmax(-1).tolist(), top_p)
    expected = Counter()
    for token, chance in enumerate(chances):
        expected[tokenizer.decode([token], skip_special_tokens=True)] += chance
    seen = Counter(output.text for output in outputs.values())
    assert set(seen) <= {text for text, chance in expected.items() if chance}
    for text, chance in expected.items():
        deviation = (chance * (1 - chance) / count) ** 0.5
        assert abs(seen[text] / count - chance) <= 4 * deviation + 1e-9


def slow_nucleus(chances, top_p):
    kept, mass = set(), 0.0
    for token in sorted(range(len(chances)), key=lambda token: -chances[token]):
        if mass >= top_p:
            break
        kept.add(token)
        mass += chances[token]
    total = sum(chances[token] for token in kept)
    return [chance / total if token in kept else 0.0 for token, chance in enumerate(chances)]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-8, 8).map(lambda x: round(x, 3)), min_size=1, max_size=30, unique=True),
    st.sampled_from([0.01, 0.3, 0.5, 0.77, 0.95, 0.999]),
)
def test_the_nucleus_is_the_smallest_set_with_enough_probability(logits, top_p):
    logprobs = torch.tensor([logits], dtype=torch.float64).log_softmax(-1)
    found = nucleus(logprobs, top_p).softmax(-1)[0]  # it cuts; sampling normalises
    assert found.sum().item() == pytest.approx(1)
    chances = logprobs.exp()[0].tolist()
    assert found.tolist() == pytest.approx(slow_nucleus(chances, top_p), abs=1e-9)
    kept = [chance for chance, now in zip(chances, found.tolist(), strict=True) if now > 0]
    assert sum(kept) >= top_p - 1e-9 or len(kept) == len(chances)
    assert sum(kept) - min(kept) < top_p


def test_the_random_numbers_are_even_and_unrelated():
    numbers = [
        module._mix(seed << 32 | place) / 2**53 for seed in range(200) for place in range(50)
    ]
    assert all(0 <= number < 1 for number in numbers)
    tenths = Counter(int(number * 10) for number in numbers)
    assert all(abs(tenths[i] - 1000) < 130 for i in range(10))  # four deviations
    pairs = Counter((a < 0.5, b < 0.5) for a, b in pairwise(numbers))
    assert all(abs(count - 2500) < 190 for count in pairs.values())


@pytest.mark.parametrize("engine", ["in-process", "paged"])
def test_outputs_end_with_the_context(tiny, engine):
    notices = []
    prompts = {"short": "1 2 3", "long": "1 " * 120, "just too long": "1 " * CONTEXT}
    wanted = [SampleRequest(SampleKey(name, 0), prompt, 5) for name, prompt in prompts.items()]
    backend = InProcessBackend(str(tiny), device="cpu", engine=engine, notify=notices.append)
    outputs = dict(backend.generate(wanted, Sampling(temperature=0, top_p=1, max_tokens=1000)))
    assert outputs[SampleKey("long", 0)].tokens <= 8
    assert outputs[SampleKey("short", 0)].tokens <= CONTEXT - 3
    assert outputs[SampleKey("just too long", 0)] == DOES_NOT_FIT
    assert len(notices) == 2
    assert "context of 128 tokens, rather than to 1,000" in notices[0]
    assert notices[1] == "1 prompts do not fit into the context of 128 tokens, and stay unanswered"


def test_messages_need_a_chat_template(tiny, tmp_path):
    messages = [{"role": "user", "content": "1 2"}]
    wanted = [SampleRequest(SampleKey("q", 0), messages, 5)]
    with pytest.raises(UserError, match=r"has no chat template, .* --format base"):
        generate(tiny, wanted)
    model = AutoModelForCausalLM.from_pretrained(tiny)
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    tokenizer.chat_template = "{% for m in messages %}9 {{ m['content'] }}{% endfor %} 8"
    model.save_pretrained(tmp_path / "step-000001" / "model")  # as in a checkpoint
    tokenizer.save_pretrained(tmp_path / "step-000001" / "model")
    text = [SampleRequest(SampleKey("q", 0), "9 1 2 8", 5)]
    assert generate(tmp_path / "step-000001", wanted) == generate(tiny, text)


@pytest.mark.parametrize("engine", ["in-process", "paged"])
def test_outputs_end_with_the_first_stop_string(tiny, engine):
    wanted = requests(6, samples=4)
    whole = generate(tiny, wanted, engine=engine)
    stopping = Sampling(max_tokens=12, stop_strings=("8 8", "</answer>"))
    stopped = generate(tiny, wanted, stopping, engine=engine)
    for key, output in whole.items():
        ends = [match.end() for match in re.finditer("8 8|</answer>", output.text)]
        assert stopped[key].text == (output.text[: ends[0]] if ends else output.text)
        assert stopped[key].finish == ("stop" if ends else output.finish)
    assert any(stopped[key] != whole[key] for key in whole)


def test_the_chat_template_gets_its_arguments(tiny, tmp_path):
    model = AutoModelForCausalLM.from_pretrained(tiny)
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    tokenizer.chat_template = "{{ start or 9 }} {{ messages[0]['content'] }}"
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    chat = SampleRequest(SampleKey("q", 0), [{"role": "user", "content": "1 2"}], 5)
    for arguments, text in ((("start=4",), "4 1 2"), ((), "9 1 2")):
        same = generate(tiny, [SampleRequest(chat.key, text, 5)])
        sampling = Sampling(max_tokens=12, template_arguments=arguments)
        assert generate(tmp_path, [chat], sampling) == same


def test_a_model_that_is_not_there():
    with pytest.raises(UserError, match="there is no folder no/such/model"):
        generate("no/such/model", requests(1))
    with pytest.raises(UserError, match="concurrency must be at least 1, not 0"):
        InProcessBackend("nano", slots=0)


def test_the_model_stays_loaded_for_the_next_requests(tiny, monkeypatch):
    loads = []
    load = module._load
    monkeypatch.setattr(module, "_load", lambda *args: loads.append(args) or load(*args))
    backend = InProcessBackend(str(tiny), device="cpu")
    wanted, sampling = requests(3), Sampling(max_tokens=12)
    expected = dict(backend.generate(wanted, sampling))
    assert dict(backend.generate(wanted, sampling)) == expected
    assert len(loads) == 1
    unfinished = backend.generate(requests(8, seed=1), sampling)
    next(unfinished)
    unfinished.close()  # what it was sampling must not turn up later
    assert dict(backend.generate(wanted, sampling)) == expected
    assert len(loads) == 2
    assert dict(backend.generate(wanted, Sampling(max_tokens=3))) != expected
    assert len(loads) == 3
    backend.close()
