"""Further signatures for what a kernel does by the type of what a pointer points to: ``if x.dtype.is_fp8(): ...``.

Asks only what the tests ask; what a branch does is of no interest here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from kernel_analysis.signature.body import element_types
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.parameter_evidence import Choice
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.syntax import descend

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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in element_types.IS:
            asked, dtypes = node.func.value, [element_types.IS[node.func.attr]]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            asked, dtypes = node.left, element_types.named(slice, branch, node.comparators[0])
        else:
            continue
        path = element_types.owner(slice, branch, asked)
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
