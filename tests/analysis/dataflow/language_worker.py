"""Runs in any Python with a Triton: the public functions of its languages, and what the compiler makes of calls of
them, each with addresses wherever it takes one. Prints what it found as JSON.
"""

from __future__ import annotations

import gc
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
from kernel_analysis.signature.signature_model import Evidence, Signature  # noqa: E402

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
NAMED = {
    "nvidia": [
        "tile_layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])",
        "row_layout: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))",
        "nvmma: gl.constexpr = gl.NVMMASharedLayout.get_default_for([32, 32], gl.float32)",
        "half: gl.constexpr = gl.NVMMASharedLayout.get_default_for([128, 128], gl.float16)",
        "columns: gl.constexpr = gl.nvidia.blackwell.TensorMemoryLayout([128, 128], col_stride=1)",
        "plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])",
        "tile = gl.allocate_shared_memory(v.dtype.element_ty, [32, 32], nvmma)",
        "flat = gl.allocate_shared_memory(v.dtype.element_ty, [32, 32], plain)",
        "left = gl.allocate_shared_memory(gl.float16, [128, 128], half)",
        "bar = gl.nvidia.hopper.mbarrier.allocate_mbarrier()",
        "tmem = gl.nvidia.blackwell.allocate_tensor_memory(gl.float32, [128, 128], columns)",
    ],
    "amd": [
        "tile_layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0])",
        "tile_layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])  # cdna5",
        "row_layout: gl.constexpr = gl.SliceLayout(1, tile_layout)",
        "plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])",
        "padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])",
        "tile = gl.allocate_shared_memory(v.dtype.element_ty, [32, 32], padded)",
        "flat = gl.allocate_shared_memory(v.dtype.element_ty, [32, 32], plain)",
        "left = tile", "tmem = tile",
        "bar = gl.allocate_shared_memory(gl.int64, [1], gl.amd.cdna5.mbarrier.MBarrierLayout())",
    ],
}  # fmt: skip
TILE = [
    "rows = gl.arange(0, 32, gl.SliceLayout(1, tile_layout))",
    "cols = gl.arange(0, 32, gl.SliceLayout(0, tile_layout))",
    "o = rows[:, None] * 32 + cols[None, :]", "x = gl.load(v + o)", "m = o < 8", "few = gl.arange(0, 32, row_layout)",
]  # fmt: skip
"""What functions of Gluon's that take no block are given, by the names of their parameters."""
PLAIN = {
    "coord": "[0, 0]", "barrier": "bar", "mbarrier": "bar", "result": "tile", "smem": "flat", "dest": "tile",
    "dst": "tile", "src": "tile", "pred": "True", "x_offsets": "few", "y_offset": "0", "a": "left", "b": "left",
    "acc": "tmem", "count": "1", "phase": "0", "value": "x", "stored_value": "x", "bytes_per_cta": "16",
    "num_outstanding": "0", "pendings": "0", "offsets": "o", "mask": "m", "mem_desc": "flat", "layout": "tile_layout",
    "src_row_indices": "few", "dst_row_indices": "few", "add_offsets": "[0, 0]", "smems": "[tile]", "input": "x",
    "lhs": "x", "rhs": "x", "dtype": "gl.float32", "element_ty": "gl.float32", "shape": "[64, 64]",
    "strides": "[64, 1]", "block_shape": "[32, 32]",
}  # fmt: skip
ADDRESSES = {"tensor_desc", "desc", "ptr", "pointer", "base", "src", "dest"}
TYPES = {"p0": "*fp32", "p1": "*fp32", "p2": "*i32", "v": "*fp32"}
ALIKE = [dict.fromkeys(TYPES, kind) for kind in ("*fp32", "*i32")]


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


def modules() -> list[str]:
    """The last parts of the names of the languages' modules."""
    inside = [info.name for made in LANGUAGES for info in pkgutil.walk_packages(made.__path__, f"{made.__name__}.")]
    return sorted({path.rpartition(".")[2] for path in [*inside, TRITON, GLUON]})


def dtypes() -> dict[str, bool]:
    """The types that have names in the languages: whether one is a pointer's."""
    held = [(name, value) for made in LANGUAGES for name, value in vars(made).items()]
    return {name: value.is_ptr() for name, value in held if isinstance(value, tl.dtype)}


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


