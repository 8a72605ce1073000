"""The operating system's part alone: with Python's audit hook switched off, a sealed process tries each class."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.process import PYTHON

INSIDE = Path(__file__).with_name("inside.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")


class Sealed:
    """A process without the layers ``off`` whose workspace is a directory of its own."""

    def __init__(self, off: str, workspace: Path, *tools: str) -> None:
        self.workspace = workspace
        self._process = subprocess.Popen(
            [PYTHON, str(INSIDE), off, str(workspace), *tools], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.audit, self.seccomp, self.landlock, self.missing = self._line()

    def attempt(self, expression: str) -> tuple[str, str]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(expression) + "\n")
        self._process.stdin.flush()
        kind, text = self._line()
        return kind, text

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _line(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"it ended with {self._process.wait()}"
        return json.loads(line)


def make_workspace(directory: Path) -> Path:
    workspace = directory / "workspace"
    workspace.mkdir()
    (workspace / "file.py").write_text("text = 1\n")
    (workspace / "folder").mkdir()
    (workspace / "out").symlink_to("/etc/passwd")
    (directory / "secret").write_text("secret")
    return workspace


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sealed]:
    process = Sealed("audit", make_workspace(tmp_path_factory.mktemp("system")))
    yield process
    process.close()


CALLS = {
    "x86_64": {
        "io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "mount": 165, "ptrace": 101, "keyctl": 250,
        "clone3": 435, "memfd_create": 319, "perf_event_open": 298, "personality": 135, "unshare": 272, "openat2": 437,
        "pidfd_open": 434, "process_vm_readv": 310, "execveat": 322, "setns": 308, "chroot": 161, "seccomp": 317,
        "landlock_create_ruleset": 444, "open_tree": 428, "x32 getpid": 0x40000000 + 39, "an unknown call": 600,
        "shmget": 29, "msgget": 68, "mq_open": 240, "io_setup": 206, "vfork": 58, "inotify_init1": 294,
    },
    "aarch64": {
        "io_uring_setup": 425, "bpf": 280, "userfaultfd": 282, "mount": 40, "ptrace": 117, "keyctl": 219,
        "clone3": 435, "memfd_create": 279, "perf_event_open": 241, "personality": 92, "unshare": 97, "openat2": 437,
        "pidfd_open": 434, "process_vm_readv": 270, "execveat": 281, "setns": 268, "chroot": 51, "seccomp": 277,
        "landlock_create_ruleset": 444, "open_tree": 428, "an unknown call": 600, "shmget": 194, "msgget": 186,
        "mq_open": 180, "io_setup": 0, "inotify_init1": 26,
    },
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.get(platform.machine(), {}))
def test_calls_by_their_number(sealed: Sealed, call: str) -> None:
    kind, text = sealed.attempt(f"syscall({CALLS[platform.machine()][call]}, 0, 0, 0, 0, 0)")
    assert kind in ("PermissionError", "OSError"), text
    assert "not permitted" in text or "not implemented" in text


ATTEMPTS = {
    "a program": "subprocess.run(['/bin/true'])",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "exec": "os.execv('/bin/true', ['true'])",
    "fork": "os.fork()",
    "a socket": "socket.socket()",
    "a Unix socket": "socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "socket.socketpair()",
    "a signal to the parent": "os.kill(os.getppid(), 0)",
    "a signal to its group": "os.killpg(0, signal.SIGUSR1)",
    "a signal to all": "os.kill(-1, signal.SIGUSR1)",
    "another priority": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "another's limits": "__import__('resource').prlimit(os.getppid(), 0, (1, 1))",
    "its own limits": "__import__('resource').setrlimit(0, (1, 1))",
    "a session of its own": "os.setsid()",
    "whom to send a signal": "__import__('fcntl').fcntl(0, 8, os.getppid())",
    "typing into the terminal": "__import__('fcntl').ioctl(0, 0x5412, b'x')",
    "writing in the workspace": "open({workspace!r} + '/new', 'w')",
    "changing a file": "open({workspace!r} + '/file.py', 'r+')",
    "appending to a file": "open({workspace!r} + '/file.py', 'a')",
    "cutting a file off": "os.truncate({workspace!r} + '/file.py', 0)",
    "cutting a file off as it is opened": "os.open({workspace!r} + '/file.py', os.O_RDONLY | os.O_TRUNC)",
    "writing to /tmp": "open('/tmp/triton-ls-was-here', 'w')",
    "a file without a name": "os.open('/tmp', os.O_TMPFILE | os.O_RDWR)",
    "writing to /dev/shm": "open('/dev/shm/triton-ls-was-here', 'w')",
    "writing to the process's own memory": "open('/proc/self/mem', 'r+b')",
    "removing a file": "os.unlink({workspace!r} + '/file.py')",
    "removing a folder": "os.rmdir({workspace!r} + '/folder')",
    "renaming": "os.rename({workspace!r} + '/file.py', {workspace!r} + '/other.py')",
    "a folder": "os.mkdir({workspace!r} + '/new')",
    "a link": "os.link({workspace!r} + '/file.py', {workspace!r} + '/link')",
    "a symbolic link": "os.symlink('/etc', {workspace!r} + '/link')",
    "a pipe with a name": "os.mkfifo({workspace!r} + '/pipe')",
    "a device": "os.mknod({workspace!r} + '/device')",
    "permissions": "os.chmod({workspace!r} + '/file.py', 0o777)",
    "permissions of an open file": "os.fchmod(os.open({workspace!r} + '/file.py', os.O_RDONLY), 0o777)",
    "an owner": "os.chown({workspace!r} + '/file.py', -1, -1)",
    "a time": "os.utime({workspace!r} + '/file.py')",
    "an attribute": "os.setxattr({workspace!r} + '/file.py', 'user.x', b'1')",
    "a lock": "__import__('fcntl').flock(os.open({workspace!r} + '/file.py', os.O_RDONLY), 2)",
    "chroot": "os.chroot({workspace!r})",
    "another user": "os.setuid(1)",
    "the machine's name": "socket.sethostname('x')",
    "the clock": "__import__('time').clock_settime(0, 0)",
}  # fmt: skip


@pytest.mark.parametrize("what", ATTEMPTS)
def test_what_python_can_ask_for(sealed: Sealed, what: str) -> None:
    before = {path: path.stat().st_mode for path in sealed.workspace.rglob("*")}
    kind, text = sealed.attempt(ATTEMPTS[what].replace("{workspace!r}", repr(str(sealed.workspace))))
    assert kind in ("PermissionError", "OSError", "error", "BlockingIOError", "ValueError"), text
    assert {path: path.stat().st_mode for path in sealed.workspace.rglob("*")} == before
    assert (sealed.workspace / "file.py").read_text() == "text = 1\n"


def test_a_shell_does_not_start(sealed: Sealed) -> None:
    kind, text = sealed.attempt(f"os.system('echo > {sealed.workspace}/new')")
    assert kind != "ok" or int(text) != 0
    assert not (sealed.workspace / "new").exists()


READS = (
    "/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/proc/self/root/etc/passwd",
    "/sys/kernel", "/var", "{home}", "{workspace}/../secret", "{workspace}/out",
)  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_nothing_else_is_read(sealed: Sealed, path: str) -> None:
    if not sealed.landlock:
        pytest.skip(sealed.missing[0])
    path = path.format(workspace=sealed.workspace, home=Path.home())
    kind, text = sealed.attempt(f"os.listdir({path!r}) if os.path.isdir({path!r}) else open({path!r}).read()")
    assert kind == "PermissionError", text


def test_threads_of_every_age_are_held(sealed: Sealed) -> None:
    assert sealed.attempt("threads()") == ("ok", "8")
    for expression in ("os.fork()", "socket.socket()", f"open({str(sealed.workspace)!r} + '/new', 'w')"):
        assert "PermissionError" in sealed.attempt(f"in_thread({expression!r})")[1]
    if sealed.landlock:
        assert sealed.attempt("READER.result()") == ("ok", "PermissionError")


def test_what_is_left(sealed: Sealed) -> None:
    file = str(sealed.workspace / "file.py")
    assert sealed.attempt(f"open({file!r}).read()") == ("ok", "text = 1\n")
    assert sealed.attempt(f"sorted(os.listdir({str(sealed.workspace)!r}))")[0] == "ok"
    assert sealed.attempt("open(os.__file__).read(6)")[0] == "ok"
    assert sealed.attempt("len(os.urandom(8)), len(open('/dev/urandom', 'rb').read(8))") == ("ok", "(8, 8)")
    for module in ("decimal", "sqlite3", "unicodedata", "_ctypes", "zoneinfo", "xml.etree.ElementTree"):
        assert sealed.attempt(f"__import__({module!r})")[0] == "ok", module
    assert sealed.attempt("__import__('time').localtime().tm_year > 2000") == ("ok", "True")
    assert sealed.attempt("bytearray(1 << 28) and 1")[0] == "ok"


def test_it_is_all_there_on_this_machine(sealed: Sealed) -> None:
    assert sealed.seccomp
    if not sealed.landlock:
        pytest.skip(sealed.missing[0])
    assert (sealed.audit, sealed.missing) == (False, [])


def test_it_ends_when_it_aborts(tmp_path: Path) -> None:
    process = Sealed("audit", make_workspace(tmp_path))
    with pytest.raises(AssertionError, match="ended with -6"):
        process.attempt("os.abort()")


def test_the_later_stages_have_their_tools_and_nothing_else(tmp_path: Path) -> None:
    tool = shutil.which("cat")
    assert tool is not None
    process = Sealed("none", make_workspace(tmp_path), os.path.realpath(tool))
    file = str(process.workspace / "file.py")
    try:
        if not process.landlock:
            pytest.skip(process.missing[0])
        run = f"subprocess.run(['cat', {file!r}], capture_output=True, stdin=subprocess.DEVNULL).stdout"
        assert process.attempt(run) == ("ok", "b'text = 1\\n'")
        assert process.attempt("subprocess.run(['cat', '/etc/passwd'], capture_output=True).stdout") == ("ok", "b''")
        assert process.attempt(f"open({file!r}, 'w').write('text = 2')") == ("ok", "8")
        assert process.attempt(f"os.remove({file!r})") == ("ok", "None")
        for refused in (
            "subprocess.run(['/bin/true'])",
            "subprocess.run(['sh', '-c', 'true'])",
            "open('/etc/passwd')",
            "open('/tmp/triton-ls-was-here', 'w')",
            "os.rename({0!r}, {0!r} + '/../../elsewhere')".format(str(process.workspace / "folder")),
            "os.chmod({!r}, 0o777)".format(str(process.workspace / "folder")),
            "socket.socket()",
            "os.kill(os.getppid(), 0)",
            "LIBC.ptrace(0) and syscall(101, 0)",
        ):
            kind, text = process.attempt(refused)
            assert kind in ("PermissionError", "OSError"), (refused, kind, text)
    finally:
        process.close()


def test_a_home_that_is_the_workspace_keeps_its_hidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id").write_text("key")
    (tmp_path / "kernel.py").write_text("kernel")
    (tmp_path / "link.py").symlink_to(tmp_path / ".ssh" / "id")
    process = Sealed("audit", tmp_path)
    try:
        if not process.landlock:
            pytest.skip(process.missing[0])
        assert "holds your home directory" in process.missing[0]
        assert process.attempt(f"open({str(tmp_path)!r} + '/kernel.py').read()") == ("ok", "kernel")
        for name in (".ssh/id", "link.py"):
            assert process.attempt(f"open({str(tmp_path)!r} + '/{name}').read()")[0] == "PermissionError"
    finally:
        process.close()


def test_installed_packages_whose_files_are_links_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, installed = tmp_path / "store", tmp_path / "site-packages"
    for name in ("linked", "whole", "other"):
        (store / name).mkdir(parents=True)
        for file in ("__init__.py", "part.py"):
            (store / name / file).write_text(name)
    (store / "alone.py").write_text("alone")
    (installed / "linked").mkdir(parents=True)
    for file in ("__init__.py", "part.py"):
        (installed / "linked" / file).symlink_to(store / "linked" / file)
    (installed / "whole").symlink_to(store / "whole")
    (installed / "alone.py").symlink_to(store / "alone.py")
    monkeypatch.setenv("PYTHONPATH", str(installed))
    process = Sealed("audit", make_workspace(tmp_path))
    try:
        if not process.landlock:
            pytest.skip(process.missing[0])
        for file, text in {"linked/part.py": "linked", "whole/part.py": "whole", "alone.py": "alone"}.items():
            assert process.attempt(f"open({str(installed)!r} + '/{file}').read()") == ("ok", text)
        assert process.attempt(f"open({str(store)!r} + '/other/part.py').read()")[0] == "PermissionError"
    finally:
        process.close()


def test_this_machine_is_one_of_those_in_the_tables() -> None:
    assert platform.machine() in CALLS, "seccomp's table is missing for this processor"
    assert os.uname().sysname == "Linux"
