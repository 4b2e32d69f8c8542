import json
import threading
import tracemalloc
import zlib
from collections import Counter
from time import monotonic

import pytest

pytest.importorskip("httpx", reason="asking a server needs rlve[eval]")

from rlve.datasets.outputs import SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import (
    DOES_NOT_FIT,
    UNANSWERED,
    BackendError,
    SampleRequest,
    Sampling,
    seed_of,
)
from rlve.evaluate.backends import transport as module
from rlve.evaluate.backends.openai import OpenAIBackend
from rlve.evaluate.backends.protocol import NEUTRAL
from support.model_server import ModelServer, Reply, said

SAMPLING = Sampling(max_tokens=100)
PATIENT = 30.0  # seconds that a busy machine is given


@pytest.fixture
def impatient(monkeypatch):
    """Tests need not wait for servers to recover."""
    monkeypatch.setattr(module, "FIRST_WAIT", 0.01)


@pytest.fixture
def server():
    with ModelServer() as server:
        yield server


def requests(count, chat=True):
    keys = [SampleKey(f"q{i}", 0) for i in range(count)]
    prompts = [f"question {i}" for i in range(count)]
    return [
        SampleRequest(key, [{"role": "user", "content": text}] if chat else text, i)
        for i, (key, text) in enumerate(zip(keys, prompts, strict=True))
    ]


def backend(server, **settings):
    return OpenAIBackend(server.url, "tiny", **settings)


def test_messages_and_texts_go_to_their_own_places(server):
    server.answer = lambda body: Reply(f"answer to {said(body)}")
    chat, text = requests(1)[0], requests(2, chat=False)[1]
    outputs = dict(backend(server).generate([chat, text], Sampling(0.5, 0.9, 77)))
    assert outputs[chat.key].text == "answer to question 0"
    assert outputs[text.key].text == "answer to question 1"
    assert outputs[text.key].tokens == 4
    assert outputs[text.key].finish == "stop"
    common = {"model": "tiny", "temperature": 0.5, "top_p": 0.9, "max_tokens": 77}
    common |= NEUTRAL  # lest the server's own settings change the result
    assert dict(server.requests) == {
        "/v1/chat/completions": {**common, "seed": 0, "messages": chat.prompt},
        "/v1/completions": {**common, "seed": 1, "prompt": "question 1"},
    }


def test_every_request_is_answered_once_and_so_many_at_a_time(server):
    full = threading.Barrier(5)

    def answer(body):
        full.wait(PATIENT)  # passes only if 5 requests are under way
        return Reply(said(body))

    server.answer = answer
    asked = requests(40)
    found = list(backend(server, concurrency=5).generate(asked, SAMPLING))
    assert {key: output.text for key, output in found} == {
        request.key: request.prompt[0]["content"] for request in asked
    }
    assert len(found) == 40
    assert server.most_at_once == 5


FOUR = '"choices": [{"text": "four", "finish_reason": "stop"}]'


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        (Reply("and then", finish="length"), ("and then", "length", 2)),
        (  # it never stopped reasoning
            '{"choices": [{"message": {"content": null}, "finish_reason": "length"}]}',
            ("", "length", None),
        ),
        (f'{{{FOUR}, "usage": null}}', ("four", "stop", None)),
    ],
)
def test_what_is_read_of_an_answer(server, reply, output):
    server.answer = lambda body: Reply(message=reply) if isinstance(reply, str) else reply
    ((_, found),) = backend(server).generate(requests(1, chat=False), SAMPLING)
    assert (found.text, found.finish, found.tokens) == output


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(status=429, message="slow down"),
        Reply(status=408),
        Reply(status=500, message="out of memory"),
        Reply(status=503, message="<html>starting</html>"),
        Reply(drop=True),
        Reply(message="<html>please log in</html>"),
        Reply(message="[]"),
        Reply(message='{"choices": []}'),
        Reply(message='{"choices": [{"message": {"content": 4}, "finish_reason": "stop"}]}'),
        Reply(message='{"choices": [{"message": null, "finish_reason": "stop"}]}'),
        Reply(message='{"choices": [null]}'),
        Reply(message=f'{{{FOUR}, "usage": {{"completion_tokens": -1}}}}'),
        Reply(message="[" * 100_000),
        Reply(message="9" * 10_000),
        Reply(message="\x1f\x8b broken", headers=(("Content-Encoding", "gzip"),)),
        Reply(finish="abort"),
        Reply(finish=None),
    ],
)
def test_what_may_pass_is_tried_again(server, impatient, trouble):
    server.troubles.extend([trouble] * 3)
    notices = []
    found = dict(backend(server, notify=notices.append).generate(requests(2), SAMPLING))
    assert {key.id: output.text for key, output in found.items()} == {"q0": "four", "q1": "four"}
    assert len(server.requests) == 5
    assert len(notices) == 1  # not one for each request
    assert server.url in notices[0]


