"""The numbers of Linux's system calls on the processors that the sandbox knows, by what they are for.

A table, nothing else. Classes are refused as a whole; what is allowed under a condition has its own name here.
"""

from __future__ import annotations

import platform
import sys
from typing import TypeAlias

from kernel_analysis.record import record

Pair: TypeAlias = tuple[int | None, int | None]
"""x86-64 and aarch64; None: that processor has none."""

PROGRAMS: dict[str, Pair] = {"execve": (59, 221), "execveat": (322, 281)}
PROCESSES: dict[str, Pair] = {"fork": (57, None), "vfork": (58, None)}

SOCKETS: dict[str, Pair] = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211),
    "recvmsg": (47, 212), "sendmmsg": (307, 269), "recvmmsg": (299, 243), "getsockname": (51, 204),
    "getpeername": (52, 205), "setsockopt": (54, 208), "getsockopt": (55, 209), "shutdown": (48, 210),
}  # fmt: skip

OTHERS: dict[str, Pair] = {
    # Signals to other processes, looking into them, changing how they are run.
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "setpgid": (109, 154), "setsid": (112, 157),
    # Memory, semaphores and queues that processes share by name.
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
}  # fmt: skip

WRITING: dict[str, Pair] = {
    # What Landlock decides by path, where there is one.
    "creat": (85, None), "mkdir": (83, None), "mkdirat": (258, 34), "mknod": (133, None), "mknodat": (259, 33),
    "unlink": (87, None), "unlinkat": (263, 35), "rmdir": (84, None), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    "truncate": (76, 45), "fallocate": (285, 47),
}  # fmt: skip

ATTRIBUTES: dict[str, Pair] = {
    # What Landlock does not look at.
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "flock": (73, 32), "sync": (162, 81), "syncfs": (306, 267), "memfd_create": (319, 279),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "copy_file_range": (326, 285), "sendfile": (40, 71), "splice": (275, 76),
    "tee": (276, 77), "vmsplice": (278, 75),
}  # fmt: skip

SYSTEM: dict[str, Pair] = {
    # The machine, its mounts, its clock, its kernel; keys; another identity; interfaces with a history of holes.
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "quotactl": (179, 60),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "create_module": (174, None), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "sethostname": (170, 161), "setdomainname": (171, 162),
    "iopl": (172, None), "ioperm": (173, None), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "syslog": (103, 116), "vhangup": (153, 58),
    "nfsservctl": (180, 42), "uselib": (134, None), "personality": (135, 92), "modify_ldt": (154, None),
    "_sysctl": (156, None), "ustat": (136, None), "sysfs": (139, None), "lookup_dcookie": (212, 18),
    "unshare": (272, 97), "setns": (308, 268), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
    "seccomp": (317, 277), "io_setup": (206, 0), "io_destroy": (207, 1), "io_submit": (209, 2),
    "io_cancel": (210, 3), "io_getevents": (208, 4), "io_pgetevents": (333, 292), "setrlimit": (160, 164),
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setgroups": (116, 159), "setresuid": (117, 147), "setresgid": (119, 149), "setfsuid": (122, 151),
    "setfsgid": (123, 152), "capset": (126, 91),
}  # fmt: skip

CONDITIONAL: dict[str, Pair] = {
    "clone": (56, 220), "tgkill": (234, 131), "open": (2, None), "openat": (257, 56), "ioctl": (16, 29),
    "fcntl": (72, 25), "prctl": (157, 167), "prlimit64": (302, 261),
}  # fmt: skip
"""What cannot be told by its number alone: ``seccomp`` looks at the arguments."""

LAST_OLD = (334, 294)
"""Behind it, and behind a gap, the numbers are the same on every processor."""

NEW_ALLOWED: dict[str, int] = {
    "close_range": 436, "faccessat2": 439, "epoll_pwait2": 441, "futex_waitv": 449, "cachestat": 451,
    "map_shadow_stack": 453, "futex_wake": 454, "futex_wait": 455, "futex_requeue": 456, "mseal": 462,
}  # fmt: skip
"""Of all newer calls, those of today and those that nobody has thought of yet, these alone are allowed: the others are
answered as by a kernel that has none. Among them clone3, openat2, io_uring, pidfd and the new mount calls."""


@record
class Processor:
    """``audit``: how the kernel names it in a filter's input. ``column``: of the pairs."""

    name: str
    audit: int
    column: int

    def of(self, *tables: dict[str, Pair]) -> list[int]:
        found = (pair[self.column] for table in tables for pair in table.values())
        return [number for number in found if number is not None]

    def number(self, name: str) -> int | None:
        return CONDITIONAL[name][self.column]


def this_processor() -> Processor | None:
    """None: one whose calls are not in the tables."""
    machine = platform.machine() if sys.maxsize > 1 << 32 else "32 bits"
    if machine in ("x86_64", "AMD64"):
        return Processor("x86-64", 0xC000003E, 0)
    if machine in ("aarch64", "arm64"):
        return Processor("aarch64", 0xC00000B7, 1)
    return None
