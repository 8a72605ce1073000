"""The diagnostic rules: each reads a function's report and facts and yields findings. Plain data in and out.

May not call the compiler and may not touch a file. A new rule: a module with ``CODE`` and ``check`` beside these, its
line in ``RULES``, what it says in ``kernel_analysis.codes``, its page ``docs/rules/<code>.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from kernel_analysis.record import record
from kernel_analysis.report import Finding, Severity
from kernel_analysis.rules import (
    aliased_arguments,
    autotune_argument,
    autotune_in_place,
    compile_error,
    config_compile_error,
    decorator_order,
    do_not_specialize,
    heuristics_argument,
    inductor_mutated_args,
    inline_asm,
    inline_asm_impure,
    launch_arguments,
    mutated_parameter,
    mutates_args,
    non_constexpr_global,
    not_analyzed,
    pragma,
    recursion,
    run_pragma,
    syntax_error,
    torch_compile,
    torch_op,
    unused_parameter,
)
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.rules.suppression import Suppressions
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module

Level: TypeAlias = Literal["off", "hint", "information", "warning", "error"]


@record
class Rule:
    """``severity`` is what its findings have when no setting says otherwise (some of them may weigh more). ``own``:
    what it finds hangs on no other text in the file than that of the function, of the helpers that it calls, and of
    host code."""

    code: str
    severity: Severity
    check: Callable[[Subject], Iterable[Finding]]
    own: bool = True


RULES: tuple[Rule, ...] = (
    Rule(compile_error.CODE, "error", compile_error.check),
    Rule(recursion.CODE, "error", recursion.check),
    Rule(mutated_parameter.CODE, "hint", mutated_parameter.check),
    Rule(autotune_in_place.CODE, "warning", autotune_in_place.check),
    Rule(inductor_mutated_args.CODE, "warning", inductor_mutated_args.check),
    Rule(pragma.CODE, "warning", pragma.check),
    Rule(non_constexpr_global.CODE, "warning", non_constexpr_global.check, own=False),
    Rule(inline_asm_impure.CODE, "warning", inline_asm_impure.check),
    Rule(inline_asm.CODE, "information", inline_asm.check),
    Rule(unused_parameter.CODE, "hint", unused_parameter.check),
    Rule(not_analyzed.CODE, "information", not_analyzed.check),
    Rule(run_pragma.CODE, "warning", run_pragma.check),
)
OF_A_FILE: tuple[tuple[str, Callable[[FileSubject], list[Finding]]], ...] = tuple(
    (rule.CODE, rule.check_file)
    for rule in (
        syntax_error,
        pragma,
        run_pragma,
        launch_arguments,
        autotune_argument,
        autotune_in_place,
        decorator_order,
        do_not_specialize,
        heuristics_argument,
        torch_op,
        torch_compile,
        not_analyzed,
    )
)
"""What a file is asked for as a whole, most of it about what its host code does with kernels. ``not_analyzed`` comes
last: others may have explained what it would say."""
CODES: frozenset[str] = frozenset(
    {rule.code for rule in RULES}
    | {code for code, _ in OF_A_FILE}
    | {mutates_args.CODE, config_compile_error.CODE, aliased_arguments.CODE}
)


def findings(
    subject: Subject, levels: Mapping[str, Level], known: dict[str, list[Finding]] | None = None
) -> list[Finding]:
    """What all rules have to say about a function, at the severities that the settings ask for, without what comments
    silence. ``known``: what they said before of the same function in the same host code; what they say goes in."""
    known = {} if known is None else known
    suppressions = Suppressions(subject.module, subject.function.node)
    found: list[Finding] = []
    for rule in RULES:
        if levels.get(rule.code) == "off":
            continue
        if rule.code not in known or not rule.own:
            known[rule.code] = _settled(rule.check(subject), levels, suppressions)
        found += known[rule.code]
    return found


def file_findings(subject: FileSubject, levels: Mapping[str, Level]) -> list[Finding]:
    """What concerns the file as a whole."""
    found = [finding for code, check in OF_A_FILE if levels.get(code) != "off" for finding in check(subject)]
    return settled(found, subject.module, levels)


def op_findings(
    ops: mutates_args.Ops, function: JitFunction, subject: Subject | None, levels: Mapping[str, Level]
) -> list[Finding]:
    """What concerns the torch ops of the file that can be judged now that this function is known."""
    if levels.get(mutates_args.CODE) == "off":
        return []
    return settled(ops.learn(function, subject), ops.module, levels)


def settled(found: list[Finding], module: Module, levels: Mapping[str, Level]) -> list[Finding]:
    """Findings of the file, at the severities that the settings ask for, without what comments silence."""
    return _settled(found, levels, Suppressions(module, None))


def _settled(found: Iterable[Finding], levels: Mapping[str, Level], suppressions: Suppressions) -> list[Finding]:
    settled: list[Finding] = []
    for finding in found:
        if suppressions.silenced(finding):
            continue
        level = levels.get(finding.code)
        if level is not None and level != "off":
            finding = replace(finding, severity=level)
        settled.append(suppressions.with_fix(finding))
    return settled
