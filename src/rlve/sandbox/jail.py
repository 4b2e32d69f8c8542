"""The process that runs untrusted programs for rlve.sandbox, a script of its own.

It is a fresh interpreter that knows nothing: no environment variables, no expected answers, no
module of this package. For every run it receives open files (the program, its standard input,
output and error) and forks. The fork locks itself in permanently before it looks at the program:

    resource limits   processor time, memory, size of a file, open files
    capabilities      none, even if the user is root
    a file tree       only Python's own files and one empty folder, so that no other path exists;
                      not required, because not every system allows namespaces
    Landlock          reading only Python's own files, writing only to one empty folder
    seccomp           a list of allowed system calls. No sockets, no new processes, no signals to
                      others, no changes of owner or mode. New threads and new files are counted
                      here, outside the program, and refused beyond a limit

and only then becomes the program. It cannot start other processes, so killing this one is enough.
When the process that asked for a run is gone, this process kills the program, removes the folder,
and ends.

Everything is done with the standard library, as an ordinary user or as root, in or out of a
container. If the kernel refuses one of the layers, the program is not run.
"""

import atexit
import contextlib
import ctypes
import errno
import fcntl
import gc
import json
import math
import os
import platform
import resource
import select
import signal
import socket
import stat
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final, NamedTuple

# The other half of this script is beside it; programs must not find it.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import system_calls as calls
from system_calls import install, kernel, struct_of

del sys.path[0], sys.modules["system_calls"]

SETUP_SECONDS: Final = 30.0  # for a fork to lock itself in; it takes milliseconds
THREADS: Final = 64  # most threads of a program at a time
CREATIONS: Final = 16  # most new files and folders in one run
OPEN_FILES: Final = 64
STACK: Final = 256 * 2**20

# Modules that programs use; loaded here once, they cost a run nothing.
PRELOADED: Final = (
    *("array", "bisect", "cmath", "collections", "copy", "datetime", "decimal", "enum"),
    *("fractions", "functools", "heapq", "io", "itertools", "operator", "queue", "random", "re"),
    *("statistics", "string", "textwrap", "threading", "traceback", "types", "typing"),
)


class Jail(NamedTuple):
    """What all runs have in common."""

    folder: str
    inside: int  # the folder, opened before this process moved into another file tree
    ruleset: int  # of Landlock
    processes: int  # /proc, which the other file tree does not contain
    visible: str | None  # why programs can see which paths exist outside; None if they cannot


def serve(control: socket.socket, jail: Jail) -> str | None:
    """Answer requests for runs. Returns a program, in the fork that is to run it, or None."""
    while True:
        message, files, _, _ = socket.recv_fds(control, 4096, 4)
        if not message:
            return None
        request: dict[str, Any] = json.loads(message)
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            return lock_in(request, files, jail, theirs)
        theirs.close()
        for file in files:
            os.close(file)
        try:
            reply = supervise(pid, request["wall"], control, ours, jail.processes)
        finally:
            ours.close()
            clear(jail.inside)
        if reply is None:
            return None
        control.send(json.dumps(reply | {"visible": jail.visible}).encode())


def supervise(
    pid: int, wall: float, control: socket.socket, ours: socket.socket, processes: int
) -> dict[str, Any] | None:
    """Watch a fork until it ends. None if the process that asked for the run is gone."""
    timed_out = gone = False
    listener, failure = await_lock(ours)
    try:
        if listener is not None:
            timed_out, gone = watch(pid, wall, control, listener, processes)
    finally:
        os.kill(pid, signal.SIGKILL)  # the id is still its own: nobody has waited for it yet
        _, status, usage = os.wait4(pid, 0)
        if listener is not None:
            os.close(listener)
    if gone:
        return None
    if failure is not None:
        return {"failure": failure}
    seconds = usage.ru_utime + usage.ru_stime
    return {"status": os.waitstatus_to_exitcode(status), "late": timed_out, "seconds": seconds}


def await_lock(ours: socket.socket) -> tuple[int | None, str | None]:
    """The descriptor for the kernel's questions about a locked fork, or why it is not locked."""
    ours.settimeout(SETUP_SECONDS)
    listener: int | None = None
    try:
        message, files, _, _ = socket.recv_fds(ours, 4096, 1)
        if files:
            listener = files[0]
            message = ours.recv(4096)
    except TimeoutError:
        message = b"it took too long"
    if message == LOCKED and listener is not None:
        return listener, None
    if listener is not None:
        os.close(listener)
    return None, message.decode(errors="replace") or "its process ended"


