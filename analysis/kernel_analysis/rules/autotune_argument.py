"""``autotune-argument``: an autotuner speaks of what is no parameter of its kernel, or a launch passes what the configs
set. Only lists that are known whole are looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.host.decorators.layers import Layer, Stack
from kernel_analysis.host.evaluate.values import WrittenConfig
from kernel_analysis.host.evaluate.wording import meant
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.kernels.backend_options import COMMON, options, parameters, refuses_names
from kernel_analysis.report import Edit, Finding, Fix, Related, Severity
from kernel_analysis.rules.subject import FileSubject, as_written
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.forms import is_none
from kernel_analysis.span import Span

CODE = "autotune-argument"

_LISTS = ("key", "restore_value", "reset_to_zero")
_ALWAYS = frozenset({"num_warps", "num_stages", "num_ctas"})
"""What every config sets."""
_TAKES = frozenset({"configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook", "post_hook",
                    "warmup", "rep", "use_cuda_graph", "do_bench", "cache_results"})  # fmt: skip
_CONFIG = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook", "ir_override"})
"""What all versions that are supported take; others are asked for."""


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each autotuner in the file, and each launch of one."""
    found = [f for known in subject.stacks for layer in known.tuners for f in _tuner(subject.module, known, layer)]

    def of(launch: Certain) -> list[Finding]:
        wrong = list(_launch(subject.module, launch)) if launch.stack.tuners else []
        return as_written(subject, wrong) if wrong and launch.happens else []

    return found + subject.of_launches(CODE, of)


def _tuner(module: Module, known: Stack, layer: Layer) -> Iterator[Finding]:
    names = [p.name for p in known.function.parameters]
    if layer.arguments is None:
        return
    yield from _call(module, known, layer)
    refused = refuses_names(known.resolver)
    for what in _LISTS:
        node = layer.arguments.get(what)
        if node is None:
            continue
        listed = known.names(node) or []
        spelled = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if spelled and any(name not in names for name, _ in listed):
            severity: Severity = "error" if refused or what != "key" else "warning"
            message = f"`{what}` is a text, of which every letter counts as a parameter: write `[{ast.unparse(node)}]`"
            fix = Fix("Make it a list", (_insert(module, node, "[", False), _insert(module, node, "]", True)))
            yield Finding(CODE, severity, message, module.span(node), (), (fix,))
            continue
        for name, place in listed:
            if name not in names:
                yield _unlisted(module, known, what, name, place, refused)
    # Of a kernel with `**meta` it is its own error that it takes none of them.
    written = [] if known.function.node.args.kwarg is not None else known.configs() or []
    seen: set[tuple[str, int]] = set()
    for config in written:
        for name in config.values:
            if name in names or name in COMMON or (name, id(config.node)) in seen:
                continue
            seen.add((name, id(config.node)))
            taken = options(known.resolver)
            if taken is not None and name not in taken:
                yield _unset(module, known, layer, config, name)
        strange = config.options.keys() - _CONFIG
        accepted = parameters(known.resolver, "Config") if strange else None
        for name in sorted(strange - accepted) if accepted is not None else ():
            if config.file == module.file:
                hint = _hint(name, [n for n in accepted or () if n != "kwargs"])
                message = f"`triton.Config` takes no `{name}`{hint[0]}"
                node = next((k for k in config.node.keywords if k.arg == name), config.node)
                yield Finding(CODE, "error", message, module.span(node))


def _call(module: Module, known: Stack, layer: Layer) -> Iterator[Finding]:
    """The call of ``autotune`` itself."""
    call, arguments = layer.node, layer.arguments or {}
    if not isinstance(call, ast.Call):
        yield Finding(CODE, "error", "`triton.autotune` needs `configs` and `key`", module.span(call))
        return
    lacking = [name for name in ("configs", "key") if name not in arguments]
    if lacking:
        message = f"`triton.autotune` needs {' and '.join(f'`{name}`' for name in lacking)}"
        yield Finding(CODE, "error", message, module.span(call.func))
    strange = arguments.keys() - _TAKES
    accepted = parameters(known.resolver, "autotune") if strange else None
    for keyword in call.keywords if accepted is not None else ():
        if keyword.arg in strange - (accepted or frozenset()):
            hint, _ = _hint(keyword.arg or "", sorted(accepted or ()))
            message = f"`triton.autotune` takes no `{keyword.arg}`{hint}"
            yield Finding(CODE, "error", message, module.span(keyword))


