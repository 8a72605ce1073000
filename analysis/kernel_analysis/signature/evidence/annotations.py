"""What a parameter's annotation says, read as Triton reads it: as text. Never evaluated."""

from __future__ import annotations

import ast
from typing import Final

from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.tree.syntax import kept_with_trees

_SPELLINGS: Final = {
    **LANGUAGE,
    **{short: short for short in LANGUAGE.values()},
    "bool": "i1",
    "u1": "i1",
    "uint1": "i1",
    "half": "fp16",
    "float": "fp32",
    "double": "fp64",
    "int": "i32",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}


def text(annotation: ast.expr | None) -> str:
    """The annotation as text, a string annotation without its quotes."""
    if annotation is None:
        return ""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.strip()
    return _unparsed(annotation)


@kept_with_trees(4096)
def _unparsed(annotation: ast.expr) -> str:
    """Asked for many times for each parameter."""
    return ast.unparse(annotation)


def is_constexpr(annotation: ast.expr | None) -> bool:
    """Whether the parameter is a compile-time constant: Triton looks for the word."""
    return annotation is not None and "constexpr" in text(annotation)


def type_of(annotation: ast.expr | None) -> str | None:
    """The type that an annotation fixes: ``tl.int32``, ``"*fp32"``, ``tl.pointer_type(tl.float32)``, ``"const
    float*"``; None if it fixes none."""
    if isinstance(annotation, ast.Call) and annotation.args and text(annotation.func).endswith("pointer_type"):
        inner = type_of(annotation.args[0])
        return None if inner is None else f"*{inner}"
    written = text(annotation)
    const = written.startswith("const ")
    written = written.removeprefix("const ").strip()
    levels = 0
    while written.startswith("*") or written.endswith("*"):
        levels += 1
        written = written.removeprefix("*") if written.startswith("*") else written.removesuffix("*").strip()
    if levels and written.startswith("k"):
        const, written = True, written[1:]
    dtype = _SPELLINGS.get(written.rsplit(".", 1)[-1])
    if dtype is None:
        return None
    if const and levels:
        return "*k" + "*" * (levels - 1) + dtype
    return "*" * levels + dtype


def is_pointer(annotation: ast.expr | None) -> bool:
    """Whether the annotation says that it is a pointer or a tensor, of whatever: ``tl.const``, ``tl.pointer_type``,
    ``torch.Tensor``."""
    written = text(annotation)
    return written.rsplit(".", 1)[-1] in ("const", "Tensor", "pointer_type")


def is_descriptor(annotation: ast.expr | None) -> bool:
    """Whether the annotation says that it is a tensor descriptor."""
    return "tensor_descriptor" in text(annotation) or "TensorDescriptor" in text(annotation)
