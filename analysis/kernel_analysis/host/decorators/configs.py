"""Autotune configs and heuristics as expressions, from literal lists, comprehensions and small functions. Runs
nothing of the user's."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import CHANGES
from kernel_analysis.host.evaluate.found_once import found_once
from kernel_analysis.host.evaluate.properties import alike
from kernel_analysis.host.evaluate.values import (
    Config,
    Decoration,
    Dict,
    Items,
    Partial,
    Scope,
    Unknown,
    UserFunction,
    Value,
    WrittenConfig,
    plain,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.source.slice import TorchDtype, TritonObject
from kernel_analysis.source.tree.forms import spreads
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView
    from kernel_analysis.source.kernel import JitFunction

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
OPTION_DEFAULTS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
"""What a config that does not say passes."""
_MOST = 64
_NOT_KNOWN: Final = ast.Name("?", ast.Load())
"""What nothing is known of, wherever it is read."""
_BINDS = (ast.comprehension, ast.Lambda, ast.NamedExpr)


def config(evaluator: EvaluatorView, node: ast.Call, scope: Scope, before: int | None) -> Config:
    """One ``triton.Config(...)`` call."""
    keywords = _keywords(evaluator, node, scope, before)
    source = keywords.get("kwargs") or (node.args[0] if node.args else None)
    if source is not None and not isinstance(source, ast.Dict):
        _kept(evaluator, source, scope, before)
    options: dict[str, ast.expr] = dict(zip(_OPTIONS[:3], node.args[1:], strict=False))
    options.update({k: v for k, v in keywords.items() if k in _OPTIONS})
    settled = {name: _valued(evaluator, value, scope, before) for name, value in options.items()}
    values = {} if source is None else _values(evaluator, source, scope, before)
    return Config(values, settled, _written(evaluator, node, scope, before), scope.module.file)


def _values(evaluator: EvaluatorView, source: ast.expr, scope: Scope, before: int | None) -> dict[str, ast.expr]:
    """What a dict gives each parameter by the time that a config is made of it."""
    found: dict[str, ast.expr] = {}
    if isinstance(source, ast.Dict):
        for key, item in zip(source.keys, source.values, strict=True):
            if key is None:
                found.update(_values(evaluator, item, scope, before))
            elif isinstance(name := evaluator.evaluate(key, scope, before), str):
                found[name] = _valued(evaluator, item, scope, before)
        return found
    value = evaluator.evaluate(source, scope, before)
    if not isinstance(value, Dict):
        return dict.fromkeys(expressions(evaluator, source, scope, before), _NOT_KNOWN)
    written = pairs(evaluator, _display(evaluator, source, scope, before), scope, before) or {}
    for name, item in value.pairs:
        if isinstance(name, str):
            node = written.get(name, _NOT_KNOWN)
            stays = not isinstance(item, Unknown) and evaluator.evaluate(node, scope, before) == item
            found[name] = _expression(item) or (_elsewhere(node, scope) if stays else _NOT_KNOWN)
    return found


def _display(evaluator: EvaluatorView, source: ast.expr, scope: Scope, before: int | None) -> ast.expr:
    """The dict as it is written, where a name of it stands for one that is."""
    if isinstance(source, ast.Name):
        definition = evaluator.resolver.lookup(scope, source.id, before)
        node = definition.node
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            if definition.module is scope.module:
                return node.value
    return source


def _valued(evaluator: EvaluatorView, node: ast.expr, scope: Scope, before: int | None) -> ast.expr:
    """The value of an expression as a literal, or as much of it as means the same to who reads it elsewhere."""
    found = _settled(evaluator, node, scope, before)
    return _elsewhere(node, scope) if found is node else found


def _elsewhere(node: ast.expr, scope: Scope) -> ast.expr:
    """An expression, where it means the same at any place of its file."""
    if isinstance(node, (ast.Constant, ast.Lambda)):
        return node
    inside = list(descend(node))
    top = isinstance(scope.node, ast.Module) and scope.locals is None
    names = (inner.id for inner in inside if isinstance(inner, ast.Name))
    once = top and all(len(scope.table.events.get(name, ())) < 2 for name in names)
    return node if once and not any(isinstance(inner, _BINDS) for inner in inside) else _NOT_KNOWN


def _keywords(evaluator: EvaluatorView, node: ast.Call, scope: Scope, before: int | None) -> dict[str, ast.expr]:
    """What a call passes by name, also in a dict; notes where that is not all."""
    found: dict[str, ast.expr] = {}
    known = not any(isinstance(argument, ast.Starred) for argument in node.args)
    for keyword in node.keywords:
        if keyword.arg:
            found[keyword.arg] = keyword.value
            continue
        spread = evaluator.evaluate(keyword.value, scope, before)
        given = {k: _expression(v) for k, v in spread.pairs if isinstance(k, str)} if isinstance(spread, Dict) else {}
        known = known and isinstance(spread, Dict) and None not in given.values()
        found.update({name: value for name, value in given.items() if value is not None})
    if not known:
        evaluator.resolver.note("what a config is given by `*` or `**` is not known")
    return found


def _kept(evaluator: EvaluatorView, source: ast.expr, scope: Scope, before: int | None) -> None:
    """Notes that a config has the very dict that it is given, where that is another at the end."""
    if scope.locals is not None:
        changed = isinstance(source, ast.Name) and _changed_later(scope.node, source)
    elif before is not None:
        later = evaluator.evaluate(source, scope, _bound_until(scope, source, before))
        changed = isinstance(later, Dict) and not alike(evaluator.evaluate(source, scope, before), later)
    else:
        changed = False
    if changed:
        evaluator.resolver.note(f"`{describe(source)}` is changed after a config is made of it")


def _bound_until(scope: Scope, source: ast.expr, before: int) -> int:
    """The statement by which a name is bound anew for sure, or the end of the file: what it stands for at another is
    changed no further by its name."""
    while isinstance(source, (ast.Attribute, ast.Subscript)):
        source = source.value
    events = scope.table.events.get(source.id, ()) if isinstance(source, ast.Name) else ()
    anew = [e.order for e in events if e.order >= before and e.how in ("assign", "element") and not e.guards]
    return min(anew, default=max(scope.table.orders.values(), default=0) + 1)


def _changed_later(function: ast.AST, source: ast.Name) -> bool:
    """Whether a function changes a dict of its own below, or in another turn of a loop that does not make it anew."""
    loops = [
        n for n in descend(function) if isinstance(n, (ast.For, ast.While)) and any(i is source for i in descend(n))
    ]
    kept = [n for n in loops if not any(isinstance(i, ast.Name) and i.id == source.id and isinstance(i.ctx, ast.Store)
                                        for i in descend(n))]  # fmt: skip
    return any(
        isinstance(node, ast.Name) and node.id == source.id
        for start, above in [((source.lineno, source.col_offset), function), *(((0, 0), loop) for loop in kept)]
        for change in descend(above)
        if isinstance(change, ast.Attribute)
        and change.attr in CHANGES
        or isinstance(change, ast.Subscript)
        and not isinstance(change.ctx, ast.Load)
        if (change.lineno, change.col_offset) > start
        for node in (change.value,)
    )


def _written(evaluator: EvaluatorView, node: ast.Call, scope: Scope, before: int | None) -> WrittenConfig | None:
    """A config as it is spelled; None where it may set what is not in sight."""
    if spreads(node):
        return None
    arguments: dict[str, ast.expr] = dict(
        zip(("kwargs", *_OPTIONS, "pre_hook", "ir_override"), node.args, strict=False)
    )
    arguments.update({k.arg: k.value for k in node.keywords if k.arg})
    source = arguments.pop("kwargs", None)
    values = pairs(evaluator, source, scope, before) if source is not None else None
    hook = arguments.pop("pre_hook", None)
    return None if values is None else WrittenConfig(scope.module.file, node, values, arguments, hook)


def pairs(evaluator: EvaluatorView, node: ast.expr, scope: Scope, before: int | None) -> dict[str, ast.expr] | None:
    """A dict of names, each with its value as written, or the whole where it is written elsewhere; None where it may
    hold others."""
    if isinstance(node, ast.Dict):
        found: dict[str, ast.expr] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            if key is None:
                inner = pairs(evaluator, item, scope, before)
                if inner is None:
                    return None
                found.update(inner)
                continue
            name = plain(evaluator.evaluate(key, scope, before))
            if not isinstance(name, str):
                return None
            found[name] = item
        return found
    value = evaluator.evaluate(node, scope, before)
    if not isinstance(value, Dict):
        return None
    names = [k for k in (plain(key) for key, _ in value.pairs) if isinstance(k, str)]
    return dict.fromkeys(names, node) if len(names) == len(value.pairs) else None


def read_in(chosen: Config, file: str) -> Config:
    """The config as it is read in a file: names that stand in another mean nothing there."""
    if chosen.file == file:
        return chosen
    values, options = (
        {name: node if _is_literal(node) else _NOT_KNOWN for name, node in given.items()}
        for given in (chosen.values, chosen.options)
    )
    return Config(values, options, chosen.written, file)


def _is_literal(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(part, ast.Constant) for part in parts)


def for_parameters(chosen: Config, parameters: list[str]) -> dict[str, ast.expr]:
    """The constexpr values that a config gives a kernel: its own, and ``num_warps`` and the like where the kernel
    takes them."""
    values = dict(chosen.values)
    for name in _OPTIONS:
        if name in parameters and name not in values:
            if name in chosen.options:
                values[name] = chosen.options[name]
            elif name in OPTION_DEFAULTS:
                values[name] = ast.Constant(OPTION_DEFAULTS[name])
    return values


def configs(evaluator: EvaluatorView, source: ast.expr | None, scope: Scope, before: int | None) -> tuple[Config, ...]:
    """The configs that an expression lists; what can't be known is left out."""
    if source is None:
        return ()
    value = listed(evaluator, source, scope, before)
    found = _of(value)
    if not found:
        found = _spelled_out(evaluator, source, scope, before)
    elif before is not None and _is_held(source):
        # The tuner has the very list.
        later = _of(listed(evaluator, source, scope, _bound_until(scope, source, before)))
        if _spellings(later) != _spellings(found):
            evaluator.resolver.note(f"`{describe(source)}` is changed after a kernel is given it")
    return tuple(found[:_MOST])