def test_the_waits_grow_and_are_not_all_the_same(server, monkeypatch):
    waits = []
    sleep = module.asyncio.sleep

    async def recorded(seconds):
        if threading.current_thread().name != "requests":  # a server of another test may still run
            return await sleep(seconds)
        waits.append(seconds)
        return await sleep(0)

    server.troubles.extend([Reply(status=500)] * 8)
    with monkeypatch.context() as patch:
        patch.setattr(module.asyncio, "sleep", recorded)
        list(backend(server, retries=8).generate(requests(1), SAMPLING))
    assert len(waits) == 8
    for wait, most in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60], strict=True):
        assert most / 2 <= wait <= most
    assert len(set(waits)) == 8


def test_the_server_can_say_how_long_to_wait(server, impatient):
    server.troubles.append(Reply(status=429, headers=(("Retry-After", "0.4"),)))
    server.troubles.append(Reply(status=429, headers=(("Retry-After", "some day"),)))
    began = monotonic()
    list(backend(server).generate(requests(1), SAMPLING))
    assert monotonic() - began >= 0.4


def test_a_request_that_runs_out_of_tries_ends_the_work_but_keeps_what_has_arrived(
    server, impatient
):
    server.answer = lambda body: (
        Reply(status=503, message="no GPU left") if said(body) == "question 3" else Reply()
    )
    found = []
    outputs = backend(server, retries=2, concurrency=1).generate(requests(6), SAMPLING)
    with pytest.raises(BackendError) as caught:
        found.extend(key.id for key, _ in outputs)
    assert found == ["q0", "q1", "q2"]
    assert str(caught.value).startswith(
        f"no answer from {server.url}/chat/completions, tried 3 times in "
    )
    assert str(caught.value).endswith("the last time: 503 no GPU left")


def test_a_server_that_was_never_there_is_given_up_soon(impatient):
    with ModelServer() as server:
        url = server.url
    backend = OpenAIBackend(url, "tiny", retries=1000)
    with pytest.raises(BackendError, match=f"no answer from {url}/models, tried 4 times in "):
        list(backend.generate(requests(3), SAMPLING))


def test_an_answer_that_takes_too_long_is_asked_for_again(server, impatient):
    waiting = threading.Event()
    slow = [True]

    def answer(body):
        if slow:
            slow.clear()
            waiting.wait(PATIENT)
        return Reply("at last")

    server.answer = answer
    ((_, output),) = backend(server, timeout=0.3).generate(requests(1), SAMPLING)
    waiting.set()
    assert output.text == "at last"
    assert len(server.requests) >= 2  # on a busy machine, the next answers may be late, too


@pytest.mark.parametrize(
    ("trouble", "complaint"),
    [
        (Reply(drip=True), "no complete answer within 0.5 s"),
        (Reply("x" * 10_001), "an answer of more than 10,000 bytes"),
    ],
)
def test_an_answer_has_a_time_and_a_size(server, impatient, monkeypatch, trouble, complaint):
    monkeypatch.setattr(module, "LARGEST_ANSWER", 10_000)
    server.troubles.append(trouble)
    notices = []
    asked = backend(server, timeout=0.5 if trouble.drip else PATIENT, notify=notices.append)
    ((_, output),) = asked.generate(requests(1), SAMPLING)
    assert output.text == "four"
    assert complaint in notices[0]


