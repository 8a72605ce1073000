"""What differs between Triton 3.6 and 3.9, and everything that this package reaches for inside Triton. A new Triton
version goes here; what of its insides is used is listed in ``door``.

Importing this module imports triton. It may not import torch.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportPrivateImportUsage=false
from __future__ import annotations

import ast
import contextlib
import ctypes
import glob
import inspect
import os
import re
import sys
import warnings
from collections.abc import Mapping
from typing import Any

# First: it says what is wrong, where importing the rest would only fail.
# isort: off
from kernel_analysis.lowering import door

import triton
import triton.language as tl
from triton._C import libtriton
from triton._C.libtriton import ir as mlir
from triton.backends import backends
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource, code_generator, make_backend
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
from triton.experimental.gluon import language as gluon
from triton.experimental.gluon._runtime import GluonASTSource, GluonJITFunction
from triton.language.semantic import TritonSemantic
from triton.runtime.driver import driver
from triton.runtime.jit import ConstexprFunction, JITCallable, JITFunction
# isort: on

from kernel_analysis import paths
from kernel_analysis.lowering.gate.evaluation import EXECUTING

__all__ = [
    "ASTSource",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "ConstexprFunction",
    "GPUTarget",
    "GluonASTSource",
    "GluonJITFunction",
    "JITCallable",
    "JITFunction",
    "TritonSemantic",
    "code_generator",
    "made_functions",
    "make_backend",
    "mlir",
    "parse_target",
    "set_target",
    "tl",
    "triton",
]  # fmt: skip

triton_version = door.triton_version

# Facts are wanted even where Triton would refuse a plain global; the rule ``non-constexpr-global`` says that it would.
triton.knobs.compilation.allow_non_constexpr_globals = True

COLUMN_BASE = 1 if "begin_col" in inspect.signature(code_generator.CodeGenerator.__init__).parameters else 0
"""What Triton adds to ``ast``'s column: 3.6 and 3.7 nothing, 3.8 and later the column of the function's head, which
we set to 1."""

OPERATORS = {name for name, member in vars(tl.tensor).items() if name.startswith("__") and tl.core.is_builtin(member)}
"""The operators of blocks by their methods' names, which kernels may call: ``x.__rshift__(4)``."""

made_functions: dict[str, Any] = getattr(triton.runtime.jit, "_triton_jit_function_registry", {})
"""The jit functions that were made, by their names, which Triton (3.6 does not) holds as long as the process lives."""

STATIC_PRINTS = (tl.static_print, gluon.static_print)

BOUND_METHODS = tuple(
    found
    for module in (code_generator, sys.modules[JITFunction.__module__])
    for name in ("BoundJITMethod", "BoundConstexprFunction")
    if (found := getattr(module, name, None)) is not None
)
"""What a jit or constexpr function in a class becomes when it is asked of an instance."""

aggregate: Any = getattr(tl.core, "_aggregate", None)
"""Triton's decorator of classes; None where it is gone."""

aggregate_type: Any = getattr(tl.core, "_aggregate_type", None)
"""Of an aggregate's value; None where it is gone."""

AGGREGATES_INHERIT = hasattr(tl.core, "_resolve_aggregate_fields")
"""From 3.8 on aggregates have bases that are aggregates, defaults, and an ``__init__`` if they write none."""


def members_of_aggregates() -> frozenset[str]:
    """The names of what Triton itself puts into an aggregate."""
    return frozenset(dir(aggregate(type("Empty", (), {"__annotations__": {}, "__init__": lambda self: None}))))


def holds_class(kind: Any) -> bool:
    """Whether a type is an aggregate's, or one of its parts is."""
    if isinstance(kind, tl.core.tuple_type):
        return any(map(holds_class, kind.types))
    return hasattr(kind, "base_cls")


def take_objects(prototype: Any, parameters: list[str], made: Mapping[str, tuple[Any, tuple[str, ...]]]) -> None:
    """Make the kernel take objects of aggregates where the front end was told tuples of their fields. ``made``: by
    path, the class of each, and the names of its fields."""
    inside: set[tuple[int, ...]] = set()

    def taken(path: str, where: tuple[int, ...], kind: Any) -> Any:
        if not isinstance(kind, tl.core.tuple_type):
            return kind
        parts = [taken(paths.element(path, i), (*where, i), inner) for i, inner in enumerate(kind.types)]
        if path not in made:
            return tl.core.tuple_type(parts, kind.fields)
        cls, fields = made[path]
        inside.add(where)
        return aggregate_type(cls, list(zip(fields, parts, strict=True)))

    kinds = enumerate(zip(parameters, prototype.arg_types, strict=True))
    prototype.arg_types = [taken(name, (index,), kind) for index, (name, kind) in kinds]
    if hasattr(prototype, "constants"):  # up to 3.7 they are set once more, beside their types
        constants = prototype.constants.items()
        prototype.constants = {
            path: value for path, value in constants if not any(path[:length] in inside for length in range(len(path)))
        }


