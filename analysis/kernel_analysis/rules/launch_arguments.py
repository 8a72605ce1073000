"""``launch-arguments``: a launch passes what the kernel does not take, leaves out what it needs, or has no grid that
Triton can use. Accuses only where the kernel and what decorates it are known for sure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from kernel_analysis.host.decorators.layers import stack
from kernel_analysis.host.evaluate.wording import meant
from kernel_analysis.host.tensors.certain import Kind, kind
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.launches.certain_launches import Certain, speaks_triton
from kernel_analysis.host.tensors.launches.grids import refused
from kernel_analysis.host.tensors.launches.named_kernels import launches
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.kernels.backend_options import COMMON, RESERVED, options
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject, as_written
from kernel_analysis.signature.evidence.roles import role
from kernel_analysis.source.kernel import JitFunction, Parameter
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

CODE = "launch-arguments"

_REFUSED: dict[Kind, str] = {"list": "list", "dict": "dict", "set": "set", "str": "text", "dtype": "torch.dtype"}
"""What Triton has no type for."""
_NEEDS = {"run": ("grid", "warmup"), "warmup": ("grid",)}
_UNHASHABLE = ("list", "dict", "set")
_SHAPES = frozenset({"arange", "zeros", "full"})


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each launch in the file."""

    def of(launch: Certain) -> list[Finding]:
        wrong = list(_of(subject.module, launch))
        return wrong if wrong and launch.happens else []

    return as_written(subject, [*subject.of_launches(CODE, of), *_bare(subject)])


def _bare(subject: FileSubject) -> Iterator[Finding]:
    """Kernels of the file that host code calls as if they were functions."""
    functions = subject.module.functions
    for function in functions:
        if not (function.stale or function.scope or role(function, functions) != "kernel"):
            find = partial(_called_bare, subject, function)
            yield from subject.project.host_text.kept(function, "called as a function", find)