def test_a_packed_answer_is_never_unpacked(server, impatient):
    """A few hundred kilobytes can hold 300 MB."""
    bomb = zlib.compress(b" " * 2_000_000, 9).decode("latin-1")
    server.troubles.append(Reply(message=bomb, headers=(("Content-Encoding", "deflate"),)))
    notices = []
    tracemalloc.start()
    try:
        list(backend(server, notify=notices.append).generate(requests(1), SAMPLING))
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert "an unexpected answer: " in notices[0]
    assert server.headers[0]["Accept-Encoding"] == "identity"


NOTHING = Reply(message='{"choices": [{"message": null, "finish_reason": "stop"}]}')


def test_an_output_whose_answer_is_never_readable_is_counted(server, impatient):
    server.answer = lambda body: NOTHING if said(body) == "question 3" else Reply()
    notices = []
    asked = backend(server, retries=2, concurrency=1, notify=notices.append)
    found = {key.id: output for key, output in asked.generate(requests(6), SAMPLING)}
    assert found.pop("q3") == UNANSWERED
    assert {output.text for output in found.values()} == {"four"}
    assert len(server.requests) == 5 + 3
    assert notices[-1] == "unreadable answers of the server count as wrong"


def test_a_server_that_never_says_anything_readable_ends_the_work(server, impatient):
    server.answer = lambda body: NOTHING
    with pytest.raises(BackendError, match=r"tried 3 times in .*an unexpected answer: "):
        list(backend(server, retries=2, concurrency=1).generate(requests(6), SAMPLING))


def test_what_a_server_says_cannot_command_the_terminal(server, impatient):
    evil = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\x00\r\n done"
    notices = []
    server.troubles += [Reply(status=500, message=evil), Reply(message=evil)]
    list(backend(server, notify=notices.append).generate(requests(1), SAMPLING))
    server.models = [{"id": evil}]
    server.answer = lambda body: Reply(status=404)
    with pytest.raises(BackendError) as caught:
        list(backend(server).generate(requests(1), SAMPLING))
    server.answer = lambda body: Reply(status=400, message={"message": evil})
    with pytest.raises(BackendError) as refused:
        list(backend(server).generate(requests(1), SAMPLING))
    for text in (*notices, str(caught.value), str(refused.value)):
        assert text.isprintable()
    assert "owned" in str(refused.value)


def test_settings_that_a_server_does_not_take_are_left_to_it(server):
    def answer(body):
        for name in ("top_k", "min_p", "repetition_penalty"):
            if name in body:
                complaint = f"Unrecognized request argument supplied: {name}"
                return Reply(status=400, message={"message": complaint})
        return Reply()

    server.answer = answer
    notices = []
    found = list(
        backend(server, concurrency=1, notify=notices.append).generate(requests(3), SAMPLING)
    )
    assert [output.text for _, output in found] == ["four"] * 3
    assert len(server.requests) == 3 + 3  # each is refused once
    assert notices == [
        f"the server does not accept {name}, and uses its own value"
        for name in ("top_k", "min_p", "repetition_penalty")
    ]


def refusal(message, status=400):
    return Reply(status=status, message={"message": message})