def named(path: str, function: Any) -> tuple[str, list[str], list[str]] | None:
    """The target, first lines and calls by name of a function of one maker's, each with an address in one place."""
    maker, _, module = path[len(GLUON) + 1 :].partition(".")
    if maker not in NAMED:
        return None
    generation = module.partition(".")[0]
    newest = generation in ("cdna5", "gfx1250")
    target = "cuda:100" if maker == "nvidia" else "hip:gfx1250" if newest else "hip:gfx950"
    try:
        takes = inspect.signature(getattr(function, "fn", function)).parameters.values()
    except (TypeError, ValueError):
        return None
    names = [p for p in takes if not p.name.startswith("_") and p.kind is p.POSITIONAL_OR_KEYWORD]
    wanted = [p for p in names if p.default is p.empty or ".tdm." in path and p.name in ("dest", "src", "add_offsets")]
    given = {p.name: PLAIN.get(p.name, "x") for p in wanted}
    place_of = "gl.nvidia.blackwell.tma" if maker == "nvidia" else f"gl.amd.{generation}.tdm"
    layout = "nvmma" if maker == "nvidia" else "padded"
    if "layout" in given and "block_shape" in given:
        given["layout"] = layout
    spelled = path.replace(GLUON, "gl", 1)
    calls = [f"{spelled}({', '.join(f'{name}={text}' for name, text in given.items())})"]
    for place, parameter in enumerate(names[:MOST]):
        if parameter.name not in ADDRESSES or parameter.name not in given:
            continue
        address = f"p{place}"
        block = "[1, 32]" if "x_offsets" in given else "[32, 32]"
        descriptor = f"{place_of}.make_tensor_descriptor({address}, [64, 64], [64, 1], {block}, {layout})"
        for text in (descriptor, address, f"({address} + o)"):
            inner = {**given, parameter.name: text}
            if ".tdm." in path:
                inner |= {"offsets": "[0, 0]"} if "offsets" in given else {}
            calls.append(f"{spelled}({', '.join(f'{name}={value}' for name, value in inner.items())})")
    lines = [line.replace("cdna5", generation) for line in NAMED[maker] if "cdna5" not in line or newest]
    if newest:
        lines.remove(next(line for line in lines if line.startswith("tile_layout")))
    return target, [*lines, *TILE], calls


def effects(
    engine: Compiler, folder: Path, made: list[str], first: list[str] | None = None, types: dict[str, str] = TYPES
) -> dict[str, list[int]]:
    """Which arguments are read or written through, and which come out again as an address."""
    found: dict[str, set[int]] = {"reads": set(), "writes": set(), "passes": set(), "compiled": set()}
    # A wrong call may end the process: each goes on in a child, from where the one before was ended.
    language = "gl" if made and made[0].startswith("gl.") else "tl"
    first = first or FIRST[GLUON if language == "gl" else TRITON]
    todo: list[tuple[str, str]] = list(itertools.product(made, ("{}", f"{language}.store({{}}, 1.0)")))
    while todo:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _told(engine, folder, todo, first, types, writer)
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


def _told(
    engine: Compiler, folder: Path, todo: list[tuple[str, str]], first: list[str], types: dict[str, str], writer: int
) -> None:
    """What each call does, one a line."""
    alone: set[str] = set()
    for call, used in todo:
        found: dict[str, list[int]] = {}
        if used != "{}" and call not in alone and (call, "{}") in todo:
            os.write(writer, b"{}\n")  # what doesn't compile alone has no result to store through
            continue
        file = folder / "k.py"
        language = GLUON if call.startswith("gl.") else TRITON
        body = "\n    ".join([*first, used.format(call)])
        head = f"{HEADS[language]}def kernel({', '.join(types)}):"
        file.write_text(f"{head}\n    {body}\n", encoding="utf-8")
        project = Project([str(folder)], [])
        slice_ = cut(project, project.module(str(file)).functions[0])
        signature = Signature(dict(types), {}, {name: Evidence("annotation", "", True) for name in types})
        lowered = engine.lower(slice_, signature)
        if lowered.ir is not None:
            alone.add(call)
            found["compiled"] = [0]
            facts = [fact for fact in analyze(lowered.ir, slice_, signature).parameters if fact.name != "v"]
            written = [int(fact.name[1]) for fact in facts if fact.write.sites]
            found["writes" if used == "{}" else "passes"] = written
            found["reads"] = [int(fact.name[1]) for fact in facts if fact.read.sites] if used == "{}" else []
        os.write(writer, (json.dumps(found) + "\n").encode())


def main() -> None:
    # A collection in a child copies all that it looks at: what is here stays, what a try makes goes with its child.
    gc.disable()
    engine = Compiler("cuda:90")
    engines: dict[str, Compiler] = {}
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
                folder = Path(directory).resolve()
                tried[path] = effects(engine, folder, calls(path, function))
                by_name = named(path, function)
                if by_name is not None:
                    target, first, made = by_name
                    if target not in engines:
                        engines[target] = Compiler(target)
                    for types in ALIKE:
                        more = effects(engines[target], folder, made, first, types)
                        tried[path] = {what: sorted({*tried[path][what], *more[what]}) for what in more}
    # The last line: what is tried prints, too.
    told = {"functions": kinds, "methods": methods(), "modules": modules(), "types": dtypes(), "tried": tried}
    print(json.dumps(told))


main()