LOCKED: Final = b"locked"


def watch(
    pid: int, wall: float, control: socket.socket, listener: int, processes: int
) -> tuple[bool, bool]:
    """Wait until the program ends, is late, or is no longer wanted; count the files it makes."""
    end = time.monotonic() + wall
    process = os.pidfd_open(pid)
    poll = select.poll()
    for descriptor in (process, control.fileno(), listener):
        poll.register(descriptor, select.POLLIN)
    created = 0
    try:
        while (left := end - time.monotonic()) > 0:
            for descriptor, event in poll.poll(math.ceil(1000 * left)):
                if descriptor == process:
                    return False, False
                if descriptor == control.fileno():
                    return False, True  # nothing is sent during a run, so the other end is closed
                if event & select.POLLIN:
                    created += answer_kernel(pid, listener, processes, created)
                else:
                    poll.unregister(listener)  # the program is just ending
    finally:
        os.close(process)
    return True, False


def answer_kernel(pid: int, listener: int, processes: int, created: int) -> int:
    """Allow or refuse a new thread, file or folder; return how many files and folders it makes."""
    question = bytearray(80)
    try:
        fcntl.ioctl(listener, calls.NOTIFICATION_RECEIVE, question)
        identifier, number = struct.unpack_from("=Q8xi", question)
        if number == calls.SYSTEM_CALLS["clone"]:
            made, refused = 0, threads_of(pid, processes) >= THREADS
        else:
            made, refused = 1, created >= CREATIONS
        error = -(errno.EAGAIN if number == calls.SYSTEM_CALLS["clone"] else errno.EDQUOT)
        answer = (error, 0) if refused else (0, calls.NOTIFICATION_CONTINUE)
        fcntl.ioctl(listener, calls.NOTIFICATION_SEND, struct.pack("=QqiI", identifier, 0, *answer))
    except (FileNotFoundError, ProcessLookupError):  # it was killed while it waited
        return 0
    return 0 if refused else made


def threads_of(pid: int, processes: int) -> int:
    tasks = os.open(f"{pid}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=processes)
    try:
        return len(os.listdir(tasks))
    finally:
        os.close(tasks)


def clear(place: int) -> None:
    """Remove what a program has left in its open folder, however deeply nested.

    By descriptors, because a path may be too long for the kernel, and so that nothing else can be
    reached. There are no links that could mislead us, and no more than CREATIONS folders.
    """
    for name in os.listdir(place):
        try:
            os.unlink(name, dir_fd=place)
        except IsADirectoryError:
            os.chmod(name, 0o700, dir_fd=place)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            try:
                clear(inner)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=place)


# What a fork does.


def lock_in(
    request: dict[str, Any], files: Sequence[int], jail: Jail, theirs: socket.socket
) -> str:
    """Give up everything except the right to compute; end the process if that is impossible."""
    try:
        with open(files[0], encoding="utf-8") as file:
            program = file.read()
        lock(request, files[1:], jail, theirs)
    except OSError as error:
        os.write(theirs.fileno(), f"{error.strerror} ({error.filename})".encode())
        os._exit(1)
    theirs.close()
    forget_origin()
    return program