def _called_bare(subject: FileSubject, function: JitFunction) -> list[Finding]:
    module, resolver = subject.module, subject.project.resolver
    of_devices = {*module.jit, *(id(node) for node, _ in module.unclear)}
    found: list[Finding] = []
    for call, around in nodes.calls_of(module, function.name):
        inside = [node for node in around if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        if any(
            id(node) in of_devices or node.decorator_list or speaks_triton(resolver, module, node) for node in inside
        ):
            continue
        at = place(resolver, module, call)
        if at is None or launches(at, call.func) is not function.node or not reached.happens(at):
            continue
        if stack(resolver, function) is not None:
            message = f"kernel `{function.name}` is called without a grid: write `{function.name}[grid](...)`"
            related = (Related(function.name_span, f"kernel `{function.name}` is defined here"),)
            found.append(Finding(CODE, "error", message, module.span(call.func), related))
    return found


def _of(module: Module, launch: Certain) -> Iterator[Finding]:
    yield from _surplus(module, launch)
    unknown = dict(_unknown(module, launch))
    yield from unknown.values()
    yield from _missing(module, launch, unknown.keys())
    if not (isinstance(launch.launch.call.func, ast.Attribute) and launch.launch.call.func.attr == "warmup"):
        # To `warmup` a dtype stands for a tensor.
        yield from _values(module, launch)
    missing = _own_of_run(launch)
    called = launch.launch.call.func
    if missing and isinstance(called, ast.Attribute):
        instead = f": write `{launch.function.name}[grid](...)`, which passes it" if called.attr == "run" else ""
        yield _finding(module, launch, called, f"`{called.attr}` needs {missing}{instead}")
    if launch.launch.grid is not None and isinstance(launch.launch.call.func, ast.Subscript):
        message = refused(launch, launch.launch.grid)
        if message is not None:
            yield _finding(module, launch, launch.launch.grid, message)


def _own_of_run(launch: Certain) -> str:
    """What `run` or `warmup` itself is not given."""
    called = launch.launch.call.func
    needs = _NEEDS.get(called.attr, ()) if isinstance(called, ast.Attribute) and not launch.spread else ()
    return " and ".join(f"`{name}`" for name in needs if name not in launch.named)


def _finding(module: Module, launch: Certain, node: ast.AST, message: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    function = launch.function
    related = (Related(function.name_span, f"kernel `{function.name}` is defined here"),)
    return Finding(CODE, "error", message, module.span(node), related, fixes)


def _surplus(module: Module, launch: Certain) -> Iterator[Finding]:
    """Arguments that go nowhere, and parameters that get two."""
    function, takes = launch.function, launch.by_position
    # Before Triton 3.7 arguments by position went to parameters after a `*`, too.
    if len(takes) == len(function.parameters) and len(launch.positional) > len(takes):
        many = f"{len(takes)} argument{'s' if len(takes) != 1 else ''}"
        message = f"kernel `{function.name}` takes {many}, and this launch passes {len(launch.positional)} by position"
        yield _finding(module, launch, launch.positional[len(takes)], message)
    for parameter, _ in zip(takes, launch.positional, strict=False):
        if parameter.name in launch.named:
            message = f"`{parameter.name}` is passed twice, by position and by name"
            yield _finding(module, launch, launch.named[parameter.name], message)
    if isinstance(launch.launch.call.func, ast.Subscript):
        for name in sorted(RESERVED & launch.named.keys()):
            message = f"`{name}` is Triton's own: a launch `kernel[grid](...)` can't pass it"
            yield _finding(module, launch, launch.named[name], message)


def _unknown(module: Module, launch: Certain) -> Iterator[tuple[str, Finding]]:
    """Names that are neither a parameter nor an option, each with the parameter that is meant, or itself."""
    function = launch.function
    if function.node.args.kwarg is not None:
        return  # that it takes `**meta` is the kernel's own error
    names = [p.name for p in function.parameters]
    strange = [k for name, k in launch.named.items() if name not in names and name not in COMMON | RESERVED]
    known = options(launch.at.resolver) if strange else None
    if known is None:
        return
    heuristics = launch.stack.heuristics() or {}
    free = [n for n in _not_passed(launch) if n not in heuristics] or names
    for keyword in strange:
        name = keyword.arg or ""
        if name in known:
            continue
        close = meant(name, [*free, *COMMON])
        hint = f"; did you mean `{close}`?" if close else ""
        message = f"`{name}` is no parameter of kernel `{function.name}`, and no option of an installed backend{hint}"
        own = close and keyword in launch.launch.call.keywords
        found = _finding(module, launch, keyword, message, (_rename(module, keyword, close),) if own and close else ())
        if not close and _may_be_option(keyword):
            # Of a backend that is not installed here.
            found = replace(found, severity="information")
        yield close or name, found


def _may_be_option(keyword: ast.keyword) -> bool:
    """By its looks: options are settings, spelled in small letters, and no tensors."""
    value = keyword.value.operand if isinstance(keyword.value, ast.UnaryOp) else keyword.value
    return isinstance(value, ast.Constant) and not (keyword.arg or "").isupper()


def _rename(module: Module, keyword: ast.keyword, name: str) -> Fix:
    start = module.span(keyword)
    end = start.column + len(keyword.arg or "")
    return Fix(f"Pass `{name}`", (Edit(Span(start.file, start.line, start.column, start.line, end), name),))


def _not_passed(launch: Certain) -> list[str]:
    """The parameters that get no argument in sight."""
    given = {parameter.name for parameter, _ in launch.given()}
    return [p.name for p in launch.function.parameters if p.kind != "vararg" and p.name not in given]


def _missing(module: Module, launch: Certain, misspelled: Collection[str]) -> Iterator[Finding]:
    """Parameters without a default that nothing fills in, but those that were reported."""
    if launch.starred or launch.spread:
        return
    configs, heuristics = launch.stack.configs(), launch.stack.heuristics()
    pruned = any("prune_configs_by" in (layer.arguments or {}) for layer in launch.stack.tuners)
    if configs is None or heuristics is None or pruned and configs:
        return
    set_by_all = set(configs[0].values).intersection(*(c.values for c in configs)) if configs else set[str]()
    set_by_all |= {"num_warps", "num_stages", "num_ctas"} if launch.stack.tuners else set()
    parameters = {p.name for p in launch.function.parameters}
    if any(name not in parameters for config in configs for name in config.values):
        # A name that is spelled wrong there is what is missing here: `autotune-argument`'s.
        return
    needs = {p.name for p in launch.function.parameters if p.default is None}
    missing = [n for n in _not_passed(launch) if n in needs - heuristics.keys() - set_by_all.union(misspelled)]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        some = [n for n in missing if any(n in c.values for c in configs)]
        more = f" (not all configs set `{some[0]}`)" if some else ""
        it = "it" if len(missing) == 1 else "them"
        message = f"kernel `{launch.function.name}` needs {names}: nothing passes {it} here{more}"
        yield _finding(module, launch, launch.launch.call.func, message)


def _values(module: Module, launch: Certain) -> Iterator[Finding]:
    """Arguments of a kind that Triton has no type for, or can't take for a constexpr."""
    for parameter, node in launch.given():
        given = kind(launch.at, node)
        if given is None:
            continue
        message: str | None = None
        if not parameter.constexpr and given in _REFUSED and parameter.annotation is None:
            message = f"a {_REFUSED[given]} can't be passed for `{parameter.name}`: Triton has no type for it"
            message += "; a tuple can" if given == "list" else ""
            message += ", unless the parameter is a `tl.constexpr`" if given in ("str", "dtype") else ""
        elif parameter.constexpr and given in _UNHASHABLE:
            message = f"a {given} can't be passed for the constexpr `{parameter.name}`: Triton needs a value to hash"
            message += "; a tuple has one" if given == "list" else ""
        elif parameter.constexpr and given == "tensor" and _shapes(launch, parameter):
            message = f"a tensor is passed for the constexpr `{parameter.name}`, which is a size in the kernel"
        if message is not None:
            yield _finding(module, launch, node, message)


def _shapes(launch: Certain, parameter: Parameter) -> bool:
    """Whether the kernel takes the parameter itself for a size."""
    for node in descend(launch.function.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SHAPES:
            sizes = [e for a in node.args for e in (a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a])]
            if any(isinstance(e, ast.Name) and e.id == parameter.name for e in sizes):
                return True
    return False
