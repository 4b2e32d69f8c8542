"""The gym over HTTP says what the gym in this process says, and refuses what it must refuse."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

import rlve
from rlve.collections import C4
from rlve.dialogue import conversation
from rlve.registry import registered
from rlve.server.guard import Limits
from rlve.server.service import create_service
from support.misbehaving import Misbehaving, Trapped
from support.serving import serving


@pytest.fixture(scope="module")
def gym(gym_url):
    with httpx.Client(base_url=gym_url, timeout=60) as client:
        yield client


def test_it_lists_the_environments_and_the_collections(gym):
    found = gym.get("/v1/environments").json()
    assert [each["name"] for each in found["environments"]] == rlve.environments()
    assert [each["name"] for each in found["dialogues"]] == rlve.dialogues()
    assert tuple(found["collections"]["C4"]) == C4


def test_it_generates_the_problems_that_are_generated_here(gym):
    wanted = {"requests": [{"environment": "Sorting", "difficulty": 3, "seed": 5, "count": 3}]}
    for shown in (False, True):
        reply = gym.post("/v1/generate", json=wanted | {"parameters": shown})
        assert ("gold_answer" in reply.text) == shown  # it is given away only if it is asked for
        made = reply.json()["problems"]
        for place, found in enumerate(made):
            problem = rlve.environment("Sorting").generate(difficulty=3, seed=5 + place)
            assert found["parameters"] == (problem.parameters() if shown else None)
            assert found["prompt"] == problem.prompt()
            assert found["reference"] is None


def test_a_collection_gives_its_environments_in_turn(gym):
    wanted = {"requests": [{"environment": "C4", "count": 5, "seed": 9}]}
    wanted |= {"reference": True, "parameters": True}
    found = gym.post("/v1/generate", json=wanted).json()["problems"]
    assert [each["environment"] for each in found] == [*C4, C4[0]]
    assert [each["seed"] for each in found] == [9, 10, 11, 12, 13]
    for each in found:
        problem = rlve.environment(each["environment"]).from_parameters(each["parameters"])
        assert problem.verify(f"<answer>{each['reference']}</answer>").correct


def test_it_judges_as_here_by_parameters_and_by_seed(gym):
    problem = rlve.environment("Sorting").generate(difficulty=2, seed=1)
    right = problem.reference()
    outputs = [f"<answer>{right}</answer>", f"\\boxed{{{right}}}", "<answer>1</answer>", "no"]
    by_seed = {"environment": "Sorting", "difficulty": 2, "seed": 1}
    by_parameters = {"environment": "Sorting", "parameters": problem.parameters()}
    for marker in ("any", "answer", "boxed"):
        items = [which | {"output": o} for which in (by_seed, by_parameters) for o in outputs]
        asked = {"items": items, "marker": marker}
        for path, name, verify in (
            ("/v1/verify", "verdicts", problem.verify),
            ("/v1/explain", "explanations", problem.explain),
        ):
            verdicts = [msgspec.to_builtins(verify(o, marker=marker)) for o in outputs]
            expected = [each | {"failure": None} for each in verdicts]
            assert gym.post(path, json=asked).json()[name] == 2 * expected
        groups = [which | {"outputs": outputs} for which in (by_seed, by_parameters)]
        verdicts = [problem.verify(output, marker=marker) for output in outputs]
        expected = {
            "rewards": [each.reward for each in verdicts],
            "correct": [each.correct for each in verdicts],
            "accuracy": sum(each.correct for each in verdicts) / 4,
            "mean_reward": sum(each.reward for each in verdicts) / 4,
        }
        scored = gym.post("/v1/score", json={"items": groups, "marker": marker}).json()
        assert scored["scores"] == [expected, expected]


def test_a_verdict_by_seed_is_one_round_trip_to_a_worker(pool, monkeypatch):
    begun = []
    begin = type(pool)._begin
    monkeypatch.setattr(
        type(pool), "_begin", lambda *given, **more: begun.append(given[1]) or begin(*given, **more)
    )
    which = {"environment": "Sorting", "difficulty": 2, "seed": 1}
    with serving(create_service(pool)) as url:
        for path, asked in (
            ("verify", {"output": "1"}),
            ("explain", {"output": "1"}),
            ("score", {"outputs": ["1", "2"]}),
            ("respond", {"environment": "GuessNumber", "messages": ["1"]}),
        ):
            reply = httpx.post(f"{url}/v1/{path}", json={"items": [which | asked]}, timeout=60)
            assert reply.status_code == 200
    assert begun == ["judge", "explain", "judge", "call"]


def test_a_dialogue_is_generated_played_and_judged(gym):
    which = {"environment": "GuessNumber", "difficulty": 1, "seed": 4}
    wanted = {"requests": [which], "parameters": True}
    [made] = gym.post("/v1/generate", json=wanted).json()["problems"]
    hidden = gym.post("/v1/generate", json={"requests": [which]}).text
    assert "secret" not in hidden
    problem = rlve.environment("GuessNumber").generate(difficulty=1, seed=4)
    assert (made["turns"], made["parameters"]) == (problem.turns, problem.parameters())
    messages = ["ten", *problem.reference_moves()]
    by_parameters = {"environment": "GuessNumber", "parameters": made["parameters"]}
    for given in (which, by_parameters):
        items = [given | {"messages": messages[: i + 1]} for i in range(len(messages))]
        replies = gym.post("/v1/respond", json={"items": items}).json()["replies"]
        assert [each["text"] for each in replies] == [r.text for r in problem.replies(messages)]
        assert replies[0]["verdict"] is None
        item = given | {"output": conversation(messages)}
        [verdict] = gym.post("/v1/verify", json={"items": [item]}).json()["verdicts"]
        won = {"reward": 1.0, "correct": True, "well_formed": True}
        assert replies[-1]["verdict"] == verdict == won | {"failure": None}
    for wrong, detail in (
        ({"messages": []}, "items.0.messages: List should have at least 1 item"),
        ({"messages": ["1"], "environment": "Sorting"}, "items[0]: Sorting does not answer back"),
        ({"messages": ["1"], "parameters": {}}, "items[0]: not the parameters of a Guess"),
    ):
        reply = gym.post("/v1/respond", json={"items": [which | wrong]})
        assert reply.status_code == 422
        assert reply.json()["detail"].startswith(detail)
    over = which | {"messages": [*messages, "more"]}
    [late] = gym.post("/v1/respond", json={"items": [over]}).json()["replies"]
    assert "there is nothing to reply to" in late["failure"]["message"]


def trapped(how):
    item = {"environment": "Trapped", "parameters": {"how": how}}
    return item | {"output": "<answer>yes</answer>"}


def test_a_hostile_record_costs_its_own_item_and_nothing_else():
    with (
        registered(Trapped),
        rlve.Pool(workers=2, deadline=5) as hasty,
        serving(create_service(hasty)) as url,
        ThreadPoolExecutor(1) as thread,
        httpx.Client(base_url=url, timeout=60) as other,
    ):
        items = [trapped(how) for how in ("well", "loop", "crash", "well")]
        slow = thread.submit(httpx.post, f"{url}/v1/verify", json={"items": items}, timeout=60)
        answered = 0
        while not slow.done() or not answered:
            well = other.post("/v1/verify", json={"items": [trapped("well")]}).json()["verdicts"]
            assert [each["reward"] for each in well] == [1.0]
            answered += 1
        assert slow.result().status_code == 200
        verdicts = slow.result().json()["verdicts"]
        assert [each["reward"] for each in verdicts] == [1.0, None, None, 1.0]
        assert [each["failure"]["kind"] for each in verdicts[1:3]] == ["deadline", "crash"]


def test_what_has_no_verdict_says_why():
    with (
        registered(Trapped),
        registered(Misbehaving),
        rlve.Pool(workers=1, deadline=60) as own,
        serving(create_service(own)) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        which = {"environment": "Misbehaving", "parameters": {"tag": 1}}
        outputs = [f"<answer>{how}</answer>" for how in ("exit", "fine", "raise")]
        items = [which | {"output": output} for output in outputs]
        gone, fine, broken = client.post("/v1/verify", json={"items": items}).json()["verdicts"]
        assert (gone["failure"]["kind"], gone["reward"]) == ("crash", None)
        assert broken["failure"]["kind"] == "error"  # the verifier's fault, not the record's
        group = {"items": [which | {"outputs": outputs}]}
        [scored] = client.post("/v1/score", json=group).json()["scores"]
        assert scored["rewards"] == [None, fine["reward"], None]
        assert scored["mean_reward"] == fine["reward"]
        assert scored["correct"] == [None, True, None]
        refused = client.post("/v1/verify", json={"items": [trapped("well"), trapped("raise")]})
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith("items[1]: ZeroDivisionError: just because")


SURROGATE = (
    b'{"items": [{"environment": "Sorting", "difficulty": 0, "seed": 0, "output": "\\ud800"}]}'
)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"{", 422),
        (b"[]", 422),
        (b'{"items": [{"environment": "\\ud800"}]}', 422),
        (b"\xff", 400),
        (SURROGATE, 200),  # half a pair in an output is judged like any text
    ],
)
def test_broken_json_is_the_clients_fault(gym, raw, status):
    reply = gym.post("/v1/verify", content=raw, headers={"content-type": "application/json"})
    assert reply.status_code == status
    if status == 200:
        assert reply.json()["verdicts"][0]["well_formed"] is False
    else:
        assert reply.json()["detail"]


@pytest.mark.parametrize(
    ("path", "content", "status", "words"),
    [
        ("/v1/generate", {"requests": [{"environment": "Sortin"}]}, 404, "did you mean 'Sorting'"),
        ("/v1/generate", {"requests": [{"environment": "os:path"}]}, 404, "no environment"),
        ("/v1/generate", {"requests": [{"environment": "GaussianElimination", "difficulty": 99}]},
         422, "the highest difficulty"),
        ("/v1/generate", {"requests": [{"environment": "Sorting", "count": 10**6}]},
         413, "at most 4,096 items"),
        ("/v1/generate", {"requests": [{"environment": "Sorting", "dificulty": 1}]},
         422, "requests.0.dificulty"),
        ("/v1/generate", {"requests": [{"environment": "Sorting", "difficulty": -1}]},
         422, "requests.0.difficulty"),
        ("/v1/verify", {"items": [{"environment": "Sorting", "output": ""}]},
         422, "neither parameters nor difficulty and seed"),
        ("/v1/verify", {"items": [{"environment": "Sorting", "output": "", "parameters": {}}]},
         422, "items[0]: not the parameters of a Sorting problem"),
        ("/v1/explain", {"items": [{"environment": "os:path", "parameters": {}, "output": ""}]},
         404, "no environment"),
        ("/v1/score", {"items": [{"environment": "Sorting", "parameters": {}, "outputs": [""]}]},
         422, "items[0]: not the parameters of a Sorting problem"),
        ("/v1/score", {"items": [{"environment": "Sorting", "difficulty": 0, "seed": 0,
         "outputs": [""] * 5000}]}, 413, "at most 4,096 items"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(gym, path, content, status, words):
    reply = gym.post(path, json=content)
    assert reply.status_code == status
    assert words in reply.json()["detail"]


@pytest.mark.parametrize(
    "item",
    [
        {"environment": "x" * 10**6},
        {"environment": "Sorting" + "_3Tries" * 10**5},
        {"environment": "Sorting", "parameters": {"x" * 10**6: 1}},
        {"environment": "Sorting", "parameters": {"array": "x" * 10**6}},
        {"environment": "Sorting", "x" * 10**6: 1},
    ],
    ids=range(5),
)
def test_errors_do_not_repeat_what_was_sent_at_any_length(gym, item):
    reply = gym.post("/v1/verify", json={"items": [{"output": ""} | item]})
    assert reply.status_code in (404, 422)
    assert 0 < len(reply.json()["detail"]) <= 500


def test_no_request_loads_code(gym, tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    for body in (
        ("/v1/generate", {"requests": [{"environment": f"{trap}:Trap"}]}),
        ("/v1/verify", {"items": [{"environment": f"{trap}:Trap", "output": "", "seed": 0}]}),
        ("/v1/score", {"items": [{"environment": f"{trap}:Trap", "outputs": [""], "seed": 0}]}),
    ):
        assert gym.post(body[0], json=body[1]).status_code == 404
    assert not (tmp_path / "sprung").exists()


def test_large_requests_are_refused_before_they_are_read(pool):
    with serving(create_service(pool, limits=Limits(body=1000, batch=2))) as url:
        item = {"environment": "Sorting", "difficulty": 0, "seed": 0, "output": ""}
        many = httpx.post(f"{url}/v1/verify", json={"items": [item] * 3})
        assert (many.status_code, "at most 2 items" in many.text) == (413, True)
        large = httpx.post(f"{url}/v1/verify", json={"items": [item | {"output": "x" * 2000}]})
        assert (large.status_code, "at most 1,000 bytes" in large.text) == (413, True)
        # Without a length, in pieces that never end.
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=30) as raw:
            raw.sendall(
                b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + (b"400\r\n" + b"x" * 0x400 + b"\r\n") * 10
            )  # fmt: skip
            assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_an_open_path_has_no_body(pool):
    with serving(create_service(pool, token="correct horse battery staple")) as url:
        assert httpx.post(f"{url}/health", content=b"{").status_code == 405
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=30) as raw:
            raw.sendall(b"POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
            assert raw.recv(100).startswith(b"HTTP/1.1 405")  # nobody waits for the rest


def test_beyond_its_concurrency_a_server_asks_to_come_back(tmp_path):
    signal = tmp_path / "go on"
    with (
        registered(Misbehaving),
        rlve.Pool(workers=1, deadline=300) as slow,
        serving(create_service(slow, limits=Limits(concurrency=2))) as url,
        httpx.Client(base_url=url, timeout=300) as client,
        ThreadPoolExecutor(2) as threads,
    ):
        item = {"environment": "Misbehaving", "parameters": {"tag": 1}}
        item |= {"output": f"<answer>wait for {signal}</answer>"}

        def ask(_):
            while (reply := client.post("/v1/verify", json={"items": [item]})).status_code == 429:
                pass
            return reply

        replies = threads.map(ask, range(2))
        try:
            while (refused := client.get("/v1/environments")).status_code == 200:
                pass
            healthy = client.get("/health")
        finally:
            signal.touch()
        assert refused.status_code == 429
        assert refused.headers["retry-after"]
        assert healthy.status_code == 200
        assert [reply.status_code for reply in replies] == [200, 200]


def test_only_names_of_this_machine_are_answered(gym):
    for host in (
        *("evil.example", "localhost.evil.example", "127.0.0.1.nip.io:8000", ""),
        *("[::1].evil", "localhost:80@evil.com", "[::1", "localhost:", "127.0.0.1:80:80"),
    ):
        assert gym.get("/health", headers={"host": host}).status_code == 421
    for host in ("localhost", "localhost:1234", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert gym.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://[::1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_can_send_nothing(gym, headers):
    wanted = {"requests": [{"environment": "Sorting"}]}
    assert gym.post("/v1/generate", json=wanted, headers=headers).status_code == 403
    own = {"origin": str(gym.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert gym.post("/v1/generate", json=wanted, headers=own).status_code == 200


def test_with_a_token_whoever_does_not_know_it_is_told_nothing(pool):
    token = "correct horse battery staple"
    with serving(create_service(pool, token=token)) as url:
        assert httpx.get(f"{url}/health").status_code == 200
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": token}):
            for path in ("/v1/environments", "/", "/openapi.json"):
                assert httpx.get(f"{url}{path}", headers=given).status_code == 401
        known = {"authorization": f"Bearer {token}", "host": "gym.example"}
        assert httpx.get(f"{url}/v1/environments", headers=known).status_code == 200


def test_the_page_shows_every_request_and_needs_no_other_host(gym):
    page = gym.get("/").text
    described = gym.get("/openapi.json").json()["paths"]
    assert "/v1/score" in described
    for path in described:
        assert path in page
    for target in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert target.startswith(("/", "#"))
    assert "default-src 'self'" in gym.get("/").headers["content-security-policy"]


def test_the_file_of_a_token_is_read(tmp_path: Path, monkeypatch):
    from rlve.errors import UserError
    from rlve.server.listener import token_for

    monkeypatch.delenv("RLVE_TOKEN", raising=False)
    assert token_for("127.0.0.1", None) is None
    with pytest.raises(UserError, match="RLVE_TOKEN or --token-file"):
        token_for("0.0.0.0", None)
    (tmp_path / "token").write_text("a long enough token\n")
    assert token_for("0.0.0.0", tmp_path / "token") == "a long enough token"
    monkeypatch.setenv("RLVE_TOKEN", "short")
    with pytest.raises(UserError, match="at least 16"):
        token_for("127.0.0.1", None)
