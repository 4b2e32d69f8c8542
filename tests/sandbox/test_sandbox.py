"""Programs that mean well, and programs that do not."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from rlve import sandbox as module
from rlve.errors import UserError
from rlve.sandbox import Limits, Sandbox, SandboxError
from support.interrupting import Interrupted, interrupting
from support.kernel import needs_sandbox

SHORT = Limits(seconds=1, wall=20)

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as made:
        yield made


@pytest.fixture(scope="module", params=[True, False], ids=["hidden", "visible"])
def either(request):
    """With a tree of files of its own, and as it is where namespaces are forbidden."""
    with Sandbox(hiding=request.param) as made:
        yield made


def run(sandbox, program, stdin="", limits=SHORT):
    return sandbox.run(textwrap.dedent(program), stdin, limits)


TRYING = """
def tried(ways, *given):
    for name, way in ways.items():
        try:
            way(*given)
            print(name, *given)
        except (OSError, ValueError):
            pass
"""


def printed(sandbox, program, limits=SHORT):
    """What a program prints that ends well, and of the ways it has tried those that work."""
    outcome = run(sandbox, TRYING + textwrap.dedent(program), limits=limits)
    assert outcome.ended == "well", outcome.errors
    return outcome.output


def children():
    return psutil.Process().children(recursive=True)


def folders():
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("rlve-sandbox-")}


# Programs that mean well.


@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.stdout.write(sys.stdin.read())",
        "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())",
        "import os; os.write(1, os.read(0, os.fstat(0).st_size))",
        "print(open(0).read(), end='')",
        "out = open(1, 'w'); print(open(0).read(), end='', file=out)",
        "import sys; sys.stdout = open(1, 'w'); print(sys.stdin.read(), end='')",
        "import atexit, sys; atexit.register(print, sys.stdin.read(), end='')",
        "import sys; print(sys.stdin.read(), end=''); sys.exit(1)",
        "import sys; print(sys.stdin.read(), end=''); exit('done')",
        "import sys, io\ninput = io.StringIO(sys.stdin.read()).readline\nprint(input() + input())",
    ],
)
def test_all_ways_to_read_and_write(sandbox, program):
    outcome = run(sandbox, program, "1 2\nüñ€\n")
    assert outcome.ended == "well", outcome.errors
    assert outcome.output.rstrip("\n") == "1 2\nüñ€"


PRINTED = {
    "threads with a large stack": (
        """
        import sys, threading
        sys.setrecursionlimit(10**6)
        threading.stack_size(2**27)
        def depth(n):
            return 1 + depth(n - 1) if n else 0
        threading.Thread(target=lambda: print(depth(50_000))).start()
        """,
        "50000\n",
    ),
    "threads that come and go": (
        """
        import threading
        for _ in range(200):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
        print("done")
        """,
        "done\n",
    ),
    "a file in the folder": (
        """
        import os
        assert os.listdir() == []
        os.mkdir("a")
        with open("a/b", "w") as file:
            file.write("text")
        os.rename("a/b", "a/c")
        print(open("a/c").read(), os.listdir())
        """,
        "text ['a']\n",
    ),
    "files that are left": (
        """
        import os
        os.mkdir("a"); os.mkdir("a/b")
        open("a/b/c", "w").close()
        os.mkdir("closed", 0)
        open("file", "w").close()
        print(len(os.listdir()))
        """,
        "3\n",
    ),
    "stdout replaced": ("import sys; print(1); sys.stdout = None", "1\n"),
    "stdout emptied": ("import os; print(1, flush=True); os.ftruncate(1, 0)", ""),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_ends_well(sandbox, name):
    program, expected = PRINTED[name]
    for _ in range(2):  # the second run finds nothing of the first
        assert printed(sandbox, program, Limits()) == expected


def test_numpy_works(sandbox):
    alone = subprocess.run([sys.executable, "-P", "-s", "-c", "import numpy"], env={})
    if alone.returncode:
        pytest.skip("numpy is not where Python has its own modules")
    program = "import numpy as np; print((np.ones((50, 50)) @ np.ones(50)).sum())"
    assert printed(sandbox, program, Limits()) == "2500.0\n"


def test_runs_do_not_see_each_other(sandbox):
    run(sandbox, "import builtins, sys; builtins.print = None; sys.modules['json'] = None")
    output = printed(sandbox, "import json; print(json.dumps([1]), {'a', 'b', 'c', 'd'})")
    assert output.startswith("[1]")
    assert printed(sandbox, "print({'a', 'b', 'c', 'd'})") in output


@pytest.mark.parametrize(
    ("program", "ended", "output", "errors"),
    [
        ("print(1)\nraise KeyError('some key')", "error", "1\n", "KeyError: 'some key'"),
        ("def", "error", "", "SyntaxError"),
        ("x = '\0'", "error", "", ""),
        ("import os; os.close(1); print(1)", "error", "", ""),
        ("import os; os._exit(7)", "error", "", ""),
        ("import os; os._exit(0)", "well", "", ""),
        ("import sys; sys.exit(7)", "well", "", ""),
        ("import os; os.abort()", "signal", "", ""),
        ("import system_calls", "error", "", "ModuleNotFoundError"),  # one of the jail's
    ],
)
def test_how_a_program_ends(sandbox, program, ended, output, errors):
    outcome = run(sandbox, program)
    assert (outcome.ended, outcome.output) == (ended, output)
    assert errors in outcome.errors


# Programs that do not.

ENDLESS = {
    "a loop": "while True: pass",
    "a loop in C": "sum(range(10**15))",
    "a loop that holds on": """
        import signal
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            try:
                while True: pass
            except BaseException:
                pass
        """,
    "threads that loop": """
        import threading
        def loop():
            while True: pass
        for _ in range(8): threading.Thread(target=loop).start()
        """,
    "raising its own limit": """
        import resource
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
        except (OSError, ValueError):
            pass
        while True: pass
        """,
    "output that is refused": """
        while True:
            try: print("x" * 1000)
            except BaseException: pass
        """,
}
WAITING = [
    "import time; time.sleep(10**6)",
    "import threading; threading.Event().wait()",
    "import os; os.read(os.pipe()[0], 1)",
    "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
]


@pytest.mark.parametrize(
    ("program", "wall"),
    [*((program, 20) for program in ENDLESS.values()), *((program, 0.5) for program in WAITING)],
)
def test_what_is_endless_ends(sandbox, program, wall):
    limits = Limits(seconds=1, wall=wall, output=100_000)
    assert run(sandbox, program, limits=limits).ended == "time"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_ends(sandbox, stream):
    program = f"import sys\nwhile True: sys.{stream}.write('x' * 1000)"
    outcome = run(sandbox, program, limits=Limits(seconds=1, wall=20, output=100_000))
    assert outcome.ended in ("output", "error", "time")
    assert len(outcome.output) <= 100_000
    assert len(outcome.errors) <= module.ERRORS


LARGE = [
    "x = bytearray(10**9)",
    "x = []\nwhile True: x.append('x' * 10**6)",
    "import mmap; x = mmap.mmap(-1, 10**9)",  # shared memory
    "x = 1 << 10**11",
    "x = [0] * 10**10",
]
DEEP = "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()"


@pytest.mark.parametrize(
    ("program", "memory"),
    [*((program, 500_000_000) for program in LARGE), (DEEP, 120_000_000)],
)
def test_memory_is_limited(sandbox, program, memory):
    outcome = run(sandbox, program, limits=Limits(seconds=5, wall=60, memory=memory))
    assert outcome.ended in ("error", "signal")


def test_memory_files_are_not_there(either):
    assert "not implemented" in run(either, "import os; os.memfd_create('x')").errors
    refusal = "FileNotFoundError" if either.visible is None else "PermissionError"
    assert refusal in run(either, "open('/dev/shm/x', 'w')").errors


FORKS = {
    "fork": "import os\nwhile True: os.fork()",
    "forkpty": "import os\nos.forkpty()",
    "posix_spawn": "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'sleep 100'], {})",
    "subprocess": "import subprocess\nsubprocess.run(['/bin/sleep', '100'])",
    "exec": "import os\nos.execv('/bin/sh', ['sh', '-c', 'sleep 100'])",
    "multiprocessing": "import multiprocessing as m\nm.Process(target=print).start()",
    "daemon": """
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: pass
        os._exit(0)
        """,
    "vfork": "import ctypes\nif ctypes.CDLL(None).syscall(58) < 0: raise OSError",
    "clone": "import ctypes\nif ctypes.CDLL(None).syscall(56, 17, 0, 0, 0, 0) < 0: raise OSError",
    "clone3": """
        import ctypes
        args = (ctypes.c_uint64 * 8)()
        args[4] = 17
        if ctypes.CDLL(None).syscall(435, args, 64) < 0: raise OSError
        """,
}


@pytest.fixture
def adopting():
    """Processes that lose their parent become children of this one, and not of init."""
    set_child_subreaper, libc = 36, ctypes.CDLL(None)
    assert libc.prctl(set_child_subreaper, 1, 0, 0, 0) == 0
    yield
    assert libc.prctl(set_child_subreaper, 0, 0, 0, 0) == 0


@pytest.mark.parametrize("name", FORKS)
@pytest.mark.usefixtures("adopting")
def test_no_process_is_started(sandbox, name):
    before = set(children())
    outcome = run(sandbox, FORKS[name])
    assert outcome.ended == "error"
    assert "Error" in outcome.errors
    assert set(children()) - before == set()


def test_threads_are_limited(sandbox):
    program = """
        import threading
        threading.stack_size(2**16)
        lock, count = threading.Event(), 0
        try:
            while True:
                threading.Thread(target=lock.wait, daemon=True).start()
                count += 1
        except RuntimeError:
            print(count)
        """
    output = printed(sandbox, program)
    assert 50 <= int(output) <= 64


def test_the_environment_is_empty(sandbox, monkeypatch):
    monkeypatch.setenv("SOME_SECRET", "hush")
    with Sandbox() as fresh:
        program = """
        import ctypes, gc, os
        print(dict(os.environ))
        print(os.environb)
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_char_p
        print(getenv(b"SOME_SECRET"), getenv(b"HOME"), getenv(b"PATH"))
        """
        output = printed(fresh, program)
        assert "hush" not in output
        assert output.splitlines()[0] == "{'OMP_NUM_THREADS': '1'}"
        assert output.splitlines()[-1] == "None None None"


@pytest.mark.parametrize(
    "place",
    [
        "/proc/self/environ",
        "/proc/{parent}/environ",
        "/proc/{parent}/cmdline",
        "/proc/{parent}/fd/0",
        "/proc/1/environ",
        "/etc/passwd",
        "/etc/hostname",
        "{home}",
        "{file}",
        "{folder}",
        "/",
    ],
)
def test_nothing_outside_is_read(either, tmp_path, place):
    file = tmp_path / "answers.jsonl"
    file.write_text("the expected answers")
    place = place.format(parent=os.getpid(), home=Path.home(), file=file, folder=tmp_path)
    program = f"""
        import os
        path = {place!r}
        def listed():
            return os.listdir(path)
        def read():
            return open(path, "rb").read()
        def linked():
            os.link(path, "here")
        def linked_symbolically():
            os.symlink(path, "here")
            return open("here").read()
        def moved():
            os.rename(path, "here")
        tried({{way.__name__: way for way in (listed, read, linked, linked_symbolically, moved)}})
        """
    assert printed(either, program) == ""
    assert file.read_text() == "the expected answers"


def test_paths_outside_cannot_be_looked_at(sandbox, tmp_path):
    if sandbox.visible is not None:
        pytest.skip(f"the kernel gives no namespaces: {sandbox.visible}")
    (tmp_path / "link").symlink_to("/")
    places = [tmp_path, tmp_path / "link", __file__, "/etc/passwd", "/proc/self"]
    places += ["/var", "/sys", "/bin/sh", f"/proc/{os.getpid()}", *Path.home().iterdir()]
    places += [place for place in Path(tempfile.gettempdir()).iterdir() if "rlve" not in str(place)]
    own = [sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), "/dev/null"]
    above = {str(parent) for place in own for parent in (Path(place), *Path(place).parents)}
    program = f"""
        import os
        for path in {[str(place) for place in places if str(place) not in above]!r}:
            for way in (os.stat, os.lstat, os.readlink, os.chdir, os.listdir, os.open):
                try:
                    way(path, os.O_PATH) if way is os.open else way(path)
                    print(way.__name__, path)
                except FileNotFoundError:
                    pass
            for mode in (os.F_OK, os.R_OK, os.X_OK):
                if os.access(path, mode):
                    print("access", path)
        for path in {own!r}:
            os.stat(path)
        """
    assert printed(sandbox, program) == ""


def test_nothing_outside_is_written(either, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    before = (tmp_path / "file").stat()
    places = [tmp_path, Path.home(), Path(tempfile.gettempdir()), Path.cwd(), Path("/var/tmp")]
    program = f"""
        import os
        folders, file = {[str(place) for place in places]!r}, {str(tmp_path / "file")!r}
        ways = {{
            "create": lambda p: open(p, "w"), "mkdir": os.mkdir, "fifo": os.mkfifo,
            "node": os.mknod, "symlink": lambda p: os.symlink("/", p),
            "link": lambda p: os.link(file, p),
            "temporary": lambda p: os.open(os.path.dirname(p), os.O_TMPFILE | os.O_RDWR),
            "move out": lambda p: (open("x", "w").close(), os.rename("x", p)),
            "parent": lambda p: open("../rlve-escaped", "w"),
        }}
        for folder in folders:
            tried(ways, folder + "/rlve-escaped")
        tried({{
            "append": lambda p: open(p, "a"), "truncate": lambda p: os.truncate(p, 0),
            "remove": os.remove, "rename": lambda p: os.rename(p, p + "2"),
            "chmod": lambda p: os.chmod(p, 0), "utime": os.utime,
            "chown": lambda p: os.chown(p, 1, 1),
            "xattr": lambda p: os.setxattr(p, "user.x", b"x"),
        }}, file)
        tried({{"rmdir": os.rmdir}}, {str(tmp_path / "empty")!r})
        """
    assert printed(either, program) == ""
    after = (tmp_path / "file").stat()
    assert (tmp_path / "file").read_text() == "mine"
    assert (before.st_mode, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_mode,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]


def test_there_is_no_network(sandbox, tmp_path):
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        unix.bind(str(tmp_path / "socket"))
        unix.listen()
        abstract.bind(f"\0rlve-test-{os.getpid()}")
        abstract.listen()
        program = f"""
            import ctypes, socket, urllib.request
            libc = ctypes.CDLL(None)
            def call(number, *arguments):
                if libc.syscall(number, *arguments) < 0:
                    raise OSError
            tried({{
                "tcp": lambda: socket.create_connection({tcp.getsockname()!r}),
                "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
                    b"x", {udp.getsockname()!r}),
                "unix": lambda: socket.socket(socket.AF_UNIX).connect({unix.getsockname()!r}),
                "abstract": lambda: socket.socket(socket.AF_UNIX).connect(
                    {abstract.getsockname()!r}),
                "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
                "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
                "vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
                "pair": socket.socketpair,
                "listen": lambda: socket.create_server(("127.0.0.1", 0)),
                "dns": lambda: socket.getaddrinfo("example.com", 80),
                "http": lambda: urllib.request.urlopen(
                    "http://127.0.0.1:%d" % {tcp.getsockname()[1]}),
                "io_uring": lambda: call(425, 1, ctypes.create_string_buffer(120)),
            }})
            """
        assert printed(sandbox, program) == ""
        for each in (tcp, udp, unix, abstract):
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.recv(1) if each is udp else each.accept()


def test_other_processes_are_out_of_reach(sandbox):
    with subprocess.Popen(["sleep", "100"]) as sibling:
        try:
            program = f"""
                import ctypes, fcntl, os, signal
                libc = ctypes.CDLL(None)
                def call(number, *arguments):
                    if libc.syscall(number, *arguments) < 0:
                        raise OSError
                def by_pipe(pid):
                    # The kernel signals the "owner" of a pipe when there is something to read.
                    reading, writing = os.pipe()
                    fcntl.fcntl(reading, fcntl.F_SETOWN, pid)
                    fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGKILL)
                    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
                    os.write(writing, b"x")
                ways = {{
                    "kill": lambda pid: os.kill(pid, signal.SIGKILL),
                    "killpg": lambda pid: os.killpg(pid, signal.SIGKILL),
                    "tkill": lambda pid: call(200, pid, 9),  # numbers of x86_64
                    "ptrace": lambda pid: call(101, 16, pid, 0, 0),
                    "seize": lambda pid: call(101, 0x4206, pid, 0, 0),
                    "pidfd": os.pidfd_open,
                    "limits": lambda pid: __import__("resource").prlimit(pid, 7, (0, 0)),
                    "nice": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
                    "affinity": lambda pid: os.sched_setaffinity(pid, [0]),
                    "scheduler": lambda pid: os.sched_setscheduler(pid, 3, os.sched_param(0)),
                    "memory": lambda pid: open(f"/proc/{{pid}}/mem", "r+b"),
                    "by pipe": by_pipe,
                }}
                for pid in (os.getppid(), {os.getpid()}, {sibling.pid}, -1):
                    tried(ways, pid)
                print("tried")
                """
            assert printed(sandbox, program) == "tried\n"
            assert sibling.poll() is None
        finally:
            sibling.kill()
    assert run(sandbox, "print(1)").output == "1\n"


def test_walls_cannot_be_taken_down(sandbox):
    program = """
        import ctypes, os, resource
        libc = ctypes.CDLL(None)
        for name in ("setuid", "setgid", "unshare", "chroot", "setsid", "prctl", "mount", "umount",
                     "personality", "setns"):
            if getattr(libc, name)(0, 0, 0, 0, 0) != -1:
                print(name)
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
            tried({"limit": lambda kind: resource.setrlimit(kind, (10**12, 10**12))}, kind)
        """
    assert printed(sandbox, program) == ""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="machine code of x86_64")
@pytest.mark.parametrize(
    "code",
    [
        "b8 02 00 00 00 cd 80 c3",  # fork by int 0x80, the 32-bit way
        "b8 39 00 00 40 0f 05 c3",  # fork of the x32 interface
    ],
)
def test_other_system_call_interfaces_are_closed(sandbox, code):
    outcome = run(
        sandbox,
        f"""
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(bytes.fromhex({code!r}))
        call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
        print("child or pid" if call() >= 0 else "refused", flush=True)
        """,
    )
    assert outcome.ended == "signal" or outcome.output == "refused\n"


def test_the_disk_is_not_filled(sandbox):
    program = """
        import os
        total = 0
        for i in range(1000):
            try:
                with open(str(i), "wb") as file:
                    while True:
                        total += file.write(b"x" * 100_000)
                        file.flush()
            except OSError as error:
                pass
            try:
                os.unlink(str(i))  # does not give it back
            except OSError as error:
                pass
        print(total)
        """
    output = printed(sandbox, program, Limits(seconds=10, output=1_000_000))
    assert 0 < int(output) <= 20 * 1_000_000
    program = "for i in range(10**6):\n try: __import__('os').mkdir(str(i))\n except OSError: break"
    assert run(sandbox, program + "\nprint(i)").output == "16\n"


def test_huge_and_sparse_files(sandbox):
    program = """
        import os
        tried({
            "sparse": lambda f: os.ftruncate(f, 10**12),
            "huge": lambda f: os.posix_fallocate(f, 0, 10**12),
            "far": lambda f: os.pwrite(f, b"x", 10**12),
        }, os.open("x", os.O_RDWR | os.O_CREAT))
        tried({"sparse": lambda f: os.ftruncate(f, 10**12)}, 1)
        """
    assert printed(sandbox, program) == ""


def test_results_cannot_be_forged(sandbox):
    # There is no descriptor but the three standard ones, and what it writes is its output.
    outcome = run(
        sandbox,
        """
        import os
        found = []
        for descriptor in range(64):
            try:
                os.fstat(descriptor)
                found.append(descriptor)
            except OSError:
                pass
        print(found)
        print('{"status": 0, "late": false, "seconds": 0}', flush=True)
        try:
            os.write(0, b"x")  # the input is sealed
        except OSError:
            print("sealed", flush=True)
        os.close(0), os.close(1), os.close(2)
        while True: pass
        """,
    )
    assert outcome.ended == "time"
    assert outcome.output.splitlines()[0] == "[0, 1, 2]"
    assert outcome.output.splitlines()[-1] == "sealed"


def test_nothing_is_left_behind():
    processes = set(children())
    sandbox = Sandbox()
    place = run(sandbox, "import os; open('x', 'w').close(); print(os.getcwd())").output.strip()
    assert os.path.isdir(place)
    [ours] = set(children()) - processes
    sandbox.close()
    assert not ours.is_running()
    assert not os.path.exists(place)
    with pytest.raises(SandboxError):
        sandbox.run("print(1)")


def test_a_program_dies_with_its_supervisor():
    sandbox = Sandbox()
    supervisor = psutil.Process(sandbox._process.pid)
    place = run(sandbox, "import os; print(os.getcwd())").output.strip()
    failures: list[BaseException] = []

    def endless():
        try:
            sandbox.run("while True: pass", limits=Limits(seconds=100, wall=100))
        except SandboxError as error:
            failures.append(error)

    thread = threading.Thread(target=endless)
    thread.start()
    programs = _awaited(lambda: supervisor.children())
    supervisor.send_signal(signal.SIGKILL)
    thread.join(60)
    assert len(failures) == 1
    assert not psutil.wait_procs(programs, timeout=60)[1]
    sandbox.close()
    os.rmdir(place)


def test_a_run_that_is_interrupted_closes_the_sandbox():
    with Sandbox() as sandbox:
        supervisor = psutil.Process(sandbox._process.pid)
        with pytest.raises(Interrupted), interrupting(sandbox):
            run(sandbox, "import time; time.sleep(2)")
        while supervisor.is_running() and supervisor.children():
            time.sleep(0.01)
        with pytest.raises(SandboxError):  # and not the outcome of the first run
            run(sandbox, "print('second')")


def _awaited(find):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := find():
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def test_threads_share_one(sandbox):
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(
            threads.map(lambda i: run(sandbox, "print(input())", str(i)).output, range(20))
        )
    assert outcomes == [f"{i}\n" for i in range(20)]


def test_a_fork_needs_its_own(sandbox, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(UserError, match="another process"):
        sandbox.run("print(1)")


def test_without_linux_nothing_is_run(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UserError, match="needs Linux"):
        Sandbox()


WALLS = {
    "landlock_create_ruleset": '"landlock_create_ruleset": (444, 444)',
    "landlock_restrict_self": '"landlock_restrict_self": (446, 446)',
    "seccomp": '"seccomp": (317, 277)',
    "capset": '"capset": (126, 91)',
}


def change_jail(monkeypatch, folder, old, new):
    """Let sandboxes use a jail with another text; return the file that has it."""
    changed: list[Path] = []
    for name in ("jail.py", "system_calls.py"):
        text = module._JAIL.with_name(name).read_text()
        (folder / name).write_text(text.replace(old, new))
        changed += [folder / name] if old in text else []
    [file] = changed
    monkeypatch.setattr(module, "_JAIL", folder / "jail.py")
    return file


@pytest.mark.parametrize("name", WALLS)
def test_without_a_wall_nothing_is_run(name, tmp_path, monkeypatch):
    # A jail whose kernel does not know a system call, which is then number 9999.
    change_jail(monkeypatch, tmp_path, WALLS[name], f'"{name}": (9999, 9999)')
    before = folders()
    with pytest.raises(UserError, match=rf"so none was run; the sandbox needs Linux .*\({name}\)"):
        Sandbox()
    assert folders() - before == set() or os.environ.get("PYTEST_XDIST_WORKER")


@pytest.mark.parametrize(
    ("wall", "without", "fault"),
    [
        (
            'kernel("landlock_restrict_self", jail.ruleset, 0)',
            "pass",
            "folder outside can be listed",
        ),
        (
            "    hide(folder)\n    return None\n",
            "    return None\n",
            "can see which paths exist outside",
        ),
        ("    install(calls.LIST, 0)\n", "", "socket can be made"),
        (
            'on("openat", openat_filter())',
            'on("openat", end(ALLOW))',
            "a file that is only read can be emptied",
        ),
    ],
)
def test_a_wall_that_does_not_hold_is_noticed(wall, without, fault, tmp_path, monkeypatch):
    change_jail(monkeypatch, tmp_path, wall, without)
    with pytest.raises(UserError, match=f"not contained: .*{fault}"):
        Sandbox(landlock=1)  # as of an old kernel, where each wall is needed


@pytest.mark.parametrize("name", ["unshare", "mount", "mount_setattr", "pivot_root", "umount2"])
def test_where_namespaces_are_forbidden_the_other_walls_stand(name, tmp_path, monkeypatch):
    call = f'    "{name}": ('
    broken = change_jail(monkeypatch, tmp_path, call, f"{call}9999, 9999) or (")
    program = f"""
        import os
        print(os.stat({str(broken)!r}).st_size)
        print(open({str(broken)!r}).read())
        """
    with Sandbox() as fresh:
        assert fresh.visible == f"Function not implemented ({name})"
        outcome = run(fresh, program)
    assert outcome.output == f"{broken.stat().st_size}\n"
    assert "PermissionError" in outcome.errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user(tmp_path):
    """The tests above run as root, then."""
    program = """
