"""What Triton's own functions, methods and attributes give, and what they demand of their arguments.

A function that stands in no table here says nothing about its arguments, and gives a value about which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kernel_analysis.signature import memory
from kernel_analysis.signature.operators import index, needs_rank
from kernel_analysis.signature.values import (
    NOTHING,
    UNKNOWN,
    Dim,
    Origin,
    Shape,
    Value,
    broadcast,
    constant,
    dtype_constant,
    dtype_of,
    is_float,
    join_origins,
    promote,
    scalar,
    width,
)
from kernel_analysis.source.slice import FunctionRef, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.signature.walk import Walk

Arguments = dict[str, Value]

PYTHON: Final = frozenset(("range", "len", "min", "max", "abs", "int", "float", "bool", "tuple", "list", "isinstance", "print", "zip", "str"))

_ORDER: Final = {
    "load": ("pointer", "mask", "other", "boundary_check", "padding_option", "cache_modifier", "eviction_policy", "volatile"),
    "store": ("pointer", "value", "mask", "boundary_check", "cache_modifier", "eviction_policy"),
    "atomic_cas": ("pointer", "cmp", "value", "sem", "scope"),
    "make_block_ptr": ("base", "shape", "strides", "offsets", "block_shape", "order"),
    "make_tensor_descriptor": ("base", "shape", "strides", "block_shape", "padding_option"),
    "advance": ("base", "offsets"),
    "arange": ("start", "end"),
    "zeros": ("shape", "dtype"),
    "full": ("shape", "value", "dtype"),
    "zeros_like": ("input",),
    "full_like": ("input", "value", "dtype"),
    "dot": ("input", "other", "acc", "input_precision", "allow_tf32", "max_num_imprecise_acc", "out_dtype"),
    "dot_scaled": ("lhs", "lhs_scale", "lhs_format", "rhs", "rhs_scale", "rhs_format", "acc"),
    "where": ("condition", "x", "y"),
    "reduce": ("input", "axis", "combine_fn", "keep_dims"),
    "associative_scan": ("input", "axis", "combine_fn", "reverse"),
    "to": ("input", "dtype", "fp_downcast_rounding", "bitcast"),
    "cast": ("input", "dtype", "fp_downcast_rounding", "bitcast"),
    "inline_asm_elementwise": ("asm", "constraints", "args", "dtype", "is_pure", "pack"),
    "expand_dims": ("input", "axis"),
    "range": ("start", "end", "step", "num_stages"),
    "histogram": ("input", "num_bins", "mask"),
    "rand": ("seed", "offset", "n_rounds"),
    "gather": ("src", "index", "axis"),
    "clamp": ("x", "min", "max"),
    "map_elementwise": ("fn",),
    "softmax": ("x", "dim", "keep_dims"),
    "cat": ("input", "other", "can_reorder", "dim"),
    "join": ("a", "b"),
    "pointer_type": ("element",),
    "fma": ("x", "y", "z"),
    "cdiv": ("x", "div"),
}
for _name in ("sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or", "cumsum", "cumprod", "sort", "flip", "topk"):
    _ORDER[_name] = ("input", "axis")
for _name in ("add", "max", "min", "and", "or", "xor", "xchg"):
    _ORDER[f"atomic_{_name}"] = ("pointer", "value", "mask", "sem", "scope")
for _name in ("randn", "randint", "rand4x", "randn4x", "randint4x"):
    _ORDER[_name] = _ORDER["rand"]
for _name in ("broadcast_to", "reshape", "view", "permute", "trans"):
    _ORDER[_name] = ("input", "shape")

_STRINGS: Final = ("cache_modifier", "eviction_policy", "padding_option", "input_precision", "sem", "scope", "fp_downcast_rounding")
_FLAGS: Final = ("allow_tf32", "volatile", "keep_dims", "reverse", "is_pure", "bitcast", "can_reorder")
_NUMBERS: Final = ("num_stages", "axis", "pack", "max_num_imprecise_acc", "order", "n_rounds", "dim", "loop_unroll_factor")
_FLOATING: Final = frozenset(
    ("exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "tan", "tanh", "erf", "erfc", "sigmoid")
    + ("fast_expf", "fast_dividef", "div_rn", "pow", "rint", "nearbyint", "isnan", "isinf", "floor", "ceil", "round", "llrint", "atan", "atan2")
    + ("asin", "acos", "sinh", "cosh", "finitef", "isfinited", "trunc", "fmod", "gelu", "silu", "tgamma", "lgamma", "erfinv", "ex2")
)
_HINTS: Final = frozenset(("multiple_of", "max_contiguous", "max_constancy", "assume", "device_print", "static_print", "debug_barrier", "print"))


def call(walk: Walk, callee: str, self: Value | None, args: list[Value], keywords: Arguments) -> Value:
    """A call of one of Triton's functions, of a method of a value, or of a Python builtin."""
    name = callee.rpartition(".")[2]
    if self is not None:
        args = [self, *args]
    order = _ORDER.get(name)
    bound: Arguments = dict(zip(order, args)) if order is not None else {str(i): a for i, a in enumerate(args)}
    bound.update(keywords)
    if "_value" in keywords:
        bound["value"] = keywords["_value"]
    for key, value in bound.items():
        if value.const is UNKNOWN and value.origins:
            if key in _STRINGS:
                walk.vote(value, "string", 3, f"it is the {key}")
            elif key in _FLAGS:
                walk.vote(value, "flag", 2, f"it is the {key}")
            elif key in _NUMBERS and name not in ("load", "store"):
                walk.vote(value, "small", 2, f"it is the {key}")
    if self is not None and self.block is not None and name in memory.DESCRIPTOR:
        return memory.descriptor(walk, name, self, args[1:], bound)
    if self is not None and name in memory.DESCRIPTOR and (name not in ("load", "store") or self.origins):
        if any(o.addend for o in self.origins) and self.levels is None:
            return memory.descriptor(walk, name, self, args[1:], bound)
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(walk, name, bound, args)
    if dtype_of(callee) is not None and args:
        return _to(walk, "to", {"input": args[0], "dtype": constant(TritonObject(callee))}, args)
    if name in _FLOATING or ".libdevice." in callee or callee.startswith("triton.language.math."):
        for value in args:
            walk.vote(value, "float", 2 if name in _FLOATING else 0.5, f"{name} is taken of it")
        return _elementwise(walk, name, bound, args)
    if name in _HINTS:
        return args[0] if args else NOTHING
    return NOTHING


