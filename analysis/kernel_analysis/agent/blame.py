"""Whose fault a failed compile is: the user's code, or the types that we guessed for it. Never accuses on a guess."""

from __future__ import annotations

import re
from dataclasses import replace

from kernel_analysis.agent.dependence import Dependence
from kernel_analysis.agent.texts import type_text
from kernel_analysis.facts import Problem
from kernel_analysis.signature.model import Signature
from kernel_analysis.source.slice import Slice, Unresolved

_NAMED = 4
_OF_A_VALUE = re.compile(r"(?!'dtype' object is not callable)'\w+' object (has no attribute|is not)")


class Blame:
    """For the failures of one slice."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._dependence = Dependence(slice_)

    def guesses_behind(self, problem: Problem, signature: Signature) -> list[str]:
        """The parameters that the problem depends on and whose type or value nothing in the user's code fixes."""
        # Whether compile-time recursion ends is up to the tests on the way, not to what the calls pass on.
        tests_only = problem.code == "recursion"
        behind = self._dependence.parameters_behind(problem.at, problem.chain, tests_only)
        return [name for name, evidence in signature.evidence.items() if not evidence.certain and name in behind]

    def is_certain(self, problem: Problem, signature: Signature) -> bool:
        """Whether no other signature could make the problem go away."""
        if problem.certain:
            return True
        return problem.code != "not-analyzed" and not self.guesses_behind(problem, signature)

    def understood(self, problem: Problem) -> Problem:
        """The problem with what the slice says about it: what a value has not, another type may have; a name that
        stands nowhere is the user's error, although nobody could say what it means."""
        if _OF_A_VALUE.match(problem.message):
            return replace(problem, certain=False)
        if problem.code != "not-analyzed":
            return problem
        for function in self._slice.functions:
            for name, binding in function.bindings.items():
                undefined = f"`{name}` is not defined."
                if isinstance(binding, Unresolved) and binding.reason == undefined == problem.message:
                    return replace(problem, code="compile-error", message=undefined[:-1], certain=True)
        return problem

    def fair(self, problem: Problem, signature: Signature) -> Problem:
        """The problem as it may be shown: an error that a guess could have caused becomes ``not-analyzed`` and names
        the guesses."""
        if problem.code == "not-analyzed" or self.is_certain(problem, signature):
            return problem
        names = self.guesses_behind(problem, signature)
        shown = ", ".join(f"`{name}` ({type_text(signature, name)})" for name in names[:_NAMED])
        if len(names) > _NAMED:
            shown += f" and {len(names) - _NAMED} more"
        message = f"could not be compiled with what was guessed for {shown}: {problem.message}"
        hint = "Annotate the parameter, or launch the kernel in this file, to say what it is."
        return replace(problem, code="not-analyzed", message=message, hint=hint)
