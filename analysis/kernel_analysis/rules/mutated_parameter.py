"""``mutated-parameter``: the kernel writes through this parameter. A hint where that is its job, a warning where the
name or annotation says input. May not warn about what an in-place kernel does on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernel_analysis import paths
from kernel_analysis.report import Finding, ParameterReport, Related, SiteReport
from kernel_analysis.rules.subject import Subject, through

CODE = "mutated-parameter"

_INPUT = {"in", "inp", "inps", "input", "inputs", "src", "source", "const"}
# What may stand beside it: `input_ptr`, `src_data`, `in_ptr0`. `input_grad_ptr`, `input_scale_ptr`, `in_out_ptr` are
# outputs or both.
_NEUTRAL = {
    "ptr",
    "ptrs",
    "pointer",
    "base",
    "tensor",
    "buffer",
    "buf",
    "data",
    "desc",
    "descriptor",
    "matrix",
    "array",
    "x",
    "a",
    "b",
}
_OPERAND = re.compile(r"[xab](_?ptrs?|_pointer|_desc)?\d?")
_IN_PLACE = re.compile(r"in_?place|_$", re.IGNORECASE)
_SITES_SHOWN = 20


def check(subject: Subject) -> Iterator[Finding]:
    for parameter in subject.report.parameters:
        if parameter.written == "yes":
            yield _finding(
                subject, parameter, parameter.write_sites, f"`{parameter.name}` is mutated: {subject.noun} writes it"
            )
        if parameter.table_written == "yes":
            what = (
                f"what the pointers in `{parameter.name}` point to is mutated: {subject.noun} writes through the table"
            )
            yield Finding(CODE, "hint", what, parameter.span, _related(parameter.table_write_sites))


def _finding(subject: Subject, parameter: ParameterReport, sites: list[SiteReport], message: str) -> Finding:
    why = _why_input(subject, parameter)
    if why is None:
        return Finding(CODE, "hint", message, parameter.span, _related(sites))
    return Finding(CODE, "warning", f"{message}, although {why}", parameter.span, _related(sites))


def _why_input(subject: Subject, parameter: ParameterReport) -> str | None:
    """Why a reader takes the parameter for an input, as the end of a sentence; None when nothing says so."""
    name = paths.owner(parameter.name)
    if any(p.const for p in subject.function.parameters if p.name == name):
        return "it is annotated `tl.const`"
    if _IN_PLACE.search(subject.function.name) or _IN_PLACE.search(name):
        return None
    words = {re.sub(r"\d+$", "", word) for word in name.lower().split("_")} - {""}
    if words & _INPUT and words <= _INPUT | _NEUTRAL:
        return "its name says that it is an input"
    if subject.report.role == "kernel" and parameter.read == "yes" and _OPERAND.fullmatch(name):
        outputs = [p.name for p in subject.report.parameters if p.written == "yes" and p.read == "no"]
        if outputs:
            return f"it is also read, and `{outputs[0]}` is there for the output"
    return None


def _related(sites: list[SiteReport]) -> tuple[Related, ...]:
    """One for each writing line and way to it."""
    seen: dict[tuple[str, int, str], Related] = {}
    for site in sites:
        way = through(site.path)
        under = " under a mask" if site.masked else ""
        under += f" when `{site.condition}`" if site.condition else ""
        seen.setdefault(
            (site.span.file, site.span.line, way), Related(site.span, f"written here{under} ({site.op}){way}")
        )
    related = list(seen.values())
    if len(related) > _SITES_SHOWN:
        last = related[_SITES_SHOWN - 1]
        more = len(related) - _SITES_SHOWN
        related[_SITES_SHOWN - 1 :] = [Related(last.span, f"{last.message}; {more} more places write it")]
    return tuple(related)
