import signal
import sys
import threading
import time

import pytest

pytest.importorskip("ray", reason="needs rlve[ray]; run make test-ray")

import psutil
import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

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
        os.kill(os.getppid(), signal.SIGKILL)  # the actor, not the worker
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
    (tmp_path / "own_ray_tasks.py").write_text(OWN)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    import own_ray_tasks

    yield own_ray_tasks
    del sys.modules["own_ray_tasks"]


def wait_until(true):
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def busy_crews(machines, pool, *nodes):
    """The actors of the nodes, as soon as each of them has workers."""

    def all_work():
        pool.generate(sortings(50))
        crews = [crew for node in nodes for crew in machines.crews(node)]
        return len(crews) == len(nodes) and all(crew.children() for crew in crews)

    wait_until(all_work)
    return [crew for node in nodes for crew in machines.crews(node)]


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


def test_a_long_iterable_is_read_a_little_in_advance(pool):
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield good(read - 1)

    problems = pool.generate_iter(endless())
    for seed in range(500):
        assert next(problems) == made([good(seed)])[0]
        assert read <= seed + 1 + 128 * pool.workers


def test_threads_share_a_pool(second, pool):
    results = {}

    def work(thread):
        requests = [good(thread * 100 + seed) for seed in range(100)]
        results[thread] = pool.generate(requests) == made(requests)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), True)


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


def test_lost_actors_cost_only_a_retry(machines, second, pool, caplog):
    requests = sortings(4000)
    problems = iter(pool.solve_iter(requests))
    results = [next(problems)]
    for crew in busy_crews(machines, pool, machines.head, second):
        crew.children()[0].kill()  # a worker: its own actor replaces it
        results += [next(problems) for _ in range(500)]
        crew.kill()
        results += [next(problems) for _ in range(500)]
    results += problems
    assert results == [(p, p.reference()) for p in made(requests)]
    assert pool.failures == {}
    assert sum("was lost" in text for text in caplog.messages) == 2


def test_an_actor_that_falls_silent_is_replaced(machines, second, pool, monkeypatch):
    monkeypatch.setattr(engine, "LOOK_AROUND", 0.2)
    monkeypatch.setattr(engine, "SILENCE", 3.0)
    [crew] = busy_crews(machines, pool, second)
    crew.send_signal(signal.SIGSTOP)
    assert pool.generate(sortings(500)) == made(sortings(500))
    wait_until(lambda: not crew.is_running() or crew.status() == psutil.STATUS_ZOMBIE)


def test_a_node_that_joins_is_used(machines, pool, monkeypatch):
    monkeypatch.setattr(engine, "LOOK_AROUND", 0.5)
    pool.generate(sortings(10))
    node = machines.add()
    try:
        wait_until(lambda: machines.crews(node))
        assert pool.generate(sortings(200)) == made(sortings(200))
    finally:
        machines.remove(node)
        machines.settle()
    assert pool.generate(sortings(200)) == made(sortings(200))


def test_what_loses_every_actor_is_given_up(machines, own_module, caplog):
    with RayPool(machines.address) as pool:
        with pytest.raises(
            UserError, match="5 actors in a row were lost while working on the same items"
        ):
            pool.generate([Request(own_module.Murderous, 0, 0)])
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
    (tmp_path / "own_ray_tasks.py").unlink()
    with pytest.raises(
        UserError,
        match=r"a node cannot load a problem: ModuleNotFoundError.*own_ray_tasks.* on node",
    ):
        pool.generate([Request(own_module.Own, 0, 0)])
    assert pool.generate(sortings(10)) == made(sortings(10))


def test_closing_frees_the_cores_and_leaves_no_process(machines):
    pool = RayPool(machines.address)
    pool.generate(sortings(10))
    [crew] = machines.crews(machines.head)
    family = [crew, *crew.children()]
    assert len(family) == 2
    pool.close()
    pool.close()
    wait_until(lambda: ray.available_resources().get("CPU") == 1)
    wait_until(lambda: not any(map(psutil.pid_exists, [each.pid for each in family])))
    for use in (pool.generate, pool.judge, pool.generate_iter, pool.judge_iter, pool.prepare):
        with pytest.raises(UserError, match="the pool is closed"):
            use([])


def test_closing_ends_the_waiting_of_other_threads(machines):
    pool = RayPool(machines.address, deadline=60)
    errors = []

    def wait():
        try:
            pool.generate([bad("hold")])
        except UserError as error:
            errors.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until(lambda: machines.crews(machines.head))
    pool.close()
    thread.join()
    assert errors == ["the pool is closed"]


def test_fewer_workers_than_there_are_cores(machines, second):
    with RayPool(machines.address, workers=1) as pool:
        assert pool.workers == 1
        pool.generate(sortings(100))
        assert len(machines.crews(machines.head) + machines.crews(second)) == 1


def test_a_cluster_without_cores_to_spare(machines, monkeypatch):
    monkeypatch.setattr(engine, "LOOK_AROUND", 0.2)
    with RayPool(machines.address) as greedy, RayPool(machines.address, patience=2) as pool:
        greedy.generate(sortings(10))
        with pytest.raises(
            UserError, match="no actor for the pool within 2 s: 0 of its 1 CPUs are free"
        ):
            pool.generate(sortings(10))


def test_a_node_of_which_others_use_a_part(machines, monkeypatch):
    """Three of its four CPUs are free: an actor with one worker per CPU would never start."""
    monkeypatch.setattr(engine, "LOOK_AROUND", 0.2)
    monkeypatch.setattr(engine, "CROWDED", 2.0)
    node = machines.add(cores=4)
    there = NodeAffinitySchedulingStrategy(node.node_id, soft=False)
    neighbour = ray.remote(threading.Event).options(num_cpus=1, scheduling_strategy=there).remote()
    try:
        ray.get(neighbour.is_set.remote())  # it has started
        with RayPool(machines.address) as pool:

            def three_work():
                assert pool.generate(sortings(200)) == made(sortings(200))
                return sum(len(crew.children()) for crew in machines.crews(node)) == 3

            wait_until(three_work)
    finally:
        machines.remove(node)
        machines.settle()


def test_nodes_with_another_version(machines, monkeypatch):
    monkeypatch.setattr(engine, "_version", lambda: ("9.9", "3.99"))
    with (
        RayPool(machines.address) as pool,
        pytest.raises(
            UserError, match=r"a node .* has rlve .* but this machine has rlve 9.9 and Python"
        ),
    ):
        pool.generate(sortings(10))


def test_nodes_on_which_no_actor_starts(machines, monkeypatch, caplog):
    def broken(self, settings):
        raise OSError("no space left on this node")

    monkeypatch.setattr(engine.Crew, "__init__", broken)
    monkeypatch.setattr(engine.Crew, "__module__", "__main__")  # so that it travels as it is now
    with (
        RayPool(machines.address) as pool,
        pytest.raises(UserError, match=r"cannot start on a node: .*no space left on this node"),
    ):
        pool.generate(sortings(10))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"deadline": 0}, "deadline must be above 0 and finite, not 0"),
        ({"memory": 1000}, "at least 67,108,864 bytes, not 1000"),
        ({"patience": 0}, "patience must be above 0 and finite, not 0"),
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
