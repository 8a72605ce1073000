"""Whose fault a failed compile is: the user's code, or the types that we guessed for it. Never accuses on a guess."""

from __future__ import annotations

import ast
from dataclasses import replace

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks
from kernel_analysis.attempt.fault.known_ranks import rank
from kernel_analysis.attempt.fault.parameter_dependence import Behind
from kernel_analysis.attempt.fault.wrong_text import is_too_large, is_wrong, lacks, says_address_space
from kernel_analysis.attempt.integer_values import of_any_size, owners
from kernel_analysis.attempt.signature_text import type_text
from kernel_analysis.dataflow.proven.refused import Refused
from kernel_analysis.facts import Problem
from kernel_analysis.signature.evidence.pinned import written
from kernel_analysis.signature.launches.launch_options import matters, of_target, spelled
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Constant, Slice
from kernel_analysis.source.tree.syntax import descend

_NAMED = 4
_WRITTEN = 8


class Blame:
    """For the failures of one slice."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._dependence = Behind(slice_)

    def guesses_behind(self, problem: Problem, signature: Signature) -> list[str]:
        """The parameters that the problem depends on and whose type or value nothing in the user's code fixes."""
        behind = self.behind(problem)
        names = [name for name in signature.evidence if name in behind]
        any_size = owners(of_any_size(signature, names))
        return [name for name in names if not signature.evidence[name].certain or name in any_size]

    def chosen(self, problem: Problem, signature: Signature) -> bool:
        """Whether only a guess leads to what the installed Triton lacks: where another branch compiles, the launches
        will take that one."""
        if not problem.dated and "backend" not in problem.kind.topics:
            return False
        return self._led_there(problem, signature) and not self.is_always_met(problem)

    def deciding(self, problem: Problem) -> set[str]:
        """The parameters that decide whether the place is reached."""
        return self._dependence.parameters_behind(problem.at, problem.chain, tests_only=True)

    def _said_behind(self, problem: Problem, signature: Signature) -> list[str]:
        """The parameters that the problem depends on and of which a comment says what they are."""
        behind = self.behind(problem)
        return [name for name, evidence in signature.evidence.items() if evidence.kind == "pragma" and name in behind]

    def behind(self, problem: Problem) -> set[str]:
        """The parameters that the problem depends on."""
        # Whether compile-time recursion ends is up to the tests on the way, not to what the calls pass on.
        tests_only = problem.code == "recursion"
        return self._dependence.parameters_behind(problem.at, problem.chain, tests_only)

    def is_certain(self, problem: Problem, signature: Signature) -> bool:
        """Whether no other signature could make the problem go away."""
        if self.is_always_met(problem):
            return True
        if problem.code == "not-analyzed" and not problem.certain or matters(problem, signature, self._slice):
            return False
        if self.varying(problem) or self._is_refusal(problem, signature) or self._passed_over(problem, signature):
            return False
        if problem.tried:
            return True
        if not problem.certain:
            return not self.guesses_behind(problem, signature)
        if problem.code != "compile-error":
            return True
        # What another function takes, or another object has, is not known.
        behind = self._dependence.parameters_behind_callee(problem.at, problem.chain)
        spread = self._dependence.parameters_behind_spread(problem.at, problem.chain)
        # How many they are, only a constant or a tuple can say.
        behind |= {
            n for n in spread if signature.types.get(n) == "constexpr" or not isinstance(signature.types.get(n), str)
        }
        return not any(name in behind for name, evidence in signature.evidence.items() if not evidence.certain)

    def is_always_met(self, problem: Problem) -> bool:
        """Whether each way through the function comes to what the installed Triton takes from nobody."""
        if problem.code != "compile-error" or not problem.dated:
            return False
        refused = Refused(self._slice)
        refused.add_alike(problem.at)
        return refused.always(0)

    def _passed_over(self, problem: Problem, signature: Signature) -> bool:
        """Whether it is an assertion against a config, which an autotuner that has others passes over."""
        if "static-assertion" not in problem.kind.topics:
            return False
        behind = self.behind(problem)
        return any(evidence.rivals for name, evidence in signature.evidence.items() if name in behind)

    def _is_refusal(self, problem: Problem, signature: Signature) -> bool:
        """Whether a helper refuses to be called so, or at all (it does nothing but raise): that is an error of those
        who do, and of no one where nobody does."""
        if "static-assertion" in problem.kind.topics:
            return signature.called
        if problem.chain or problem.at.function or signature.launches:
            return False
        nodes = self._slice.functions[0].nodes
        function = next((node for node in nodes if isinstance(node, ast.FunctionDef)), None)
        last = function.body[-1] if function is not None else None
        return isinstance(last, ast.Raise) and nodes[problem.at.node] is last and not _does_more(function)

    def opened(self, problem: Problem, signature: Signature) -> Signature:
        """Where no launch is in sight, defaults that say that something must be passed are guesses like others: an
        assertion is against them, or they are None, and more is done with that than to ask whether they are."""
        if signature.launches:
            return signature
        behind = self.behind(problem)
        if "static-assertion" not in problem.kind.topics:
            nothing = {name for name, value in signature.constants.items() if value is None}
            behind = (behind - self.deciding(problem)) & nothing
        refused = {
            name: replace(evidence, certain=False)
            for name, evidence in signature.evidence.items()
            if evidence.kind == "default" and name in behind
        }
        return replace(signature, evidence={**signature.evidence, **refused}) if refused else signature

    def of_blocks(self, problem: Problem) -> bool:
        """Whether what fails is asked of what is a block whatever is passed: then what was tried is all there is."""
        if problem.at.function < 0:
            return False
        function = self._slice.functions[problem.at.function]
        known, place = KnownBlocks(function), function.nodes[problem.at.node]
        asked = [call.func.value for call in self._dependence.calls(problem.at) if isinstance(call.func, ast.Attribute)]
        behind = self._dependence.parameters_behind_callee(problem.at, problem.chain)
        named = any(not isinstance(call.func, ast.Attribute) for call in self._dependence.calls(problem.at))
        return (
            not behind
            or not named
            and all(
                known.is_block(of, place) or isinstance(of, ast.Name) and of.id in function.bindings for of in asked
            )
        )

    def lacks_of_block(self, problem: Problem) -> bool:
        """Whether the attribute that is not there is taken of what is a block whatever is passed."""
        attribute = problem.kind.attribute
        if problem.kind.lacking != "tensor" or attribute is None or problem.at.function < 0:
            return False
        function = self._slice.functions[problem.at.function]
        return lacks(attribute, function.nodes[problem.at.node], function)

    def varying(self, problem: Problem) -> dict[str, str]:
        """The globals behind the problem that may be something else where the file runs, and why."""
        return self._dependence.varying(problem.at, problem.chain, tests_only=problem.certain)

    def understood(self, problem: Problem, signature: Signature) -> Problem:
        """The problem with what the slice says about it: what a value has not, another type may have; a kernel gets
        single pointers, whatever they point to."""
        access = self._of_bare_pointer(problem, signature)
        if access is not None:
            pointer, beside_block = access
            hint = f"`{pointer}` is a single pointer: add offsets to the pointer, like `{pointer} + offsets`."
            return replace(problem, code="compile-error", hint=hint, certain=problem.certain or beside_block)
        lacking, missing = problem.kind.lacking, problem.kind.attribute
        name = self._none_with(missing) if lacking == "NoneType" and missing is not None else None
        if name is not None:
            # An optional import that is not there: whoever wrote this launches the kernel only where it is.
            message = f"`{name}` is None with the packages that are installed here, and has no `{missing}`"
            return replace(problem, code="not-analyzed", message=message, certain=False)
        uncertain = problem.code == "compile-error" and not problem.certain
        if uncertain and self._is_wrong(problem, signature) and not self.varying(problem):
            return replace(problem, certain=True, tried=True)
        if lacking is not None and "dtype-called" not in problem.kind.topics:
            return replace(problem, certain=False)
        return problem

    def _is_wrong(self, problem: Problem, signature: Signature) -> bool:
        """Whether the text of the place says that nothing else could be passed."""
        if problem.at.function < 0 or self._slice.aggregates:
            return False  # what an aggregate's own operators do is not looked at
        function, launched = self._slice.functions[problem.at.function], signature.launched and not problem.at.function
        node, retyped = function.nodes[problem.at.node], problem.kind.retyped
        # What has a way for each type need not have one that works for those that nobody passes.
        too_large = is_too_large(node, function) and not self._led_there(problem, signature)
        if "address-space" in problem.kind.topics and says_address_space(node, function):
            return True
        return too_large or self.lacks_of_block(problem) or is_wrong(node, function, launched, retyped)

    def _led_there(self, problem: Problem, signature: Signature) -> bool:
        """Whether a guess decided that the place is reached."""
        deciding = self.deciding(problem)
        return any(name in deciding for name, evidence in signature.evidence.items() if not evidence.certain)

    def _of_bare_pointer(self, problem: Problem, signature: Signature) -> tuple[str, bool] | None:
        """The parameter of a kernel that is accessed as it is where a block of pointers must be; and whether what is
        beside it is a block whatever is passed."""
        if "single-pointer" not in problem.kind.topics or not signature.launched:
            return None
        if problem.chain or problem.at.function:
            return None
        function = self._slice.functions[0]
        for node in descend(function.nodes[problem.at.node]):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
                name = node.args[0].id
                if str(signature.types.get(name, "")).startswith("*") and not self._is_assigned(name):
                    known = KnownBlocks(function, launched=True)
                    beside = (*node.args[1:], *(keyword.value for keyword in node.keywords))
                    return name, any((rank(one, node, known) or 0) > 0 for one in beside)
        return None

    def _is_assigned(self, name: str) -> bool:
        nodes = self._slice.functions[0].nodes
        return any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in nodes)

    def _none_with(self, attribute: str) -> str | None:
        """The global that is None, and of which the kernel asks this attribute."""
        for function in self._slice.functions:
            for node in function.nodes:
                if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.value, ast.Name):
                    binding = function.bindings.get(node.value.id)
                    if isinstance(binding, Constant) and binding.value is None:
                        return node.value.id
        return None

    def fair(self, problem: Problem, signature: Signature, excused: bool) -> Problem:
        """The problem as it may be shown: an error that a guess could have caused becomes ``not-analyzed`` and names
        the guesses."""
        if problem.code == "not-analyzed":
            return problem
        if not excused and self.is_certain(problem, signature):
            if problem.certain:
                return problem
            said = [text for name in self._said_behind(problem, signature) if (text := written(signature, name))]
            note = f"A comment above the function says `{', '.join(said)}`."
            return replace(problem, hint="\n".join(filter(None, (problem.hint, note)))) if said else problem
        names = self.guesses_behind(problem, signature)
        for name, why in self.varying(problem).items():
            message = f"could not be compiled with what `{name}` is likely to be ({why}): {problem.message}"
            return replace(problem, code="not-analyzed", message=message, certain=False)
        if of_target(problem, signature, self._slice):
            message = f"could not be compiled for the chosen target, which it asks for: {problem.message}"
            hint = "Needed: the target that it is written for, in the setting `target`."
            return replace(problem, code="not-analyzed", message=message, hint=hint)
        if matters(problem, signature, self._slice) and (not names or "layout" in problem.kind.topics):
            message = f"could not be compiled with {spelled(signature.launch)}, of which no launch says another: "
            hint = "Needed: a launch that says `num_warps` and `num_ctas`, in this file or elsewhere in the workspace."
            return replace(problem, code="not-analyzed", message=message + problem.message, hint=hint)
        if not names and self._is_refusal(problem, signature):
            message = f"whoever calls it gets an error: {problem.message}"
            return replace(problem, code="not-analyzed", message=message, certain=False)
        if not names:
            message = f"no launch that is to succeed passes what it fails with: {problem.message}"
            return replace(problem, code="not-analyzed", message=message, certain=False)
        needed = tuple(filter(None, (written(signature, name) for name in names)))[:_WRITTEN]
        shown = ", ".join(f"`{name}` ({type_text(signature, name)})" for name in names[:_NAMED])
        if len(names) > _NAMED:
            shown += f" and {len(names) - _NAMED} more"
        message = f"could not be compiled with what was guessed for {shown}: {problem.message}"
        advice = problem.hint if problem.dated or "compile-time" in problem.kind.topics else None
        hint = "\n".join(filter(None, (advice, _hint(names, needed, signature))))
        return replace(problem, code="not-analyzed", message=message, hint=hint, needed=needed)


def _does_more(function: ast.FunctionDef | None) -> bool:
    """Whether there is more in a function than a text and its last statement."""
    before = function.body[:-1] if function is not None else []
    return not all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in before)


def _hint(names: list[str], needed: tuple[str, ...], signature: Signature) -> str:
    """What is needed to go on, and where to say it."""
    if all(name in signature.made for name in names):
        return "Needed: a kernel in this file that calls it."
    names = [name for name in names if name not in signature.made]
    values = [f"`{name}`" for name in names if signature.types.get(name) == "constexpr"][:_NAMED]
    types = [f"`{name}`" for name in names if signature.types.get(name) != "constexpr"][:_NAMED]
    wanted = [f"the {what} of {', '.join(of)}" for what, of in (("value", values), ("type", types)) if of]
    comment = f"a comment above it (`# triton-ls: {', '.join(needed)}` is what was guessed) or " if needed else ""
    return f"Needed: {' and '.join(wanted)}. Say it in {comment}where it is launched or called in this file."
