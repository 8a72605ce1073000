"""What the arguments of a launch are, as far as the text around it says: tensor or number, which dtype, which value.

Reads the launching function's syntax only; nothing of it is run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Final

from kernel_analysis.signature import passing
from kernel_analysis.signature.argument import NOT_KNOWN, Argument, Kind, either, literal
from kernel_analysis.signature.operators import fold
from kernel_analysis.signature.values import DTYPES, TORCH_DTYPES, UNKNOWN
from kernel_analysis.source import scopes
from kernel_analysis.source.slice import TorchDtype, TritonObject

_INT: Final = Argument("int")
_FLOAT: Final = Argument("float")
_BOOL: Final = Argument("bool")
_TENSOR: Final = Argument("tensor")

_MAKERS: Final = frozenset(
    (
        "empty",
        "zeros",
        "ones",
        "full",
        "empty_like",
        "zeros_like",
        "ones_like",
        "full_like",
        "rand",
        "randn",
        "randint",
        "arange",
        "tensor",
        "empty_strided",
        "as_tensor",
        "rand_like",
        "randn_like",
        "cat",
        "stack",
        "linspace",
        "from_numpy",
        "new_empty",
        "new_zeros",
        "new_ones",
        "new_full",
        "new_tensor",
        "where",
        "cumsum",
        "argsort",
        "bincount",
        "where",
        "matmul",
        "einsum",
    )
)
_LIKE: Final = frozenset(
    (
        "contiguous",
        "view",
        "reshape",
        "clone",
        "detach",
        "flatten",
        "squeeze",
        "unsqueeze",
        "transpose",
        "permute",
        "t",
        "expand",
        "expand_as",
        "view_as",
        "cuda",
        "cpu",
        "flip",
        "unflatten",
        "narrow",
        "select",
        "requires_grad_",
        "expand_as",
        "repeat",
        "zero_",
        "fill_",
        "chunk",
        "data",
    )
)
_CASTS: Final = {
    "float": "fp32",
    "half": "fp16",
    "bfloat16": "bf16",
    "double": "fp64",
    "int": "i32",
    "long": "i64",
    "bool": "i1",
    "byte": "u8",
}
_INTS: Final = frozenset(
    (
        "numel",
        "stride",
        "size",
        "element_size",
        "dim",
        "ndim",
        "nelement",
        "data_ptr",
        "itemsize",
        "bit_length",
        "storage_offset",
        "ndimension",
        "cdiv",
        "next_power_of_2",
        "len",
        "prod",
        "device_count",
        "multi_processor_count",
        "itemsize",
        "nbytes",
        "index",
        "count",
        "_version",
    )
)
_FLOATS: Final = frozenset(("sqrt", "rsqrt", "log", "log2", "exp", "pow", "item"))


@dataclass(slots=True)
class Host:
    """Evaluates expressions in the functions around a launch (innermost last), seen from a line, then in the module.

    ``entry``: the call by which a function of these was entered, where that is known, and what is around that call."""

    scope: tuple[scopes.FunctionNode, ...]
    module: scopes.Table
    line: int
    entry: tuple[Host, ast.Call, scopes.FunctionNode] | None = None
    _tables: dict[int, scopes.Table] = field(default_factory=dict[int, scopes.Table])
    _active: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    _known: dict[tuple[int, str], Argument] = field(default_factory=dict[tuple[int, str], Argument])
    _budget: int = 400

    def argument(self, node: ast.expr) -> Argument:
        """What an expression gives."""
        self._budget -= 1
        if self._budget < 0:
            return NOT_KNOWN
        if isinstance(node, ast.Constant):
            return literal(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.UnaryOp):
            inner = self.argument(node.operand)
            if isinstance(node.op, ast.Not):
                return _BOOL if inner.value is UNKNOWN else literal(not inner.value)
            if isinstance(node.op, ast.USub) and isinstance(inner.value, (int, float)):
                return literal(-inner.value)
            return inner
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.BoolOp):
            parts = [self.argument(v) for v in node.values]
            if all(p.kind in ("bool", "none") for p in parts):
                return _BOOL
            return either([p for p in parts if p.kind != "none"] or parts)
        if isinstance(node, ast.IfExp):
            return either([self.argument(node.body), self.argument(node.orelse)])
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = tuple(self.argument(e) for e in node.elts)
            return Argument("tuple", items=items)
        return NOT_KNOWN

    def name(self, name: str) -> Argument:
        """What a local variable, a parameter of the launching function, or a global is."""
        for depth, function in reversed(list(enumerate(self.scope))):
            events = self._table(depth).events.get(name)
            if events:
                return self.bound(depth, name, events, function)
        events = self.module.events.get(name)
        return self.bound(-1, name, events, None) if events else NOT_KNOWN

    def binding(self, name: str) -> tuple[list[scopes.Event], scopes.FunctionNode | None]:
        """The statements that bind a name before the line, and the function that they stand in."""
        for depth, function in reversed(list(enumerate(self.scope))):
            events = self._table(depth).events.get(name)
            if events:
                return self._before(events), function
        return self.module.events.get(name, []), None

    def _table(self, depth: int) -> scopes.Table:
        table = self._tables.get(depth)
        if table is None:
            table = self._tables[depth] = scopes.table(self.scope[depth])
        return table

    def _before(self, events: list[scopes.Event]) -> list[scopes.Event]:
        return [e for e in events if getattr(e.node, "lineno", 0) <= self.line] or events

    def bound(
        self, depth: int, name: str, events: list[scopes.Event], function: scopes.FunctionNode | None
    ) -> Argument:
        key = (depth, name)
        if key in self._active:
            return NOT_KNOWN
        if key in self._known:
            return self._known[key]
        self._active.add(key)
        if depth >= 0:
            events = self._before(events)
        # The last one that always happens hides those before it.
        start = max((i for i, e in enumerate(events) if not e.guards and e.how != "augment"), default=0)
        found = either([self.event(e, function) for e in events[start:]])
        self._active.discard(key)
        if not self._active:
            # Inside another name's meaning it could be cut short by a cycle.
            self._known[key] = found
        return found

    def event(self, event: scopes.Event, function: scopes.FunctionNode | None) -> Argument:
        if event.how == "assign" and event.value is not None:
            return self.argument(event.value)
        if event.how == "augment":
            return NOT_KNOWN
        if event.how == "element" and event.value is not None:
            value = event.value
            if isinstance(value, ast.Attribute) and value.attr == "saved_tensors":
                return _TENSOR
            found = self.argument(value)
            for index in event.path:
                if found.items is not None and index < len(found.items):
                    found = found.items[index]
                elif found.kind in ("int", "tensor"):
                    found = replace(found, value=UNKNOWN, items=None)
                else:
                    return NOT_KNOWN
            return found
        if event.how == "parameter" and function is not None and isinstance(event.node, ast.arg):
            entered = self.entry is not None and self.entry[2] is function
            return (passing.given(self, event.node.arg) if entered else None) or parameter(event.node, function)
        if event.how == "opaque" and isinstance(event.node, (ast.For, ast.AsyncFor)):
            iterable = event.node.iter
            return _INT if isinstance(iterable, ast.Call) and ast.unparse(iterable.func) == "range" else NOT_KNOWN
        return NOT_KNOWN

    def attribute(self, node: ast.Attribute) -> Argument:
        if isinstance(node.value, ast.Name):
            if node.value.id == "torch" and node.attr in TORCH_DTYPES:
                return Argument("dtype", TorchDtype(node.attr), TORCH_DTYPES[node.attr])
            if node.value.id in ("tl", "language") and node.attr in DTYPES:
                return Argument("dtype", TritonObject(f"triton.language.{node.attr}"), DTYPES[node.attr])
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("finfo"):
            return _FLOAT
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("iinfo"):
            return _INT
        if node.attr in ("shape", "strides", "ndim") or node.attr in _INTS:
            return _INT
        if node.attr in ("T", "data", "mT", "grad"):
            base = self.argument(node.value)
            return base if base.kind == "tensor" else _TENSOR
        if node.attr == "dtype":
            base = self.argument(node.value)
            return Argument("dtype", dtype=base.dtype)
        if node.attr.startswith("is_"):
            return _BOOL
        return NOT_KNOWN

    def call(self, node: ast.Call) -> Argument:
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
        base = node.func.value if isinstance(node.func, ast.Attribute) else None
        on_torch = isinstance(base, ast.Name) and base.id == "torch"
        if name in ("TensorDescriptor", "from_tensor"):
            position = 1 if name == "from_tensor" else 3  # (base, shape, strides, block_shape); a layout may follow
            blocks = keywords.get("block_shape") or (node.args[position] if len(node.args) > position else None)
            shape = self.argument(blocks) if blocks is not None else NOT_KNOWN
            tensor = self.argument(node.args[0]) if node.args else NOT_KNOWN
            return Argument("descriptor", dtype=tensor.dtype, block=tuple(i.value for i in shape.items or ()))
        if name in _MAKERS and (base is not None or name in ("empty", "zeros")):
            dtype = self.argument(keywords["dtype"]).dtype if "dtype" in keywords else None
            if dtype is None and "dtype" not in keywords and (name.endswith("_like") or name.startswith("new_")):
                source = node.args[0] if on_torch and node.args else base
                dtype = self.argument(source).dtype if source is not None else None
            elif dtype is None and "dtype" not in keywords:
                dtype = (
                    "i64"
                    if name in ("randint", "argsort", "bincount")
                    else "fp32"
                    if name in ("empty", "zeros", "ones", "rand", "randn")
                    else None
                )
            return Argument("tensor", dtype=dtype)
        if name in ("cdiv", "next_power_of_2", "min", "max", "int", "len", "round", "abs"):
            return self.number(name, [self.argument(a) for a in node.args if not isinstance(a, ast.Starred)])
        if base is None and name in ("float", "bool", "str"):
            return Argument(name)
        if base is not None:
            if name in _INTS:
                if name in ("stride", "size") and not node.args:
                    return Argument("int")
                return _INT
            if name in _LIKE and not on_torch:
                inner = self.argument(base)
                if name == "view" and node.args and self.argument(node.args[0]).kind == "dtype":
                    return Argument("tensor", dtype=self.argument(node.args[0]).dtype)
                return inner if inner.kind == "tensor" else _TENSOR
            if name == "to":
                kinds = [self.argument(a) for a in (*node.args, *keywords.values())]
                dtype = next((k for k in kinds if k.kind == "dtype"), None)
                return Argument("tensor", dtype=dtype.dtype if dtype else self.argument(base).dtype)
            if name in _CASTS and not node.args:
                return Argument("tensor", dtype=_CASTS[name])
            if name.startswith("is_"):
                return _BOOL
            if name in _FLOATS and (name == "item" or (isinstance(base, ast.Name) and base.id == "math")):
                return _FLOAT if name != "item" else NOT_KNOWN
        if name in ("isinstance", "hasattr", "any", "all"):
            return _BOOL
        return NOT_KNOWN

    @staticmethod
    def number(name: str, parts: list[Argument]) -> Argument:
        known = [p.value for p in parts if isinstance(p.value, (int, float))]
        kind: Kind = "float" if any(p.kind == "float" for p in parts) and name != "int" else "int"
        if parts and len(known) == len(parts):
            if name == "cdiv" and len(known) == 2 and known[1]:
                return literal(-(-known[0] // known[1]))
            if name == "next_power_of_2" and isinstance(known[0], int) and 0 < known[0] < 1 << 40:
                return literal(1 << (known[0] - 1).bit_length())
            if name in ("min", "max") and len(known) > 1:
                return literal(min(known) if name == "min" else max(known))
            if name == "int":
                return literal(int(known[0]))
        return Argument(kind)

    def binary(self, node: ast.BinOp) -> Argument:
        left, right = self.argument(node.left), self.argument(node.right)
        if left.value is not UNKNOWN and right.value is not UNKNOWN:
            folded = fold(node.op, left.value, right.value)
            if folded is not UNKNOWN:
                return literal(folded)
        if "tensor" in (left.kind, right.kind):
            return _TENSOR
        if "unknown" in (left.kind, right.kind):
            # `a / b` may be a tensor, as far as is known; only strides and the like are divided with a rest.
            return _INT if isinstance(node.op, ast.FloorDiv) else NOT_KNOWN
        if isinstance(node.op, ast.Div) or "float" in (left.kind, right.kind):
            return _FLOAT
        if isinstance(node.op, ast.Pow) and isinstance(right.value, (int, float)) and right.value < 0:
            return _FLOAT
        return _INT if "int" in (left.kind, right.kind) else NOT_KNOWN

    def compare(self, node: ast.Compare) -> Argument:
        left = self.argument(node.left)
        right = self.argument(node.comparators[0])
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and right.kind == "none" and not left.optional:
            if left.kind == "none":
                return literal(isinstance(node.ops[0], ast.Is))
            if left.kind in ("int", "float", "bool", "str"):
                return literal(isinstance(node.ops[0], ast.IsNot))
        return _BOOL

    def subscript(self, node: ast.Subscript) -> Argument:
        base = self.argument(node.value)
        if base.items is not None and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            if -len(base.items) <= node.slice.value < len(base.items):
                return base.items[node.slice.value]
        if base.kind in ("int", "tensor"):
            return replace(base, value=UNKNOWN)
        return NOT_KNOWN


_ANNOTATED: Final[dict[str, Argument]] = {
    "int": _INT,
    "float": _FLOAT,
    "bool": _BOOL,
    "str": Argument("str"),
    "Tensor": _TENSOR,
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
    default = defaults.get(node.arg)
    if isinstance(default, ast.Constant):
        if default.value is None:
            optional = True
        elif found is NOT_KNOWN:
            found = replace(literal(default.value), value=UNKNOWN)
    return replace(found, optional=optional) if optional else found