def attribute(walk: Walk, base: Value, name: str) -> Value:
    """``base.name``: an attribute, or a method that is going to be called."""
    if name in ("dtype", "type", "element_ty", "scalar", "value"):
        if name == "value" and base.static:
            return base
        if base.const is UNKNOWN and base.dtype is not None and "t" != base.dtype[-1] and base.levels == (name == "element_ty"):
            spelled = next((k for k, v in _SPELLED.items() if v == base.dtype), None)
            if spelled is not None:
                return Value(TritonObject(f"triton.language.{spelled}"), True, dtype=base.dtype)
        if name == "element_ty" and base.self is not None:
            walk.pointer(base.self, "its element type is asked for")
        return Value(static=True, dtype=base.dtype, self=base.self or base, levels=base.levels)
    if name == "shape" and base.shape is not None:
        return Value(static=True, items=[_dimension(d) for d in base.shape])
    if name == "shape" and base.block is None:
        return Value(static=base.static, self=base)
    if name == "block_shape" and base.block is not None:
        return Value(static=True, items=[_dimension(d) for d in base.block])
    if name in ("shape", "strides", "block_shape"):
        walk.vote(base, "descriptor", 2, f"its {name} is asked for")
        return Value(items=[scalar("i32" if name == "shape" else "i64") for _ in base.block or ()] or None)
    if name == "T":
        return _permuted(walk, "trans", {}, [base])
    if base.callee is None and base.const is UNKNOWN and base.levels is None and base.shape is None and name not in METHODS:
        for path, depth, addend in base.origins:
            if depth == 0 and addend:
                walk.clue(path).fields[name] = None
        return NOTHING
    return Value(callee=f"method.{name}", self=base)


