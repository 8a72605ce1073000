"""The types and values that a code generator's decorator gives a kernel's parameters, as evidence.

What a decorator says is what the kernel is launched with; only a block's extent, of which it gives a bound, is a guess.
"""

from __future__ import annotations

import ast
from typing import Any

from kernel_analysis.signature.evidence import annotations
from kernel_analysis.signature.parameter_evidence import EXTENT
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.source.tree.triton_meta import declared


class Generated:
    """Of one kernel; says nothing of a kernel that no generator wrote."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._declared = declared(function)

    def type(self, name: str) -> tuple[str, Evidence] | None:
        """The type of a parameter; None if none is given or Triton has no such type."""
        if self._declared is None or name not in self._declared.types:
            return None
        written, line = self._declared.types[name]
        evidence = Evidence("annotation", f"triton_meta['signature'] says {written}", True, line)
        if name in self._declared.constants or written == "constexpr":
            return "constexpr", evidence
        type = written if written.startswith("tensordesc<") else annotations.type_of(ast.Constant(written))
        return None if type is None else (type, evidence)

    def values(self, name: str) -> list[tuple[Any, Evidence]]:
        """The values of a compile-time parameter, likeliest first."""
        if self._declared is None:
            return []
        found: list[tuple[Any, Evidence]] = []
        if name in self._declared.constants:
            value, line = self._declared.constants[name]
            found.append((value, Evidence("annotation", f"triton_meta['constants'] says {value!r}", True, line)))
        for value, line in self._declared.configs.get(name, ()):
            found.append((value, Evidence("autotune", f"an autotune config has {value!r}", True, line)))
        for prefix, (size, line) in self._declared.sizes.items():
            if name == f"{prefix.upper()}BLOCK":
                extent = min(1 << (size.bit_length() - 1), EXTENT)
                found.append((extent, Evidence("autotune", f"size_hints say {prefix}: {size}", False, line)))
        return found