def argument_paths(generator: Any, node: ast.FunctionDef) -> list[str]:
    """The path of what each argument of a helper in the module is: a parameter, or a part of one. The versions name
    parts in different ways, and some not at all."""
    found: list[str] = []

    def part(path: str, kind: Any) -> None:
        if isinstance(kind, tl.core.tuple_type):
            for index, inner in enumerate(kind.types):
                part(paths.element(path, index), inner)
        elif holds_class(kind):
            for name, inner in kind.fields:
                part(paths.field(path, name), inner)
        elif isinstance(kind, tl.core.base_type):  # a constant's is no type at all in some versions
            handles: list[Any] = []
            kind._flatten_ir_types(generator.builder, handles)
            found.extend([path] * len(handles))

    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    names += [arguments.vararg.arg] if arguments.vararg else []
    names += [a.arg for a in arguments.kwonlyargs]
    kinds = generator.prototype.arg_types
    if len(kinds) == len(names):
        for name, kind in zip(names, kinds, strict=True):
            part(name, kind)
    return found


LOSES_PLACE = COLUMN_BASE == 0
"""Up to 3.7 an operation stands at the last argument that was visited before it, not at the call that made it."""


CONDITIONS: Any = code_generator._condition_types
"""The types of constants that a test may be of."""


class _TargetDriver:
    """Answers which GPU is meant, where there is none: ``tl.target_info.is_cuda()`` would silently be False without."""

    def __init__(self, target: GPUTarget) -> None:
        self._target = target

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        return 0


def set_target(target: GPUTarget) -> None:
    """Make ``target`` what the front end takes for the active GPU."""
    active: Any = _TargetDriver(target)
    driver.set_active(active)


def parse_target(text: str) -> GPUTarget:
    """``cuda:90``, ``hip:gfx942`` or another installed backend's ``name:arch``. Raises ValueError with a sentence for
    the user."""
    name, _, arch = text.partition(":")
    if name not in {"cuda", "hip"} and name not in backends:
        known = ", ".join(sorted({"cuda", "hip", *backends}))
        raise ValueError(
            f"unknown target `{text}`: the installed Triton has the backends {known}; write for example `cuda:90`"
        )
    if not arch:
        raise ValueError(f"the target `{text}` names no architecture: write for example `cuda:90` or `hip:gfx942`")
    if name == "cuda" and not arch.isdigit():
        raise ValueError(f"the architecture of `{text}` is no number: write for example `cuda:90`")
    warp_size = 64 if name == "hip" and arch.startswith("gfx9") else 32
    return GPUTarget(name, int(arch) if arch.isdigit() else arch, warp_size)


def other_targets(target: GPUTarget) -> list[GPUTarget]:
    """A target for each of Triton's own backends that is not the one of ``target``."""
    own = [GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)]
    return [
        other
        for other in own
        if other.backend != target.backend and any(b.compiler.supports_target(other) for b in backends.values())
    ]


_BLOCK = re.compile(r"(\*?)(\w+)\[([\d, ]+)\]$")
_SCALAR = re.compile(r"\*?k?\*{0,3}\w+$")
_DESCRIPTOR = re.compile(r"tensordesc(?:_im2col)?<\w+\[[\d, ]+\](?:,input_rank=\d)?(,(?P<layout>[\w ,()\[\]=]*))?>$")
_LAYOUTS = ("NVMMASharedLayout", "SwizzledSharedLayout", "PaddedSharedLayout")


