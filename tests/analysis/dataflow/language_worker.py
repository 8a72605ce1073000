"""Runs in any Python with a Triton: the public functions of its languages, and what the compiler makes of calls of
them, each with addresses wherever it takes one. Prints what it found as JSON.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import os
import pkgutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "analysis")]

import triton.experimental.gluon.language as gl  # noqa: E402
import triton.language as tl  # noqa: E402

from kernel_analysis.dataflow import analyze  # noqa: E402
from kernel_analysis.kernels.cut import cut  # noqa: E402
from kernel_analysis.kernels.project import Project  # noqa: E402
from kernel_analysis.lowering import Compiler  # noqa: E402
from kernel_analysis.signature.model import Evidence, Signature  # noqa: E402

LANGUAGES = (tl, gl)
MOST = 3  # arguments that are tried
TRIES = 30
TRITON, GLUON = "triton.language", "triton.experimental.gluon.language"
VALUES = ("x", "o", "1", "m", "[16]", "tl.float32", "0")
GLUON_VALUES = ("x", "o", "shared", "layout", "1", "m", "[16]", "gl.float32", "barrier")
HEADS = {
    TRITON: "import triton\nimport triton.language as tl\n\n\n@triton.jit\n",
    GLUON: "from triton.experimental import gluon\nimport triton.experimental.gluon.language as gl\n\n\n@gluon.jit\n",
}
FIRST = {
    TRITON: ["o = tl.arange(0, 16)", "x = tl.load(v + o)", "m = o < 8"],
    GLUON: [
        "layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])",
        "swizzled: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])",
        "o = gl.arange(0, 16, layout)", "x = gl.load(v + o)", "m = o < 8",
        "shared = gl.allocate_shared_memory(gl.float32, [16], swizzled)",
        "barrier = gl.allocate_shared_memory(gl.int64, [1], swizzled)",
    ],
}  # fmt: skip
TYPES = {"p0": "*fp32", "p1": "*fp32", "p2": "*i32", "v": "*fp32"}


def public() -> dict[str, Any]:
    """Everything in the languages that can be called, by one of its paths each."""
    found: dict[int, tuple[str, Any]] = {}
    modules: list[ModuleType] = []
    for language in LANGUAGES:
        modules.append(language)
        for info in pkgutil.walk_packages(language.__path__, f"{language.__name__}."):
            modules.append(importlib.import_module(info.name))
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("_") and callable(value) and not isinstance(value, ModuleType):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(found.values())


def methods() -> list[str]:
    """The names of the methods of the languages' values."""
    names: set[str] = set()
    for _, value in public().items():
        if isinstance(value, type) and issubclass(value, (tl.core.base_value, tl.dtype)):
            for name in dir(value):
                if not name.startswith("_") and callable(getattr(value, name, None)):
                    names.add(name)
    return sorted(names)


def calls(path: str, function: Any) -> list[str]:
    """Calls with an address in at least one place, in the words of the kernel below."""
    try:
        takes = inspect.signature(getattr(function, "fn", function)).parameters.values()
    except (TypeError, ValueError):
        return []
    names = [p for p in takes if not p.name.startswith("_") and p.kind is p.POSITIONAL_OR_KEYWORD]
    needed = [p for p in names if p.default is p.empty]
    made: list[str] = []
    language = GLUON if path.startswith(GLUON) else TRITON
    spelled = path.replace(language, "gl" if language == GLUON else "tl", 1)
    values = GLUON_VALUES if language == GLUON else VALUES
    for count in range(max(len(needed), 1), min(len(names), MOST) + 1):
        tuples: list[tuple[str, ...]] = []
        for place in range(count):
            pools = [values if k != place else (f"(p{k} + o)", f"p{k}") for k in range(count)]
            tuples += itertools.product(*pools)
        step = max(len(tuples) // TRIES, 1) if count > 2 else 1
        made += [f"{spelled}({', '.join(arguments)})" for arguments in tuples[::step]]
    return made


def effects(engine: Compiler, folder: Path, made: list[str]) -> dict[str, list[int]]:
    """Which arguments are read or written through, and which come out again as an address."""
    found: dict[str, set[int]] = {"reads": set(), "writes": set(), "passes": set(), "compiled": set()}
    # A wrong call may end the process: each goes on in a child, from where the one before was ended.
    language = "gl" if made and made[0].startswith("gl.") else "tl"
    todo: list[tuple[str, str]] = list(itertools.product(made, ("{}", f"{language}.store({{}}, 1.0)")))
    while todo:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _told(engine, folder, todo, writer)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            told = [json.loads(line) for line in lines if line.endswith("\n")]
        os.waitpid(child, 0)
        for effect in told:
            for name, numbers in effect.items():
                found[name].update(numbers)
        todo = todo[len(told) + 1 :]
    found["passes"] -= found["writes"]
    return {name: sorted(numbers) for name, numbers in found.items()}


def _told(engine: Compiler, folder: Path, todo: list[tuple[str, str]], writer: int) -> None:
    """What each call does, one a line."""
    for call, used in todo:
        found: dict[str, list[int]] = {}
        file = folder / "k.py"
        language = GLUON if call.startswith("gl.") else TRITON
        body = "\n    ".join([*FIRST[language], used.format(call)])
        head = f"{HEADS[language]}def kernel({', '.join(TYPES)}):"
        file.write_text(f"{head}\n    {body}\n", encoding="utf-8")
        project = Project([str(folder)], [])
        slice_ = cut(project, project.module(str(file)).functions[0])
        signature = Signature(dict(TYPES), {}, {name: Evidence("annotation", "", True) for name in TYPES})
        lowered = engine.lower(slice_, signature)
        if lowered.ir is not None:
            found["compiled"] = [0]
            facts = [fact for fact in analyze(lowered.ir, slice_, signature).parameters if fact.name != "v"]
            written = [int(fact.name[1]) for fact in facts if fact.write.sites]
            found["writes" if used == "{}" else "passes"] = written
            found["reads"] = [int(fact.name[1]) for fact in facts if fact.read.sites] if used == "{}" else []
        os.write(writer, (json.dumps(found) + "\n").encode())


def main() -> None:
    engine = Compiler("cuda:90")
    functions = public()
    kinds = {path: isinstance(value, type) for path, value in functions.items()}
    tried: dict[str, dict[str, list[int]]] = {}
    with tempfile.TemporaryDirectory() as directory:
        for path, function in functions.items():
            if (
                path.startswith((f"{TRITON}.", f"{GLUON}."))
                and not isinstance(function, type)
                and "libdevice" not in path
            ):
                tried[path] = effects(engine, Path(directory).resolve(), calls(path, function))
    # The last line: what is tried prints, too.
    print(json.dumps({"functions": kinds, "methods": methods(), "tried": tried}))


main()
