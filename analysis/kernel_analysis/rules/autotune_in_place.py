"""``autotune-in-place``: an autotuner tries its configs on the same tensors, and the kernel reads what it wrote in the
trial before. Certain or silent: the facts say that a second run changes something, the decorators that nobody undoes
it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis import paths
from kernel_analysis.facts import ParameterFacts, Site
from kernel_analysis.host.decorators.layers import Layer, Stack, stack
from kernel_analysis.host.tensors.certain import maker
from kernel_analysis.host.tensors.launches.certain_launches import certain
from kernel_analysis.host.tensors.launches.named_kernels import put_on_by_calls
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.forms import is_none
from kernel_analysis.span import Span

CODE = "autotune-in-place"

_ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})
_UNDO = ("restore_value", "reset_to_zero")


def check(subject: Subject) -> Iterator[Finding]:
    """What the kernel does to its tensors once more with each trial."""
    if not any(fact.again for fact in subject.facts.parameters) or not subject.function.autotuned:
        return
    resolver = subject.project.resolver
    every = (stack(resolver, subject.function), *put_on_by_calls(resolver, subject.module))
    for known in every:
        if known is not None and known.function.node is subject.function.node and len(known.tuners) == 1:
            yield from _tuned(subject, known, known.tuners[0])


def _tuned(subject: Subject, known: Stack, layer: Layer) -> Iterator[Finding]:
    arguments = layer.arguments
    configs = known.configs()
    if arguments is None or configs is None or len(configs) < 2 or any(config.hook is not None for config in configs):
        return
    if any(name in arguments and not is_none(arguments[name]) for name in ("pre_hook", "post_hook")):
        return
    undone: set[str] = set()
    for name in _UNDO:
        listed = known.names(arguments.get(name))
        if listed is None:
            return
        undone |= {name for name, _ in listed}
    for fact in subject.facts.parameters:
        if fact.again is not None and paths.owner(fact.name) not in undone:
            read, write = fact.again
            if _always(subject, read) and _always(subject, write):
                yield _finding(subject, known, layer, fact, read, write)


def _always(subject: Subject, site: Site) -> bool:
    """Whether every config compiles it."""
    return subject.places.condition(site.at, site.path) is None


def _finding(subject: Subject, known: Stack, layer: Layer, fact: ParameterFacts, read: Site, write: Site) -> Finding:
    name = paths.owner(fact.name)
    reading, writing = subject.places.span(read.at, read.path), subject.places.span(write.at, write.path)
    if read == write:
        what = "adds to what the trial before left there"
        related = (Related(writing, f"added to here ({write.op})"),)
    else:
        what = "reads what the trial before wrote"
        related = (Related(reading, f"read here ({read.op})"), Related(writing, f"written here ({write.op})"))
    message = f"the configs are tried on the same `{name}`, and each trial {what}: after tuning, the result is wrong. "
    undo = "reset_to_zero" if _made_of_zeros(subject, name) else "restore_value"
    message += f"`{undo}` {'clears it' if undo == 'reset_to_zero' else 'puts it back'}"
    fixes = _undo(subject.module, layer, name, undo) if name == fact.name else ()
    return Finding(CODE, "warning", message, subject.module.span(layer.node), related, fixes)


def _made_of_zeros(subject: Subject, name: str) -> bool:
    """Whether every launch of the file passes a tensor of zeros that it has just made."""
    project = subject.project
    own = [(f, launch) for f, launch in project.launches_in(subject.module) if f.node is subject.function.node]
    known = certain(project.resolver, subject.module, own)
    makers = [
        (maker(launch.at, node) or "").rpartition(".")[2]
        for launch in known
        for parameter, node in launch.given()
        if parameter.name == name
    ]
    return len(makers) == len(own) > 0 and all(made in _ZEROS for made in makers)


def _undo(module: Module, layer: Layer, name: str, undo: str) -> tuple[Fix, ...]:
    """Into the list, or with a list behind the last argument."""
    call = layer.node
    if not isinstance(call, ast.Call) or layer.arguments is None:
        return ()
    title = f"Reset `{name}` before each trial" if undo == "reset_to_zero" else f"Restore `{name}` after each trial"
    present = layer.arguments.get(undo)
    if isinstance(present, (ast.List, ast.Tuple)) and present.elts:
        return (Fix(title, (_behind(module, present.elts[-1], f', "{name}"'),)),)
    if present is not None:
        return ()
    arguments = [*call.args, *call.keywords]
    last = max(arguments, key=lambda node: (node.end_lineno or node.lineno, node.end_col_offset or 0))
    return (Fix(title, (_behind(module, last, f', {undo}=["{name}"]'),)),)


def _behind(module: Module, node: ast.AST, text: str) -> Edit:
    span = module.span(node)
    return Edit(Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column), text)


def check_file(subject: FileSubject) -> list[Finding]:
    """A hook of the user's takes the place of the one that Triton restores with."""
    found: list[Finding] = []
    for known in subject.stacks:
        for layer in known.tuners:
            hook = (layer.arguments or {}).get("pre_hook")
            if hook is None or is_none(hook):
                continue
            for name in _UNDO:
                node = (layer.arguments or {}).get(name)
                if node is not None and known.names(node):
                    message = f"`pre_hook` takes the place of the hook that does what `{name}` says: nothing is "
                    message += "restored" if name == "restore_value" else "reset"
                    related = (Related(subject.module.span(node), f"`{name}` is given here"),)
                    found.append(Finding(CODE, "warning", message, subject.module.span(hook), related))
    return found
