import importlib
import sys
import threading
import time

import pytest

pytest.importorskip("ray", reason="needs rlve[ray]; run make test-ray")

import ray

import rlve
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.pool import Failure, Request
from rlve.pool import ray as engine
from rlve.pool.ray import RayPool
from rlve.stream import Stream

# Nodes import environments by name, along the path of this process.
from support.misbehaving import WAYS, Misbehaving

MEMORY = 256 * 2**20

OWN = """
import os, signal
from rlve.envs.arrays.sorting import Sorting

class Own(Sorting):
    pass

class Murderous(Sorting):
    @classmethod
    def sample(cls, rng, **level):
        os.kill(os.getppid(), signal.SIGKILL)  # Ray's process, not the worker
"""


def good(seed):
    return Request(Misbehaving, 0, seed)


def bad(how):
    return Request(Misbehaving, WAYS.index(how), 0)


def sortings(count):
    return [Request(Sorting, seed % 5, seed) for seed in range(count)]


def made(requests):
    return [cls.generate(difficulty=d, seed=seed) for cls, d, seed, _ in requests]


@pytest.fixture
def pool(machines):
    with RayPool(machines.address, deadline=60, memory=MEMORY) as pool:
        yield pool


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A module of another name for each test, as processes of Ray's remember what they import."""
    name = f"own_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    yield importlib.import_module(name)
    del sys.modules[name]


def wait_until(true):
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def busy_hosts(machines, pool, *nodes):
    """Ray's process on each of the nodes, as soon as all have a worker."""

    def found():
        pool.generate(sortings(500))
        return [host for node in nodes for host in machines.hosts(node)]

    wait_until(lambda: len(found()) == len(nodes))
    return found()


def test_it_computes_what_the_local_pool_computes_in_order(second, pool):
    assert pool.workers == 2
    requests = sortings(300)
    problems = pool.generate(requests)
    assert problems == made(requests)
    assert list(pool.generate_iter(requests)) == problems
    assert list(pool.solve_iter(requests)) == [(p, p.reference()) for p in problems]
    items = [
        (problem, output)
        for problem in problems
        for output in (f"<answer>{problem.reference()}</answer>", r"\boxed{1 2}", "?", "\ud800\0")
    ]
    for marker in ("any", "boxed"):
        expected = [problem.verify(output, marker=marker) for problem, output in items]
        assert pool.judge(items, marker=marker) == expected
        assert list(pool.judge_iter(items, marker=marker)) == expected
        pending = pool.start_judging(items, marker=marker)
        found = {}
        while pending.wait():
            found |= pending.finished()
        assert found == dict(enumerate(expected))
    assert pool.generate([]) == pool.judge([]) == []
    assert pool.failures == {}


@pytest.mark.parametrize("how", ["loop", "hold", "grow", "kill", "raise", "unpicklable"])
def test_an_item_that_goes_wrong_costs_itself(machines, how):
    kinds = {"loop": "deadline", "hold": "deadline", "grow": "memory", "kill": "crash"}
    kind = kinds.get(how, "error")
    requests = [good(seed) for seed in range(40)]
    requests[17] = bad(how)
    deadline = 1 if kind == "deadline" else 60
    with RayPool(machines.address, deadline=deadline, memory=MEMORY) as pool:
        results = pool.generate(requests)
        failure = results.pop(17)
        assert isinstance(failure, Failure)
        assert failure.kind == kind
        assert results == made([good(seed) for seed in range(40) if seed != 17])
        assert pool.failures == {kind: 1}


def test_an_output_that_cannot_be_judged_costs_itself(pool, caplog):
    problem = Misbehaving.generate(difficulty=0, seed=0)
    answers = ["well", "kill", "well", "raise", "raise"]
    judged = pool.judge((problem, f"<answer>{answer}</answer>") for answer in answers)
    kinds = [each.kind if isinstance(each, Failure) else None for each in judged]
    assert kinds == [None, "crash", None, "error", "error"]
    assert pool.failures == {"crash": 1, "error": 2}
    assert sorted(text.partition(":")[0] for text in caplog.messages) == [
        "judging an output for Misbehaving failed (crash)",
        "judging an output for Misbehaving failed (error)",
    ]


def test_background_work_waits_for_other_work(pool):
    pending = pool.prepare(good(seed) for seed in range(3000))
    assert pool.generate([good(7)]) == made([good(7)])
    assert len(pending) == 3000
    pending.discard(0)
    assert pending.take(2999) == made([good(2999)])[0]
    with pytest.raises(LookupError, match="item 0 has been taken or discarded"):
        pending.take(0)


def test_a_stream_and_a_gym_are_the_same_on_it(pool):
    names = ["Sorting", "Division"]
    on_ray = Stream(rlve.StaticCurriculum(names, 0, 4), seed=3, pool=pool, ahead=64)
    alone = Stream(rlve.StaticCurriculum(names, 0, 4), seed=3)
    for count in (50, 1, 70):
        assert on_ray.take(count) == alone.take(count)
    with Gym(names, group=4, pool=pool) as ours, Gym(names, group=4, workers=1) as other:
        for gym in (ours, other):
            for item in gym.take(32):
                right = f"\\boxed{{{item.problem.reference()}}}"
                judged = gym.judge([(item.problem, right)] * 4)
                gym.count(item.name, item.difficulty, judged)
            gym.step()
        assert ours.state_dict() == other.state_dict()
        assert {ours.curriculum.bounds(name)[1] for name in names} == {1}


