"""The reports of functions to which nothing happened while another was edited: the same facts about the same trees are
shown in the same places. Keeps trees, and so a few only; where nobody edits, none."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Literal

from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.attempt.symbolic_sizes import named
from kernel_analysis.dataflow.presentation import present
from kernel_analysis.facts import Facts
from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.report import KernelReport
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

_FUNCTIONS = 1024


class Presented:
    def __init__(self) -> None:
        # With the trees: as long as they are held, nothing else has their `id`.
        self._known: KeptByFunction[tuple[KernelReport, Facts, list[ast.FunctionDef]]] = KeptByFunction(_FUNCTIONS)

    def report(
        self, slice_: Slice, function: JitFunction, role: Literal["kernel", "helper"], outcome: Outcome, editor: bool
    ) -> KernelReport:
        """One of its own for who asks, without findings. ``editor``: somebody edits."""
        facts, signatures, tried = outcome.facts, outcome.signatures, outcome.tried
        if not editor:
            return present(facts, slice_, function, role, signatures, tried, editor)
        seen = signatures or ([] if outcome.failed is None else [outcome.failed])
        nodes = [member.node for member in slice_.functions]
        compiled = repr([(s.types, s.constants, s.evidence, s.launch_options, s.target, s.bound) for s in seen])
        whose = function.file, function.qualname, role
        key = slice_.hash, compiled, repr(tried), *map(id, nodes)
        known = self._known.get(whose, key)
        # What a helper does is found out anew from what its kernels do, and is the same as a rule.
        if known is None or known[1] != facts:
            symbolic = named(slice_.functions[0], facts, seen[0] if seen else None, bool(signatures))
            made = present(facts, slice_, function, role, signatures, tried, editor, symbolic)
            known = made, facts, nodes
            self._known.keep(whose, key, known)
        # How long it took, and that it was known, is each answer's own.
        return replace(known[0], signatures=signatures, findings=[])
