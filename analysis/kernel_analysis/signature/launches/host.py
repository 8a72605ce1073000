"""What the arguments of a launch are, as far as the text around it says: tensor or number, which dtype, which value.

Reads the launching function's syntax only; nothing of it is run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from kernel_analysis.host.tensors.library import NUMBERS
from kernel_analysis.signature.body.operators import fold
from kernel_analysis.signature.launches import passing, torch_calls
from kernel_analysis.signature.launches.argument import NOT_KNOWN, Argument, either, literal, unknown_one
from kernel_analysis.signature.launches.asked import asked
from kernel_analysis.signature.launches.torch_calls import BOOL, FLOAT, INT, TENSOR
from kernel_analysis.signature.values import DTYPES, UNKNOWN
from kernel_analysis.source import arithmetic, scopes
from kernel_analysis.source.dtypes import TRITON
from kernel_analysis.source.slice import TorchDtype, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.surroundings import Surroundings

_STEPS: Final = 1000
_ELEMENTWISE: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(slots=True)
class Host:
    """Evaluates expressions in the functions around a launch (innermost last), seen from a line, then in the module.

    ``entry``: the call by which a function of these was entered, where that is known, and what is around that call.
    ``file``: what else is in the file. ``budget``: steps that are left, for this and all that follows from it."""

    scope: tuple[scopes.FunctionNode, ...]
    module: scopes.Table
    line: int
    entry: passing.Entry | None = None
    file: Surroundings | None = None
    budget: list[int] = field(default_factory=lambda: [_STEPS])
    _active: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    _circles: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    _known: dict[tuple[int, str], Argument] = field(default_factory=dict[tuple[int, str], Argument])
    _passed: dict[ast.Call, passing.Passed] = field(default_factory=dict[ast.Call, passing.Passed])
    _callers: dict[scopes.FunctionNode, list[passing.Entry]] = field(
        default_factory=dict[scopes.FunctionNode, list[passing.Entry]]
    )
    _saved: Argument | None = None
    _results: dict[ast.Call, Argument] = field(default_factory=dict[ast.Call, Argument])

    def argument(self, node: ast.expr) -> Argument:
        """What an expression gives."""
        self.budget[0] -= 1
        if self.budget[0] < 0:
            return NOT_KNOWN
        if isinstance(node, ast.Constant):
            return literal(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Call):
            found = self.call(node)
            return self.function(node) if found.kind == "unknown" and not (node.args or node.keywords) else found
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.UnaryOp):
            inner = self.argument(node.operand)
            if isinstance(node.op, ast.Not):
                return BOOL if inner.value is UNKNOWN else literal(not inner.value)
            return inner if inner.value is UNKNOWN else folded(node.op, inner.value)
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.BoolOp):
            parts = [self.argument(v) for v in node.values]
            if all(p.kind in ("bool", "none") for p in parts):
                return BOOL
            return either([p for p in parts if p.kind != "none"] or parts)
        if isinstance(node, ast.IfExp):
            return either([self.argument(node.body), self.argument(node.orelse)])
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = tuple(self.argument(e) for e in node.elts)
            return Argument("tuple", items=items)
        return NOT_KNOWN

    def passed(self, call: ast.Call) -> passing.Passed:
        """What a call here passes."""
        if call not in self._passed:
            self._passed[call] = passing.passed(self, call)
        return self._passed[call]

    def name(self, name: str) -> Argument:
        """What a local variable, a parameter of the launching function, or a global is."""
        for depth, function in reversed(list(enumerate(self.scope))):
            events = scopes.kept_table(function).events.get(name)
            if events:
                return self.bound(depth, name, events, function)
        node = ast.Name(name, ast.Load())
        imported = self.file.imported(node) if self.file is not None else None
        if imported is not None:
            return imported
        events = self.module.events.get(name)
        found = self.bound(-1, name, events, None) if events else NOT_KNOWN
        return self.function(node) if found.kind == "unknown" else found

    def function(self, node: ast.Name | ast.Attribute | ast.Call) -> Argument:
        """The function that a name of the module stands for, if it is one that a kernel can call."""
        return NOT_KNOWN if self.file is None else self.file.function(self, node)

    def binding(self, name: str) -> tuple[list[scopes.Event], scopes.FunctionNode | None]:
        """The statements that bind a name before the line, and the function that they stand in."""
        for function in reversed(self.scope):
            events = scopes.kept_table(function).events.get(name)
            if events:
                return self._before(events), function
        return self.module.events.get(name, []), None

    def _before(self, events: list[scopes.Event]) -> list[scopes.Event]:
        return [e for e in events if getattr(e.node, "lineno", 0) <= self.line] or events

    def bound(
        self, depth: int, name: str, events: list[scopes.Event], function: scopes.FunctionNode | None
    ) -> Argument:
        key = (depth, name)
        if key in self._active:
            self._circles.add(key)
            return NOT_KNOWN
        if key in self._known:
            return self._known[key]
        self._active.add(key)
        around, self._circles = self._circles, set()
        if depth >= 0:
            events = self._before(events)
        if self.file is not None and len(events) > 1 and any(e.guards for e in events):
            events = self.file.happening(self, events, function) or events
        # The last one that always happens hides those before it.
        start = max((i for i, e in enumerate(events) if not e.guards and e.how != "augment"), default=0)
        found = either([self.event(e, function) for e in events[start:]])
        self._active.discard(key)
        if not self._circles - {key}:
            # What was cut short by a cycle means more to whoever asks from elsewhere.
            self._known[key] = found
        self._circles = around | self._circles - {key}
        return found

    def event(self, event: scopes.Event, function: scopes.FunctionNode | None) -> Argument:
        if event.how == "assign" and event.value is not None:
            return self.argument(event.value)
        if event.how == "augment":
            return NOT_KNOWN
        if event.how == "element" and event.value is not None:
            found = self.argument(event.value)
            for index in event.path:
                if found.items is not None and index < len(found.items):
                    found = found.items[index]
                elif found.kind in ("int", "tensor"):
                    found = unknown_one(found)
                else:
                    return NOT_KNOWN
            return found
        if event.how == "parameter" and function is not None and isinstance(event.node, ast.arg):
            entry = self.entry if self.entry is not None and self.entry[2] is function else None
            given = passing.given(entry, event.node.arg) if entry is not None else None
            return given or self.parameter(event.node, function)
        if event.how == "opaque" and isinstance(event.node, (ast.For, ast.AsyncFor)):
            iterable = event.node.iter
            return INT if isinstance(iterable, ast.Call) and ast.unparse(iterable.func) == "range" else NOT_KNOWN
        return NOT_KNOWN

    def parameter(self, node: ast.arg, function: scopes.FunctionNode) -> Argument:
        """What a parameter of a host function is: by what stands at it, by its use, by the calls of the function."""
        found = parameter(node, function)
        uses = asked(function)
        if found.kind == "unknown" and node.arg in uses.tensors:
            found = replace(found, kind="tensor")
        if found.kind == "tensor" and found.dtype is None and node.arg in uses.indices:
            found = replace(found, dtype="i64")
        settled = found.dtype is not None or found.likely is not UNKNOWN
        if settled or found.kind not in ("unknown", "tensor", "int", "float") or self.file is None:
            return found
        if function not in self._callers:
            self._callers[function] = self.file.callers(self, function)
        calls = [passing.given(entry, node.arg) for entry in self._callers[function]]
        told = [given for given in calls if given is not None and given.kind != "unknown"]
        if not told:
            return found
        said = either(told)
        if found.kind == "unknown":
            # One file sees not all calls of a function: what they pass is likely, and no more.
            likely = said.likely if said.value is UNKNOWN else said.value
            return replace(said, value=UNKNOWN, likely=likely, optional=said.optional or found.optional, items=None)
        if said.kind == found.kind:
            dtypes = {given.dtype for given in told if given.dtype is not None}
            dtype = dtypes.pop() if len(dtypes) == 1 else None
            return replace(found, dtype=dtype, likely=said.likely if said.value is UNKNOWN else said.value)
        return found

    def saved(self) -> Argument:
        """What ``forward`` saved: tensors."""
        if self._saved is None:
            self._saved = self._what_was_saved()
        return self._saved

    def _what_was_saved(self) -> Argument:
        found = self.file.saved(self, self.scope[-1]) if self.file is not None and self.scope else None
        if found is None or any(isinstance(node, ast.Starred) for node in found[1]):
            return TENSOR
        items = [found[0].argument(node) for node in found[1]]
        return Argument(
            "tuple", items=tuple(i if i.kind in ("tensor", "none") else replace(i, kind="tensor") for i in items)
        )

    def result(self, node: ast.Call) -> Argument | None:
        """What a call of a function of the user's gives; None where it is none."""
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if self.file is None or not isinstance(root, ast.Name) or self.binding(root.id)[1] is not None:
            return None
        found = self.file.callee(node.func)
        if found is None:
            return None
        file, function = found
        key = (id(node), "()")
        if key in self._active:
            self._circles.add(key)
            return NOT_KNOWN
        if node not in self._results:
            self._active.add(key)
            given = [host.argument(value) for host, value in file.results(self, function, node)]
            self._active.discard(key)
            self._circles.discard(key)
            self._results[node] = either(given) if given else NOT_KNOWN
        return self._results[node]

    def attribute(self, node: ast.Attribute) -> Argument:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if self.file is not None and isinstance(root, ast.Name) and self.binding(root.id)[1] is None:
            found = self.file.value(node)
            if found is not None:
                return found
        if isinstance(node.value, ast.Name) and (path := torch_calls.path(self, node)) and path.startswith("torch."):
            if node.attr in TRITON:
                return Argument("dtype", TorchDtype(node.attr), TRITON[node.attr])
        if isinstance(node.value, ast.Name) and not self.binding(node.value.id)[0]:
            if node.value.id == "torch" and node.attr in TRITON:
                return Argument("dtype", TorchDtype(node.attr), TRITON[node.attr])
            if node.value.id in ("tl", "language") and node.attr in DTYPES:
                return Argument("dtype", TritonObject(f"triton.language.{node.attr}"), DTYPES[node.attr])
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("finfo"):
            return FLOAT
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("iinfo"):
            return INT
        if node.attr == "saved_tensors":
            return self.saved()
        if node.attr in ("shape", "strides", "ndim") or node.attr in NUMBERS:
            return INT
        if node.attr in ("T", "data", "mT", "grad"):
            base = self.argument(node.value)
            return base if base.kind == "tensor" else TENSOR
        if node.attr == "dtype":
            base = self.argument(node.value)
            return Argument("dtype", dtype=base.dtype)
        if node.attr.startswith("is_"):
            return BOOL
        return self.function(node)

    def call(self, node: ast.Call) -> Argument:
        """What a call gives: of torch, of Python, or of a function of the same file."""
        own = self.result(node)
        if own is None and self.file is not None and isinstance(node.func, (ast.Name, ast.Attribute)):
            own = self._named_tuple(node)
        return torch_calls.call(self, node) if own is None else own

    def _named_tuple(self, node: ast.Call) -> Argument | None:
        root: ast.expr = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if self.file is None or not isinstance(root, ast.Name) or self.binding(root.id)[1] is not None:
            return None
        return self.file.named_tuple(self, node)

    def binary(self, node: ast.BinOp) -> Argument:
        left, right = self.argument(node.left), self.argument(node.right)
        if left.value is not UNKNOWN and right.value is not UNKNOWN:
            folded = fold(node.op, left.value, right.value)
            if folded is not UNKNOWN:
                return literal(folded)
        if "tensor" in (left.kind, right.kind):
            return TENSOR
        if "unknown" in (left.kind, right.kind):
            # `a / b` may be a tensor, as far as is known; only strides and the like are divided with a rest.
            return INT if isinstance(node.op, ast.FloorDiv) else NOT_KNOWN
        if isinstance(node.op, ast.Div) or "float" in (left.kind, right.kind):
            return FLOAT
        if isinstance(node.op, ast.Pow) and isinstance(right.value, (int, float)) and right.value < 0:
            return FLOAT
        return INT if "int" in (left.kind, right.kind) else NOT_KNOWN

    def compare(self, node: ast.Compare) -> Argument:
        left = self.argument(node.left)
        right = self.argument(node.comparators[0])
        if "tensor" in (left.kind, right.kind) and isinstance(node.ops[0], _ELEMENTWISE):
            return Argument("tensor", dtype="i1")
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and right.kind == "none" and not left.optional:
            if left.kind == "none":
                return literal(isinstance(node.ops[0], ast.Is))
            if left.kind in ("int", "float", "bool", "str"):
                return literal(isinstance(node.ops[0], ast.IsNot))
        return BOOL

    def subscript(self, node: ast.Subscript) -> Argument:
        base = self.argument(node.value)
        if base.items is not None and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            if -len(base.items) <= node.slice.value < len(base.items):
                return base.items[node.slice.value]
        if base.kind in ("int", "tensor"):
            return unknown_one(base)
        return NOT_KNOWN