def test_lost_processes_cost_only_a_retry(machines, second, pool):
    requests = sortings(4000)
    problems = iter(pool.solve_iter(requests))
    results = [next(problems)]
    for host in busy_hosts(machines, pool, machines.head, second):
        host.children()[0].kill()  # a worker: its own process replaces it
        results += [next(problems) for _ in range(500)]
        host.kill()
        results += [next(problems) for _ in range(500)]
    results += problems
    assert results == [(p, p.reference()) for p in made(requests)]
    assert pool.failures == {}


def test_a_node_that_joins_is_used(machines, pool, monkeypatch):
    monkeypatch.setattr(engine, "LOOK_AROUND", 0.5)
    pool.generate(sortings(10))
    node = machines.add()
    try:
        busy_hosts(machines, pool, node)
    finally:
        machines.remove(node)
        machines.settle()
    assert pool.generate(sortings(200)) == made(sortings(200))


def test_what_always_kills_its_process_fails(pool, own_module):
    [failure] = pool.generate([Request(own_module.Murderous, 0, 0)])
    assert isinstance(failure, Failure)
    assert failure.kind == "crash"
    assert failure.message.startswith("Ray gave it up: ")
    assert pool.failures == {"crash": 1}
    assert pool.generate(sortings(10)) == made(sortings(10))


def test_environments_of_ones_own(pool, own_module):
    class Local(Sorting):
        pass

    requests = [Request(own_module.Own, 2, seed) for seed in range(20)]
    assert pool.generate(requests) == made(requests)
    with pytest.raises(UserError, match=r"cannot be sent to a node: .*Local"):
        pool.generate([Request(Local, 0, 0)])
    with pytest.raises(UserError, match="'Sorting' is not an environment class"):
        pool.generate([Request("Sorting", 0, 0)])


def test_an_environment_that_the_nodes_do_not_have(pool, own_module, tmp_path):
    (tmp_path / f"{own_module.__name__}.py").unlink()
    with pytest.raises(
        UserError,
        match=r"node .* cannot work on a problem: .*ModuleNotFoundError.*own_test_an",
    ):
        pool.generate([Request(own_module.Own, 0, 0)])
    assert pool.generate(sortings(10)) == made(sortings(10))


def test_a_closed_pool_takes_no_cores_and_no_work(machines):
    pool = RayPool(machines.address, deadline=60)
    pending = pool.prepare([bad("hold")])
    wait_until(lambda: machines.hosts(machines.head))
    pool.close()
    pool.close()
    wait_until(lambda: ray.available_resources().get("CPU") == 1)
    with pytest.raises(UserError, match="the pool is closed"):
        pending.take(0)
    for use in (pool.generate, pool.judge, pool.generate_iter, pool.judge_iter, pool.prepare):
        with pytest.raises(UserError, match="the pool is closed"):
            use([])


def test_fewer_workers_than_there_are_cores(machines, second):
    with RayPool(machines.address, workers=1) as pool:
        assert pool.workers == 1
        pool.generate(sortings(100))
        assert len(machines.hosts(machines.head) + machines.hosts(second)) == 1


def test_a_full_cluster_is_waited_for(machines):
    """As by any program of Ray's."""
    neighbour = ray.remote(threading.Event).options(num_cpus=1).remote()
    ray.get(neighbour.is_set.remote())  # it has started
    with RayPool(machines.address) as pool:
        pending = pool.prepare(sortings(10))
        assert not pending.wait(2)
        ray.kill(neighbour)
        assert [pending.take(index) for index in range(10)] == made(sortings(10))


def test_nodes_with_another_version(machines, monkeypatch):
    monkeypatch.setattr(engine, "__version__", "9.9")
    with (
        RayPool(machines.address) as pool,
        pytest.raises(UserError, match=r"node .* has rlve .* but this machine has rlve 9.9: "),
    ):
        pool.generate(sortings(10))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"deadline": 0}, "deadline must be above 0 and finite, not 0"),
        ({"memory": 1000}, "at least 67,108,864 bytes, not 1000"),
    ],
)
def test_impossible_settings(machines, arguments, message):
    with pytest.raises(UserError, match=message):
        RayPool(machines.address, **arguments)


def test_a_process_has_one_cluster(machines):
    with RayPool(machines.address), pytest.raises(UserError, match="is already connected to"):
        RayPool("127.0.0.1:1")
    with RayPool() as pool:  # the one that is connected
        assert pool.generate(sortings(3)) == made(sortings(3))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "there is no Ray cluster at 127.0.0.1:1: .*refused"),
        ("ray://127.0.0.1:10001", "cannot work through ray://127.0.0.1:10001: start it on a node"),
        ("somewhere", "must be host:port, auto or local, not somewhere"),
        ("127.0.0.1:99999", "there is no Ray cluster at 127.0.0.1:99999"),
    ],
)
def test_addresses_that_lead_nowhere(machines, address, message):
    ray.shutdown()
    with pytest.raises(UserError, match=message):
        RayPool(address)