@pytest.mark.parametrize(
    ("models", "answer", "complaint", "times"),
    [
        (refusal("Incorrect API key", 401), Reply(),
         "answered 401: Incorrect API key; the key is read", 0),
        ([{"id": "small"}, {"id": "large"}], refusal("no such model", 404),
         "has no model 'tiny'; it has large, small", 1),
        ([{"id": f"model-{n}"} for n in range(20_000)], refusal("no such model", 404),
         r"it has model-0, model-1, .* \.\.\.$", 1),
        (Reply(status=404), refusal("not here", 404), "answered 404: not here$", 1),
        ([{"id": "tiny"}], refusal("top_p is too odd"), "answered 400: top_p is too odd", 1),
        # It must not look like prompts that are too long.
        ([{"id": "tiny"}], refusal("Unsupported parameter: 'max_tokens' is not supported."),
         "answered 400: Unsupported parameter: 'max_tokens'", 1),
    ],
)  # fmt: skip
def test_what_is_refused_is_fatal_at_once(server, models, answer, complaint, times):
    server.models, server.answer = models, lambda body: answer
    with pytest.raises(BackendError, match=complaint) as caught:
        list(backend(server, key="sk-wrong", concurrency=1).generate(requests(3), SAMPLING))
    assert len(server.requests) == times
    assert len(str(caught.value)) < 600


def test_a_url_that_is_not_the_protocols(server):
    server.models = Reply(status=404, message="not here")
    server.answer = lambda body: Reply(status=404, message="not here")
    elsewhere = OpenAIBackend(server.url.removesuffix("/v1"), "tiny", concurrency=1)
    with pytest.raises(BackendError, match="answered 404: not here; the URL of such a server"):
        list(elsewhere.generate(requests(1), SAMPLING))


@pytest.mark.parametrize("models", [Reply(status=404), [], None])
def test_a_model_need_not_be_listed(server, models):
    server.models = models
    assert len(list(backend(server).generate(requests(2), SAMPLING))) == 2


def test_the_key_is_sent(server):
    list(backend(server, key="sk-right").generate(requests(1), SAMPLING))
    list(backend(server).generate(requests(1), SAMPLING))
    assert server.headers[0]["Authorization"] == "Bearer sk-right"
    assert "Authorization" not in server.headers[1]
    list(backend(server, key=" sk-right\n").generate(requests(1), SAMPLING))
    assert server.headers[2]["Authorization"] == "Bearer sk-right"


