"""The door to Triton: everything of its insides that this package calls, overrides or replaces stands here, in two
lists, and is looked at before it is used.

``NEEDED``: what guards us and what we live by. One that is missing, or takes something else, and nothing is analysed.
``QUICKER``: short cuts. Without one, the long way is taken, and the log says so.
Importing this module imports triton, or raises ImportError where there is none. It may not import torch.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportPrivateImportUsage=false
from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import types
from dataclasses import dataclass
from typing import Any

# The interpreter and the debugging switches would replace the compiler that we are here to ask.
for _name in ("TRITON_INTERPRET", "TRITON_FRONT_END_DEBUGGING", "TRITON_KERNEL_OVERRIDE", "TRITON_KERNEL_DUMP"):
    os.environ.pop(_name, None)

from kernel_analysis.lowering.plugins import usable_plugins  # noqa: E402

with usable_plugins():
    import triton

from kernel_analysis import __version__  # noqa: E402
from kernel_analysis.lowering.triton_changed import TritonChanged  # noqa: E402

triton_version: str = triton.__version__


@dataclass(frozen=True)
class Part:
    """``path``: the module, then after a colon the way to the object in it. ``takes``: how many arguments it is called
    with by place, or None for what is not called, or only by names of ours."""

    path: str
    takes: int | None = None

    @property
    def name(self) -> str:
        return self.path.replace(":", ".")

    def owner(self) -> Any:
        """What it is an attribute of. Raises ImportError or AttributeError."""
        module, _, way = self.path.partition(":")
        return functools.reduce(getattr, way.split(".")[:-1], importlib.import_module(module))

    def wrong(self) -> bool:
        """Whether it is missing, or can't be called as it is."""
        name = self.path.rpartition(":")[2].rpartition(".")[2]
        try:
            owner = self.owner()
            found = getattr(owner, name)
        except (ImportError, AttributeError):
            return True
        if isinstance(owner, type) and name not in vars(owner):
            return True  # another's, which does something else
        return self.takes is not None and not _can_be_called(found, self.takes)


def _can_be_called(function: Any, takes: int) -> bool:
    """With so many arguments by place, and no more."""
    # Nearly all of them are, and a signature takes its time to make.
    if type(function) is types.FunctionType and not hasattr(function, "__wrapped__"):
        code = function.__code__
        named = code.co_kwonlyargcount - len(function.__kwdefaults__ or ())
        least = code.co_argcount - len(function.__defaults__ or ())
        return least <= takes and (takes <= code.co_argcount or bool(code.co_flags & inspect.CO_VARARGS)) and not named
    try:
        inspect.signature(function).bind(*range(takes))
    except ValueError:  # one of the bindings: they have no signature
        return callable(function)
    except TypeError:
        return False
    return True


def _parts(module: str, *ways: str | tuple[str, int]) -> tuple[Part, ...]:
    return tuple(
        Part(f"{module}:{way}") if isinstance(way, str) else Part(f"{module}:{way[0]}", way[1]) for way in ways
    )


_GENERATOR = "triton.compiler.code_generator"
_JIT = "triton.runtime.jit"
_CORE = "triton.language.core"
_GLUON = "triton.experimental.gluon._runtime"
_LIBTRITON = "triton._C.libtriton"

# What ``gated_generator``, ``decisions`` and ``frontend`` override, counted with ``self``.
_OVERRIDDEN = (
    ("visit", 2), ("visit_FunctionDef", 2), ("visit_Return", 2), ("visit_Assign", 2), ("visit_AugAssign", 2),
    ("visit_AnnAssign", 2), ("visit_Attribute", 2), ("visit_Call", 2), ("visit_Compare", 2), ("visit_With", 2),
    ("visit_Name", 2), ("visit_Subscript", 2), ("visit_if_top_level", 3), ("visit_compound_statement", 2),
    ("visit_If", 2), ("visit_then_else_blocks", 5), ("visit_For", 2), ("visit_IfExp", 2), ("visit_Subscript_Load", 2),
    ("set_value", 3), ("get_Attribute", 3), ("call_JitFunction", 4), ("call_Function", 5), ("_apply_binary_method", 5),
)  # fmt: skip