def folded(op: ast.unaryop, value: Any) -> Argument:
    """A number with a sign before it."""
    try:
        return literal(arithmetic.unary(op, value))
    except arithmetic.FAILS:
        return NOT_KNOWN


_ANNOTATED: Final[dict[str, Argument]] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": Argument("str"),
    "Tensor": TENSOR,
    "LongTensor": Argument("tensor", dtype="i64"),
    "IntTensor": Argument("tensor", dtype="i32"),
    "dtype": Argument("dtype"),
    "TensorDescriptor": Argument("descriptor"),
}


def parameter(node: ast.arg, function: scopes.FunctionNode) -> Argument:
    """What a parameter of the launching function is, by annotation and default."""
    found = NOT_KNOWN
    optional = False
    if node.annotation is not None:
        written = ast.unparse(node.annotation).strip("'\"")
        optional = "None" in written or "Optional" in written
        plain = written.replace("Optional[", "").rstrip("]").replace("None |", "").replace("| None", "").strip()
        found = _ANNOTATED.get(plain.rpartition(".")[2], NOT_KNOWN)
    names = [*function.args.posonlyargs, *function.args.args]
    defaults = dict(zip((a.arg for a in reversed(names)), reversed(function.args.defaults), strict=False))
    defaults.update(
        {a.arg: d for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d is not None}
    )
    default = _default(defaults.get(node.arg))
    if default.kind == "none":
        optional = True
    elif default.kind != "unknown":
        if found is NOT_KNOWN:
            found = replace(default, value=UNKNOWN)
        if found.kind in ("int", "float", "str") and default.kind == found.kind:
            found = replace(found, likely=default.value)
    return replace(found, optional=optional) if optional else found


def _default(node: ast.expr | None) -> Argument:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return literal(-value) if isinstance(value, (int, float)) else NOT_KNOWN
    return literal(node.value) if isinstance(node, ast.Constant) else NOT_KNOWN
