"""A trainer cannot tell the gym of a server from one of its own."""

import psutil
import pytest

import rlve
from rlve.errors import UserError
from rlve.pool import Record, Request
from rlve.registry import registered
from rlve.server.client import RemotePool, RemoteStream
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
