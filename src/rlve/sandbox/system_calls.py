"""System calls for the jail: those that the standard library lacks, and filters of them.

Imported by the script jail.py alone, which knows no other module of this package.
"""

import ctypes
import errno
import fcntl
import os
import platform
import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

PR_SET_PDEATHSIG: Final = 1
PR_SET_NO_NEW_PRIVS: Final = 38
CAPABILITY_VERSION: Final = 0x20080522
SECCOMP_SET_MODE_FILTER: Final = 1
SECCOMP_NEW_LISTENER: Final = 8
NOTIFICATION_RECEIVE: Final = 0xC0502100
NOTIFICATION_SEND: Final = 0xC0182101
NOTIFICATION_CONTINUE: Final = 1
LANDLOCK_VERSION: Final = 1
LANDLOCK_PATH_BENEATH: Final = 1
CLONE_THREAD: Final = 0x10000
CLONE_NEWNS: Final = 0x20000
CLONE_NEWUSER: Final = 0x10000000
MOUNT_BIND: Final = 1 << 12
MOUNT_ALL_BELOW: Final = 1 << 14
MOUNT_PRIVATE: Final = 1 << 18
UNMOUNT_DETACH: Final = 2
AT_CURRENT_FOLDER: Final = -100
AT_RECURSIVE: Final = 0x8000
ATTRIBUTE_READ_ONLY: Final = 1
O_TMPFILE: Final = 0o20000000  # without the O_DIRECTORY bit

# number on x86_64, number on aarch64; None if the architecture does not have it
CONTROL: Final[dict[str, tuple[int | None, int | None]]] = {
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "capset": (126, 91),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "unshare": (272, 97),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "mount_setattr": (442, 442),
}
WATCHED: Final[dict[str, tuple[int | None, int | None]]] = {
    "clone": (56, 220),
    "openat": (257, 56),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
}
RESTRICTED: Final[dict[str, tuple[int | None, int | None]]] = {
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prlimit64": (302, 261),
}
# Only what an interpreter with threads needs. None of these reaches another process, and those
# that take a path are confined by Landlock or only read metadata.
ALLOWED: Final[dict[str, tuple[int | None, int | None]]] = {
    "access": (21, None),
    "alarm": (37, None),
    "brk": (12, 214),
    "chdir": (80, 49),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fstat": (5, 80),
    "fsync": (74, 82),
    "ftruncate": (77, 46),
    "futex": (202, 98),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getitimer": (36, 102),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "lseek": (8, 62),
    "lstat": (6, None),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "pause": (34, None),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "pread64": (17, 67),
    "pselect6": (270, 72),
    "pwrite64": (18, 68),
    "read": (0, 63),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "rename": (82, None),
    "renameat": (264, 38),
    "rmdir": (84, None),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "select": (23, None),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    "stat": (4, None),
    "statx": (332, 291),
    "sysinfo": (99, 179),
    "time": (201, None),
    "times": (100, 153),
    "umask": (95, 166),
    "uname": (63, 160),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "write": (1, 64),
    "writev": (20, 66),
}
FCNTL_COMMANDS: Final = (
    *(fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD),
    *(fcntl.F_GETFL, fcntl.F_SETFL),  # not F_SETOWN and F_SETSIG, which send signals
)
IOCTL_COMMANDS: Final = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # isatty and the like
ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_COLUMN, _AUDIT = ARCHITECTURES.get(platform.machine(), (0, 0))
SUPPORTED: Final = _AUDIT != 0  # whether there are filters for this machine
SYSTEM_CALLS: Final = {
    name: number
    for table in (CONTROL, WATCHED, RESTRICTED, ALLOWED)
    for name, numbers in table.items()
    if (number := numbers[_COLUMN]) is not None
}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def kernel(name: str, *arguments: Any) -> int:
    """Make a system call; an OSError has the call's name as its filename."""
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = _libc.syscall(ctypes.c_long(SYSTEM_CALLS[name]), *wide)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def struct_of(layout: str, *values: int) -> "ctypes.Array[ctypes.c_char]":
    packed = struct.pack(layout, *values)
    return ctypes.create_string_buffer(packed, len(packed))


