"""``not-analyzed``: what could not be found out, and why. Never silent, never an accusation: information."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sized

from kernel_analysis.report import Edit, Finding, Fix, ParameterReport, ProblemReport, Related
from kernel_analysis.rules.subject import FileSubject, Subject, call_chain
from kernel_analysis.source.comments import pragma_comment
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Unresolved
from kernel_analysis.span import Span

CODE = "not-analyzed"


def check(subject: Subject) -> Iterator[Finding]:
    for problem in subject.report.problems:
        if problem.code == CODE and not _is_said_elsewhere(subject, problem):
            message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
            span = subject.own(problem.span, problem.chain)
            fixes = _say(subject, problem)
            yield Finding(CODE, "information", f"{subject.noun}: {message}", span, call_chain(problem.chain), fixes)
    # What is unknown of a function that was not lowered, the problem above says why.
    if subject.report.status != "failed":
        yield from _unknowns(subject)


def _is_said_elsewhere(subject: Subject, problem: ProblemReport) -> bool:
    """Whether only what the same file has a ``syntax-error`` for is missing, or a function whose decorator is said not
    to be known: that is said once, where it is, and not again at each kernel that uses it, while it is typed."""
    if problem.span.file != subject.module.file:
        return False
    broken = bool(subject.module.broken)
    unclear = {node.name for node, reason in subject.module.unclear if reason is not None}
    bindings = (binding for function in subject.slice.functions for binding in function.bindings.items())
    return any(
        isinstance(b, Unresolved) and b.reason == problem.message and (b.broken and broken or name in unclear)
        for name, b in bindings
    )


def check_file(subject: FileSubject) -> list[Finding]:
    """What is too long to be read, the strings whose kernels can't be, the functions that may be jit functions, but
    those that another rule has explained, and the jit functions that are made of something else."""
    module = subject.module
    found = [Finding(CODE, "information", problem.message, problem.span) for problem in module.left_out]
    found += [_unread(module, string.reason, string.lines[0]) for string in module.unread]
    unclear = [(node, reason) for node, reason in module.unclear if id(node) not in subject.explained]
    found += [_unclear(module, node, reason) for node, reason in unclear if reason is not None]
    return found + [_unmade(module, node, reason) for node, reason in module.unmade]


def _unclear(module: Module, node: ast.FunctionDef, reason: str) -> Finding:
    message = f"function `{node.name}`: what its decorator is can't be known: {reason}"
    return Finding(CODE, "information", message, module.span(node.decorator_list[-1]))


def _unmade(module: Module, node: ast.expr, reason: str) -> Finding:
    return Finding(CODE, "information", f"the kernel made here is not analyzed: {reason}", module.span(node))


def _unread(module: Module, reason: str, line: int) -> Finding:
    text = module.lines[line - 1]
    span = Span(module.file, line, len(text) - len(text.lstrip()) + 1, line, len(text.rstrip()) + 1)
    return Finding(CODE, "information", f"the kernels in this string are not analyzed: {reason}", span)


def _say(subject: Subject, problem: ProblemReport) -> tuple[Fix, ...]:
    """Write what was guessed into a comment above the function, to be corrected there: unlike an annotation it changes
    nothing of what the kernel takes."""
    place = pragma_comment.place(subject.module, subject.function) if problem.needed else None
    if place is None:
        return ()
    line, indentation = place
    end = "\r\n" if "\r\n" in subject.module.text else "\n"
    text = f"{indentation}# {pragma_comment.MARK} {', '.join(problem.needed)}{end}"
    names = " and ".join(f"`{re.split('[:=]', item)[0].strip()}`" for item in problem.needed)
    return (
        Fix(
            f"Say what {names} {_be(problem.needed)}, in a comment",
            (Edit(Span(subject.module.file, line, 1, line, 1), text),),
        ),
    )


def _be(several: Sized) -> str:
    return "is" if len(several) == 1 else "are"


def _unknowns(subject: Subject) -> Iterator[Finding]:
    """One finding for each reason and place, naming all parameters that it leaves open."""
    open_: dict[tuple[str, Span], list[ParameterReport]] = {}
    for parameter in subject.report.parameters:
        if parameter.reason is not None:
            place = parameter.reason_span or parameter.span
            open_.setdefault((parameter.reason, place), []).append(parameter)
    assembly = {
        subject.places.span(a.at, a.path) for a in subject.facts.assembly if a.unknown is not None and not a.pure
    }
    for (reason, place), parameters in open_.items():
        # `inline-asm` says it there already.
        if place in assembly:
            continue
        names = ", ".join(f"`{parameter.name}`" for parameter in parameters)
        message = f"{subject.noun}: whether {names} {_verbs(parameters)} is unknown: {reason}"
        here = subject.own(place)
        related = () if here == place else (Related(place, "the reason is here"),)
        yield Finding(CODE, "information", message, here, related)


def _verbs(parameters: list[ParameterReport]) -> str:
    be = _be(parameters)
    written = any("unknown" in (p.written, p.table_written) for p in parameters)
    read = any("unknown" in (p.read, p.table_read) for p in parameters)
    return f"{be} read or written" if written and read else f"{be} written" if written else f"{be} read"
