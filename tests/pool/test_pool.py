import errno
import gc
import itertools
import math
import os
import selectors
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest

from rlve.contract import Problem, Verdict
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.pool import Failure, Pool, Request, local_dispatcher, process, shared_pool
from rlve.pool.local import LOOK_AHEAD
from rlve.registry import DATA, registered
from rlve.targets import load

# Workers import environments by name, along the path of this process.
from support.misbehaving import WAYS, Misbehaving, walk

MEMORY = 256 * 2**20
SOON = 0.4  # a deadline for what never ends; anything else takes microseconds

RIGHT = Verdict(reward=1.0, correct=True, well_formed=True)

KINDS = {
    "loop": "deadline",
    "sleep": "deadline",
    "backtrack": "deadline",
    "hold": "deadline",
    "spawn": "deadline",
    "detach": "deadline",
    "grow": "memory",
    "allocate": "memory",
    "exit": "crash",
    "quit": "crash",
    "kill": "crash",
    "crash": "crash",
    "raise": "error",
    "give up": "error",
    "recurse": "error",
}


def good(seed: int) -> Request:
    return Request(Misbehaving, 0, seed)


def bad(how: str) -> Request:
    return Request(Misbehaving, WAYS.index(how), 0)


Children: TypeAlias = Callable[[], set[psutil.Process]]


@pytest.fixture
def children() -> Iterator[Children]:
    """The processes that the test has started and that still run; none may outlive it."""
    before = set(psutil.Process().children(recursive=True))
    yield lambda: set(psutil.Process().children()) - before
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.fixture
def pool(children: Children) -> Iterator[Pool]:
    with Pool(2, deadline=60, memory=MEMORY) as pool:
        yield pool


def test_problems_come_with_their_references(pool: Pool) -> None:
    requests = [Request(Sorting, seed % 5, seed) for seed in range(50)]
    problems = [Sorting.generate(difficulty=seed % 5, seed=seed) for seed in range(50)]
    assert list(pool.solve_iter(requests)) == [(p, p.reference()) for p in problems]


def test_it_computes_what_one_process_computes_in_order(pool: Pool) -> None:
    requests = [Request(Sorting, seed % 5, seed) for seed in range(300)]
    problems = pool.generate(requests)
    assert problems == [Sorting.generate(difficulty=d, seed=seed) for _, d, seed, _ in requests]
    items = [
        (problem, output)
        for problem in problems
        if not isinstance(problem, Failure)
        for output in (f"<answer>{problem.reference()}</answer>", r"\boxed{1 2}", "?", "\ud800\0")
    ]
    assert pool.judge(items) == [problem.verify(output) for problem, output in items]
    verdicts = [problem.verify(output, marker="boxed") for problem, output in items]
    assert pool.judge(items, marker="boxed") == verdicts
    assert list(pool.judge_iter(items, marker="boxed")) == verdicts
    assert pool.judge([]) == list(pool.judge_iter([])) == list(pool.generate_iter([])) == []
    assert pool.failures == {}


@pytest.mark.parametrize("how", KINDS)
def test_generating_badly_costs_one_item(children: Children, how: str) -> None:
    requests = [good(seed) for seed in range(40)]
    requests[17] = bad(how)
    with Pool(2, deadline=SOON if KINDS[how] == "deadline" else 60, memory=MEMORY) as pool:
        results = pool.generate(requests)
        failure = results.pop(17)
        assert isinstance(failure, Failure)
        assert failure.kind == KINDS[how]
        assert results == [
            Misbehaving.generate(difficulty=0, seed=seed) for seed in range(40) if seed != 17
        ]
        assert pool.failures == {KINDS[how]: 1}


@pytest.mark.parametrize("hanging", [True, False])
def test_scoring_badly_costs_one_item_each(
    children: Children, caplog: pytest.LogCaptureFixture, hanging: bool
) -> None:
    problem = Misbehaving.generate(difficulty=0, seed=0)
    ways = [how for how in KINDS if (KINDS[how] == "deadline") == hanging]
    answers = [answer for how in ways for answer in ("well", how, "well")]
    with Pool(2, deadline=SOON if hanging else 60, memory=MEMORY) as pool:
        results = pool.judge((problem, f"<answer>{answer}</answer>") for answer in answers)
        for answer, result in zip(answers, results, strict=True):
            if answer == "well":
                assert result == RIGHT
            else:
                assert isinstance(result, Failure)
                assert result.kind == KINDS[answer]
        assert pool.failures == Counter(KINDS[how] for how in ways)
    # The first of each kind is logged, since whoever judges many outputs only counts the rest.
    assert len(caplog.messages) == len({KINDS[how] for how in ways})
    assert all("judging an output for Misbehaving failed" in text for text in caplog.messages)


