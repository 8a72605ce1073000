"""Python's audit hook alone: with the operating system's part switched off, a process that listens tries each class."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent.sandbox.test_system import Sealed, make_workspace


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sealed]:
    process = Sealed("system", make_workspace(tmp_path_factory.mktemp("audit")))
    assert (process.audit, process.seccomp, process.landlock) == (True, False, 0)
    yield process
    process.close()


NEVER = {
    "a shell": "os.system('echo > {workspace}/new')",
    "popen": "os.popen('echo > {workspace}/new')",
    "a program": "subprocess.run(['touch', '{workspace}/new'])",
    "posix_spawn": "os.posix_spawn('/usr/bin/touch', ['touch', '{workspace}/new'], {{}})",
    "fork_exec": "__import__('_posixsubprocess').fork_exec([b'/usr/bin/touch', b'{workspace}/new'], "
    "[b'/usr/bin/touch'], True, (), None, None, -1, -1, -1, -1, -1, -1, 5, 6, False, False, 0, None, None, None, -1, "
    "None, True)",
    "fork_exec by another name": "vars(subprocess).get('_fork_exec', __import__('_posixsubprocess').fork_exec)()",
    "exec": "os.execv('/bin/true', ['true'])",
    "fork": "os.fork()",
    "forkpty": "os.forkpty()",
    "a socket": "socket.socket()",
    "a name on the network": "socket.getaddrinfo('localhost', 80)",
    "a signal": "os.kill(os.getpid(), 0)",
    "a signal to a group": "os.killpg(0, 0)",
    "a signal to a thread": "signal.pthread_kill(threading.get_ident(), 0)",
    "another program's functions": "ctypes.CDLL(None)",
    "a function of a library": "LIBC.getpid",
    "memory": "ctypes.string_at(0, 1)",
    "writing": "open('{workspace}/new', 'w')",
    "changing": "open('{workspace}/file.py', 'r+')",
    "writing in the system's words": "os.open('{workspace}/new', os.O_CREAT | os.O_WRONLY)",
    "cutting off": "os.open('{workspace}/file.py', os.O_TRUNC)",
    "writing with io": "__import__('io').FileIO('{workspace}/new', 'w')",
    "writing with a path": "Path('{workspace}/new').write_text('x')",
    "removing": "os.remove('{workspace}/file.py')",
    "removing a folder": "os.rmdir('{workspace}/folder')",
    "renaming": "os.rename('{workspace}/file.py', '{workspace}/new')",
    "replacing": "os.replace('{workspace}/file.py', '{workspace}/new')",
    "a folder": "os.mkdir('{workspace}/new')",
    "a link": "os.link('{workspace}/file.py', '{workspace}/new')",
    "a symbolic link": "os.symlink('/etc', '{workspace}/new')",
    "a pipe with a name": "os.mkfifo('{workspace}/new')",
    "the same by its owner": "__import__('posix').mkfifo('{workspace}/new')",
    "a device": "os.mknod('{workspace}/new')",
    "permissions": "os.chmod('{workspace}/file.py', 0o777)",
    "an owner": "os.chown('{workspace}/file.py', -1, -1)",
    "a time": "os.utime('{workspace}/file.py')",
    "a length": "os.truncate('{workspace}/file.py', 0)",
    "a folder with all in it": "__import__('shutil').rmtree('{workspace}')",
    "a temporary file": "__import__('tempfile').mkstemp(dir='{workspace}')",
    "a database": "__import__('sqlite3').connect('{workspace}/new')",
    "the environment": "os.putenv('A', 'b')",
    "a tracer": "sys.settrace(print)",
    "a profiler": "sys.setprofile(print)",
    "another hook": "sys.addaudithook(print) or os.system('echo > {workspace}/new')",
    "all objects": "__import__('gc').get_objects()",
    "limits": "__import__('resource').setrlimit(0, (1, 1))",
    "a question": "input()",
}  # fmt: skip


@pytest.mark.parametrize("what", NEVER)
def test_never(listening: Sealed, what: str) -> None:
    before = {path: path.stat().st_mode for path in listening.workspace.rglob("*")}
    kind, text = listening.attempt(NEVER[what].format(workspace=listening.workspace))
    if what == "another hook":
        assert kind == "Forbidden", text
    else:
        assert (kind, "which this process has given up" in text) == ("Forbidden", True), text
    assert {path: path.stat().st_mode for path in listening.workspace.rglob("*")} == before
    assert (listening.workspace / "file.py").read_text() == "text = 1\n"


EVALUATED = {
    "a text": "exec('x = 1')",
    "an expression": "eval('1 + 1')",
    "code": "exec(threads.__code__)",
    "a function of it": "type(threads)(threads.__code__, {{}})",
    "code of its own": "threads.__code__.replace(co_name='x')",
    "other code for a function": "setattr(threads, '__code__', main.__code__)",
    "a module": "__import__('this')",
    "a module of Triton's that is no language": "__import__('triton.profiler')",
    "a module as a thread's": "__import__('importlib').import_module('turtle')",
    "reading": "open('{workspace}/file.py')",
    "listing": "os.listdir('{workspace}')",
    "code as bytes": "__import__('marshal').loads(b'')",
    "frames": "sys._getframe()",
}  # fmt: skip


@pytest.mark.parametrize("what", EVALUATED)
def test_not_while_a_kernel_is_evaluated(listening: Sealed, what: str) -> None:
    expression = EVALUATED[what].format(workspace=listening.workspace)
    kind, text = listening.attempt(f"evaluated({expression!r})")
    assert (kind, "no kernel needs" in text) == ("Forbidden", True), text


def test_the_frames_of_what_runs_are_not_shown(listening: Sealed) -> None:
    kind, text = listening.attempt("evaluated('(i for i in ()).gi_frame')")
    assert kind == "Forbidden", text


def test_what_is_left(listening: Sealed) -> None:
    file = listening.workspace / "file.py"
    assert listening.attempt(f"open({str(file)!r}).read()") == ("ok", "text = 1\n")
    assert listening.attempt("threads()") == ("ok", "8")
    assert listening.attempt("evaluated('len([1, 2])')") == ("ok", "2")
    names = "evaluated(\"__import__('collections').namedtuple('Pair', ['x', 'y'])(1, 2)\")"
    assert listening.attempt(names) == ("ok", "Pair(x=1, y=2)")