def _is_held(source: ast.expr) -> bool:
    """Whether it is there without being made."""
    if isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Slice):
        return False
    return isinstance(source, (ast.Name, ast.Attribute, ast.Subscript))


def _of(value: Value) -> list[Config]:
    return [v for v in value.values if isinstance(v, Config)] if isinstance(value, Items) else []


def listed(evaluator: EvaluatorView, source: ast.expr, scope: Scope, before: int | None) -> Value:
    """What lists configs, found out once: a function that makes thirty takes longer than all else around a kernel."""
    return found_once(evaluator, scope, (source, before), lambda: evaluator.evaluate(source, scope, before))


def _spelled_out(evaluator: EvaluatorView, source: ast.expr, scope: Scope, before: int | None) -> list[Config]:
    """Where code decides which configs count: every ``Config(...)`` that is written in it with all its values."""
    inside: ast.AST = source
    around = scope
    target = source.func if isinstance(source, ast.Call) else source
    if isinstance(target, (ast.Name, ast.Attribute)):
        meaning = evaluator.evaluate(target, scope, before)
        if isinstance(meaning, UserFunction):
            inside, around = meaning.node, evaluator.resolver.inner(meaning.scope, meaning.node)
        elif isinstance(target, ast.Name) and target is source:
            definition = evaluator.resolver.lookup(scope, target.id, before)
            inside = definition.node
            around = evaluator.resolver.scope(definition.module) if definition.module is not scope.module else scope
    if isinstance(inside, ast.Module):
        return []
    found: list[Config] = []
    calls = [n for n in descend(inside) if isinstance(n, ast.Call)]
    for node in sorted(calls, key=lambda n: (n.lineno, n.col_offset)):
        if isinstance(node.func, (ast.Name, ast.Attribute)) and len(found) < _MOST:
            meaning = evaluator.evaluate(node.func, around)
            if isinstance(meaning, TritonObject) and meaning.path.rsplit(".", 1)[-1] == "Config":
                made = config(evaluator, node, around, None)
                if made.values and all(isinstance(v, ast.Constant) for v in made.values.values()):
                    found.append(made)
    if found:
        evaluator.resolver.note("code decides which configs there are")
    return found