# Filters of system calls, in the kernel's language. Every block below either applies to the
# current call and ends with an answer, or is skipped.


class Instruction(NamedTuple):
    code: int
    if_true: int
    if_false: int
    value: int


Block = list[Instruction]

LOAD, AND, JUMP_EQUAL, JUMP_BITS, RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
ALLOW, NOTIFY, KILL = 0x7FFF0000, 0x7FC00000, 0x80000000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16


def end(answer: int) -> Block:
    return [Instruction(RETURN, 0, 0, answer)]


def on(name: str, block: Block) -> Block:
    """The block, for one system call only."""
    if name not in SYSTEM_CALLS:
        return []
    return [Instruction(JUMP_EQUAL, 0, len(block), SYSTEM_CALLS[name]), *block]


def if_bits(argument: int, bits: int, then: int, otherwise: int) -> Block:
    load = Instruction(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument)  # the lower half: all are ints
    return [load, Instruction(JUMP_BITS, 0, 1, bits), *end(then), *end(otherwise)]


def if_among(argument: int, values: Sequence[int]) -> Block:
    tests = [Instruction(JUMP_EQUAL, len(values) - i, 0, v) for i, v in enumerate(values)]
    load = Instruction(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument)
    return [load, *tests, *end(REFUSE), *end(ALLOW)]


def openat_filter() -> Block:
    """Refuse files that escape the count, and files that are emptied but not opened for writing.

    One flag of open() empties a file, and others ask for write access. Before version 3, Landlock
    only checks the others.
    """
    writing = (os.O_WRONLY, os.O_RDWR)
    return [
        Instruction(LOAD, 0, 0, ARGUMENTS_AT + 8 * 2),
        Instruction(JUMP_BITS, 0, 1, O_TMPFILE),
        *end(REFUSE),
        Instruction(JUMP_BITS, 1, 0, os.O_TRUNC),
        *end(ALLOW),
        Instruction(AND, 0, 0, os.O_ACCMODE),
        *(Instruction(JUMP_EQUAL, len(writing) - i, 0, mode) for i, mode in enumerate(writing)),
        *end(REFUSE),
        *end(ALLOW),
    ]


def filter_of(blocks: Sequence[Block], otherwise: int) -> bytes:
    # Other architectures, such as 32-bit x86, have other numbers.
    program = [Instruction(LOAD, 0, 0, ARCHITECTURE_AT), Instruction(JUMP_EQUAL, 1, 0, _AUDIT)]
    program += end(KILL)
    program.append(Instruction(LOAD, 0, 0, NUMBER_AT))
    for block in blocks:
        program += block
    return b"".join(struct.pack("=HBBI", *each) for each in (*program, *end(otherwise)))


def counting_filter() -> bytes:
    """Asks `answer_kernel` about every new thread, file and folder."""
    blocks = [on(name, end(NOTIFY)) for name in ("clone", "mkdir", "mkdirat")]
    return filter_of([*blocks, on("openat", if_bits(2, os.O_CREAT, NOTIFY, ALLOW))], ALLOW)


def filter_of_system_calls() -> bytes:
    """The list of system calls that a program may make."""
    blocks = [on(name, end(ALLOW)) for name in (*ALLOWED, "mkdir", "mkdirat")]
    blocks += [
        on("clone", if_bits(0, CLONE_THREAD, ALLOW, REFUSE)),  # threads, not processes
        on("openat", openat_filter()),
        on("fcntl", if_among(1, FCNTL_COMMANDS)),
        on("ioctl", if_among(1, IOCTL_COMMANDS)),
        on("prlimit64", if_among(0, [0])),  # only its own limits, which it can only lower
    ]
    return filter_of(blocks, UNKNOWN)


COUNTING: Final = counting_filter()
LIST: Final = filter_of_system_calls()


def install(program: bytes, flags: int) -> int:
    class Code(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    code = ctypes.byref(Code(len(program) // 8, program))
    return kernel("seccomp", SECCOMP_SET_MODE_FILTER, flags, code)