def _is_layout(descriptor: str) -> bool:
    """Whether the layout of a descriptor's type is none, or plain numbers given to a layout: Triton evaluates it, after
    it has cut out what reads like a rank."""
    match = _DESCRIPTOR.match(descriptor)
    if match is None or match["layout"] is None:
        return match is not None
    try:
        made = ast.parse(match["layout"].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(made, ast.Call) and all(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id in _LAYOUTS
        or isinstance(part, ast.Name)
        and part.id in _LAYOUTS
        or isinstance(part, ast.Constant)
        and isinstance(part.value, int)
        or isinstance(part, ast.keyword)
        and part.arg != "input_rank"
        or isinstance(part, ast.List | ast.Tuple | ast.Load)
        for part in ast.walk(made)
    )


def _type_from_text(original):
    """Triton's ``str_to_ty`` plus blocks (``fp32[128]``, ``*fp32[128]``), which helpers take as arguments."""

    def convert(name, constant):
        if isinstance(name, tuple):  # as Triton does, which would not come back here for the elements
            return tl.tuple_type([convert(part, constant) for part in name], type(name).__dict__.get("_fields"))
        if isinstance(name, str):
            block = _BLOCK.match(name)
            if block:
                shape = [int(size) for size in block[3].split(",")]
                element = original(block[1] + block[2], None)
                return tl.block_type(element, shape)
            if not (_SCALAR.match(name) or _DESCRIPTOR.match(name) and _is_layout(name)):
                raise ValueError(f"`{name}` is no Triton type")
        return original(name, constant)

    EXECUTING.append((original.__code__, convert.__code__))  # a descriptor's layout, which was looked at above
    return convert


def default_layout(descriptor: str, blocks: int, split: Any) -> str:
    """A descriptor type of a Gluon kernel with the shared-memory layout that Gluon takes by default, unless it has
    one. ``blocks``: the thread blocks of a cluster, which divide the rows among them where ``split`` says nothing
    else."""
    match = re.fullmatch(r"(tensordesc\w*<(\w+)\[([\d, ]+)\](?:,input_rank=\d)?)>", descriptor)
    if not match:
        return descriptor
    from triton.experimental.gluon.language import NVMMASharedLayout

    shape = [int(size) for size in match[3].split(",")]
    default: Any = NVMMASharedLayout.get_default_for
    rows = [[1 << i, *[0] * (len(shape) - 1)] for i in range(blocks.bit_length() - 1)]
    if split and len(split) == len(rows) and all(len(row) == len(shape) for row in split):
        rows = [list(row) for row in split]
    layout = default(shape, tl.str_to_ty(match[2], None), **({"cga_layout": rows} if rows else {}))
    return f"{match[1]},{layout!r}>"


code_generator.str_to_ty = _type_from_text(code_generator.str_to_ty)


def is_value(value: Any) -> bool:
    """Whether it is what a kernel computes with: a block, a scalar, a tuple, a constant."""
    return isinstance(value, tl.core.base_value)


def handles(value: Any) -> list[Any]:
    """The compiler's values behind one of the front end's: none for a constant, several for a tuple."""
    found: list[Any] = []
    value._flatten_ir(found)
    return found


def declare(generator: Any, result: Any) -> None:
    """What ``CodeGenerator.visit_FunctionDef`` does for a function that returns this type, without its body."""
    generator.ret_type = result
    if isinstance(result, tl.tuple_type):
        types = list(result.types)
    else:
        types = [] if result is None or result == tl.void else [result]
    generator.prototype.ret_types = types
    kind = generator.prototype.serialize(generator.builder)
    name, noinline = generator.function_name, generator.noinline
    made = generator.builder.get_or_insert_function(generator.module, name, kind, "private", noinline)
    generator.module.push_back(made)


def stages(backend: Any, options: Any, gluon: bool) -> dict[str, Any]:
    """The backend's steps behind the front end, by the name of what each makes: ``step(module, metadata)``."""
    made: dict[str, Any] = {}
    backend.add_stages(made, options, Language.GLUON if gluon else Language.TRITON)
    return made


@contextlib.contextmanager
def tools_talk():
    """While a kernel is compiled to the end, ptxas says what it used; Triton throws that away otherwise."""
    if not door.has("knobs.nvidia.dump_ptxas_log"):
        yield
        return
    before = triton.knobs.nvidia.dump_ptxas_log
    triton.knobs.nvidia.dump_ptxas_log = True
    try:
        yield
    finally:
        triton.knobs.nvidia.dump_ptxas_log = before


def tools() -> list[str]:
    """The programs that Triton brings for its later stages, and those that the user's environment names."""
    own = glob.glob(os.path.join(os.path.dirname(triton.__file__), "backends", "*", "bin", "*"))
    names = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_NVDISASM_PATH", "TRITON_CUOBJDUMP_PATH")
    return [*own, *filter(None, map(os.environ.get, names))]


def disassembler() -> str | None:
    """nvdisasm, where Triton brings it or the user's environment names it."""
    try:
        return triton.knobs.nvidia.nvdisasm.path
    except RuntimeError:  # what Triton raises where it finds none that runs
        return None


_VERSION = tuple(int(part) for part in re.findall(r"\d+", triton_version)[:2])


def _no_pointer_to_pointer(original):
    """From 3.9 on a pointer to a pointer aborts the process; here it is an error like others."""

    def to_ir(self, builder):
        if self.element_ty.is_ptr():
            raise TypeError(
                f"Triton {triton_version} has no pointers to pointers: keep the addresses as int64 and turn one into a "
                "pointer with `.to(tl.pointer_type(...))`"
            )
        return original(self, builder)

    return to_ir


if _VERSION >= (3, 9):
    tl.pointer_type.to_ir = _no_pointer_to_pointer(tl.pointer_type.to_ir)


def _print_as_verified() -> None:
    """MLIR verifies a module again whenever it prints it, which takes as long as the printing. What we print is
    verified, by the front end or a pass; no binding of Triton's says so to MLIR, but an option does. Builds that keep
    the functions which set it to themselves (3.6) print more slowly, and the same; so do later versions than were
    tried, because an option that MLIR does not know would end the process."""
    if _VERSION >= (3, 10):
        return
    library = ctypes.CDLL(libtriton.__file__)
    register = getattr(library, "_ZN4mlir27registerAsmPrinterCLOptionsEv", None)
    parse = getattr(library, "LLVMParseCommandLineOptions", None)
    if register is not None and parse is not None:
        register.restype = parse.restype = None
        register()
        parse(2, (ctypes.c_char_p * 2)(b"triton-ls", b"--mlir-print-assume-verified"), b"")
        # The front end prints what does not verify, for nobody: that is no longer safe.
        code_generator.print = lambda *_: None


_print_as_verified()

# Triton's own advice to users (fusion defaults, deprecated operators) goes to people who run it, not to a log.
warnings.simplefilter("ignore")