def test_an_answer_that_holds_up_the_judge_of_a_data_set_is_wrong() -> None:
    problem = Misbehaving(tag=0)
    answers = ["well", "loop", "well", "crash", "well"]
    with registered(Misbehaving, family=DATA), Pool(1, deadline=SOON, memory=MEMORY) as pool:
        results = pool.judge((problem, f"<answer>{answer}</answer>") for answer in answers)
        assert results[::2] == [RIGHT] * 3
        assert results[1] == Verdict(reward=0.0, correct=False, well_formed=True)
        assert isinstance(results[3], Failure)  # a lost worker says nothing about the answer
        assert pool.failures == {"crash": 1}


def test_failures_say_what_happened(pool: Pool) -> None:
    ways = ["grow", "exit", "kill", "raise", "give up", "unpicklable"]
    messages = [str(result) for result in pool.generate(map(bad, ways))]
    parts = ["more bytes than 268,435,456", "ended with status 0", "signal 9 (Killed)"]
    parts += ["ZeroDivisionError: just because (misbehaving.py:"]
    parts += ["GenerationError: no such problem", "Can't pickle local object"]
    for message, part in zip(messages, parts, strict=True):
        assert part in message


def test_a_deadline_says_where_it_passed(children: Children) -> None:
    with Pool(3, deadline=SOON) as pool:
        failures = pool.generate(map(bad, ["loop", "sleep", "hold"]))
    for failure in failures:
        assert isinstance(failure, Failure)
        assert failure.message.startswith(f"it took longer than {SOON} s, at misbehaving.py line ")
        assert failure.message.endswith(" in behave")


def test_a_function_is_called_for_each_item(pool: Pool) -> None:
    assert list(pool.call_iter(sorted, ([2, 1], "ba"))) == [[1, 2], ["a", "b"]]


def test_every_step_of_an_item_has_the_deadline(children: Children) -> None:
    with Pool(1, deadline=3.0) as pool:
        steps = [["nap", "nap", "nap"], ["well", "sleep"], ["well", "kill"], ["raise"], ["well"]]
        slow, late, killed, raised, well = pool.call_iter(walk, steps)
        assert (slow, well) == (3, 1)
        assert [late.step, killed.step, raised.step] == ["1 sleep", "1 kill", ""]
        assert [late.kind, killed.kind, raised.kind] == ["deadline", "crash", "error"]


def test_without_a_limit_memory_can_still_run_out(children: Children) -> None:
    with Pool(1, deadline=60, memory=None) as pool:
        [failure] = pool.generate([bad("allocate")])
    assert failure == Failure("memory", "it needs more bytes than there are")


@pytest.mark.parametrize("how", ["spawn", "detach"])
@pytest.mark.parametrize("lost", [True, False])
def test_what_an_environment_started_ends_with_its_worker(
    children: Children, how: str, lost: bool
) -> None:
    with Pool(2, deadline=60) as pool:
        pending = pool.prepare([bad(how), good(1)])
        started: list[psutil.Process] = []
        workers: set[psutil.Process] = set()
        while not started:
            time.sleep(0.01)
            workers = children()
            started = [child for worker in workers for child in worker.children()]
        if lost:
            for worker in workers:
                worker.kill()
            assert pending.take(1) == Misbehaving.generate(difficulty=0, seed=1)
            wait_for_the_end_of(started)
    wait_for_the_end_of(started)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_process_that_has_no_environment_yet_is_waited_for() -> None:
    """While a process is begun, the kernel shows it without one, as this shell is at first."""
    script = f"sleep 0.1; {process.NAME}=stray.1 exec sleep 1000"
    with subprocess.Popen(["/bin/sh", "-c", script], env={}) as stray:
        process.end_strays("stray.")
        try:
            assert stray.wait(30) == -signal.SIGKILL
        finally:
            stray.kill()