def expressions(
    evaluator: EvaluatorView, source: ast.expr | None, scope: Scope, before: int | None
) -> Mapping[str, ast.expr]:
    """A dict with text keys, as expressions: values where they are known, the code where not."""
    if source is None:
        return {}
    source = _display(evaluator, source, scope, before)
    if not isinstance(source, ast.Dict):
        value = evaluator.evaluate(source, scope, before)
        pairs = value.pairs if isinstance(value, Dict) else ()
        made = {k: _expression(v) for k, v in pairs if isinstance(k, str)}
        return {k: v for k, v in made.items() if v is not None}
    found: dict[str, ast.expr] = {}
    for key, item in zip(source.keys, source.values, strict=False):
        if key is None:
            found.update(expressions(evaluator, item, scope, before))
            continue
        name = evaluator.evaluate(key, scope, before)
        if isinstance(name, str):
            found[name] = _settled(evaluator, item, scope, before)
    return found


def _settled(evaluator: EvaluatorView, node: ast.expr, scope: Scope, before: int | None) -> ast.expr:
    """The value of an expression as a literal, or the expression itself."""
    if isinstance(node, (ast.Constant, ast.Lambda)):
        return node
    made = _expression(evaluator.evaluate(node, scope, before))
    return ast.copy_location(made, node) if made is not None and not isinstance(made, ast.Lambda) else made or node


