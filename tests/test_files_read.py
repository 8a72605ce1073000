"""There is one way to read a file (``kernel_analysis.files``) and one to print: told from the syntax trees of all that
we ship."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]

# What opens a file or lists a directory, or has it done, by the last part of its name. Any call needs a row below.
OPENS = frozenset({
    "open", "open_code", "openpty", "fdopen", "FileIO", "FileInput", "read_text", "read_bytes", "mmap", "sendfile",
    "walk", "fwalk", "scandir", "listdir", "glob", "iglob", "rglob", "iterdir",
    "getline", "getlines", "checkcache", "updatecache", "getsource", "getsourcelines", "findsource", "get_data",
    "detect_encoding",
    "load", "load_module", "exec_module", "source_to_code", "run_path", "run_module", "import_module",
    "__import__", "spec_from_file_location",
    "copy", "copy2", "copyfile", "copytree", "copyfileobj", "ZipFile", "TarFile", "connect", "loadtxt", "fromfile",
    "memmap",
})  # fmt: skip
LOOSE = {"open", "builtins.open", "os.open", "io.open", "Path.read_text", "__import__"}
# Methods of ours, and of trees and other values, that only share such a name.
OTHERS = (
    "project.load", "ast.walk", "copy.copy", "resolver.import_module", "liveins.copy", "made.copy", "value.copy",
    "self._real.load",
)  # fmt: skip
# Where each is called, and what is read there: nothing that a user's project can put in the way.
KNOWN = {
    ("kernel_analysis/files.py", "os.open"): "the one place",
    ("kernel_analysis/files.py", "os.scandir"): "the one place",
    ("kernel_analysis/__init__.py", "path.read_bytes"): "our own sources",
    ("kernel_analysis/__init__.py", "Path(__file__).parent.rglob"): "our own sources",
    ("kernel_analysis/source/module_search.py", "os.scandir"): "names in a directory that imports are looked for in",
    ("kernel_analysis/source/module_search.py", "os.walk"): "names in the directory of links of an editable install",
    ("kernel_analysis/source/module_search.py", "os.listdir"): "names in a directory that imports are looked for in",
    ("kernel_analysis/kernels/project.py", "self.load"): "a module, through the one place",
    ("kernel_analysis/kernels/files/file_texts.py", "tokenize.detect_encoding"): "of bytes that were read",
    ("kernel_analysis/host/names/resolve.py", "self.import_module"): "looks for a module, imports nothing",
    ("kernel_analysis/agent/__main__.py", "importlib.util.spec_from_file_location"): "our own package",
    ("kernel_analysis/agent/__main__.py", "spec.loader.exec_module"): "our own package",
    ("kernel_analysis/agent/protocol/channel.py", "os.open"): "/dev/null",
    ("kernel_analysis/agent/protocol/channel.py", "os.fdopen"): "our own standard streams",
    ("kernel_analysis/lowering/compiler.py", "os.fdopen"): "what the compiler prints, in memory",
    ("kernel_analysis/lowering/door.py", "importlib.import_module"): "Triton's own modules",
    ("kernel_analysis/lowering/gate/allowlist.py", "importlib.import_module"): "Triton's own modules",
    ("kernel_analysis/lowering/gate/gate.py", "allowlist.load"): "Triton's own modules",
    ("kernel_analysis/lowering/plugins.py", "importlib.import_module"): "what Triton imports itself, before any text",
    ("kernel_analysis/kernels/backend_options.py", "os.listdir"): "names in the directory of the installed Triton",
    ("kernel_analysis/agent/protocol/identity.py", "os.listdir"): "names beside the installed Triton",
    ("kernel_analysis/lowering/compat.py", "glob.glob"): "names in the directory of the installed Triton",
    ("kernel_analysis/agent/sandbox/audit.py", "importlib.import_module"): "Python's own and Triton's modules",
    ("kernel_analysis/agent/sandbox/audit.py", "load"): "Python's own and Triton's modules",
    ("kernel_analysis/agent/sandbox/landlock.py", "os.open"): "a directory, and nothing in it (O_PATH)",
    ("kernel_analysis/agent/sandbox/python_start.py", "os.listdir"): "names in directories of the import path",
    ("kernel_analysis/agent/sandbox/readable.py", "open"): "the heads of Triton's own programs",
    ("kernel_analysis/agent/sandbox/readable.py", "os.scandir"): "names in directories of the import path",
    ("kernel_analysis/agent/sandbox/seal.py", "os.listdir"): "/proc of this process",
    ("triton_ls/agents/children.py", "open"): "/proc of our own agents",
    ("triton_ls/agents/children.py", "os.listdir"): "/proc of our own agents",
    ("triton_ls/agents/agent_process.py", "kept.open"): "the cache",
    ("kernel_analysis/disk.py", "sqlite3.connect"): "the cache, once it is known to be a regular file",
    ("kernel_analysis/launch/__main__.py", "importlib.util.spec_from_file_location"): "our own package",
    ("kernel_analysis/launch/__main__.py", "spec.loader.exec_module"): "our own package",
    ("kernel_analysis/launch/plan/plan_process.py", "json.load"): "our own standard input",
    ("kernel_analysis/launch/plan/plan_process.py", "os.fdopen"): "our own standard streams",
    ("triton_ls/cli/__init__.py", "os.open"): "/dev/null",
    ("triton_ls/handlers/__init__.py", "importlib.import_module"): "our own handlers",
    ("triton_ls/cli/check_cache.py", "os.walk"): "names in the directory of the installed Triton",
}
# It runs the user's kernel because it was told to, in a process of its own.
RUNS = "kernel_analysis/launch/execution/"


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [
        (str(file.relative_to(source)), ast.parse(file.read_text(encoding="utf-8")))
        for source in (REPOSITORY / "analysis", REPOSITORY / "server")
        for file in sorted(source.rglob("*.py"))
    ]


def calls() -> Iterator[tuple[str, str, str]]:
    for where, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                yield where, name, ast.unparse(node.func) if name in OPENS else name


@pytest.mark.slow("reads each module of ours")
def test_nothing_else_reads_files() -> None:
    found = {(where, spelled) for where, name, spelled in calls() if name in OPENS and not spelled.endswith(OTHERS)}
    found = {(where, spelled) for where, spelled in found if not where.startswith(RUNS)}
    assert found - KNOWN.keys() == set(), "read it through `kernel_analysis.files.read_file`"
    assert KNOWN.keys() - found == set(), "this row is about nothing"


def test_nothing_opens_under_another_name() -> None:
    for where, tree in trees():
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        # A flag or a parameter that is called `open` is another thing.
        bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                handed_on = id(node) not in called and ast.unparse(node) in LOOSE - bound
                assert not handed_on, f"{where}:{node.lineno}"
            imported = isinstance(node, ast.ImportFrom) and not node.level and OPENS & {a.name for a in node.names}
            assert not imported, f"{where}:{getattr(node, 'lineno', 0)}"


def test_only_one_module_prints_for_the_commands() -> None:
    prints = {where for where, name, _ in calls() if name == "print" and where.startswith("triton_ls/")}
    assert prints == {"triton_ls/cli/terminal.py"}
