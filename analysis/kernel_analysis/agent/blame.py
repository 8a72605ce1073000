"""Whose fault a failed compile is: the user's code, or the types that we guessed for it. Never accuses on a guess."""

from __future__ import annotations

import ast
from dataclasses import replace

from kernel_analysis.agent.texts import type_text
from kernel_analysis.facts import Problem
from kernel_analysis.signature.model import Signature
from kernel_analysis.source.slice import Slice, Unresolved

_NAMED = 4
# Triton says this of a name, whatever its type; the rule `non-constexpr-global` says what to do about it.
_GLOBAL = "Cannot access global variable"


def guessed(signature: Signature) -> list[str]:
    """The parameters whose type or value nothing in the user's code fixes."""
    return [name for name, evidence in signature.evidence.items() if not evidence.certain]


def is_certain(problem: Problem, signature: Signature) -> bool:
    """Whether no other signature could make the problem go away."""
    return problem.certain or problem.message.startswith(_GLOBAL) or not guessed(signature)


def understood(problem: Problem, slice_: Slice) -> Problem:
    """A name that stands nowhere is the user's error, although nobody could say what it means."""
    if problem.code != "not-analyzed":
        return problem
    for function in slice_.functions:
        for name, binding in function.bindings.items():
            undefined = f"`{name}` is not defined."
            if isinstance(binding, Unresolved) and binding.reason == undefined == problem.message:
                return replace(problem, code="compile-error", message=undefined[:-1], certain=True)
    return problem


def fair(problem: Problem, signature: Signature, slice_: Slice) -> Problem:
    """The problem as it may be shown: an error that a guess could have caused becomes ``not-analyzed`` and names the
    guesses."""
    if problem.code == "not-analyzed" or is_certain(problem, signature):
        return problem
    names = guessed(signature)
    mentioned = _mentioned(problem, slice_)
    near = [name for name in names if name in mentioned] or names
    shown = ", ".join(f"`{name}` ({type_text(signature, name)})" for name in near[:_NAMED])
    if len(near) > _NAMED:
        shown += f" and {len(near) - _NAMED} more"
    message = f"could not be compiled with what was guessed for {shown}: {problem.message}"
    hint = "Annotate the parameter, or launch the kernel in this file, to say what it is."
    return replace(problem, code="not-analyzed", message=message, hint=hint)


def _mentioned(problem: Problem, slice_: Slice) -> set[str]:
    """Names in the expression that failed, as far as it stands in the function itself."""
    at = next((place for place in (problem.at, *reversed(problem.chain)) if place.function == 0), None)
    if at is None or at.node == 0:
        return set()
    return {node.id for node in ast.walk(slice_.functions[0].nodes[at.node]) if isinstance(node, ast.Name)}