def _expression(value: Value) -> ast.expr | None:
    """A value as a literal; a function as its lambda or its name."""
    value = plain(value)
    if isinstance(value, (bool, int, float, str)) or value is None:
        return ast.Constant(value)
    if isinstance(value, TorchDtype):
        return ast.Attribute(ast.Name("torch", ast.Load()), value.name, ast.Load())
    if isinstance(value, Items):
        parts = [_expression(v) for v in value.values]
        known = [p for p in parts if p is not None]
        return ast.Tuple(known, ast.Load()) if len(known) == len(parts) else None
    if isinstance(value, UserFunction):
        return value.node if isinstance(value.node, ast.Lambda) else ast.Name(value.node.name, ast.Load())
    if isinstance(value, Partial):
        return _expression(value.function)
    return None


def put_on(function: JitFunction, decoration: Decoration) -> None:
    """What a launch of a jit function has by an autotuner, or by heuristics."""
    if decoration.kind == "heuristics":
        function.heuristics.update(decoration.options)
    elif decoration.kind == "autotune":
        _tune(function, decoration)


def _tune(function: JitFunction, decoration: Decoration) -> None:
    """Gives a jit function the configs of an autotuner. One that has another's already is launched with those as well:
    which of both are a launch's is not followed."""
    parameters = [p.name for p in function.parameters]
    chosen = [read_in(config, function.file) for config in decoration.configs]
    found = [(for_parameters(config, parameters), config.options) for config in chosen]
    known = list(zip(function.configs, function.config_options, strict=True))
    varies = decoration.varies
    if function.autotuned and [*map(_spelled, known)] != [*map(_spelled, found)]:
        found += [one for one in known if _spelled(one) not in [*map(_spelled, found)]]
        varies = varies or f"several autotuners have `{function.name}`, or one has other configs each time"
    function.autotuned = True
    function.configs = [dict(values) for values, _ in found[:_MOST]]
    function.config_options = [options for _, options in found[:_MOST]]
    function.configs_vary = varies or function.configs_vary
    function.pruned = function.pruned or decoration.pruned


def _spellings(found: list[Config]) -> list[list[tuple[str, str]]]:
    return [_spelled((one.values, one.options)) for one in found]


def _spelled(one: tuple[Mapping[str, ast.expr], Mapping[str, ast.expr]]) -> list[tuple[str, str]]:
    return [(name, ast.dump(value)) for part in one for name, value in part.items()]
