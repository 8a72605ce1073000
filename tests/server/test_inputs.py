"""Files and names that no editor wrote: each costs itself what is known of it, in one line, and nothing else."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from connection import KERNELS, connect
from test_cli import run

from kernel_analysis import files
from kernel_analysis.files import LARGEST, Unreadable, python_files, read_file

Maker = Callable[[Path], object]


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # the path of a socket is at most 108 bytes long
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 30)


UNREADABLE: dict[str, tuple[Maker, str]] = {
    "endless": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a regular file"),
    "terminal": (lambda path: path.symlink_to("/dev/tty"), "it is a device, not a regular file"),
    "pipe": (lambda path: os.mkfifo(path), "it is a named pipe, not a regular file"),
    "socket": (_socket, "it is a socket, not a regular file"),
    "loop": (_loop, "too many levels of symbolic links"),
    "dangling": (lambda path: path.symlink_to("nowhere.py"), "no such file or directory"),
    "sparse": (_sparse, "it is larger than 4 MB"),
    "system": (lambda path: path.symlink_to("/proc/kmsg"), ""),
}
READABLE: dict[str, tuple[bytes, str]] = {
    "latin": (b"# jit \xe9\nx = 1\n", "Python can't decode this file"),
    "cookie": (b"# -*- coding: nonsense -*-\n# jit\n", "Python can't decode this file: unknown encoding: nonsense"),
    "late_cookie": (b"# coding: utf-7\n# jit +AGA-\n", ""),
    "zip_cookie": (b"# coding: zip\n# jit\n", "its encoding `zip`"),
    "squared": (b"# coding: punycode\n# jit " + b"a" * 600_000 + b"-" + b"b9" * 1_200_000, "its encoding `punycode`"),
    "failing": (b"# coding: undefined\n# jit\n", "its encoding `undefined` is none that is known here"),
    "domains": (b"# coding: idna\n# jit .xn--" + b"a" * 99, "its encoding `idna`"),
    "wide_cookie": (b"# coding: utf-16\n# jit\n", "its encoding `utf-16`"),
    "nul": (b"import triton\n# jit\nx = '\0'\n", ":3:6: error syntax-error source code cannot contain null bytes"),
    "binary": (b"jit" + bytes(range(256)) * 200, "syntax-error"),
}


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_can_not_be_read_is_said_in_a_line_and_the_others_are_checked(name: str, tmp_path: Path) -> None:
    make, expected = UNREADABLE[name]
    (tmp_path / "kernels.py").write_text(KERNELS)
    make(tmp_path / "odd.py")
    done = run(tmp_path, "check", ".")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"triton-ls: {tmp_path}/odd.py can't be read: ")
    assert expected in line
    assert "2 jit functions in 2 files: 2 analyzed" in done.stdout
    again = run(tmp_path, "check", ".")
    assert (again.returncode, again.stderr) == (2, done.stderr)


def test_every_kind_by_its_name_and_all_at_once(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    for name, (make, _) in UNREADABLE.items():
        make(tmp_path / f"{name}.py")
    done = run(tmp_path, "check", *(f"{name}.py" for name in ("kernels", *UNREADABLE)), "--format", "json")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == len(UNREADABLE)
    assert json.loads(done.stdout)["summary"]["analyzed"] == 2


def test_a_directory_that_is_called_like_a_file_is_searched(tmp_path: Path) -> None:
    (tmp_path / "odd.py").mkdir()
    (tmp_path / "odd.py" / "kernels.py").write_text(KERNELS)
    done = run(tmp_path, "check", ".")
    assert (done.returncode, done.stderr) == (1, "")
    assert "odd.py/kernels.py:14:20" in done.stdout


@pytest.mark.parametrize("name", READABLE)
def test_what_is_no_text_is_said_at_the_file(name: str, tmp_path: Path) -> None:
    content, expected = READABLE[name]
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "odd.py").write_bytes(content)
    done = run(tmp_path, "check", ".")
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line for line in done.stdout.splitlines() if line.startswith("odd.py:")]
    assert any(expected in line for line in lines) if expected else not lines
    assert "2 jit functions in 2 files: 2 analyzed" in done.stdout


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_bytes(b"\xef\xbb\xbf" + KERNELS.encode())
    assert "2 jit functions in 1 file: 2 analyzed" in run(tmp_path, "check", ".").stdout


@pytest.mark.parametrize("name", [name for name in UNREADABLE if name != "system"])
@pytest.mark.slow("a session of its own: two agents that import Triton")
async def test_in_the_server_a_module_that_can_not_be_read_costs_what_it_would_say(name: str, tmp_path: Path) -> None:
    """As a file of the workspace, as a module that a kernel's file imports, and as a document's own file."""
    UNREADABLE[name][0](tmp_path / "odd.py")
    text = KERNELS.replace("import triton\n", "import triton\nimport odd\nfrom odd import thing\n", 1)
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until_shown(uri, 16, "mutated-parameter")
        odd = connection.open("odd.py", KERNELS, save=False)
        await connection.until_shown(odd, 14, "mutated-parameter")


def _read_for_ever(file: Path, most: int) -> None:
    while True:
        assert len(read_file(str(file), most)) <= most


def test_a_file_that_grows_while_it_is_read_ends_at_the_cap(tmp_path: Path) -> None:
    file, more = tmp_path / "grows.py", threading.Event()
    file.write_bytes(b"#" * 1000)

    def grow() -> None:
        with file.open("ab") as end:
            while not more.is_set():
                end.write(b"#" * 100_000)
                end.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        with pytest.raises(Unreadable, match="larger than"):
            _read_for_ever(file, 3_000_000)
    finally:
        more.set()
        writer.join()


def test_a_file_of_the_system_s_own_has_no_size_and_is_read_to_the_cap_all_the_same() -> None:
    assert read_file("/proc/self/status").startswith(b"Name:")
    with pytest.raises(Unreadable, match="larger than"):
        read_file("/proc/self/status", 10)


def test_exactly_the_cap_is_read_and_one_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "cap.py"
    file.write_bytes(b"#" * LARGEST)
    assert len(read_file(str(file))) == LARGEST
    file.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(Unreadable):
        read_file(str(file))


def test_no_name_raises_anything_else(tmp_path: Path) -> None:
    for name in ("", "\0", "a\0b", "x" * 5000, "/" * 5000, str(tmp_path), "/dev/full", "/proc/self/mem", "\udcff"):
        with pytest.raises(Unreadable):
            read_file(name)


def test_nothing_stays_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "large.py").write_bytes(b"#" * 100)
    before = len(os.listdir("/proc/self/fd"))
    for name in ("pipe.py", "large.py", "missing.py"):
        with pytest.raises(Unreadable):
            read_file(str(tmp_path / name), 10)
    assert len(os.listdir("/proc/self/fd")) == before


def test_links_that_lead_back_end(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "kernels.py").write_text("")
    (tmp_path / "inner" / "back").symlink_to(tmp_path)
    (tmp_path / "back.py").symlink_to(tmp_path)
    assert list(python_files(str(tmp_path))) == [str(tmp_path / "inner" / "kernels.py")]


def test_a_tree_without_an_end_is_left_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_ENTRIES", 50)
    for folder in range(10):
        (tmp_path / f"f{folder}").mkdir()
        for file in range(20):
            (tmp_path / f"f{folder}" / f"m{file:02}.py").write_text("")
    told: list[str] = []
    found = list(python_files(str(tmp_path), told.append))
    assert len(found) == 40
    assert told == [f"{tmp_path} has more than 50 files and folders: {tmp_path}/f1 and all behind it were left out."]


def test_a_deep_tree_is_searched_as_far_as_the_system_can(tmp_path: Path) -> None:
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(20):  # a path has 4,096 bytes
            os.mkdir("deeper" * 40)
            os.chdir("deeper" * 40)
    finally:
        os.chdir(here)
    (tmp_path / "kernels.py").write_text(KERNELS)
    done = run(tmp_path, "check", ".")
    assert done.returncode == 2
    assert re.search(r"deeper can't be searched: file name too long\.$", done.stderr.strip())
    assert "2 jit functions" in done.stdout


STRANGE = ("a\nb.py", "\x1b]0;owned\x07\x1b[31m.py", "\u202egnp.py", os.fsdecode(b"caf\xe9.py"), "a\rb.py", "\x9b2J.py")
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


@pytest.mark.parametrize("form", ["text", "table", "json"])
def test_names_can_not_steer_the_terminal(form: str, tmp_path: Path) -> None:
    for name in STRANGE:
        (tmp_path / name).write_text(KERNELS)
    (tmp_path / "bad\x1b[2J.py").symlink_to("/dev/zero")
    done = run(tmp_path, "check", ".", "--format", form, "--verbose")
    assert not STEERS.search(done.stdout + done.stderr)
    assert f"{tmp_path}/bad\\x1b[2J.py can't be read" in done.stderr
    if form == "json":
        kernels = json.loads(done.stdout)["kernels"]
        assert {kernel["file"] for kernel in kernels} == {str(tmp_path / name) for name in STRANGE}
        assert len(kernels) == 2 * len(STRANGE)
    else:
        for shown in ("a\\nb.py:14", "\\x1b]0;owned\\x07\\x1b[31m.py:14", "\\u202egnp.py:14", "caf\\xe9.py:14"):
            assert shown in done.stdout
        assert "12 jit functions in 7 files: 12 analyzed" in done.stdout


STEERING = """\
import triton
import triton.language as tl


@triton.jit
def k(p, N: tl.constexpr = "\\x1b]0;owned\\x07"):
    tl.static_assert(False, "\\x1b[2J\\u202e\\x9b31m" + N)
    tl.static_print("\\x1b[31mred")
    tl.store(p, 1.0)
"""


@pytest.mark.parametrize(
    "arguments", [["check", "k.py", "-v"], ["check", "k.py", "--format", "json"], ["explain", "k.py:k"]]
)
def test_messages_can_not_steer_the_terminal(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(STEERING)
    done = run(tmp_path, *arguments, "--log-level", "info")
    assert not STEERS.search(done.stdout + done.stderr)
    assert "\\x1b[2J" in done.stdout or "\\u001b[2J" in done.stdout
    if "json" in arguments:
        json.loads(done.stdout)