import os, sys
os.setgroups([]); os.setgid(54321); os.setuid(54321)
sys.dont_write_bytecode = True
from rlve.sandbox import Sandbox
with Sandbox() as sandbox:
    print(sandbox.run("import os; print(os.getuid())").output)
"""
    try:
        found = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, cwd="/", timeout=120
        )
    except PermissionError:
        found = None
    if found is None or "PermissionError" in found.stderr or "ModuleNotFound" in found.stderr:
        pytest.skip("Python's files are root's own")
    assert found.stdout.strip() == "54321", found.stderr


# Older kernels.


@pytest.fixture
def readable():
    """A file of ours in a place that programs may read."""
    place = Path(sysconfig.get_path("purelib"), f"rlve-sandbox-test-{os.getpid()}")
    try:
        place.write_text("mine")
    except OSError:
        pytest.skip("Python's own folder cannot be written to")
    yield place
    place.unlink()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_no_version_of_landlock_lets_files_be_emptied(readable, version):
    """Up to Linux 6.1 it does not know the right to truncate."""
    program = f"""
        import os
        assert open({str(readable)!r}).read() == "mine"
        for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_ACCMODE):
            for more in (0, os.O_CREAT, os.O_APPEND, os.O_NONBLOCK):
                try:
                    os.open({str(readable)!r}, mode | os.O_TRUNC | more)
                    print("emptied", mode, more)
                except OSError:
                    pass
        with open("own", "w") as file:
            file.write("first")
        with open("own", "w") as file:  # its own files it may empty
            print("second", file=file)
        print(open("own").read(), end="")
        """
    with Sandbox(landlock=version) as old:
        assert printed(old, program) == "second\n"
    assert readable.read_text() == "mine"


@pytest.mark.parametrize("mode", [0o700, 0])
def test_folders_deeper_than_any_path_are_removed(mode):
    program = f"""
        import os
        for _ in range(16):
            os.mkdir("d" * 255, 0o700)
            os.chdir("d" * 255)
        os.chdir("..")
        os.rmdir("d" * 255)
        os.mkdir("e", {mode})
        print("deep")
        """
    with Sandbox() as fresh:
        place = run(fresh, "import os; print(os.getcwd())").output.strip()
        outcome = run(fresh, program.replace("range(16)", "range(15)"))
        assert (outcome.ended, outcome.output) == ("well", "deep\n"), outcome.errors
        assert run(fresh, "import os; print(os.listdir())").output == "[]\n"
    assert not os.path.exists(place)


def test_a_folder_can_be_made_readable_and_no_more(tmp_path):
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "text").write_text("read")
    (tmp_path / "text").write_text("hidden")
    program = f"""
def works(path, mode):
    try:
        open({str(tmp_path)!r} + path, mode).close()
    except OSError:
        return False
    return True
print([works("/shown/text", "r"), works("/shown/text", "w"), works("/text", "r")])
"""
    with Sandbox(readable=[tmp_path / "shown"]) as sandbox:
        assert sandbox.run(program).output == "[True, False, False]\n"


def test_the_order_of_sets_is_the_same_or_another():
    program = "print(hash('x'))"

    def printed(hash_seed):
        with Sandbox(hash_seed=hash_seed) as sandbox:
            return sandbox.run(program).output

    assert printed(0) == printed(0) != printed(1)