def test_an_impossible_request_is_an_error_of_its_own(pool: Pool) -> None:
    [failure, problem] = pool.generate([Request(Sorting, -1, 0), Request(Sorting, 0, 0)])
    assert isinstance(failure, Failure)
    assert failure.message == "a difficulty must be an integer 0, 1, 2, ..., not -1"
    assert problem == Sorting.generate(difficulty=0, seed=0)


def test_a_worker_that_dies_while_idle_is_replaced(pool: Pool, children: Children) -> None:
    for seed in range(3):
        assert pool.generate([good(seed)]) == [Misbehaving.generate(difficulty=0, seed=seed)]
        for worker in children():
            worker.kill()
    assert pool.failures == {}


def test_workers_that_are_killed_while_they_start_are_replaced(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    killed = f"""
import os, signal
with open({str(started)!r}, "a") as file:
    file.write("!")
if os.path.getsize({str(started)!r}) <= 6:
    os.kill(os.getpid(), signal.SIGKILL)
"""
    monkeypatch.setattr(process, "_PROGRAM", killed + process._PROGRAM)
    with Pool(1, deadline=60) as pool:
        assert pool.generate([good(7)]) == [Misbehaving.generate(difficulty=0, seed=7)]
    assert started.read_text() == 7 * "!"


def test_workers_that_cannot_start_are_an_error(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_PROGRAM", "raise SystemExit(5)")
    with Pool(2) as pool, pytest.raises(RuntimeError, match=r"cannot start: .* with status 5"):
        pool.generate([good(0)])


def hindered(monkeypatch: pytest.MonkeyPatch, times: float) -> None:
    """Let the system refuse this many processes."""
    start, calls = local_dispatcher.start, itertools.count()

    def sometimes(*arguments: Any) -> process.Worker:
        if next(calls) < times:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return start(*arguments)

    monkeypatch.setattr(local_dispatcher, "start", sometimes)


def test_a_shortage_of_processes_passes(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Pool(1, deadline=60) as pool:
        hindered(monkeypatch, 3)
        assert pool.generate([good(0)]) == [Misbehaving.generate(difficulty=0, seed=0)]
        hindered(monkeypatch, 3)
        [failure] = pool.generate([bad("kill")])  # tried again by a fresh worker
        assert isinstance(failure, Failure)
        assert failure.kind == "crash"


@pytest.mark.parametrize("how", ["good", "kill"])
def test_a_shortage_of_processes_that_stays_is_an_error(
    children: Children, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(local_dispatcher, "HINDERED_STARTS", 3)
    with Pool(2, deadline=60) as pool:
        pool.generate([good(0)])
        hindered(monkeypatch, math.inf)
        for worker in children():
            worker.kill()
        with pytest.raises(RuntimeError, match=r"cannot start: .*temporarily unavailable"):
            pool.generate([good(0) if how == "good" else bad("kill")] * 2)
        assert pool.closed


def test_a_shared_pool_that_died_is_replaced(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_dispatcher, "HINDERED_STARTS", 1)
    hindered(monkeypatch, 1)
    with pytest.raises(RuntimeError, match="cannot start"):
        shared_pool(1, deadline=59).generate([good(0)])
    with shared_pool(1, deadline=59) as pool:
        assert pool.generate([good(0)]) == [Misbehaving.generate(difficulty=0, seed=0)]


def test_workers_that_are_not_ready_in_time_are_an_error(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_PROGRAM", "import time; time.sleep(600)")
    monkeypatch.setattr(local_dispatcher, "STARTING_SECONDS", 0.2)
    with Pool(1) as pool, pytest.raises(RuntimeError, match=r"not ready within 0\.2 s"):
        pool.generate([good(0)])


def slow_to_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, once: bool) -> type[Sorting]:
    """An environment whose module takes ten minutes to import in a worker; in one, or in all."""
    begun, name = str(tmp_path / "begun"), f"slow_to_import_{once}"
    (tmp_path / f"{name}.py").write_text(
        "import os, time\n"
        "from rlve.envs.arrays.sorting import Sorting\n"
        f"again = {once} and os.path.exists({begun!r})\n"
        f"if {process.NAME!r} in os.environ and not again:\n"
        f"    open({begun!r}, 'w').close()\n"
        "    time.sleep(600)\n"
        "class Slow(Sorting):\n"
        "    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return load(f"{tmp_path / name}.py:Slow")


def test_an_environment_that_takes_too_long_to_import_is_an_error(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow = slow_to_import(tmp_path, monkeypatch, once=False)
    with Pool(1, deadline=60) as pool:
        pool.generate([good(0)])  # its worker is ready
        monkeypatch.setattr(local_dispatcher, "LOADING_SECONDS", 0.2)
        with pytest.raises(UserError, match=r"a worker needs over 0\.2 s to load a problem"):
            pool.generate(Request(slow, 0, seed) for seed in range(100))
    assert pool.failures == {}


def test_an_import_that_takes_too_long_once_costs_nothing(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow = slow_to_import(tmp_path, monkeypatch, once=True)
    with Pool(1, deadline=60) as pool:
        pool.generate([good(0)])  # its worker is ready, and will be replaced by one with more time
        start = local_dispatcher.start

        def patient(*arguments: Any) -> process.Worker:
            monkeypatch.setattr(local_dispatcher, "LOADING_SECONDS", 60.0)
            (tmp_path / "begun").touch()  # on a busy machine, the first may not have come so far
            return start(*arguments)

        monkeypatch.setattr(local_dispatcher, "start", patient)
        monkeypatch.setattr(local_dispatcher, "LOADING_SECONDS", 0.2)
        results = pool.generate(Request(slow, 0, seed) for seed in range(20))
        assert results == [slow.generate(difficulty=0, seed=seed) for seed in range(20)]
        items = [(problem, f"<answer>{problem.reference()}</answer>") for problem in results]
        assert pool.judge(items) == [RIGHT] * 20  # also of an environment of a file
        assert pool.failures == {}


def test_a_pool_goes_on_with_the_workers_it_has(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_dispatcher, "HINDERED_STARTS", 2)
    monkeypatch.setattr(local_dispatcher, "LONGEST_PAUSE", 0.01)
    with Pool(2, deadline=60) as pool:
        pool.generate([good(0)])
        hindered(monkeypatch, math.inf)
        [one, *_] = children()
        for other in children() - {one}:
            other.kill()
        for batch in range(5):
            wanted = [good(seed) for seed in range(1000 * batch, 1000 * (batch + 1))]
            assert len(pool.generate(wanted)) == 1000


def test_a_suspended_program_misses_no_deadline(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As when a container is paused, or a job suspended: an item's worker stops with its parent."""
    problem = Misbehaving.generate(difficulty=0, seed=0)
    resumed = tmp_path / "resumed"
    with Pool(1, deadline=2) as pool:
        pool.generate([good(0)])
        selector, board = pool._dispatcher._selector, pool._dispatcher._board
        select = selector.select

        def suspended(timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is None:
                return select(timeout)
            monkeypatch.setattr(selector, "select", select)
            while not board.read(0)[0]:  # the item has not been started yet
                time.sleep(0.01)
            time.sleep(4)
            threading.Timer(0.2, resumed.touch).start()
            return []

        monkeypatch.setattr(selector, "select", suspended)
        items = [(problem, f"<answer>wait for {resumed}</answer>")] * 2
        assert pool.judge(items) == [RIGHT, RIGHT]


def test_a_problem_that_cannot_be_sent_delays_no_other(pool: Pool) -> None:
    class Local(Sorting):
        pass

    problem = Sorting.generate(difficulty=0, seed=0)
    local = Local.from_parameters(problem.parameters())
    for first in (True, False):  # while the workers start, and when they are ready
        bad_ones = [pool.start_judging([(local, "1")]) for _ in range(4)]
        good_one = pool.start_judging([(problem, "1")])
        assert good_one.take(0) == problem.verify("1"), first
        for pending in bad_ones:
            with pytest.raises(UserError, match="a problem cannot be sent to a worker"):
                pending.take(0)


def test_a_way_of_reading_that_does_not_exist_is_refused(pool: Pool) -> None:
    problem = Sorting.generate(difficulty=0, seed=0)
    for judge in (pool.judge, pool.judge_iter, pool.start_judging, pool.explain):
        with pytest.raises(UserError, match="the reading must be"):
            judge([(problem, "1")], reading="Exact")  # type: ignore[arg-type]
        with pytest.raises(UserError, match="the marker must be"):
            judge([(problem, "1")], marker="box")  # type: ignore[arg-type]


def test_a_deadline_may_be_years_away(children: Children) -> None:
    with Pool(1, deadline=1e12) as pool:
        assert pool.generate([good(0)]) == [Misbehaving.generate(difficulty=0, seed=0)]


def test_a_long_iterable_is_read_a_little_in_advance(pool: Pool) -> None:
    read = 0

    def endless() -> Iterator[Request]:
        nonlocal read
        for seed in itertools.count():
            read += 1
            yield good(seed)

    problems = pool.generate_iter(endless())
    for seed in range(500):
        assert next(problems) == Misbehaving.generate(difficulty=0, seed=seed)
        assert read <= seed + 1 + 2 * LOOK_AHEAD
    del problems
    gc.collect()
    assert pool.generate([good(0)]) == [Misbehaving.generate(difficulty=0, seed=0)]


# Results as they come.


def answers(texts: Iterable[str]) -> Iterator[tuple[Problem, str]]:
    problem = Misbehaving.generate(difficulty=0, seed=0)
    return ((problem, f"<answer>{text}</answer>") for text in texts)


def test_verdicts_come_as_they_are_found_each_once(pool: Pool) -> None:
    problem = Sorting.generate(difficulty=2, seed=0)
    outputs = [f"<answer>{'1 ' * (n % 7)}</answer>" for n in range(1000)]
    pending = pool.start_judging((problem, output) for output in outputs)
    assert len(pending) == 1000
    taken: list[tuple[int, Verdict | Failure]] = []
    while pending.wait():
        some = pending.finished()
        assert some
        taken += some
        assert pending.unfinished == 1000 - len(taken)
    assert pending.unfinished == 0
    assert pending.finished() == []
    assert sorted(index for index, _ in taken) == list(range(1000))
    assert dict(taken) == {n: problem.verify(output) for n, output in enumerate(outputs)}
    assert pool.start_judging([]).wait() is False


def test_results_are_given_in_the_order_of_arrival(pool: Pool, tmp_path: Path) -> None:
    pending = pool.start_judging(answers([f"wait for {tmp_path / 'go'}", *["well"] * 40]))
    order: list[int] = []
    while 40 not in order:
        assert pending.wait()
        order += [index for index, _ in pending.finished()]
    assert 0 not in order
    (tmp_path / "go").touch()
    while pending.wait():
        order += [index for index, _ in pending.finished()]
    assert sorted(order) == list(range(41))


def test_what_has_been_taken_is_not_given_again(pool: Pool) -> None:
    pending = pool.start_judging(answers(["well"] * 3))
    assert pending.take(1) == RIGHT
    rest: list[int] = []
    while pending.wait():
        rest += [index for index, _ in pending.finished()]
    assert sorted(rest) == [0, 2]
    with pytest.raises(LookupError, match="item 2 has been taken"):
        pending.take(2)


def test_waiting_ends_after_the_time_given(children: Children) -> None:
    with Pool(1, deadline=60) as pool:
        pending = pool.start_judging(answers(["sleep"]))
        assert pending.wait(0) is False
        assert pending.wait(0.05) is False
        assert pending.finished() == []
        assert pending.unfinished == 1


def test_time_in_which_the_program_is_suspended_is_not_waited(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A run must not take a verdict for a slow one because the machine stood still."""
    now, released = [0.0], tmp_path / "released"
    monkeypatch.setattr(sys.modules["rlve.pool.pending"], "monotonic", lambda: now[0])
    with Pool(1, deadline=60) as pool:
        pending = pool.start_judging(answers([f"wait for {released}"]))
        rest = pending._changed.wait

        def suspended(timeout: float | None) -> bool:
            now[0] += 3600
            monkeypatch.setattr(pending._changed, "wait", rest)
            released.touch()
            return False

        monkeypatch.setattr(pending._changed, "wait", suspended)
        assert pending.wait(5) is True
        assert pending.finished() == [(0, RIGHT)]


def test_what_is_cancelled_is_not_waited_for(children: Children) -> None:
    with Pool(1, deadline=60) as pool:
        pending = pool.start_judging(answers([*["well"] * 40, "sleep"]))
        assert pending.wait()
        assert {verdict for _, verdict in pending.finished()} == {RIGHT}
        pending.cancel()
        pending.finished()  # what came before it was cancelled
        assert pending.unfinished == 0
        assert pending.wait() is False
        assert pending.finished() == []


def test_cancelling_ends_the_waiting_of_another_thread(children: Children) -> None:
    with Pool(1, deadline=60) as pool:
        pending = pool.start_judging(answers(["sleep"]))
        ended: list[bool] = []
        thread = threading.Thread(target=lambda: ended.append(pending.wait()))
        thread.start()
        pending.cancel()
        thread.join()
        assert ended == [False]


def test_a_generator_can_be_closed_where_the_lock_is_held(children: Children) -> None:
    # As by the garbage collector, when it runs in the dispatcher's own thread.
    with Pool(1, deadline=60) as pool:
        verdicts = pool.judge_iter(answers(["well"] * 500))
        assert next(verdicts) == RIGHT
        with pool._dispatcher.lock:
            verdicts.close()
        assert pool.judge(answers(["well"])) == [RIGHT]


def test_closing_ends_a_pending_with_an_error_after_its_results(children: Children) -> None:
    pool = Pool(1, deadline=60)
    pending = pool.start_judging(answers([*["well"] * 40, "sleep"]))
    assert pending.wait()
    pool.close()
    assert {verdict for _, verdict in pending.finished()} == {RIGHT}
    for use in (pending.finished, pending.wait):
        with pytest.raises(UserError, match="the pool is closed"):
            use()


def test_an_error_of_the_iterable_is_the_callers(pool: Pool) -> None:
    def broken() -> Iterator[Request]:
        yield good(0)
        raise KeyError("the caller's own")

    with pytest.raises(KeyError, match="the caller's own"):
        pool.generate(broken())
    with pytest.raises(KeyError, match="the caller's own"):
        list(pool.generate_iter(broken()))
    assert len(pool.generate([good(0)])) == 1


def test_background_work_waits_for_other_work(children: Children) -> None:
    with Pool(1, deadline=30) as pool:
        pending = pool.prepare(good(seed) for seed in range(5000))
        assert pool.generate([good(7)]) == [Misbehaving.generate(difficulty=0, seed=7)]
        assert len(pending) == 5000
        assert pending.take(4999) == Misbehaving.generate(difficulty=0, seed=4999)
        assert pending.take(0) == Misbehaving.generate(difficulty=0, seed=0)
        with pytest.raises(LookupError, match="item 0 has been taken"):
            pending.take(0)
        pending = pool.prepare([good(0), bad("raise"), good(2)])
        pending.discard(0)
        assert pending.take(2) == Misbehaving.generate(difficulty=0, seed=2)
        with pytest.raises(LookupError, match="item 0 has been taken or discarded"):
            pending.take(0)


def test_threads_share_a_pool(pool: Pool) -> None:
    results: dict[int, object] = {}

    def work(thread: int) -> None:
        results[thread] = pool.generate(good(thread * 100 + seed) for seed in range(100))

    threads = [threading.Thread(target=work, args=[thread]) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert results[number] == [
            Misbehaving.generate(difficulty=0, seed=number * 100 + seed) for seed in range(100)
        ]


def test_after_close_there_is_a_clear_error(children: Children) -> None:
    pool = Pool(1)
    pool.generate([good(0)])
    pool.close()
    pool.close()
    uses = [pool.generate, pool.generate_iter, pool.solve_iter, pool.prepare]
    for use in [*uses, pool.judge, pool.judge_iter, pool.start_judging]:
        with pytest.raises(UserError, match="the pool is closed"):
            use([])


def test_closing_ends_the_waiting_of_other_threads(children: Children) -> None:
    pool = Pool(1, deadline=60)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(pool.generate, [bad("hold")])
        while not children():
            time.sleep(0.01)
        pool.close()
        assert not children()
        with pytest.raises(UserError, match="the pool is closed"):
            waiting.result()


@pytest.mark.parametrize("running", [False, True])
def test_closing_while_another_thread_opens(
    monkeypatch: pytest.MonkeyPatch, children: Children, running: bool
) -> None:
    """Just before the pool's own thread runs, and when it runs but its starter does not know."""
    pool = Pool(1, deadline=60)
    reached, go_on = threading.Event(), threading.Event()
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if running:
            start(thread)
        reached.set()
        go_on.wait()
        if not running:
            start(thread)

    def begin(thread: threading.Thread) -> None:
        (interrupted if thread.name == "rlve-pool" else start)(thread)

    monkeypatch.setattr(threading.Thread, "start", begin)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(pool.generate, [bad("hold")])
        reached.wait()
        closing = threads.submit(pool.close)
        if not running:
            wait([closing])  # it has nothing to wait for
        go_on.set()
        closing.result()
        assert not children()
        with pytest.raises(UserError, match="the pool is closed"):
            waiting.result()


def test_a_pool_may_be_collected_where_its_lock_is_held(children: Children) -> None:
    """The collector runs in whatever thread and whatever place allocates memory."""
    pool = Pool(1)
    pool.generate([good(0)])
    dispatcher = pool._dispatcher
    with dispatcher.lock:
        del pool
        gc.collect()
    assert dispatcher._thread is not None
    dispatcher._thread.join()
    assert not children()


def test_a_forgotten_pool_leaves_nothing_behind(children: Children) -> None:
    pool = Pool(2)
    pool.generate([good(0)])
    del pool
    gc.collect()


def test_a_fork_cannot_use_the_pool_and_does_not_harm_it(pool: Pool) -> None:
    pool.generate([good(0)])
    child = os.fork()
    if child == 0:
        try:
            pool.generate([good(0)])
        except UserError:
            os._exit(42)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert len(pool.generate(good(seed) for seed in range(50))) == 50


def test_a_fork_of_a_fork_keeps_its_files(pool: Pool) -> None:
    """The first fork closes the files it shares with the pool; others then get their numbers."""
    pool.generate([good(0)])
    child = os.fork()
    if child == 0:
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(50)]
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(sum(not is_open(file) for file in files))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def is_open(file: int) -> bool:
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


def test_a_shared_pool_is_one_for_each_process() -> None:
    pool = shared_pool(1, deadline=17)
    assert shared_pool(1, deadline=17) is pool
    assert shared_pool(1, deadline=18) is not pool
    assert len(pool.generate([good(0)])) == 1
    child = os.fork()
    if child == 0:
        with shared_pool(1, deadline=17) as other:
            found = other.generate([good(3)])
        os._exit(42 if found == [Misbehaving.generate(difficulty=0, seed=3)] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert len(pool.generate(good(seed) for seed in range(50))) == 50
    pool.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"deadline": 0}, "deadline must be above 0 and finite, not 0"),
        ({"deadline": float("nan")}, "deadline must be above 0 and finite, not nan"),
        ({"memory": 1000}, "at least 67,108,864 bytes, not 1000"),
    ],
)
def test_impossible_settings(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Pool(**arguments)  # pyright: ignore[reportArgumentType]


def test_an_environment_that_workers_cannot_find(pool: Pool) -> None:
    class Local(Sorting):
        pass

    with pytest.raises(UserError, match=r"cannot be sent to a worker: .*Local"):
        pool.generate([Request(Local, 0, 0)])
    with pytest.raises(UserError, match="'Sorting' is not an environment class"):
        pool.generate([Request("Sorting", 0, 0)])  # pyright: ignore[reportArgumentType]
    assert len(pool.generate([good(0)])) == 1


# Whole programs.

OWN = """
    from rlve.envs.arrays.sorting import Sorting
    from rlve.pool import Pool, Request

    class Own(Sorting):
        pass
"""


def run(script: str, *, folder: Path, flags: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    return subprocess.Popen(
        [sys.executable, *flags, *([file] if not flags else [file.read_text()])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def test_a_plain_script_needs_no_guard(tmp_path: Path) -> None:
    script = """
        from rlve.envs.arrays.sorting import Sorting
        from rlve.pool import Pool, Request

        print("once")
        [problem] = Pool(2).generate([Request(Sorting, 0, 0)])
        print(problem == Sorting.generate(difficulty=0, seed=0))
    """
    out, err = run(script, folder=tmp_path).communicate()
    assert (out, err) == ("once\nTrue\n", "")


def test_a_script_with_environments_of_its_own(tmp_path: Path) -> None:
    guarded = """
    if __name__ == "__main__":
        with Pool(2) as pool:
            [problem] = pool.generate([Request(Own, 0, 0)])
            print(problem == Own.generate(difficulty=0, seed=0), type(problem) is Own)
            print(pool.judge([(problem, "?")]))
    """
    out, err = run(OWN + guarded, folder=tmp_path).communicate()
    assert err == ""
    assert out.startswith("True True\n[Verdict(reward=-1.0")

    out, err = run(
        OWN + "\n    Pool(1).generate([Request(Own, 0, 0)])", folder=tmp_path
    ).communicate()
    assert out == ""
    assert 'under `if __name__ == "__main__":`' in err.splitlines()[-1]

    typed_in = run(
        OWN + "\n    Pool(1).generate([Request(Own, 0, 0)])", folder=tmp_path, flags=("-c",)
    )
    out, err = typed_in.communicate()
    assert "typed into an interactive session" in err.splitlines()[-1]


def test_a_worker_that_has_multiprocessing_still_loads_the_script(tmp_path: Path) -> None:
    (tmp_path / "modern.py").write_text(
        textwrap.dedent("""
            import multiprocessing

            from rlve.envs.arrays.sorting import Sorting

            class Modern(Sorting):
                pass
        """)
    )
    guarded = """
    if __name__ == "__main__":
        from modern import Modern

        with Pool(1) as pool:
            pool.generate([Request(Modern, 0, 0)])
            print(type(pool.generate([Request(Own, 0, 0)])[0]) is Own)
    """
    out, err = run(OWN + guarded, folder=tmp_path).communicate()
    assert (out, err) == ("True\n", "")


def test_a_worker_imports_little() -> None:
    script = """
        import sys
        import rlve.pool.worker

        heavy = {"multiprocessing", "subprocess", "asyncio", "torch", "numpy"}
        heavy |= {"rlve.pool.local_dispatcher"}
        print(sorted(heavy & set(sys.modules)))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "[]\n"


HANGING = f"""
    import signal, sys, threading, psutil
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    sys.path.append({str(Path(__file__).parents[1])!r})
    from support.misbehaving import WAYS, Misbehaving, walk
    from rlve.pool import Pool, Request

    ways = ["loop", "sleep", "hold", "spawn"]
    pool = Pool(len(ways) + 1, deadline=1000)
    pool.generate([Request(Misbehaving, 0, 0)])

    def tell():
        children = []
        while len(children) < len(ways) + 2:
            children = psutil.Process().children(recursive=True)
        print(*(child.pid for child in children), flush=True)

    pending = [pool.prepare([Request(Misbehaving, WAYS.index(way), 0)]) for way in ways]
    threading.Thread(target=tell, daemon=True).start()
    pool.generate([Request(Misbehaving, WAYS.index("sleep"), 0)])
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_a_program_ends_it_leaves_nothing_behind(tmp_path: Path, end: int) -> None:
    program = run(HANGING, folder=tmp_path)
    assert program.stdout is not None
    children = [psutil.Process(int(pid)) for pid in program.stdout.readline().split()]
    assert len(children) == 6  # five workers, and what one of them started
    program.send_signal(end)
    try:
        _, err = program.communicate(timeout=30)
    finally:
        program.kill()
    assert ("KeyboardInterrupt" in err) == (end == signal.SIGINT)
    wait_for_the_end_of(children)


def wait_for_the_end_of(processes: list[psutil.Process]) -> None:
    deadline = time.monotonic() + 30
    while any(is_alive(process) for process in processes):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_where_the_kernel_does_not_help_a_thread_watches_the_parent() -> None:
    reading, writing = os.pipe()
    watch = f"from rlve.pool.worker import _watch; _watch({reading})"
    child = subprocess.Popen(
        [sys.executable, "-c", watch], pass_fds=[reading], start_new_session=True
    )
    os.close(reading)
    os.close(writing)
    assert child.wait(30) == -signal.SIGKILL