def lock(
    request: dict[str, Any], standard_files: Sequence[int], jail: Jail, theirs: socket.socket
) -> None:
    parent = os.getppid()
    kernel("prctl", calls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent != os.getppid() or parent == 1:  # it died before the call above
        os._exit(1)
    os.chdir(jail.folder)
    kernel("prctl", calls.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    kernel("landlock_restrict_self", jail.ruleset, 0)
    for descriptor, file in enumerate(standard_files):
        os.dup2(file, descriptor)
    channel = theirs.fileno()
    os.closerange(3, channel)
    os.closerange(channel + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    for kind, value in (
        (resource.RLIMIT_CPU, math.ceil(request["seconds"])),
        (resource.RLIMIT_AS, request["memory"]),
        (resource.RLIMIT_FSIZE, request["output"]),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_STACK, STACK),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))
    nobody = ctypes.create_string_buffer(24)  # no capability in any set
    kernel("capset", ctypes.byref(struct_of("=Ii", calls.CAPABILITY_VERSION, 0)), nobody)
    # Two filters: the first gives a descriptor, which must be sent before the second one forbids
    # sending. If their answers differ, the kernel takes the stricter one.
    listener = install(calls.COUNTING, calls.SECCOMP_NEW_LISTENER)
    socket.send_fds(theirs, [b"listener"], [listener])
    os.close(listener)
    install(calls.LIST, 0)
    os.write(channel, LOCKED)


def forget_origin() -> None:
    """Make Python look as if it had been started for the program."""
    os.environ.clear()
    os.environ["OMP_NUM_THREADS"] = "1"  # otherwise numpy starts a thread per core
    sys.argv = ["program.py"]

    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def become(program: str) -> None:
    """Run the program as a script; leaving with sys.exit is never an error.

    Then do what Python does when it ends, except for its own teardown, which takes the longest.
    """
    main = sys.modules["__main__"] = ModuleType("__main__")

    def run() -> None:
        code = compile(program, "program.py", "exec", dont_inherit=True)
        exec(code, main.__dict__)  # noqa: S102  this is what the walls are for

    def flush() -> None:
        for stream in (sys.stdout, sys.__stdout__, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()

    status = 0
    # Files that the program left open are flushed when its names are deleted.
    join: Callable[[], None] = vars(threading)["_shutdown"]
    end: Callable[[], None] = vars(atexit)["_run_exitfuncs"]
    steps = (run, join, end, flush, main.__dict__.clear, flush)
    for step in steps:
        try:
            step()
        except SystemExit:
            pass
        except BaseException:  # noqa: BLE001  the program's own
            sys.excepthook(*sys.exc_info())  # pyright: ignore[reportArgumentType]
            status = 1
    os._exit(status)


# The file tree that programs see. Landlock prevents files from being opened, but not from being
# looked at: a program can find out whether a path exists, its size and its owner, unless the path
# is not in its tree.


def hidden(folder: str) -> str | None:
    """Hide all files except those a program may read. Return why that is impossible, or None.

    A fork tries it first, because it cannot be undone if it fails halfway.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            hide(folder)
            os.write(theirs, HIDDEN)
        except OSError as error:
            os.write(theirs, f"{error.strerror} ({error.filename})".encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as file:
        answer = file.read()
    os.waitpid(pid, 0)
    if answer != HIDDEN:
        return answer.decode(errors="replace") or "its process ended"
    hide(folder)
    return None


HIDDEN: Final = b"hidden"


def hide(folder: str) -> None:
    """Move into a file tree in memory that contains only Python's own files and the folder."""
    user, group = os.getuid(), os.getgid()
    kernel("unshare", calls.CLONE_NEWUSER | calls.CLONE_NEWNS)
    # The user and group stay the same.
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    kernel("mount", None, b"/", None, calls.MOUNT_ALL_BELOW | calls.MOUNT_PRIVATE, None)
    places = {place: os.open(place, os.O_PATH | os.O_CLOEXEC) for place in seen_places(folder)}
    # The new tree is mounted over the folder, which is still reached by its descriptor.
    kernel("mount", b"rlve", os.fsencode(folder), b"tmpfs", 0, b"size=1m,mode=755")
    for place, descriptor in places.items():
        if not os.path.lexists(folder + place):  # otherwise a folder above it contains it
            show(descriptor, folder + place, writable=place == folder)
        os.close(descriptor)
    make_read_only(folder, 0)
    os.chdir(folder)
    kernel("pivot_root", b".", b".")  # the old tree is now mounted over the new one,
    kernel("umount2", b".", calls.UNMOUNT_DETACH)  # and is removed
    os.chdir("/")


def seen_places(folder: str) -> list[str]:
    """What the tree contains, by its given and its real path; parents before their children."""
    named = [place for place in (*readable_places(), "/dev/null") if os.path.exists(place)]
    places = {*named, *map(os.path.realpath, named)}
    if any(os.path.realpath(folder).startswith(place + os.sep) for place in places):
        raise OSError(errno.EINVAL, "the temporary folder is among Python's files", folder)
    return sorted((*places, folder), key=lambda place: place.count(os.sep))


def show(descriptor: int, target: str, *, writable: bool) -> None:
    """Put an open file or folder into the tree; a read-only one with all mounts below it."""
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.makedirs(target)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC))
    flags = calls.MOUNT_BIND if writable else calls.MOUNT_BIND | calls.MOUNT_ALL_BELOW
    source = f"/proc/self/fd/{descriptor}".encode()
    kernel("mount", source, os.fsencode(target), None, flags, None)
    if not writable:
        make_read_only(target, calls.AT_RECURSIVE)


