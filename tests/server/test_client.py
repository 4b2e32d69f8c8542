"""A trainer cannot tell the gym of a server from one of its own."""

import json
import os
import threading
import time

import anyio.lowlevel
import anyio.to_thread
import httpx
import psutil
import pytest

import rlve
from rlve.contract import Verdict
from rlve.dialogue import respond
from rlve.errors import UserError
from rlve.pool import Record, Request
from rlve.pool.worker import OPERATIONS
from rlve.registry import registered
from rlve.server import remote_pool
from rlve.server.client import RemotePool, RemoteStream
from rlve.server.guard import Limits
from rlve.server.remote_pool import RemoteDispatcher
from rlve.server.service import create_service
from support.misbehaving import Misbehaving
from support.serving import serving

NAMES = ["Sorting", "Multiplication", "SAT"]


@pytest.fixture
def remote(gym_url):
    with RemotePool(gym_url) as found:
        yield found


def requests(count):
    return [Request(rlve.environment(NAMES[i % 3]), i % 4, i) for i in range(count)]


def outputs(problem):
    return [f"<answer>{problem.reference()}</answer>", "<answer>7</answer>", "nothing", "\ud800"]


def test_a_remote_pool_does_what_a_pool_does(remote, pool):
    wanted = requests(50)
    problems = pool.generate(wanted)
    assert remote.generate(wanted) == problems
    assert list(remote.generate_iter(wanted)) == problems
    assert list(remote.solve_iter(wanted[:5])) == list(pool.solve_iter(wanted[:5]))
    items = [(problem, output) for problem in problems for output in outputs(problem)]
    verdicts = pool.judge(items)
    assert remote.judge(items) == verdicts
    assert list(remote.judge_iter(items)) == verdicts
    boxed = pool.judge(items, marker="boxed")
    assert remote.judge(items, marker="boxed") == boxed
    pending = remote.start_judging(items)
    found = {}
    while pending.wait():
        found |= pending.finished()
    assert [found[index] for index in range(len(items))] == verdicts
    prepared = remote.prepare(wanted)
    assert [prepared.take(index) for index in range(50)] == problems
    assert remote.judge([]) == []
    records = [(Record(type(problem), problem.parameters()), output) for problem, output in items]
    assert pool.judge(records) == remote.judge(records) == verdicts
    assert remote.show(wanted[1]) == pool.show(wanted[1])
    loaded = [record for record, _ in records[:5]]
    loaded += [loaded[0]._replace(prompted=True), loaded[0]._replace(parameters={})]
    assert list(remote.load_iter(loaded)) == list(pool.load_iter(loaded))
    assert remote.explain(items) == pool.explain(items)
    problem = rlve.environment("GuessNumber").generate(difficulty=1, seed=4)
    won = [(problem, problem.reference_moves()[:turns]) for turns in (1, 2, 3)]
    talks = [*won, (problem, ["\ud800"]), (problem, ["no"] * 5), (problem, ["no"] * 6)]
    replies = list(pool.call_iter(respond, talks))
    assert list(remote.call_iter(respond, talks)) == replies
    assert replies[4].verdict == Verdict(-1.0, False, False)
    assert "there is nothing to reply to" in replies[5].message
    assert {*remote_pool._EXCHANGES} == {*OPERATIONS}
    with pytest.raises(UserError, match="a gym elsewhere cannot call functions"):
        next(remote.call_iter(sorted, [[2, 1]]))


def test_a_failure_is_a_failure_and_is_counted():
    with (
        registered(Misbehaving),
        rlve.Pool(workers=1, deadline=0.5) as hasty,
        serving(create_service(hasty)) as url,
        RemotePool(url) as remote,
    ):
        (found,) = remote.judge([(Misbehaving(tag=1), "<answer>loop</answer>")])
        assert isinstance(found, rlve.Failure)
        assert found.kind == "deadline"
        assert remote.failures == {"deadline": 1}


