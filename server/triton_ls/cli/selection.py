"""Which findings a ``check`` is asked for: of which rules, and on which lines. May not say how they are printed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernel_analysis.report import Finding
from triton_ls.cli.user_error import UserError
from triton_ls.settings import CODES

if TYPE_CHECKING:
    from triton_ls.cli.changed_lines import Base


@dataclass(frozen=True, repr=False)
class Wanted:
    """``only``: of these rules, None for all."""

    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()
    since: Base | None = None

    @classmethod
    def of(cls, options: argparse.Namespace) -> Wanted:
        """What the arguments say. Raises UserError."""
        only, never = _codes("--select", options.select), _codes("--ignore", options.ignore)
        since = None
        if options.diff is not None:
            from triton_ls.cli.changed_lines import find_base

            since = find_base(options.paths[0], options.diff)
        return cls(only, never or frozenset(), since)

    def of_these(self, findings: Iterable[Finding]) -> list[Finding]:
        rules = [f for f in findings if (self.only is None or f.code in self.only) and f.code not in self.never]
        return rules if self.since is None else [f for f in rules if self.since.touches(f)]

    def __repr__(self) -> str:
        """The same for the same question: sets have no order of their own."""
        return repr((None if self.only is None else sorted(self.only), sorted(self.never), self.since))


def _codes(option: str, given: Sequence[str] | None) -> frozenset[str] | None:
    if given is None:
        return None
    codes = frozenset(code.strip() for text in given for code in text.split(",") if code.strip())
    unknown = sorted(codes.difference(CODES))
    if not codes and option == "--select":
        raise UserError("--select names no rule: nothing would be found.")
    if unknown:
        raise UserError(f"{option} {unknown[0]}: there is no such rule. The rules are {', '.join(sorted(CODES))}.")
    return codes