@pytest.mark.parametrize("key", ["sk-s\u00e9cret", "sk-se\ncret", "sk-se\x00cret", "sk-se\x7fcret"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(server, key):
    with pytest.raises(UserError) as caught:
        backend(server, key=key)
    assert str(caught.value) == "the server's key has characters other than printable ASCII"


LIMITED = (
    "outputs are limited to what the prompt leaves of the model's context of 500 tokens, rather "
    "than to {:,}"
)

# What servers say of a prompt, or a prompt and a limit, that are more than 500 tokens together.
COMPLAINTS = [
    # OpenAI, vLLM
    "This model's maximum context length is 500 tokens. However, you requested 619 tokens (120 in "
    "the messages, 499 in the completion). Please reduce",
    "'max_tokens' or 'max_completion_tokens' is too large: 499. This model's maximum context "
    "length is 500 tokens and your request has 120 input tokens (499 > 500 - 120).",
    "max_tokens=500 cannot be greater than max_model_len=500. Please request fewer output tokens.",
    "max_tokens=500cannot be greater than max_model_len=max_total_tokens=500. Please request fewer",
    "This model's maximum context length is 500 tokens. However, your prompt contains 9000 "
    "characters (more than 8000 characters, which is the upper bound for 500 input tokens).",
    "The decoder prompt (length 700) is longer than the maximum model length of 500. Make sure "
    "that `max_model_len` is no smaller than the number of text tokens.",
    # SGLang
    "Requested token count exceeds the model's maximum context length of 500 tokens. You requested "
    "a total of 619 tokens: 120 tokens from the input messages and 499 tokens for the completion.",
    "The input (700 tokens) is longer than the model's context length (500 tokens).",
    # llama.cpp
    "request (700 tokens) exceeds the available context size (500 tokens), try increasing it",
]


def tight(body):
    """A context of 500 tokens; question 0 has 120 of them, any other is too long."""
    prompt = 120 if said(body) == "question 0" else 700
    if prompt + body["max_tokens"] < 500:  # SGLang does not let a request fill the context
        return Reply(prompt_tokens=prompt)
    return refusal(COMPLAINTS[0])


@pytest.mark.parametrize("wanted", [499, 32_768])
def test_the_limit_gives_way_to_the_prompt(wanted):
    notices = []
    with ModelServer(tight, max_model_len=500) as server:
        asked = backend(server, concurrency=1, notify=notices.append)
        found = dict(asked.generate(requests(2), Sampling(max_tokens=wanted)))
    assert found[SampleKey("q0", 0)].text == "four"
    assert found[SampleKey("q1", 0)] == DOES_NOT_FIT
    limits = [body["max_tokens"] for _, body in server.requests]
    doomed = [] if wanted >= 500 else [wanted]  # it is clear beforehand that the limit is too high
    assert limits == [*doomed, 1, 379, *doomed, 1]
    limited = [LIMITED.format(wanted)] if wanted >= 500 else []
    assert notices == [*limited, "prompts that do not fit into the context stay unanswered"]


def test_a_prompt_is_measured_once_for_all_its_samples():
    (first,) = requests(1)
    wanted = [first._replace(key=SampleKey("q0", sample)) for sample in range(20)]
    with ModelServer(tight, max_model_len=500) as server:
        found = list(backend(server, concurrency=4).generate(wanted, Sampling(max_tokens=499)))
    assert {output.text for _, output in found} == {"four"}
    limits = Counter(body["max_tokens"] for _, body in server.requests)
    assert limits[1] == 1
    assert limits[379] == 20
    assert limits[499] <= 4  # those that were under way


def test_an_adapter_has_the_context_of_its_model(server):
    server.answer = tight
    own = {"id": "tiny", "parent": "base", "max_model_len": None}
    server.models = [{"id": "base", "max_model_len": 500}, own]
    notices = []
    asked = backend(server, notify=notices.append)
    ((_, output),) = asked.generate(requests(1), Sampling(max_tokens=32_768))
    assert output.text == "four"
    assert server.requests[-1][1]["max_tokens"] == 379
    assert notices == [LIMITED.format(32_768)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("max_tokens is too large: 32768. This model supports at most 16384 completion tokens.", 1),
        ("something about the context length is not right", 2),
    ],
)
def test_a_refusal_that_does_not_say_what_would_fit_is_fatal(server, text, times):
    server.answer = lambda body: refusal(text) if body["max_tokens"] > 16_384 else Reply()
    with pytest.raises(BackendError) as caught:
        list(backend(server, concurrency=1).generate(requests(3), Sampling()))
    assert text in str(caught.value)
    assert [body["max_tokens"] for _, body in server.requests] == [32_768, 1][:times]


@pytest.mark.parametrize("message", COMPLAINTS)
def test_a_prompt_that_does_not_fit_counts_as_truncated_whatever_the_words(server, message):
    server.answer = lambda body: refusal(message)
    notices = []
    found = list(backend(server, notify=notices.append).generate(requests(3), SAMPLING))
    assert [output for _, output in found] == [DOES_NOT_FIT] * 3
    assert notices == ["prompts that do not fit into the context stay unanswered"]


STOPPING = Sampling(max_tokens=100, stop_strings=("</answer>", "User:"))


def stopping(text, **ending):
    """What a server answers; whatever follows the first stop string is not sampled."""
    choice = {"text": text, "finish_reason": "stop", **ending}
    usage = {"prompt_tokens": 7, "completion_tokens": 9}
    return Reply(message=json.dumps({"choices": [choice], "usage": usage}))


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (stopping("<answer>4</answer>", stop_reason="</answer>"), "<answer>4</answer>"),
        (stopping("<answer>4", stop_reason="</answer>"), "<answer>4</answer>"),
        (stopping("<answer>4", matched_stop="</answer>"), "<answer>4</answer>"),
        (stopping("<answer>4", stop_reason=None), "<answer>4"),  # the model ended it
        (stopping("<answer>4", matched_stop=2), "<answer>4"),
        (stopping("4 User:</answer>", stop_reason="User:"), "4 User:"),
        (stopping("<answer>4", finish_reason="length"), "<answer>4"),
    ],
)
def test_an_output_ends_with_its_stop_string(server, reply, text):
    server.answer = lambda body: reply
    ((_, output),) = backend(server).generate(requests(1, chat=False), STOPPING)
    assert (output.text, output.tokens) == (text, 9)
    ((_, body),) = server.requests
    assert body["stop"] == ["</answer>", "User:"]
    assert body["include_stop_str_in_output"] is True