def trained(gym, steps=6):
    """What a trainer sees whose policy solves what is below difficulty 2, mostly."""
    seen = []
    for _ in range(steps):
        for item in gym.take(12):
            right = f"\\boxed{{{item.problem.reference()}}}"
            wrong = "\\boxed{no}" if item.difficulty >= 2 or item.seed % 8 == 0 else right
            judged = gym.judge([(item.problem, right), (item.problem, wrong)])
            seen.append((item, judged, gym.count(item.name, item.difficulty, judged)))
        seen.append(gym.step())
    return seen


@pytest.mark.parametrize(
    "options", [{}, {"curriculum": "bandit", "rehearsal": 0.2, "weights": {"Sorting": 2.0}}]
)
def test_a_gym_on_a_server_gives_the_same_run(gym_url, remote, options):
    settings = rlve.CurriculumSettings(tau_num=8, tau_acc=0.8, **options)
    with rlve.Gym(NAMES, group=2, seed=5, curriculum=settings, workers=1) as here:
        local = trained(here)
        state = here.state_dict()
    with RemoteStream(gym_url, NAMES, group=2, seed=5, curriculum=settings) as stream:
        there = rlve.Gym(group=2, pool=remote, source=stream)
        assert trained(there) == local
        assert there.state_dict()["stream"] == state
        assert any(metrics.raised for metrics in local if not isinstance(metrics, tuple))
        # And it goes on from a state in a session of its own.
        with RemoteStream(gym_url, NAMES, group=2, seed=0, curriculum=settings) as other:
            other.load_state_dict(there.state_dict())
            assert other.take(5) == stream.take(5)
            assert other.position == stream.position


def test_nothing_is_lost_or_doubled_when_workers_are_killed():
    others = set(psutil.Process().children())  # of tests that ran before in this process
    with (
        rlve.Pool(workers=2) as pool,
        serving(create_service(pool)) as url,
        RemotePool(url) as remote,
    ):
        problems = pool.generate(requests(30))
        items = [(problem, output) for problem in problems for output in outputs(problem)] * 20
        expected = [problem.verify(output) for problem, output in items]
        for _ in range(3):
            pending = remote.start_judging(items)
            assert pending.wait()
            found = dict(pending.finished())
            (set(psutil.Process().children()) - others).pop().kill()
            while pending.wait():
                for index, verdict in pending.finished():
                    assert index not in found
                    found[index] = verdict
            assert [found[index] for index in range(len(items))] == expected


def test_a_server_that_cannot_be_reached_is_named(gym_url):
    with pytest.raises(UserError, match=r"http://127\.0\.0\.1:9 cannot be used"):
        RemotePool("http://127.0.0.1:9", patience=0.1)
    with pytest.raises(UserError, match="refused the request: no environment is named 'Nothing'"):
        RemoteStream(gym_url, ["Nothing"], group=2)


def test_a_server_that_goes_away_fails_what_waits_for_it(pool):
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    with serving(create_service(pool)) as url:
        remote = RemotePool(url, patience=0.1)
        assert len(remote.judge([(problem, "x")])) == 1
    with pytest.raises(UserError, match="cannot be used"):
        remote.judge([(problem, "x")])
    remote.close()
    with pytest.raises(UserError, match="the pool is closed"):
        remote.judge([(problem, "x")])


async def answer(send, status, content):
    body = json.dumps(content).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Losing:
    """An app behind a proxy that loses requests on their way there, or replies on their way back.

    lost  the losses to come: method, end of the path, and whether the request arrives
    """

    def __init__(self, app):
        self.app = app
        self.lost = []

    async def __call__(self, scope, receive, send):
        for loss in self.lost if scope["type"] == "http" else ():
            method, end, arrives = loss
            if scope["method"] == method and scope["path"].endswith(end):
                self.lost.remove(loss)
                if arrives:
                    await self.app(scope, receive, self._lose)
                await answer(send, 504, {"detail": "the proxy has no patience"})
                return
        await self.app(scope, receive, send)

    async def _lose(self, message):
        pass


@pytest.fixture
def losing(pool):
    return Losing(create_service(pool))


