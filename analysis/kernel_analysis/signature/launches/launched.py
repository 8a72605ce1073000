"""What each launch of a kernel passes, by parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.functions.function_parts import launcher_changed
from kernel_analysis.host.decorators.wrappers import passes_otherwise
from kernel_analysis.host.evaluate.argument import HostArgument, Missing, unsure, varying
from kernel_analysis.host.evaluate.values import Jit, Scope, UserClass
from kernel_analysis.host.tensors import placing
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.kernels.possible_kernels import may_be_another
from kernel_analysis.signature.fitting import in_constants
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.signature.launches.frames import frame
from kernel_analysis.signature.launches.passed_arguments import PassedArguments
from kernel_analysis.signature.launches.passing import passed as passed_by
from kernel_analysis.source.dtypes import TRITON
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.slice import TorchDtype
from kernel_analysis.source.tree.forms import start_of

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.kernels.project import Project


def arguments(project: Project, function: JitFunction, launches: list[Launch]) -> list[dict[str, HostArgument]]:
    """For every launch what it passes; a parameter that it leaves out is not there."""
    found = [_bind(project, function, launch) for launch in launches]
    if found and replaced(project, function):
        return [_passed_on(function, passed) for passed in found]
    return [
        _passed_on(function, passed)
        if launch.unseen
        else {name: varying(argument) for name, argument in passed.items()}
        if may_be_another(project, function, launch)
        else passed
        for launch, passed in zip(launches, found, strict=True)
    ]


def _passed_on(function: JitFunction, passed: dict[str, HostArgument]) -> dict[str, HostArgument]:
    """What code that is not followed may make of the arguments of a launch: it may pass others, and add some."""
    there = {name: varying(unsure(argument)) for name, argument in passed.items()}
    return there | {p.name: HostArgument(spread=True) for p in function.parameters if p.name not in there}


def replaced(project: Project, function: JitFunction) -> bool:
    """Whether a launch may be one of something else than the jit function, which passes on other arguments: what one of
    the author's decorators makes of it, or what some file sets in its place."""
    resolver = project.resolver
    scope = resolver.scope(project.load(function.file), function.scope)
    if function.wrappers:
        key = function.file, function.name, function.node.lineno, "passes on"
        if resolver.touches.once(key, lambda: _passed_otherwise(resolver, function, scope)) is not None:
            return True
    if launcher_changed(resolver, function) is not None:
        return True
    if not function.scope:
        return resolver.touches.replaced(scope, function.name)
    with resolver.aside(notes := set[str]()):
        if isinstance(scope.node, ast.ClassDef) and scope.parent is not None:
            resolver.touches.attribute(UserClass(scope.parent, scope.node), function.name, Jit(function))
    return bool(notes)


def _passed_otherwise(resolver: ResolverView, function: JitFunction, scope: Scope) -> str | None:
    with resolver.unheard():
        otherwise = passes_otherwise(resolver.evaluator, Jit(function), scope)
    return f"what is put on `{function.name}` may pass on something else" if otherwise else None


def in_sight(project: Project, function: JitFunction) -> list[dict[str, HostArgument]]:
    """The same for all that are known; found out once for as long as the host code is the same."""
    parameters = tuple([(p.name, p.kind) for p in function.parameters])
    asked = ("passed", parameters)
    return _once(project, function, asked, lambda: arguments(project, function, project.launches_of(function)))


def configured(project: Project, function: JitFunction) -> list[dict[str, HostArgument]]:
    """What each autotune config in sight gives the parameters that it names; found out as often."""

    def find() -> list[dict[str, HostArgument]]:
        at = frame(project, function.file, (), start_of(function.node))
        # What a heuristic gives comes last.
        configs = [{n: node for n, node in c.items() if n not in function.heuristics} for c in function.configs]
        return [{name: at.argument(node) for name, node in config.items()} for config in configs]

    return _once(project, function, "configured", find) if function.configs else []


def _once(
    project: Project, function: JitFunction, what: Hashable, find: Callable[[], list[dict[str, HostArgument]]]
) -> list[dict[str, HostArgument]]:
    """A function that is passed has a tree, which nobody keeps: that is found out each time."""
    found: list[dict[str, HostArgument]] | None = None

    def plain() -> list[dict[str, HostArgument]] | None:
        nonlocal found
        found = find()
        return found if all(_is_plain(passed) for one in found for passed in one.values()) else None

    kept = project.host_text.kept(function, what, plain)
    return found if found is not None else find() if kept is None else kept


def at(project: Project, function: JitFunction, launch: Launch) -> dict[str, HostArgument]:
    """The same for one launch, which may be in sight or not."""
    for other, passed in zip(project.launches_of(function), in_sight(project, function), strict=True):
        if other.call is launch.call and other.via is launch.via:
            return passed
    return arguments(project, function, [launch])[0]


def _is_plain(passed: HostArgument) -> bool:
    """Whether no part of it holds on to syntax."""
    values = (passed.value, passed.likely, *passed.keys)
    return all(map(_is_data, values)) and all(map(_is_plain, passed.items or ()))


def _is_data(value: object) -> bool:
    if isinstance(value, tuple):
        items: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
        return all(map(_is_data, items))
    return value is None or isinstance(value, (Missing, bool, int, float, str, TorchDtype))


