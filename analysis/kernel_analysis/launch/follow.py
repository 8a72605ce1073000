"""Follows the code around a launch by its syntax, with chosen shapes for the tensors that it is given, up to it: what
it passes then, and over which grid. A step-counted interpreter over stand-ins; it runs no code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from kernel_analysis.launch.fakes import UNKNOWN, Dotted, Tensor, attribute, called, method
from kernel_analysis.launch.pragma import OPTIONS
from kernel_analysis.source.kernel import Launch

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
Shape: TypeAlias = "Callable[[str, int], tuple[int, ...]]"
Scalar: TypeAlias = "Callable[[str, str], Any]"
_STEPS = 20_000
_DEPTH = 12
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_PYTHON = {"min", "max", "int", "float", "bool", "abs", "round", "sum", "len", "str", "range", "tuple", "list"}
_TENSOR_WORDS = {
    "shape", "stride", "size", "numel", "view", "reshape", "dtype", "device", "contiguous", "ndim", "dim",
    "is_contiguous", "new_empty", "transpose", "permute", "unsqueeze", "flatten", "element_size", "is_cuda", "T", "mT",
    "data_ptr",
}  # fmt: skip


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Arrived(Exception):
    """At the launch."""


class GaveUp(Exception):
    """The code is too much to follow."""


@dataclass(slots=True)
class _Scope:
    file: str
    names: dict[str, Any] = field(default_factory=dict[str, Any])
    outer: _Scope | None = None


@dataclass(frozen=True, slots=True)
class _Function:
    node: FunctionNode
    scope: _Scope


@dataclass(slots=True)
class Arrived:
    """``arguments``: what is passed, by position and by name; ``grid``: the numbers, or a function of the constexpr
    values."""

    positional: list[Any]
    keywords: dict[str, Any]
    grid: Callable[[dict[str, Any]], tuple[int, ...] | None]


class Follower:
    """``shape`` chooses the shape of a tensor parameter by name and rank, ``scalar`` the value of another by name and
    annotation; ``processors`` is how many the device has."""

    def __init__(self, project: Project, shape: Shape, scalar: Scalar, processors: int) -> None:
        self._project, self._shape, self._scalar, self._processors = project, shape, scalar, processors
        self._modules: dict[str, _Scope] = {}
        self._steps = _STEPS
        self._depth = 0
        self._target: ast.Call | None = None
        self._arrived: _Scope | None = None

    def arrive(self, launch: Launch) -> Arrived | None:
        """Everything up to a launch; None where it is not reached."""
        if launch.via is not None or not launch.scope:
            return None
        self._target = launch.call
        outer = self._module(launch.file)
        try:
            for position, function in enumerate(launch.scope):
                outer = self._entered(function, outer)
                last = position == len(launch.scope) - 1
                try:
                    if last:
                        self._block(function.body, outer)
                    else:
                        self._define(function, outer)
                except _Returned:
                    return None
        except _Arrived:
            pass
        except (GaveUp, RecursionError):
            return None
        scope = self._arrived
        if scope is None:
            return None
        call, grid = launch.call, launch.grid
        positional: list[Any] = []
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                value = self._value(argument.value, scope)
                if not isinstance(value, tuple):
                    break
                positional += value
            else:
                positional.append(self._value(argument, scope))
        keywords: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self._value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update({str(k): v for k, v in value.items()})
        return Arrived(positional, keywords, lambda constants: self._grid(grid, scope, constants))

    def apply(self, file: str, node: ast.expr, arguments: list[Any]) -> Any:
        """What a function or lambda of a file's gives."""
        try:
            self._steps = _STEPS
            function = self._value(node, self._module(file))
            return self._call(function, arguments, {}) if isinstance(function, _Function) else UNKNOWN
        except (GaveUp, RecursionError):
            return UNKNOWN

    def _grid(self, node: ast.expr | None, scope: _Scope, constants: dict[str, Any]) -> tuple[int, ...] | None:
        if node is None:
            return None
        try:
            self._steps = _STEPS
            value = self._value(node, scope)
            if isinstance(value, _Function):
                value = self._call(value, [dict(constants)], {})
        except (GaveUp, RecursionError):
            return None
        if type(value) is int:
            value = (value,)
        known = isinstance(value, tuple) and value and all(type(v) is int and 0 < v < 1 << 31 for v in value)
        return value if known else None

    def _entered(self, function: ast.FunctionDef | ast.AsyncFunctionDef, outer: _Scope) -> _Scope:
        """The scope of a function that is entered with made-up arguments."""
        scope = _Scope(outer.file, {}, outer)
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        defaults = dict(
            zip(
                reversed([*function.args.posonlyargs, *function.args.args]),
                reversed(function.args.defaults),
                strict=False,
            )
        )
        defaults.update({a: d for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d})
        for argument in arguments:
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            rank = _rank(function, argument.arg)
            if argument.arg in OPTIONS:
                scope.names[argument.arg] = UNKNOWN  # Triton's default is better than a guess
            elif rank is not None or "Tensor" in written:
                scope.names[argument.arg] = Tensor(self._shape(argument.arg, rank or 2), (), rank is None)
            elif argument in defaults:
                scope.names[argument.arg] = self._value(defaults[argument], outer)
            else:
                scope.names[argument.arg] = self._scalar(argument.arg, written)
        return scope

    def _define(self, function: ast.AST, scope: _Scope) -> None:
        """What the statements of an outer function bind."""
        for statement in getattr(function, "body", []):
            if isinstance(statement, ast.FunctionDef):
                scope.names[statement.name] = _Function(statement, scope)
            else:
                self._statement(statement, scope)

    # Statements -------------------------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], scope: _Scope) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: _Scope) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise GaveUp
        if isinstance(node, ast.If):
            self._if(node, scope)
        elif isinstance(node, ast.For | ast.AsyncFor):
            values = self._value(node.iter, scope)
            self._bind(node.target, values[0] if isinstance(values, tuple) and values else UNKNOWN, scope)
            self._block(node.body, scope)
        elif isinstance(node, ast.While | ast.With | ast.AsyncWith):
            self._block(node.body, scope)
        elif isinstance(node, ast.Try):
            self._block([*node.body, *node.orelse, *node.finalbody], scope)
        elif isinstance(node, ast.FunctionDef):
            scope.names[node.name] = _Function(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            if self._target is not None and any(_same(inner, self._target) for inner in ast.walk(node)):
                self._arrived = scope
                raise _Arrived
            if isinstance(node, ast.Return):
                raise _Returned(self._value(node.value, scope) if node.value else None)
            if isinstance(node, ast.Raise):
                raise _Returned(UNKNOWN)
            if isinstance(node, ast.Assign):
                value = self._value(node.value, scope)
                for target in node.targets:
                    self._bind(target, value, scope)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._bind(node.target, self._value(node.value, scope), scope)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                made = self._binary(node.op, self._name(node.target.id, scope), self._value(node.value, scope))
                scope.names[node.target.id] = made
            elif isinstance(node, ast.Expr) and self._depth < 2 and isinstance(node.value, ast.Call):
                pass  # its effects are of no matter

    def _if(self, node: ast.If, scope: _Scope) -> None:
        test = self._value(node.test, scope)
        if self._target is not None:
            for body, other in ((node.body, node.orelse), (node.orelse, node.body)):
                if other and any(_same(inner, self._target) for s in body for inner in ast.walk(s)):
                    return self._block(body, scope)
        if test is UNKNOWN or isinstance(test, Tensor):
            ends = isinstance(node.body[-1], ast.Raise | ast.Return)
            test = not ends
        return self._block(node.body if test else node.orelse, scope)

    def _bind(self, target: ast.expr, value: Any, scope: _Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = value if isinstance(value, tuple) and len(value) == len(target.elts) else ()
            for position, element in enumerate(target.elts):
                self._bind(element, values[position] if values else UNKNOWN, scope)
        elif isinstance(target, ast.Subscript):
            holder, key = self._value(target.value, scope), self._value(target.slice, scope)
            if isinstance(holder, dict) and isinstance(key, str):
                holder[key] = value

    def _import(self, node: ast.Import | ast.ImportFrom, scope: _Scope) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if isinstance(node, ast.Import):
                scope.names[name] = Dotted(alias.name if alias.asname else name)
                continue
            module = "." * node.level + (node.module or "")
            file = self._project.find_module(module, scope.file)
            found = self._in_module(file, alias.name) if file else UNKNOWN
            scope.names[name] = Dotted(f"{module}.{alias.name}") if found is UNKNOWN else found

    # Names ------------------------------------------------------------------------------------------------------------

    def _module(self, file: str) -> _Scope:
        if file not in self._modules:
            self._modules[file] = _Scope(file)
        return self._modules[file]

    def _in_module(self, file: str, name: str) -> Any:
        scope = self._module(file)
        if name not in scope.names:
            scope.names[name] = UNKNOWN  # while it is looked for
            target, self._target = self._target, None
            try:
                for statement in _binding(self._project.load(file).tree.body, name):
                    self._statement(statement, scope)
            except _Returned:
                pass
            finally:
                self._target = target
        return scope.names[name]

    def _name(self, name: str, scope: _Scope) -> Any:
        here = scope
        while True:
            if here.outer is None:
                found = self._in_module(here.file, name)
                return Dotted(f"builtins.{name}") if found is UNKNOWN and name in _PYTHON else found
            if name in here.names:
                return here.names[name]
            here = here.outer

    # Expressions ------------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr | None, scope: _Scope) -> Any:
        self._steps -= 1
        if self._steps < 0:
            raise GaveUp
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._attribute(self._value(node.value, scope), node.attr)
        if isinstance(node, ast.Call):
            return self._called(node, scope)
        if isinstance(node, ast.Tuple | ast.List):
            out: list[Any] = []
            for element in node.elts:
                if isinstance(element, ast.Starred):
                    inner = self._value(element.value, scope)
                    if not isinstance(inner, tuple):
                        return UNKNOWN
                    out += inner
                else:
                    out.append(self._value(element, scope))
            return tuple(out)
        if isinstance(node, ast.BinOp):
            return self._binary(node.op, self._value(node.left, scope), self._value(node.right, scope))
        if isinstance(node, ast.UnaryOp):
            inner = self._value(node.operand, scope)
            if inner is UNKNOWN or isinstance(inner, Tensor):
                return inner
            return not inner if isinstance(node.op, ast.Not) else -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compared(node.ops[0], self._value(node.left, scope), self._value(node.comparators[0], scope))
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, scope)
        if isinstance(node, ast.IfExp):
            test = self._value(node.test, scope)
            if test is UNKNOWN:
                return UNKNOWN
            return self._value(node.body if test else node.orelse, scope)
        if isinstance(node, ast.Subscript):
            return self._item(self._value(node.value, scope), node.slice, scope)
        if isinstance(node, ast.Lambda):
            return _Function(node, scope)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return {self._value(k, scope): self._value(v, scope) for k, v in pairs if isinstance(k, ast.Constant)}
        return UNKNOWN

    def _attribute(self, value: Any, name: str) -> Any:
        if isinstance(value, Tensor):
            return attribute(value, name)
        if isinstance(value, Dotted):
            return Dotted(f"{value.path}.{name}")
        return self._processors if name == "multi_processor_count" else UNKNOWN

    def _called(self, node: ast.Call, scope: _Scope) -> Any:
        arguments = [self._value(a, scope) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self._value(k.value, scope) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Attribute):
            holder = self._value(node.func.value, scope)
            if isinstance(holder, Tensor):
                return method(holder, node.func.attr, arguments, keywords)
            if isinstance(holder, dict) and node.func.attr == "get":
                return holder.get(arguments[0], arguments[1] if len(arguments) > 1 else None)
            function = self._attribute(holder, node.func.attr)
        else:
            function = self._value(node.func, scope)
        if isinstance(function, _Function):
            return self._call(function, arguments, keywords)
        if isinstance(function, Dotted):
            if function.path == "builtins.range" and all(type(a) is int for a in arguments):
                return tuple(range(*arguments))[:64]
            if function.path in ("builtins.tuple", "builtins.list") and arguments:
                return arguments[0]
            if function.path.endswith("get_device_properties"):
                return Dotted("device")
            return called(function.path, arguments, keywords, self._processors)
        return UNKNOWN

    def _call(self, function: _Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if self._depth >= _DEPTH:
            return UNKNOWN
        node = function.node
        scope = _Scope(function.scope.file, {}, function.scope)
        positional = [*node.args.posonlyargs, *node.args.args]
        for argument, default in zip(reversed(positional), reversed(node.args.defaults), strict=False):
            scope.names[argument.arg] = self._value(default, function.scope)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            scope.names[argument.arg] = UNKNOWN if default is None else self._value(default, function.scope)
        for argument in positional:
            scope.names.setdefault(argument.arg, UNKNOWN)
        scope.names.update(zip((a.arg for a in positional), arguments, strict=False))
        scope.names.update(keywords)
        if isinstance(node, ast.Lambda):
            return self._value(node.body, scope)
        self._depth += 1
        target, self._target = self._target, None
        try:
            self._block(node.body, scope)
        except _Returned as returned:
            return returned.value
        finally:
            self._target = target
            self._depth -= 1
        return None

    def _item(self, value: Any, index: ast.expr, scope: _Scope) -> Any:
        if isinstance(index, ast.Slice):
            low, high = (None if part is None else self._value(part, scope) for part in (index.lower, index.upper))
            if isinstance(value, tuple) and all(v is None or type(v) is int for v in (low, high)):
                return value[low:high]
            return value if isinstance(value, Tensor) else UNKNOWN
        key = self._value(index, scope)
        if isinstance(value, dict):
            return value.get(key, UNKNOWN)
        if isinstance(value, tuple) and type(key) is int and -len(value) <= key < len(value):
            return value[key]
        if isinstance(value, Tensor) and type(key) is int and len(value.shape) > 1:
            return Tensor(value.shape[1:], value.stride()[1:])
        return UNKNOWN

    def _boolean(self, node: ast.BoolOp, scope: _Scope) -> Any:
        value: Any = UNKNOWN
        for part in node.values:
            value = self._value(part, scope)
            if value is UNKNOWN or isinstance(value, Tensor):
                return value
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    @staticmethod
    def _binary(op: ast.operator, one: Any, other: Any) -> Any:
        if isinstance(one, Tensor) or isinstance(other, Tensor):
            return one if isinstance(one, Tensor) else other
        return _applied(_OPERATORS.get(type(op)), one, other)

    @staticmethod
    def _compared(op: ast.cmpop, one: Any, other: Any) -> Any:
        if isinstance(op, ast.Is | ast.IsNot):
            if one is UNKNOWN or other is UNKNOWN:
                return UNKNOWN
            return (one is other) is isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if one is UNKNOWN or not isinstance(other, tuple) or UNKNOWN in other:
                return UNKNOWN
            return (one in other) is isinstance(op, ast.In)
        return _applied(_OPERATORS.get(type(op)), one, other)


def _applied(function: Callable[..., Any] | None, one: Any, other: Any) -> Any:
    if function is None or isinstance(one, Dotted | _Function) or isinstance(other, Dotted | _Function):
        return UNKNOWN
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    try:
        return function(one, other)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return UNKNOWN


def _same(node: ast.AST, call: ast.Call) -> bool:
    return node is call or (
        isinstance(node, ast.Call)
        and (node.lineno, node.col_offset) == (call.lineno, call.col_offset)
        and node.end_col_offset == call.end_col_offset
        and node.end_lineno == call.end_lineno
    )


def _binding(body: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """The module's statements that may bind a name."""
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            if statement.name == name:
                found.append(statement)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            if any((alias.asname or alias.name.partition(".")[0]) == name for alias in statement.names):
                one = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) == name]
                copy = type(statement)(
                    **{f: getattr(statement, f) for f in statement._fields if f != "names"}, names=one
                )
                found.append(ast.copy_location(copy, statement))
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(n, ast.Name) and n.id == name for target in targets for n in ast.walk(target)):
                found.append(statement)
        elif isinstance(statement, ast.If | ast.Try):
            found += _binding([*statement.body, *statement.orelse], name)
    return found


def _rank(function: ast.AST, name: str) -> int | None:
    """How many dimensions the code takes a parameter to have; None where nothing says that it is a tensor."""
    rank: int | None = None
    for node in ast.walk(function):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name):
            continue
        if node.attr in _TENSOR_WORDS:
            rank = rank or 0
    if rank is None:
        return None
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            text = ast.unparse(node.value)
            if text in (f"{name}.shape", f"{name}.size()", f"{name}.stride()"):
                rank = max(rank, len(node.targets[0].elts))
        index: ast.expr | None = None
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == f"{name}.shape":
            index = node.slice
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (f"{name}.stride", f"{name}.size") and node.args:
            index = node.args[0]
        if index is not None:
            try:
                at = ast.literal_eval(index)
            except ValueError:
                continue
            if type(at) is int:
                rank = max(rank, at + 1 if at >= 0 else -at)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == f"{name}.numel" and not rank:
            rank = 1
    return rank or 2
