"""Further signatures for what a kernel does by the type of what a pointer points to: ``if x.dtype.is_fp8(): ...``.

Asks only what the tests ask; what a branch does is of no interest here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.evident import EvidentValue
from kernel_analysis.signature.known import Choice
from kernel_analysis.signature.model import Evidence, Signature
from kernel_analysis.signature.notes import Branch
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import Slice, TritonObject
from kernel_analysis.source.syntax import descend

_ASKED: Final = {"dtype", "type", "element_ty", "scalar"}
_IS: Final = {
    "is_fp8": "fp8e5", "is_fp8e5": "fp8e5", "is_fp8e4nv": "fp8e4nv", "is_fp16": "fp16", "is_bf16": "bf16",
    "is_fp32": "fp32", "is_fp64": "fp64", "is_floating": "fp32", "is_int": "i32", "is_int8": "i8", "is_int16": "i16",
    "is_int32": "i32", "is_int64": "i64", "is_uint8": "u8",
}  # fmt: skip
"""What is asked of a dtype, and one of which it is true."""
_MOST: Final = 3

Demand = tuple[str, str]
"""A pointer parameter, and what it should point to."""


def variants(
    slice: Slice, branches: Iterable[Branch], choices: dict[str, Choice], likeliest: Signature
) -> Iterator[Signature]:
    """The likeliest signature with other pointers: first all that the tests ask for at once, then what else they ask of
    one pointer, then all but the one that is asked about most often, as a test within another is."""
    wanted = Counter(demand for branch in branches for demand in _demands(slice, branch, choices))
    together: dict[str, str] = {}
    for path, dtype in wanted:
        together.setdefault(path, dtype)
    tried = [together] if together else []
    tried += [{path: dtype} for path, dtype in wanted if together[path] != dtype]
    if len(together) > 1:
        tried += [{p: d for p, d in together.items() if p != path} for (path, _), _ in wanted.most_common()]
    for demand in tried[:_MOST]:
        types, evidence = dict(likeliest.types), dict(likeliest.evidence)
        for name, dtype in demand.items():
            types[name] = f"*{dtype}"
            evidence[name] = Evidence("use", "to reach another branch", False, choices[name].evidence.line)
        yield replace(likeliest, types=types, evidence=evidence)


def _demands(slice: Slice, branch: Branch, choices: dict[str, Choice]) -> Iterator[Demand]:
    for node in descend(branch.test):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _IS:
            asked, dtypes = node.func.value, [_IS[node.func.attr]]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            asked, dtypes = node.left, _dtypes(slice, branch, node.comparators[0])
        else:
            continue
        path = _pointer(slice, branch, asked)
        choice = choices.get(path or "")
        if path is None or choice is None or choice.evidence.kind == "annotation":
            continue
        kind = choice.type
        if not isinstance(kind, str) or not kind.startswith("*") or not dtypes:
            continue
        if kind[1:] not in dtypes:
            yield path, dtypes[0]
        else:
            yield path, "fp32" if "fp32" not in dtypes else "fp16"


def _pointer(slice: Slice, branch: Branch, asked: ast.expr) -> str | None:
    """The parameter whose element type is asked for: of the pointer itself, or of what was loaded through it."""
    inner = asked
    while isinstance(inner, ast.Attribute) and inner.attr in _ASKED:
        inner = inner.value
    if inner is asked:
        return None
    value = coverage.value(slice, branch, inner)
    loaded = {origin.path for origin in value.origins if origin.depth == 1}
    own = {origin.path for origin in value.origins if origin.depth == 0 and origin.addend}
    found = loaded or own
    return found.pop() if len(found) == 1 else None


def _dtypes(slice: Slice, branch: Branch, node: ast.expr) -> list[str]:
    value = coverage.value(slice, branch, node)
    return [dtype for part in value.items or [value] if (dtype := _spelling(part)) is not None]


def _spelling(value: EvidentValue) -> str | None:
    if isinstance(value.const, TritonObject):
        return LANGUAGE.get(value.const.path.rpartition(".")[2])
    return None