def frame_of(project: Project, launch: Launch) -> Frame:
    """What expressions at a launch give."""
    entry = launch.via and (frame_of(project, launch.via), launch.via.call, launch.scope[-1])
    return frame(project, launch.file, launch.scope, start_of(launch.call), entry)


def counts(project: Project, launch: Launch) -> bool:
    """Whether a launch may run, and is to succeed."""
    at = placing.place(project.resolver, project.load(launch.file), launch.call)
    return (at is None or reached.counts(at)) and (launch.via is None or counts(project, launch.via))


def place(project: Project, function: JitFunction, launch: Launch) -> str:
    """Where a launch is, for people."""
    file, line = launch.place
    return project.load(file).at(line) if file == function.file else project.place(file, line)


def _bind(project: Project, function: JitFunction, launch: Launch) -> dict[str, HostArgument]:
    around = frame_of(project, launch)
    names = [p.name for p in function.parameters if p.kind == "positional"]
    warm = isinstance(launch.call.func, ast.Attribute) and launch.call.func.attr == "warmup"
    given = passed_by(around, launch.call)
    found = dict(zip(names, map(_mocked, given.positional) if warm else given.positional, strict=False))
    found.update({p.name: given.keywords[p.name] for p in function.parameters if p.name in given.keywords})
    rest = next((p.name for p in function.parameters if p.kind == "vararg"), None)
    if rest is not None and not given.more:
        found[rest] = HostArgument("tuple", items=tuple(given.positional[len(names) :]))
    elif rest is None and given.more and not given.open:
        last = list(map(_mocked, given.last)) if warm else given.last
        found.update(_counted_back(function, given, last, found))
    for name in function.heuristics:
        found.pop(name, None)  # they come last
    words = _words(function, launch.call, names)
    for name, argument in found.items():
        if argument.extents:
            found[name] = replace(argument, extents=in_constants(argument.extents, words))
    if given.more or given.open:
        for parameter in function.parameters:
            found.setdefault(parameter.name, HostArgument(spread=True))
    for name in _made_before(launch.call, names):
        if name in found:
            found[name] = varying(found[name])
    if _rewritten(project, launch) or _in_class(project, launch):
        return {name: varying(passed) for name, passed in found.items()}
    return found


def _rewritten(project: Project, launch: Launch | None) -> bool:
    """Whether it, or one of the calls that lead to it, may pass something else than is written there."""
    while launch is not None:
        if project.resolver.touches.rewritten(project.load(launch.file)) is not None:
            return True
        launch = launch.via
    return False


def _made_before(call: ast.Call, names: list[str]) -> Iterator[str]:
    """The parameters that a ``partial`` gives, made by a statement before: what it gave them then is not followed."""
    first, last = call.lineno, call.end_lineno or call.lineno
    given = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    yield from (name for name, node in given if name is not None and not first <= node.lineno <= last)


def _in_class(project: Project, launch: Launch | None) -> bool:
    """Whether it, or a call that leads to it, stands in the body of a class, whose names are not followed."""
    while launch is not None:
        at = placing.place(project.resolver, project.load(launch.file), launch.call)
        if at is not None and isinstance(at.scope.node, ast.ClassDef):
            return True
        launch = launch.via
    return False


def _words(function: JitFunction, call: ast.Call, positional: list[str]) -> dict[str, str]:
    """The constexpr parameters by what a call passes for them, as it is written."""
    spread = next((i for i, node in enumerate(call.args) if isinstance(node, ast.Starred)), len(call.args))
    given = [*zip(positional, call.args[:spread], strict=False), *((k.arg, k.value) for k in call.keywords)]
    constants = {p.name for p in function.parameters if p.constexpr}
    words: dict[str, list[str]] = {}
    for name, node in given:
        if name in constants:
            words.setdefault(ast.unparse(node), []).append(name)
    return {text: mine[0] for text, mine in words.items() if len(mine) == 1}


def _counted_back(
    function: JitFunction, given: PassedArguments, last: list[HostArgument], found: Mapping[str, HostArgument]
) -> dict[str, HostArgument]:
    """What goes to the parameters behind arguments that are not known: ``kernel[grid](x, *x.stride(), n, BLOCK)``. None
    of them has a default, no keyword and no autotuner gives it: so the last argument goes to the last of them."""
    tried = {name for config in (*function.configs, *function.config_options) for name in config}
    others = given.keywords.keys() | function.heuristics.keys() | tried
    takes = [p for p in function.parameters if p.kind == "positional"]
    by_keyword = next((i for i, p in enumerate(takes) if p.name in others), len(takes))
    open_ones = [p.name for p in takes[:by_keyword] if p.name not in found]
    sure = by_keyword and takes[by_keyword - 1].default is None and function.configs_vary is None
    unseen = function.wrappers or function.autotuned and not function.configs
    if not sure or unseen or len(open_ones) < len(last):
        return {}
    between = len(open_ones) - len(last)
    return dict(zip(open_ones, [given.between] * between + last, strict=True))


def _mocked(passed: HostArgument) -> HostArgument:
    """For ``warmup`` a dtype stands for a tensor of it."""
    if isinstance(passed.value, TorchDtype):
        return HostArgument("tensor", dtype=TRITON.get(passed.value.name))
    return passed