NEEDED: tuple[Part, ...] = (
    *_parts(_GENERATOR, "CodeGenerator", ("str_to_ty", 2), ("ast_to_ttir", 6), "mangle_fn"),
    *_parts(_GENERATOR, *((f"CodeGenerator.{name}", takes) for name, takes in _OVERRIDDEN)),
    *_parts(
        _GENERATOR,
        "_condition_types",
        "CodeGenerator.builtin_namespace",
        "CodeGenerator.statically_implemented_functions",
    ),
    *_parts(_JIT, "JITFunction", "JITCallable", "ConstexprFunction", ("JITCallable.parse", 1)),
    *_parts(_GLUON, "GluonASTSource", "GluonJITFunction"),
    *_parts("triton.compiler", "ASTSource", ("ASTSource.make_ir", 6), ("make_backend", 1)),
    *_parts("triton.compiler.errors", "CompilationError", "CompileTimeAssertionFailure"),
    *_parts("triton.backends", "backends"),
    *_parts("triton.backends.compiler", "GPUTarget", "Language"),
    *_parts("triton.runtime.driver", ("driver.set_active", 1)),
    *_parts("triton", "knobs.compilation.allow_non_constexpr_globals"),
    *_parts(_CORE, ("is_builtin", 1), "base_value", "tensor", "constexpr", "tuple", "tuple_type", "dtype", "void"),
    *_parts(_CORE, "block_type", "pointer_type", ("pointer_type.to_ir", 2), "static_assert", "static_print", "where"),
    *_parts("triton.language", ("str_to_ty", 2), "tensor", "static_range"),
    *_parts("triton.experimental.gluon.language", "static_assert", "static_print"),
    *_parts("triton.experimental.gluon.language", "NVMMASharedLayout.get_default_for"),
    *_parts(_LIBTRITON, "ir.context", ("ir.load_dialects", 1), "ir.builder.set_loc", "ir.builder.create_loc"),
)

QUICKER: tuple[Part, ...] = (
    # ``quick_types``
    *_parts(_CORE, ("tensor.__init__", 3), ("block_type.__init__", 3), ("tuple.__eq__", 2), ("dtype.__eq__", 2)),
    *_parts("triton.language.semantic", ("TritonSemantic.broadcast_impl_value", 3)),
    *_parts(_GENERATOR, "inspect"),
    # ``loops``
    *_parts(_GENERATOR, ("CodeGenerator._find_carries", 3), ("CodeGenerator._verify_loop_carried_variable", 4)),
    *_parts(_CORE, ("base_value._flatten_ir", 2)),
    # ``quick_nodes``
    *_parts(_GENERATOR, ("CodeGenerator.visit_Constant", 2), ("CodeGenerator.visit_keyword", 2)),
    *_parts(_GENERATOR, ("CodeGenerator.visit_Slice", 2), ("CodeGenerator._name_loc_prefix", 2)),
    *_parts(_GENERATOR, ("CodeGenerator._maybe_set_loc_to_name", 3)),
    # ``compat.declare``
    *_parts(_LIBTRITON, "ir.builder.get_or_insert_function", "ir.module.push_back"),
    *_parts(_GENERATOR, ("ASTFunction.serialize", 2)),
    # ``compat.tools_talk``
    *_parts("triton", "knobs.nvidia.dump_ptxas_log"),
)

_wrong = next((part for part in NEEDED if part.wrong()), None)
if _wrong is not None:
    raise TritonChanged(
        f"Triton {triton_version} changed `{_wrong.name}`: triton-ls {__version__} can't use it safely, and analyses "
        "nothing with it. Install a newer triton-ls, or choose an interpreter with another Triton"
    )

_missing = {part.name for part in QUICKER if part.wrong()}
for _name in sorted(_missing):
    print(
        f"triton-ls: Triton {triton_version} changed `{_name}`: compiling takes the long way round it", file=sys.stderr
    )


def has(*names: str) -> bool:
    """Whether the installed Triton has these parts of ``QUICKER`` (``quick_types``'s by the ends of their names)."""
    known = {part.name for part in QUICKER}
    for name in names:
        found = [whole for whole in known if whole.endswith(name)]
        assert found, f"{name} is not on the list"
        if not _missing.isdisjoint(found):
            return False
    return True
