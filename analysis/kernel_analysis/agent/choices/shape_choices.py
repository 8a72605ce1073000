"""The types of a kernel's values for one choice of its constants: as a launch or a config in sight sets them, or as
they were chosen for want of these. Compiled because somebody asked; may not cache or report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kernel_analysis import wire
from kernel_analysis.agent.choices.config_sets import sets_of
from kernel_analysis.agent.on_demand import function_of, slice_of
from kernel_analysis.agent.protocol.requests import BadRequest
from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.signature_text import type_text
from kernel_analysis.dataflow.presentation import present
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature

_MOST = 64


def shapes(project: Project, compiler: Compiler, file: str, qualname: str, choice: str | None) -> wire.ShapeChoices:
    """What can be chosen, and the values under ``choice``, None where nothing is chosen. BadRequest where the choice is
    none any more, or does not compile."""
    function = function_of(project, file, qualname)
    slice_ = slice_of(project, function)
    signatures = infer(project, function, slice_)
    base, lowered = Work(compiler, slice_).first(signatures)
    if lowered.problem is not None:
        raise BadRequest(f"`{qualname}` could not be compiled: {lowered.problem.message}")
    subject = FileSubject(project, project.module(file))
    given = (one.signature for one in sets_of(project, subject, function, slice_, base))
    choices = _labelled([base, *signatures, *given])
    if choice is None:
        return wire.ShapeChoices(slice_.hash, list(choices))
    if choice not in choices:
        raise BadRequest(f"`{qualname}` is no longer launched or configured with {choice}.")
    outcome = Work(compiler, slice_).outcome([replace(choices[choice], later=False)])
    if not outcome.signatures:
        raise BadRequest(f"`{qualname}` does not compile with {choice}: {outcome.facts.problems[0].message}")
    report = present(outcome.facts, slice_, function, "kernel", outcome.signatures[:1], outcome.tried)
    return wire.ShapeChoices(slice_.hash, list(choices), report.values)


def _labelled(signatures: Iterable[Signature]) -> dict[str, Signature]:
    """Each with what tells it from the others; of those that a label does not tell apart, the first."""
    every = list(signatures)
    names = {name: None for signature in every for name in signature.types}
    texts = [{name: type_text(signature, name) for name in names if name in signature.types} for signature in every]
    differ = [name for name in names if len({text.get(name) for text in texts}) > 1]
    found: dict[str, Signature] = {}
    for signature, text in zip(every, texts, strict=True):
        label = ", ".join(_item(name, text[name]) for name in differ if name in text)
        if label and len(found) < _MOST:
            found.setdefault(label, signature)
    return found


def _item(name: str, text: str) -> str:
    """``BLOCK = 64``, ``x_ptr: *fp16``."""
    return f"{name} = {text.removeprefix('constexpr = ')}" if text.startswith("constexpr = ") else f"{name}: {text}"
