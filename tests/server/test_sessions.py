"""A curriculum that the server keeps: nothing is drawn, counted or moved twice."""

import httpx
import pytest

from rlve.curricula import AdaptiveCurriculum
from rlve.server import sessions
from rlve.server.guard import Limits
from rlve.server.service import create_service
from rlve.stream import Stream
from support.serving import serving


@pytest.fixture(scope="module")
def gym(gym_url):
    with httpx.Client(base_url=gym_url, timeout=60) as client:
        yield client


def begin(gym, **settings):
    wanted = {"environments": ["Sorting", "Multiplication"], "group": 2, "tau_num": 4} | settings
    reply = gym.post("/v1/sessions", json=wanted)
    assert reply.status_code == 201, reply.text
    return f"/v1/sessions/{reply.json()['id']}"


def solved(problems):
    return [
        {"environment": p["environment"], "difficulty": p["difficulty"], "correct": [True, True]}
        for p in problems
    ]


def test_a_session_is_a_stream_over_a_curriculum(gym):
    session = begin(gym, seed=7)
    curriculum = AdaptiveCurriculum(["Sorting", "Multiplication"], tau_num=4)
    stream = Stream(curriculum, seed=7)
    for _ in range(4):
        found = gym.post(f"{session}/draw", json={"count": 8}).json()["problems"]
        items = stream.take(8)
        assert [each["parameters"] for each in found] == [i.problem.parameters() for i in items]
        gym.post(f"{session}/report", json={"groups": solved(found)})
        for item in items:
            curriculum.observe(item.name, item.difficulty, True)
            curriculum.observe(item.name, item.difficulty, True)
        moved = gym.post(f"{session}/step", json={}).json()
        assert [c["name"] for c in moved["changes"]] == [c.name for c in curriculum.step()]
    seen = gym.get(session).json()
    assert seen["position"] == 32
    assert seen["steps"] == 4
    for name in curriculum.names:
        assert tuple(seen["bounds"][name].values()) == curriculum.bounds(name)
    assert max(each["high"] for each in seen["bounds"].values()) > 0
    gym.delete(session)
    assert gym.get(session).status_code == 404


def test_the_same_key_again_gives_the_same_reply_and_does_nothing(gym):
    session = begin(gym)
    first = gym.post(f"{session}/draw", json={"count": 4, "key": "a"}).json()
    assert gym.post(f"{session}/draw", json={"count": 4, "key": "a"}).json() == first
    assert gym.post(f"{session}/draw", json={"count": 4, "key": "b"}).json()["position"] == 4
    groups = [{"environment": "Sorting", "difficulty": 0, "correct": [True, True, True]}]
    for _ in range(2):
        gym.post(f"{session}/report", json={"groups": groups, "key": "c"})
    # Counted twice it would be 6 of the 4 that are needed; counted once, 3.
    assert gym.post(f"{session}/step", json={"key": "d"}).json()["changes"] == []
    assert gym.post(f"{session}/step", json={"key": "d"}).json()["steps"] == 1
    assert gym.get(session).json()["steps"] == 1


def test_a_reply_that_is_repeated_is_not_counted_again(pool):
    with (
        serving(create_service(pool)) as url,
        httpx.Client(base_url=url) as gym,
    ):
        session = begin(gym)
        for _ in range(3):
            gym.post(f"{session}/draw", json={"count": 4, "key": "a"})
        assert 'rlve_problems_total{outcome="drawn"} 4\n' in gym.get("/metrics").text


def test_the_same_key_again_starts_no_other_session(gym):
    session = begin(gym, key="mine")
    assert begin(gym, key="mine") == session
    assert begin(gym, key="yours") != session


def test_a_session_says_what_rests(gym):
    session = begin(gym, rest=0.1)
    groups = [{"environment": "Sorting", "difficulty": 0, "correct": [False] * 2}] * 64
    assert gym.post(f"{session}/report", json={"groups": groups}).json()["resting"] == []
    assert gym.post(f"{session}/step", json={}).json()["resting"] == ["Sorting"]
    assert gym.get(session).json()["resting"] == ["Sorting"]


def test_an_unknown_environment_in_a_report_counts_nothing(gym):
    session = begin(gym)
    good = {"environment": "Sorting", "difficulty": 0, "correct": [True] * 4}
    bad = {"environment": "SAT", "difficulty": 0, "correct": [True]}
    reply = gym.post(f"{session}/report", json={"groups": [good, bad]})
    assert reply.status_code == 422
    assert gym.post(f"{session}/step", json={}).json()["changes"] == []


def test_a_state_goes_on_in_another_session(gym):
    session = begin(gym, seed=3)
    found = gym.post(f"{session}/draw", json={"count": 6}).json()["problems"]
    gym.post(f"{session}/report", json={"groups": solved(found)})
    gym.post(f"{session}/step", json={})
    state = gym.get(f"{session}/state").json()["state"]
    other = begin(gym, seed=99, state=state)
    third = begin(gym, seed=98)
    assert gym.put(f"{third}/state", json={"state": state}).status_code == 200
    replies = [gym.post(f"{s}/draw", json={"count": 6}).json() for s in (session, other, third)]
    assert replies[0] == replies[1] == replies[2]


def test_a_server_keeps_so_many_sessions_and_no_more(pool):
    with (
        serving(create_service(pool, limits=Limits(sessions=2))) as url,
        httpx.Client(base_url=url) as gym,
    ):
        first = begin(gym)
        begin(gym)
        reply = gym.post("/v1/sessions", json={"environments": ["Sorting"]})
        assert (reply.status_code, "delete one first" in reply.text) == (409, True)
        gym.delete(first)
        begin(gym)
        assert len(gym.get("/v1/sessions").json()["sessions"]) == 2


def test_only_a_session_that_has_been_idle_for_hours_makes_room(pool, monkeypatch):
    now = 0.0
    monkeypatch.setattr(sessions, "monotonic", lambda: now)
    with (
        serving(create_service(pool, limits=Limits(sessions=2))) as url,
        httpx.Client(base_url=url) as gym,
    ):
        first, second = begin(gym), begin(gym)
        now = sessions.IDLE_SECONDS - 1.0
        assert gym.post("/v1/sessions", json={"environments": ["Sorting"]}).status_code == 409
        assert gym.post(f"{first}/draw", json={"count": 1}).status_code == 200
        now = sessions.IDLE_SECONDS + 0.0
        refused = gym.post("/v1/sessions", json={"environments": ["Nothing"]})
        assert (refused.status_code, gym.get("/metrics").text.count("rlve_sessions 2")) == (404, 1)
        third = begin(gym)
        left = [f"/v1/sessions/{each['id']}" for each in gym.get("/v1/sessions").json()["sessions"]]
        assert left == [first, third]
        assert gym.get(second).status_code == 404