def _dimension(dim: Dim) -> Value:
    if isinstance(dim, int):
        return constant(dim)
    return Value(static=True, levels=0, dtype="int", shape=(), origins=(Origin(dim, 0, False),) if dim else ())


def result_dtype(walk: Walk, dtype: Value | None) -> str | None:
    """The dtype that an argument names."""
    if dtype is None:
        return None
    known = dtype_constant(dtype)
    if known is None and dtype.const is UNKNOWN and dtype.self is None:
        walk.vote(dtype, "dtype", 4, "it is a dtype")
    return known or dtype.dtype


def _program(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    return scalar("i32")


def _arange(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    start, end = bound.get("start", NOTHING), bound.get("end", NOTHING)
    if isinstance(start.const, int) and isinstance(end.const, int):
        return Value(levels=0, dtype="i32", shape=(end.const - start.const,))
    walk.vote(end, "static", 5, "it bounds tl.arange")
    walk.vote(start, "static", 5, "it bounds tl.arange")
    extent = walk.extent(end, "it bounds tl.arange")
    return Value(levels=0, dtype="i32", shape=(extent if start.const == 0 else None,))


def _full(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    shape = bound.get("shape")
    if shape is not None and not shape.static:
        walk.vote(shape, "static", 5, "it is a block's extent")
    return Value(levels=0, dtype=result_dtype(walk, bound.get("dtype")), shape=walk.extents(shape))


def _like(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = bound.get("input", NOTHING)
    return Value(levels=0, dtype=result_dtype(walk, bound.get("dtype")) or source.dtype, shape=source.shape)


def _dot(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    scaled = name == "dot_scaled"
    a, b = (bound.get(k, NOTHING) for k in (("lhs", "rhs") if scaled else ("input", "other")))
    for side in (a, b):
        walk.vote(side, "dot", 2, "it is multiplied by tl.dot")
        if side.shape is None:
            needs_rank(walk, side, 2)
        for part in side.shape or ():
            if isinstance(part, str):
                walk.clue(part).vote(0, "dot", 2, None, "it is an extent of a tl.dot")
    if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape) == 2:
        memory.shaped(walk, a, (a.shape[0], b.shape[0]))
        memory.shaped(walk, b, (a.shape[1], b.shape[1]))
        walk.equal(a.shape[1:], b.shape[:1])
    acc = bound.get("acc")
    if acc is not None and acc.shape is None and acc.const is UNKNOWN:
        needs_rank(walk, acc, 2)
    shape = (*a.shape[:-1], b.shape[-1]) if a.shape and b.shape else None
    dtype = result_dtype(walk, bound.get("out_dtype")) or ("i32" if a.dtype == "i8" else "fp32")
    return Value(levels=0, dtype=dtype, shape=shape)


def _reduce(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = bound.get("input", NOTHING)
    if source.items is not None:
        _combine(walk, bound, source.items)
        alone = {k: v for k, v in bound.items() if k != "combine_fn"}
        parts = [_reduce(walk, name, {**alone, "input": item}, args) for item in source.items]
        return Value(items=parts)
    axis = bound["axis"].const if "axis" in bound else None
    _combine(walk, bound, [source])
    if source.shape is None and source.const is UNKNOWN:
        needs_rank(walk, source, (axis if axis >= 0 else -axis - 1) + 1 if isinstance(axis, int) else 1)
    keep = bound.get("keep_dims", NOTHING).const is True
    shape: Shape | None = ()
    if axis is not None and source.shape is not None and isinstance(axis, int):
        at = axis % len(source.shape) if source.shape else 0
        shape = (*source.shape[:at], *((1,) if keep else ()), *source.shape[at + 1 :])
    elif axis is not None:
        shape = None
    dtype = "i32" if name.startswith("arg") else source.dtype
    result = Value(levels=0, dtype=dtype, shape=shape, origins=join_origins(source.origins, (), False))
    if bound.get("return_indices", NOTHING).const is True:
        return Value(items=[result, Value(levels=0, dtype="i32", shape=shape)])
    return result


def _extreme(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    """``tl.max`` reduces; Python's ``max`` of several compares."""
    several = len(args) > 1 and not (args[1].static and args[0].shape)
    return (_number if several and args[0].shape in (None, ()) and args[0].static else _reduce)(walk, name, bound, args)


def _scan(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = bound.get("input", NOTHING)
    _combine(walk, bound, source.items or [source])
    if source.shape is None and source.items is None:
        needs_rank(walk, source, 1)
    return source


def _combine(walk: Walk, bound: Arguments, sources: list[Value]) -> None:
    """The function that a reduction or scan combines elements with is called with scalars."""
    function = bound.get("combine_fn", NOTHING).callee
    if isinstance(function, FunctionRef):
        scalars = [Value(levels=0, dtype=s.dtype, shape=()) for s in sources]
        walk.call(function.index, scalars * 2, {})


def _elementwise(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    origins: tuple[Origin, ...] = ()
    dtype, shape = None, ()
    for i, value in enumerate(args):
        origins = join_origins(origins, value.origins, False)
        dtype = value.dtype if i == 0 else promote(dtype, value.dtype)
        shape = value.shape if i == 0 else broadcast(shape, value.shape)
    static = bool(args) and all(a.static for a in args)
    return Value(static=static, levels=0, dtype=dtype, shape=shape, origins=origins)


def _where(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    condition, x, y = bound.get("condition", NOTHING), bound.get("x", NOTHING), bound.get("y", NOTHING)
    walk.vote(condition, "bool", 1, "it is a condition")
    if x.dtype == "float" or y.dtype == "float":
        walk.vote(y if x.dtype == "float" else x, "float", 0.5, "it stands beside a float")
    chosen = walk.join(x, y)
    return Value(
        levels=chosen.levels,
        dtype=promote(x.dtype, y.dtype) if not chosen.levels else chosen.dtype,
        shape=broadcast(broadcast(condition.shape, x.shape), y.shape),
        origins=chosen.origins,
    )


def _number(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    known = [a.const for a in args]
    if args and all(isinstance(k, (int, float)) for k in known):
        if name in ("max", "maximum", "min", "minimum"):
            return constant(max(known) if name.startswith("max") else min(known))
        if name == "cdiv" and len(known) == 2 and known[1]:
            return constant(-(-known[0] // known[1]))
        if name == "next_power_of_2" and isinstance(known[0], int):
            return constant(1 << (known[0] - 1).bit_length() if known[0] > 0 else 0)
        if name == "abs":
            return constant(abs(known[0]))
    if name in ("cdiv", "next_power_of_2"):
        for value in args:
            index(walk, value, "it is divided with a rest")
    result = _elementwise(walk, name, bound, args)
    if name == "cdiv" and result.dtype is None:
        result.dtype = "int"
    return result


def _converted(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    value = args[0] if args else NOTHING
    if isinstance(value.const, (int, float)):
        return constant(int(value.const) if name == "int" else float(value.const) if name == "float" else bool(value.const))
    return Value(static=value.static, levels=0, dtype=name, shape=(), origins=value.origins)


def _to(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source, dtype = bound.get("input", NOTHING), bound.get("dtype")
    if dtype is not None and dtype.callee == "pointer_type":
        walk.vote(source, "i64", 6, "it is made a pointer")
        return Value(levels=1, dtype=dtype.dtype, shape=source.shape, origins=source.origins)
    wanted = result_dtype(walk, dtype)
    bitcast = bound.get("bitcast", NOTHING).const is True
    if wanted == "i64":
        walk.vote(source, "int", 2, "it is made an int64")
    elif wanted is not None and wanted != "i1" and not bitcast:
        walk.vote(source, "int" if not is_float(wanted) else "float", 0.25, f"it is made {wanted}")
    elif bitcast and wanted is not None:
        taken = Value(origins=tuple(o for o in source.origins if o.addend))
        walk.vote(taken, f"bits{width(wanted)}", 4, "its bits are taken")
    origins = source.origins if wanted in ("i64", "i32", None) else join_origins(source.origins, (), False)
    if source.const is not UNKNOWN and isinstance(source.const, (int, float)):
        return Value(levels=0, dtype=wanted, shape=(), origins=origins)
    return Value(levels=source.levels, dtype=wanted or source.dtype, shape=source.shape, origins=origins)


def _pointer_type(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    element = bound.get("element", NOTHING)
    return Value(static=True, callee="pointer_type", dtype=result_dtype(walk, element))


def _same(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    return args[0] if args else NOTHING


def _permuted(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = args[0] if args else NOTHING
    order = [a.const for a in (args[1].items or [] if len(args) == 2 else args[1:])]
    if source.shape is None:
        needs_rank(walk, source, len(order) or 2)
        return Value(levels=source.levels, dtype=source.dtype, origins=source.origins)
    shape: Shape | None = source.shape[::-1] if not order else None
    if order and all(isinstance(i, int) and -len(source.shape) <= i < len(source.shape) for i in order):
        shape = tuple(source.shape[i] for i in order)
    return Value(levels=source.levels, dtype=source.dtype, shape=shape, origins=source.origins)


def _shaped(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = args[0] if args else NOTHING
    wanted = args[1] if len(args) == 2 else bound.get("shape") if "shape" in bound and len(args) < 2 else None
    if wanted is None and len(args) > 2:
        wanted = Value(items=args[1:])
    shape = walk.extents(wanted)
    if name != "broadcast_to":
        walk.same_size(source.shape, shape)
        memory.shaped(walk, source, shape)
        if source.shape is None:
            needs_rank(walk, source, 1)
            walk.reshaped.append((source.origins, shape))
    else:
        walk.equal(source.shape, shape)
    return Value(levels=source.levels, dtype=source.dtype, shape=shape, origins=source.origins)


def _expand(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source, axis = bound.get("input", NOTHING), bound.get("axis", NOTHING).const
    if source.shape is None or not isinstance(axis, int):
        needs_rank(walk, source, 1)
        return Value(levels=source.levels, dtype=source.dtype, origins=source.origins)
    at = axis if axis >= 0 else len(source.shape) + 1 + axis
    return Value(levels=source.levels, dtype=source.dtype, shape=(*source.shape[:at], 1, *source.shape[at:]), origins=source.origins)


def _pair(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    a, b = (args + [NOTHING, NOTHING])[:2]
    if name == "split":
        needs_rank(walk, a, 2)
        half = Value(levels=a.levels, dtype=a.dtype, shape=a.shape[:-1] if a.shape else None, origins=a.origins)
        return Value(items=[half, half])
    shape = broadcast(a.shape, b.shape)
    if name == "join":
        shape = None if shape is None else (*shape, 2)
    elif shape:
        shape = (*shape[:-1], shape[-1] * 2 if isinstance(shape[-1], int) else None)
    return Value(levels=a.levels, dtype=a.dtype, shape=shape, origins=join_origins(a.origins, b.origins, True))


def _random(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    for key in ("seed", "offset"):
        if key in bound:
            index(walk, bound[key], f"it is the {key} of a random number")
    one = Value(levels=0, dtype="i32" if "int" in name else "fp32", shape=bound.get("offset", NOTHING).shape)
    return Value(items=[one] * 4) if name.endswith("4x") else one


def _range(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    static = name == "static_range"
    for value in args[:3]:
        if static:
            walk.vote(value, "static", 4, "it bounds tl.static_range")
            walk.vote(value, "small", 1, "it bounds tl.static_range")
        else:
            index(walk, value, "it bounds a loop")
    bounds = [a.const for a in args[:3]]
    first: Value | None = None
    if static:
        first = constant(bounds[0] if len(bounds) > 1 and isinstance(bounds[0], int) else 0)
    return Value(callee="range", self=first or scalar("i32"))


def _len(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    value = args[0] if args else NOTHING
    if value.items is not None:
        return constant(len(value.items))
    if value.levels is None and value.shape is None:
        walk.vote(value, "tuple", 5, "its length is asked for")
    return Value(static=True, levels=0, dtype="int", shape=())


def _asm(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    given = bound.get("args", NOTHING)
    inputs = given.items or []
    constraints = bound.get("constraints", NOTHING).const
    if given.items is None and isinstance(constraints, str):
        for path, depth, addend in given.origins:
            if depth == 0 and addend:
                clue = walk.clue(path)
                clue.vote(0, "tuple", 5, walk.line, "it is the operands of inline assembly")
                clue.arity = max(clue.arity, sum("=" not in c for c in constraints.split(",")))
    shape: Shape | None = ()
    for i, value in enumerate(inputs):
        shape = value.shape if i == 0 else broadcast(shape, value.shape)
    dtype = bound.get("dtype", NOTHING)
    if dtype.items is not None:
        return Value(items=[Value(levels=0, dtype=result_dtype(walk, d), shape=shape) for d in dtype.items])
    return Value(levels=0, dtype=result_dtype(walk, dtype), shape=shape)


def _histogram(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source = bound.get("input", NOTHING)
    walk.vote(source, "int", 3, "a histogram is made of it")
    return Value(levels=0, dtype="i32", shape=walk.extents(bound.get("num_bins")))


def _gather(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    source, at = bound.get("src", NOTHING), bound.get("index", NOTHING)
    index(walk, at, "it is an index")
    return Value(levels=source.levels, dtype=source.dtype, shape=at.shape, origins=source.origins)


def _mapped(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    function = bound.get("fn", NOTHING)
    if isinstance(function.callee, FunctionRef):
        return walk.call(function.callee.index, args[1:], {})
    return NOTHING


def _isinstance(walk: Walk, name: str, bound: Arguments, args: list[Value]) -> Value:
    return Value(static=True, origins=join_origins(args[0].origins, (), False) if args else ())


_SPELLED: Final = {
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "int8": "i8", "int16": "i16", "int32": "i32",
    "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int1": "i1", "float8e4nv": "fp8e4nv", "float8e5": "fp8e5",
}  # fmt: skip
_HANDLERS: Final[dict[str, Callable[[Walk, str, Arguments, list[Value]], Value]]] = {
    "load": memory.load,
    "make_block_ptr": memory.make_block_ptr,
    "make_tensor_descriptor": memory.make_descriptor,
    "advance": memory.advance,
    "arange": _arange,
    "full": _full,
    "zeros": _full,
    "dot": _dot,
    "dot_scaled": _dot,
    "where": _where,
    "inline_asm_elementwise": _asm,
    "histogram": _histogram,
    "gather": _gather,
    "map_elementwise": _mapped,
    "isinstance": _isinstance,
    "len": _len,
    "pointer_type": _pointer_type,
    "expand_dims": _expand,
    **dict.fromkeys(("program_id", "num_programs", "num_threads", "smid"), _program),
    **dict.fromkeys(("store", "atomic_cas", "atomic_add", "atomic_max", "atomic_min", "atomic_and"), memory.store),
    **dict.fromkeys(("atomic_or", "atomic_xor", "atomic_xchg", "atomic_load", "atomic_store"), memory.store),
    **dict.fromkeys(("zeros_like", "full_like"), _like),
    **dict.fromkeys(("sum", "argmax", "argmin", "xor_sum", "reduce_or", "reduce"), _reduce),
    **dict.fromkeys(("cumsum", "cumprod", "sort", "flip", "topk", "associative_scan", "softmax"), _scan),
    **dict.fromkeys(("max", "min"), _extreme),
    **dict.fromkeys(("maximum", "minimum", "abs", "cdiv", "next_power_of_2", "fma", "clamp"), _number),
    **dict.fromkeys(("int", "float", "bool"), _converted),
    **dict.fromkeys(("to", "cast"), _to),
    **dict.fromkeys(("trans", "permute"), _permuted),
    **dict.fromkeys(("reshape", "view", "broadcast_to"), _shaped),
    **dict.fromkeys(("join", "split", "cat", "interleave"), _pair),
    **dict.fromkeys(("rand", "randn", "randint", "rand4x", "randn4x", "randint4x"), _random),
    **dict.fromkeys(("range", "static_range"), _range),
    **dict.fromkeys(("ravel", "to_tensor", "constexpr", "tuple", "list"), _same),
}
METHODS: Final = frozenset((*_ORDER, *_HANDLERS))