def _unlisted(module: Module, known: Stack, what: str, name: str, place: ast.expr, refused: bool) -> Finding:
    names = [p.name for p in known.function.parameters]
    hint, close = _hint(name, names)
    message = f"`{name}` in `{what}` is no parameter of kernel `{known.function.name}`{hint}"
    severity: Severity = "error"
    if not refused and what == "key":
        severity = "warning"
        message += " This" if hint else ": this"
        message += " Triton leaves it out, and does not tune again when that changes"
    exact = isinstance(place, ast.Constant) and place.value == name
    fixes = (_replace(module, place, close),) if close is not None and exact else ()
    span = module.span(place)
    return Finding(CODE, severity, message, span, _defined(known), fixes)


def _unset(module: Module, known: Stack, layer: Layer, config: WrittenConfig, name: str) -> Finding:
    names = [p.name for p in known.function.parameters]
    hint, close = _hint(name, [p for p in names if p not in config.values])
    message = f"a config sets `{name}`, which is no parameter of kernel `{known.function.name}`"
    message += f" and no option of the installed Triton{hint}"
    own = config.file == module.file
    source = next(iter([*config.node.args[:1], *(k.value for k in config.node.keywords if k.arg == "kwargs")]), None)
    keys = source.keys if isinstance(source, ast.Dict) else []
    key = next((k for k in keys if isinstance(k, ast.Constant) and k.value == name), None) if own else None
    place = key or (config.node if own else layer.node)
    fixes = (_replace(module, key, close),) if key is not None and close is not None else ()
    # By its looks it may be an option of a backend that is not installed here.
    severity: Severity = "error" if close is not None or name.isupper() else "warning"
    prunes = [(inner.arguments or {}).get("prune_configs_by") for inner in known.tuners]
    if any(prune is not None and not is_none(prune) for prune in prunes):
        severity = "information"
        message += ", unless `prune_configs_by` leaves that config out, or sets something else"
    return Finding(CODE, severity, message, module.span(place), _defined(known), fixes)


def _defined(known: Stack) -> tuple[Related, ...]:
    return (Related(known.function.name_span, f"kernel `{known.function.name}` is defined here"),)


def _hint(name: str, names: list[str]) -> tuple[str, str | None]:
    close = meant(name, names)
    return (f"; did you mean `{close}`?", close) if close else ("", None)


def _replace(module: Module, node: ast.expr, name: str) -> Fix:
    return Fix(f"Write `{name}`", (Edit(module.span(node), f'"{name}"'),))


def _insert(module: Module, node: ast.expr, text: str, after: bool) -> Edit:
    span = module.span(node)
    line, column = (span.end_line, span.end_column) if after else (span.line, span.column)
    return Edit(Span(span.file, line, column, line, column), text)


def _launch(module: Module, launch: Certain) -> Iterator[Finding]:
    """What a launch passes although the configs set it."""
    configs = launch.stack.configs()
    pruned = any("prune_configs_by" in (layer.arguments or {}) for layer in launch.stack.tuners)
    every = set(_ALWAYS)
    sets = [{*c.values, *(n for n, v in c.options.items() if n in COMMON and not is_none(v))} for c in configs or ()]
    # A config that sets something else than the others may be pruned.
    every |= (set[str].intersection(*sets) if pruned else set[str]().union(*sets)) if sets else set()
    function = launch.function
    owner = launch.at.resolver.project.load(function.file)
    where = Related(owner.span(launch.stack.tuners[0].node), "the autotuner is here")
    for parameter, node in zip(launch.by_position, launch.positional, strict=False):
        if parameter.name in every:
            message = f"the configs of kernel `{function.name}` set `{parameter.name}`, and this launch passes it, too"
            yield Finding(CODE, "error", message, module.span(node), (where,))
    for name, keyword in launch.named.items():
        if name in every:
            message = f"the configs of kernel `{function.name}` set `{name}`, and this launch passes it, too"
            yield Finding(CODE, "error", message, module.span(keyword), (where,), _without(module, launch, keyword))


def _without(module: Module, launch: Certain, keyword: ast.keyword) -> tuple[Fix, ...]:
    """Leave an argument out, with the comma before it, or after it where it is the first."""
    if keyword not in launch.launch.call.keywords:
        return ()
    every = sorted([*launch.launch.call.args, *launch.launch.call.keywords], key=lambda n: (n.lineno, n.col_offset))
    place = every.index(keyword)
    own = module.span(keyword)
    if place:
        before = module.span(every[place - 1])
        span = Span(own.file, before.end_line, before.end_column, own.end_line, own.end_column)
    elif len(every) > 1:
        after = module.span(every[1])
        span = Span(own.file, own.line, own.column, after.line, after.column)
    else:
        span = own
    return (Fix(f"Leave `{keyword.arg}` to the configs", (Edit(span, ""),)),)