def make_read_only(target: str, flags: int) -> None:
    """Also for this process, which has the user's rights and deletes files."""
    attributes = ctypes.byref(struct_of("=4Q", calls.ATTRIBUTE_READ_ONLY, 0, 0, 0))
    kernel("mount_setattr", calls.AT_CURRENT_FOLDER, os.fsencode(target), flags, attributes, 32)


def landlock_ruleset(folder: str, newest: int) -> int:
    """Rules that allow reading Python and writing to the folder, and nothing else."""
    version = min(newest, kernel("landlock_create_ruleset", None, 0, calls.LANDLOCK_VERSION))
    # Each version of Landlock handles more rights; all that it handles are restricted. The first
    # two do not handle emptying a file; openat_filter does.
    rights = (1 << 13) - 1 | (version >= 2) << 13 | (version >= 3) << 14 | (version >= 5) << 15
    fields = [rights]
    if version >= 4:
        fields.append(3)  # TCP: neither bind nor connect
    if version >= 6:
        fields.append(3)  # neither abstract sockets nor signals to the outside
    attributes = struct_of(f"={len(fields)}Q", *fields)
    ruleset = kernel("landlock_create_ruleset", ctypes.byref(attributes), len(attributes), 0)
    read_file, read_folder, write_file = 1 << 2, 1 << 3, 1 << 1
    remove_folder, remove_file, make_folder, make_file = 1 << 4, 1 << 5, 1 << 7, 1 << 8
    inside = read_file | read_folder | write_file | remove_folder | remove_file
    inside |= make_folder | make_file | (rights & 1 << 14)  # with the right to truncate
    places = dict.fromkeys(readable_places(), read_file | read_folder)
    places |= {"/dev/null": read_file | write_file, folder: inside}
    for place, allowed in places.items():
        if not os.path.exists(place):
            continue
        if not os.path.isdir(place):
            allowed &= read_file | write_file
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = ctypes.byref(struct_of("=Qi", allowed, descriptor))
            kernel("landlock_add_rule", ruleset, calls.LANDLOCK_PATH_BENEATH, rule, 0)
        finally:
            os.close(descriptor)
    return ruleset


def readable_places() -> list[str]:
    """Python's modules and the libraries they load, and what the owner adds."""
    system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]
    prefixes = [
        os.path.join(prefix, name)
        for prefix in (sys.prefix, sys.base_prefix)
        for name in ("lib", "lib64")
    ]
    # An installation may add other folders, such as editable projects: not these.
    roots = tuple(os.path.realpath(root) + os.sep for root in (*system, *prefixes))
    modules = [path for path in map(os.path.realpath, sys.path) if path.startswith(roots)]
    others = ["/dev/urandom", "/dev/zero", "/etc/ld.so.cache", "/etc/localtime"]
    return [*system, *prefixes, *modules, *others, "/usr/share/zoneinfo", *sys.argv[4:]]


def main() -> str | None:
    """Serve until the other end of the socket is closed. Returns a program in a fork."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this ends
    for name in PRELOADED:
        __import__(name)
    owner = os.getpid()
    folder = tempfile.mkdtemp(prefix="rlve-sandbox-")
    above, name = os.path.split(folder)
    outside = os.open(above, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    asked = False
    try:
        if not calls.SUPPORTED:
            raise OSError(errno.ENOSYS, f"no filters for {platform.machine()}", "seccomp")
        processes = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        visible = hidden(folder) if sys.argv[3] == "hide" else "it was not wanted"
        ruleset = landlock_ruleset(folder, newest=int(sys.argv[2]))
        gc.freeze()  # so that collecting garbage in a fork does not copy everything
        asked = True
        return serve(control, Jail(folder, inside, ruleset, processes, visible))
    except OSError as error:
        if not asked:
            control.recv(4096)  # the refusal answers the first request
        refuse(control, error)
        return None
    finally:
        if os.getpid() == owner:
            clear(inside)
            os.rmdir(name, dir_fd=outside)


def refuse(control: socket.socket, error: OSError) -> None:
    reply = {"failure": f"{error.strerror} ({error.filename})"}
    with contextlib.suppress(ConnectionError):  # nobody is listening
        control.send(json.dumps(reply).encode())


if __name__ == "__main__" and (_program := main()) is not None:
    become(_program)