def test_a_server_that_hides_stop_strings_is_refused(server):
    """Whether the model or a stop string ended an output decides whether its answer counts."""
    server.answer = lambda body: stopping("<answer>4")
    with pytest.raises(BackendError, match="cuts off stop strings without saying so; use another"):
        list(backend(server).generate(requests(1, chat=False), STOPPING))


def test_a_server_that_need_not_keep_stop_strings(server):
    server.answer = lambda body: (
        refusal("Unrecognized request argument: include_stop_str_in_output")
        if "include_stop_str_in_output" in body
        else stopping("<answer>4", stop_reason="</answer>")
    )
    ((_, output),) = backend(server).generate(requests(1, chat=False), STOPPING)
    assert output.text == "<answer>4</answer>"


def test_template_arguments_go_with_messages(server):
    chat, text = requests(1)[0], requests(2, chat=False)[1]
    sampling = Sampling(max_tokens=100, template_arguments=("enable_thinking=false",))
    list(backend(server).generate([chat, text], sampling))
    bodies = dict(server.requests)
    assert bodies["/v1/chat/completions"]["chat_template_kwargs"] == {"enable_thinking": False}
    assert "chat_template_kwargs" not in bodies["/v1/completions"]


def test_work_that_is_given_up_does_not_wait_for_the_server(server):
    first, never = threading.Event(), threading.Event()

    def answer(body):
        if not first.is_set():
            first.set()
            return Reply()
        never.wait(PATIENT)
        return Reply()

    server.answer = answer
    outputs = backend(server, concurrency=2).generate(requests(10), SAMPLING)
    next(outputs)
    before = monotonic()
    outputs.close()
    assert monotonic() - before < PATIENT / 2
    never.set()
    assert not [thread for thread in threading.enumerate() if thread.name == "requests"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "localhost:8000"}, "must begin with http:// or https://, unlike 'localhost:8000'"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"retries": -1}, "retries must be at least 0, not -1"),
        ({"timeout": 0}, "timeout must be above 0 and finite, not 0"),
    ],
)
def test_settings_that_cannot_be_meant(settings, message):
    with pytest.raises(UserError, match=message):
        OpenAIBackend(**({"url": "http://localhost", "model": "tiny"} | settings))


@pytest.mark.parametrize(
    ("sampling", "message"),
    [
        (Sampling(temperature=-1), "temperature must be from 0 to 10, not -1"),
        (Sampling(top_p=0), "top-p must be above 0 and at most 1, not 0"),
        (Sampling(top_p=1.5), "top-p must be above 0 and at most 1, not 1.5"),
        (Sampling(max_tokens=0), "max-tokens must be at least 1"),
        (Sampling(stop_strings=("</answer>", "")), "a stop string must not be empty"),
        (Sampling(template_arguments=("tall",)), "must be NAME=VALUE, not 'tall'"),
    ],
)
def test_sampling_that_cannot_be_meant(sampling, message):
    with pytest.raises(UserError, match=message):
        sampling.check()


def test_seeds_differ_between_samples_and_are_always_the_same():
    keys = [SampleKey(f"q{i}", sample) for i in range(100) for sample in range(10)]
    assert len({seed_of(seed, key) for key in keys for seed in range(3)}) == 3000
    assert all(0 <= seed_of(0, key) < 2**31 for key in keys)
    assert seed_of(0, SampleKey("q", 1)) == seed_of(0, SampleKey("q", 1))
    assert seed_of(1, SampleKey("2/q", 1)) != seed_of(1, SampleKey("q", 2))