@pytest.fixture
def losing_url(losing):
    with serving(losing) as url:
        yield url


def sorting(seed=0):
    return rlve.environment("Sorting").generate(difficulty=0, seed=seed)


def test_a_request_that_fails_is_sent_again_however_late_it_failed(losing, losing_url):
    with RemotePool(losing_url, patience=0) as remote:  # so that every failure is later
        losing.lost = [("POST", "/v1/verify", True)]
        assert len(remote.judge([(sorting(), "x")])) == 1
        losing.lost = [("POST", "/v1/verify", False)] * 2
        with pytest.raises(UserError, match="it answered 504: the proxy has no patience"):
            remote.judge([(sorting(), "x")])


class Silent:
    """A server that takes requests, and never answers those for verdicts."""

    def __init__(self):
        self.asked = threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": f"{message['type']}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["path"] == "/health":
            await answer(send, 200, {"workers": 1, "batch": 100, "body": 100_000})
        else:
            while (message := await receive())["type"] != "http.disconnect":
                self.asked.set()


def ends(work):
    """Whether it returns; another thread does it, so that the test goes on if it hangs."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    return not thread.is_alive()


def test_a_pool_can_be_closed_while_it_waits_for_the_server(monkeypatch):
    monkeypatch.setattr(remote_pool, "ENDING_SECONDS", 60.0)
    silent = Silent()
    with serving(silent) as url:
        remote = RemotePool(url)
        pending = remote.start_judging([(sorting(), "x")])
        assert silent.asked.wait(60)
        assert ends(remote.close)
        assert not any(thread.is_alive() for thread in remote._dispatcher._threads)
        with pytest.raises(UserError, match="the pool is closed"):
            pending.take(0)
        remote.close()


def test_to_stop_takes_no_lock(gym_url, monkeypatch):
    monkeypatch.setattr(remote_pool, "ENDING_SECONDS", 0.01)
    remote = RemotePool(gym_url)
    assert len(remote.judge([(sorting(), "x")])) == 1
    with remote._dispatcher.lock:  # as if the garbage collector came here
        assert ends(remote._dispatcher.stop)
    remote.close()


def test_a_fork_closes_nothing_of_its_parent(remote, monkeypatch):
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        remote._dispatcher.stop()
        remote._connection.close()
    assert len(remote.judge([(sorting(), "x")])) == 1


def sessions(url):
    return len(httpx.get(f"{url}/v1/sessions").json()["sessions"])


def test_a_session_is_started_and_deleted_once(losing, losing_url):
    losing.lost = [("POST", "/v1/sessions", True)]
    with RemoteStream(losing_url, NAMES, group=2) as stream:
        assert sessions(losing_url) == 1
        losing.lost = [("DELETE", stream.curriculum.session, True)]
    assert sessions(losing_url) == 0
    stream.close()


def test_the_end_of_a_block_raises_nothing_once_the_work_is_done(pool, caplog):
    with serving(create_service(pool)) as url:
        stream = RemoteStream(url, NAMES, group=2)
    with stream:
        pass
    assert "the session could not be deleted" in caplog.text


def test_closing_a_stream_hides_no_error(losing, losing_url, caplog):
    stream = RemoteStream(losing_url, NAMES, group=2)
    losing.lost = [("DELETE", stream.curriculum.session, False)] * 2
    with pytest.raises(ZeroDivisionError), stream:
        raise ZeroDivisionError
    assert "the session could not be deleted" in caplog.text
    stream = RemoteStream(losing_url, NAMES, group=2, patience=0)
    losing.lost = [("DELETE", stream.curriculum.session, False)] * 2
    with pytest.raises(UserError, match="cannot be used"):
        stream.close()


@pytest.mark.parametrize("arrives", [True, False])
def test_what_was_observed_counts_once_even_if_a_report_fails(losing, losing_url, arrives):
    settings = rlve.CurriculumSettings(tau_num=8)
    with RemoteStream(losing_url, ["Sorting"], group=2, curriculum=settings, patience=0) as stream:
        curriculum = stream.curriculum
        for rollouts, high in ((4, 0), (4, 1)):  # 8 are needed, and only then h rises
            curriculum.observe_group("Sorting", 0, [True] * rollouts, [1.0] * rollouts)
            losing.lost = [("POST", "/report", arrives)] * 2
            with pytest.raises(UserError, match="504"):
                curriculum.step()
            losing.lost = [("POST", "/step", arrives)] * 2
            with pytest.raises(UserError, match="504"):
                curriculum.step()
            curriculum.step()
            assert curriculum.bounds("Sorting") == (0, high)
        assert stream.state_dict()["steps"] == 2


class Restarted:
    """A server that is killed again and again: before a request, or before its reply is sent."""

    def __init__(self, pool):
        self.start = lambda: create_service(pool)
        self.app = self.start()
        self.asked = 0

    async def __call__(self, scope, receive, send):
        of_session = "/v1/sessions" in scope.get("path", "")
        self.asked += of_session
        if not of_session or self.asked % 7:
            await self.app(scope, receive, send)
            return
        if self.asked % 2:
            await self.app(scope, receive, lambda _: anyio.lowlevel.checkpoint())
        self.app = self.start()
        await answer(send, 503, {"detail": "it is being restarted"})


def test_a_session_survives_restarts_of_its_server(pool, caplog):
    settings = rlve.CurriculumSettings(tau_num=8, tau_acc=0.8, curriculum="bandit")
    with rlve.Gym(NAMES, group=2, seed=5, curriculum=settings, workers=1) as here:
        local, after = trained(here), here.take(3)
        state = here.state_dict()
    with (
        serving(Restarted(pool)) as url,
        RemotePool(url) as remote,
        RemoteStream(url, NAMES, group=2, seed=5, curriculum=settings) as stream,
    ):
        there = rlve.Gym(group=2, pool=remote, source=stream)
        assert trained(there) == local
        assert there.take(3) == after
        assert there.state_dict()["stream"] == state
        stream.load_state_dict(stream.state_dict())
        assert stream.position == state["position"]
    assert caplog.text.count("is begun again where it was") > 2


def test_time_stands_still_while_a_server_is_away(losing, losing_url):
    with RemotePool(losing_url) as remote:
        clock = remote._connection.clock
        losing.lost = [("POST", "/v1/verify", False)] * 4  # 0.75 seconds
        begin, before = time.monotonic(), clock()
        pending = remote.start_judging([(sorting(), "x")])
        assert pending.wait(0.5)
        passed = time.monotonic() - begin
        assert passed > 0.7
        assert clock() - before < passed - 0.7


def test_problems_that_were_lost_on_the_way_are_taken_again(losing, losing_url):
    with RemoteStream(losing_url, NAMES, group=2, patience=0) as stream:
        losing.lost = [("POST", "/draw", True)] * 2
        with pytest.raises(UserError, match="504"):
            stream.take(5)
        assert [item.position for item in stream.take(5)] == [0, 1, 2, 3, 4]
        assert stream.position == 5


def test_nothing_is_lost_of_a_take_that_fails_after_many_requests(pool):
    """The server remembers its last replies only; what has arrived stays here."""
    with (
        serving(create_service(pool, limits=Limits(batch=1))) as url,
        RemoteStream(url, NAMES, group=2, patience=0) as stream,
    ):
        post, sent = stream._remote.post, []

        def broken(what, content):
            sent.append(what)
            if len(sent) == 19:
                raise UserError("the line is cut")
            return post(what, content)

        stream._remote.post = broken
        with pytest.raises(UserError, match="cut"):
            stream.take(20)
        assert stream.position == 0
        assert [item.position for item in stream.take(15)] == [*range(15)]
        assert [item.position for item in stream.take(10)] == [*range(15, 25)]
        assert stream.position == 25


def test_a_report_that_is_refused_holds_up_no_other(gym_url):
    with RemoteStream(gym_url, NAMES, group=2) as stream:
        stream.curriculum._observed.append({"environment": "Sorting", "difficulty": "none"})
        with pytest.raises(UserError, match="refused"):
            stream.curriculum.step()
        stream.curriculum.step()


def test_requests_keep_to_the_limits_of_the_server(pool):
    limits = Limits(batch=3, body=1000)
    with (
        serving(create_service(pool, limits=limits)) as url,
        RemotePool(url) as remote,
        RemoteStream(url, NAMES, group=2, curriculum=rlve.CurriculumSettings(tau_num=8)) as stream,
        rlve.Gym(NAMES, group=2, curriculum=rlve.CurriculumSettings(tau_num=8)) as here,
    ):
        there = rlve.Gym(group=2, pool=remote, source=stream)
        assert trained(there, steps=2) == trained(here, steps=2)
        wanted = requests(20)
        problems = pool.generate(wanted)
        assert remote.generate(wanted) == problems
        items = [(problem, "x" * 200) for problem in problems]
        assert remote.judge(items) == pool.judge(items)
        with pytest.raises(UserError, match="at most 1,000 bytes"):
            remote.judge([(sorting(), "x" * 1000)])


def test_a_gym_on_a_server_knows_what_rests(gym_url, remote):
    settings = rlve.CurriculumSettings(rest=0.2)
    with RemoteStream(gym_url, NAMES, group=2, curriculum=settings) as stream:
        gym = rlve.Gym(group=2, pool=remote, source=stream)
        for _ in range(64):
            gym.count("Sorting", 0, [Verdict(-1.0, False, False)] * 2)
        assert gym.step().resting == ["Sorting"]


def test_a_gym_whose_groups_are_not_those_of_its_stream_is_refused(gym_url, remote):
    with RemoteStream(gym_url, NAMES, group=4) as stream:
        with pytest.raises(UserError, match="for groups of 4 rollouts, not 16"):
            rlve.Gym(group=16, pool=remote, source=stream)
        rlve.Gym(group=4, pool=remote, source=stream)


class Noting:
    """A server whose first verdict waits for a signal; it notes the outputs that it is sent."""

    def __init__(self, app):
        self.app = app
        self.go_on = threading.Event()
        self.asked = threading.Event()
        self.outputs = []

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/v1/verify":
            await self.app(scope, receive, send)
            return
        message = await receive()
        self.outputs += [item["output"] for item in json.loads(message["body"])["items"]]
        self.asked.set()
        await anyio.to_thread.run_sync(self.go_on.wait)

        async def again():
            return message

        await self.app(scope, again, send)


def test_what_was_abandoned_is_not_sent(pool):
    noting = Noting(create_service(pool))
    with serving(noting) as url, RemotePool(url, connections=1) as remote:
        first = remote.start_judging([(sorting(), "first")])
        assert noting.asked.wait(60)
        remote.start_judging([(sorting(), "abandoned")]).abandon()
        last = remote.start_judging([(sorting(), "last")])
        noting.go_on.set()
        assert first.take(0) == last.take(0)
        assert noting.outputs == ["first", "last"]


def test_a_reply_of_another_length_reaches_those_who_wait(pool):
    service = create_service(pool)

    async def forgetful(scope, receive, send):
        if scope["type"] == "http" and scope["path"] == "/v1/verify":
            await answer(send, 200, {"verdicts": []})
        else:
            await service(scope, receive, send)

    with (
        serving(forgetful) as url,
        RemotePool(url) as remote,
        pytest.raises(UserError, match="sent 0 results for 1 items"),
    ):
        remote.judge([(sorting(), "x")])


def test_the_end_of_a_sending_thread_reaches_those_who_wait(remote, monkeypatch):
    monkeypatch.setattr(RemoteDispatcher, "_cut", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        remote.judge([(sorting(), "x")])


def test_a_server_that_is_no_gym_is_named():
    async def other(scope, receive, send):
        if scope["type"] == "http":
            await answer(send, 200, {"status": "ok"})
        else:
            await Silent()(scope, receive, send)

    with serving(other) as url, pytest.raises(UserError, match="does not answer like a gym"):
        RemotePool(url)
