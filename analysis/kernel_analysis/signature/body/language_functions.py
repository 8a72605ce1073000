"""What Triton's own functions, methods and attributes give, and what they demand of their arguments.

A function that stands in no table here says nothing about its arguments, and gives a value about which nothing is
known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.body import (
    blocks,
    elementwise,
    kernel_memory,
    layouts_asked,
    lengths,
    operators,
    pointers,
)
from kernel_analysis.signature.evident_values import (
    NAMES,
    NOTHING,
    UNKNOWN,
    Dim,
    EvidentValue,
    Origin,
    constant,
    dtype_of,
    scalar,
)
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

Arguments = dict[str, EvidentValue]

PYTHON: Final = frozenset((
    "range", "len", "min", "max", "abs", "int", "float", "bool", "tuple", "list", "isinstance", "print", "zip", "str",
    "getattr",
))  # fmt: skip

_ORDER: Final = {
    "load": (
        "pointer",
        "mask",
        "other",
        "boundary_check",
        "padding_option",
        "cache_modifier",
        "eviction_policy",
        "volatile",
    ),
    "store": ("pointer", "value", "mask", "boundary_check", "cache_modifier", "eviction_policy"),
    "atomic_cas": ("pointer", "cmp", "value", "sem", "scope"),
    "make_block_ptr": ("base", "shape", "strides", "offsets", "block_shape", "order"),
    "make_tensor_descriptor": ("base", "shape", "strides", "block_shape", "padding_option"),
    "load_tensor_descriptor": ("desc", "offsets"),
    "store_tensor_descriptor": ("desc", "offsets", "value"),
    "advance": ("base", "offsets"),
    "arange": ("start", "end", "layout"),
    "zeros": ("shape", "dtype", "layout"),
    "full": ("shape", "value", "dtype", "layout"),
    "convert_layout": ("value", "layout"),
    "SliceLayout": ("dim", "parent"),
    "allocate_shared_memory": ("element_ty", "shape", "layout"),
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
    "warp_specialize": ("functions_and_args",),
    "softmax": ("x", "dim", "keep_dims"),
    "cat": ("input", "other", "can_reorder", "dim"),
    "join": ("a", "b"),
    "pointer_type": ("element",),
    "fma": ("x", "y", "z"),
    "cdiv": ("x", "div"),
}

for _name in (
    "sum",
    "max",
    "min",
    "argmax",
    "argmin",
    "xor_sum",
    "reduce_or",
    "cumsum",
    "cumprod",
    "sort",
    "flip",
    "topk",
):
    _ORDER[_name] = ("input", "axis")

for _name in ("add", "max", "min", "and", "or", "xor", "xchg"):
    _ORDER[f"atomic_{_name}"] = ("pointer", "value", "mask", "sem", "scope")

for _name in ("randn", "randint", "rand4x", "randn4x", "randint4x"):
    _ORDER[_name] = _ORDER["rand"]

for _name in ("broadcast_to", "reshape", "view", "permute", "trans"):
    _ORDER[_name] = ("input", "shape")

_STRINGS: Final = (
    "cache_modifier",
    "eviction_policy",
    "padding_option",
    "input_precision",
    "sem",
    "scope",
    "fp_downcast_rounding",
    "cache",
)

_FLAGS: Final = ("allow_tf32", "volatile", "keep_dims", "reverse", "is_pure", "bitcast", "can_reorder")

_AXES: Final = ("axis", "dim")

_NUMBERS: Final = (
    "num_stages",
    "pack",
    "max_num_imprecise_acc",
    "order",
    "n_rounds",
    "loop_unroll_factor",
)

_FLOATING: Final = frozenset(
    (
        "exp",
        "exp2",
        "log",
        "log2",
        "log10",
        "log1p",
        "expm1",
        "sqrt",
        "sqrt_rn",
        "rsqrt",
        "sin",
        "cos",
        "tan",
        "tanh",
        "erf",
        "erfc",
        "sigmoid",
        "fast_expf",
        "fast_dividef",
        "div_rn",
        "pow",
        "rint",
        "nearbyint",
        "isnan",
        "isinf",
        "floor",
        "ceil",
        "round",
        "llrint",
        "atan",
        "atan2",
        "asin",
        "acos",
        "sinh",
        "cosh",
        "finitef",
        "isfinited",
        "trunc",
        "fmod",
        "gelu",
        "silu",
        "tgamma",
        "lgamma",
        "erfinv",
        "ex2",
    )
)

_OF_INTEGERS: Final = (
    "int2",
    "uint2",
    "ll2",
    "ull2",
    "popc",
    "clz",
    "ffs",
    "brev",
    "byte_perm",
    "mul24",
    "mulhi",
    "sad",
)

_HINTS: Final = frozenset(
    (
        "multiple_of",
        "max_contiguous",
        "max_constancy",
        "assume",
        "device_print",
        "static_print",
        "debug_barrier",
        "print",
    )
)


def call(
    walk: BodyView, callee: str, self: EvidentValue | None, args: list[EvidentValue], keywords: Arguments
) -> EvidentValue:
    """A call of one of Triton's functions, of a method of a value, or of a Python builtin."""
    name = callee.rpartition(".")[2]
    if self is not None:
        args = [self, *args]
    of_python = name in ("max", "min") and not callee.startswith(("triton.", "method."))
    order = None if of_python else _ORDER.get(name)
    bound: Arguments = (
        dict(zip(order, args, strict=False)) if order is not None else {str(i): a for i, a in enumerate(args)}
    )
    bound.update(keywords)
    if "_value" in keywords:
        bound["value"] = keywords["_value"]
    for key, value in bound.items():
        if value.const is UNKNOWN and value.origins:
            if key in ("layout", "parent"):
                layouts_asked.asked(walk, name, value, bound)
            elif key in _STRINGS:
                walk.vote(value, "string", 3, f"it is the {key}")
            elif key in _FLAGS:
                walk.vote(value, "flag", 2, f"it is the {key}")
            elif key in _AXES:
                walk.vote(value, "axis", 5, f"it is the {key} of a block")
            elif key in _NUMBERS and name not in ("load", "store"):
                walk.vote(value, "small", 2, f"it is the {key}")
    kernel_memory.handed(walk, callee, name, args, keywords)
    if self is not None and self.block is not None and name in pointers.DESCRIPTOR:
        return pointers.descriptor(walk, name, self, args[1:], bound)
    if self is not None and name in pointers.DESCRIPTOR and pointers.takes_offsets(name, args[1:], keywords):
        if any(o.addend for o in self.origins) and self.levels is None:
            return pointers.descriptor(walk, name, self, args[1:], bound)
    if ".tma." in callee and name.startswith("async_"):
        pointers.copied(walk, name, args)
    handler = _HANDLERS.get(name)
    if of_python and len(args) > 1:
        handler = elementwise.number
    if handler is not None:
        return handler(walk, name, bound, args)
    if name in _OPERATORS and len(args) == 2:
        return operators.binary(walk, _OPERATORS[name], args[0], args[1])
    if dtype_of(callee) is not None and args:
        return elementwise.to(walk, "to", {"input": args[0], "dtype": constant(TritonObject(callee))}, args)
    if ".libdevice." in callee and name.startswith(_OF_INTEGERS):
        for value in args:
            walk.vote(value, "int", 2, f"{name} is taken of it")
        return EvidentValue(levels=0, dtype="float" if "2" in name else "int", shape=args[0].shape if args else None)
    if name in _FLOATING or ".libdevice." in callee or callee.startswith("triton.language.math."):
        for value in args:
            walk.vote(value, "float", 2 if name in _FLOATING else 0.5, f"{name} is taken of it")
        result = elementwise.elementwise(walk, name, bound, args)
        if result.dtype is None and name in _FLOATING and not result.static:
            result.dtype = "float"
        return result
    if name in _HINTS:
        return args[0] if args else NOTHING
    if name == "is_ptr" and self is not None and self.self is not None and any(o.depth for o in self.self.origins):
        return constant(False)  # what is loaded is none: there are no pointers to pointers
    # What is asked of a dtype is known when the kernel is compiled.
    of_dtype = self.static if self is not None else dtype_of(callee.rpartition(".")[0]) is not None
    return EvidentValue(static=True) if name.startswith("is_") and of_dtype else NOTHING


def attribute(walk: BodyView, base: EvidentValue, name: str) -> EvidentValue:
    """``base.name``: an attribute, or a method that is going to be called."""
    if name in ("dtype", "type", "element_ty", "scalar", "value"):
        if name == "value" and base.static:
            return base
        if name == "element_ty" and base.shape:
            name = "dtype"  # `block.type.element_ty`: a block's elements, whatever they are
        own = base.self or base
        if (
            base.const is UNKNOWN
            and base.dtype is not None
            and base.dtype[-1] != "t"
            and base.levels == (name == "element_ty")
            and (spelled := NAMES.get(base.dtype)) is not None
        ):
            return EvidentValue(TritonObject(f"triton.language.{spelled}"), True, dtype=base.dtype, self=own)
        if name == "element_ty" and base.self is not None:
            walk.pointer(own, "its element type is asked for")
            walk.vote(own, "asked", 1, "its element type is asked for")
        shape = base.shape if name == "type" else None
        return EvidentValue(static=True, dtype=base.dtype, self=own, levels=base.levels, shape=shape)
    if base.static and base.self is not None and name.startswith("is_"):
        return EvidentValue(callee=f"method.{name}", self=base)
    if name == "shape" and base.shape is not None:
        return EvidentValue(static=True, items=[_dimension(d) for d in base.shape])
    if name == "shape" and base.block is None:
        return EvidentValue(static=base.static, self=base, callee=lengths.SHAPE)
    if name == "block_shape" and base.block is not None:
        return EvidentValue(static=True, items=[_dimension(d) for d in base.block])
    if name in ("shape", "strides", "block_shape", "block_type"):
        if base.block is None:
            walk.vote(base, "descriptor", 2, f"its {name} is asked for")
        rank = base.image or len(base.block or ())
        return EvidentValue(items=[scalar("i32" if name == "shape" else "i64") for _ in range(rank)] or None)
    if name == "numel":
        return EvidentValue(static=True, levels=0, dtype="int", shape=())
    if name == "T":
        return blocks.permuted(walk, "trans", {}, [base])
    if (
        base.callee is None
        and base.const is UNKNOWN
        and base.levels is None
        and base.shape is None
        and name not in METHODS
    ):
        for path, depth, addend in base.origins:
            if depth == 0 and addend:
                walk.clue(path).fields[name] = None
        return NOTHING
    return EvidentValue(callee=f"method.{name}", self=base)


def _dimension(dim: Dim) -> EvidentValue:
    if isinstance(dim, int):
        return constant(dim)
    return EvidentValue(static=True, levels=0, dtype="int", shape=(), origins=(Origin(dim, 0, False),) if dim else ())


def _extreme(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.max`` reduces; Python's ``max`` of several compares."""
    several = len(args) > 1 and not (args[1].static and args[0].shape)
    return (elementwise.number if several and args[0].shape in (None, ()) and args[0].static else blocks.reduce)(
        walk, name, bound, args
    )


_OPERATORS: Final[dict[str, ast.operator]] = {
    "__add__": ast.Add(), "__sub__": ast.Sub(), "__mul__": ast.Mult(), "__truediv__": ast.Div(),
    "__floordiv__": ast.FloorDiv(), "__mod__": ast.Mod(), "__and__": ast.BitAnd(), "__or__": ast.BitOr(),
    "__xor__": ast.BitXor(), "__lshift__": ast.LShift(), "__rshift__": ast.RShift(),
}  # fmt: skip
"""What ``x.__rshift__(4)`` means."""

_HANDLERS: Final[dict[str, Callable[[BodyView, str, Arguments, list[EvidentValue]], EvidentValue]]] = {
    "load": pointers.load,
    "make_block_ptr": pointers.make_block_ptr,
    "make_tensor_descriptor": pointers.make_descriptor,
    "load_tensor_descriptor": pointers.of_descriptor,
    "store_tensor_descriptor": pointers.of_descriptor,
    "advance": pointers.advance,
    "arange": blocks.arange,
    "full": blocks.full,
    "zeros": blocks.full,
    "dot": blocks.dot,
    "dot_scaled": blocks.dot,
    "where": elementwise.where,
    "inline_asm_elementwise": elementwise.asm,
    "histogram": blocks.histogram,
    "gather": blocks.gather,
    "map_elementwise": elementwise.mapped,
    "warp_specialize": elementwise.partitioned,
    "isinstance": elementwise.isinstance_of,
    "len": elementwise.len_of,
    "pointer_type": elementwise.pointer_type,
    "expand_dims": blocks.expand,
    **dict.fromkeys(("program_id", "num_programs", "num_threads", "smid"), elementwise.program),
    **dict.fromkeys(("store", "atomic_cas", "atomic_add", "atomic_max", "atomic_min", "atomic_and"), pointers.store),
    **dict.fromkeys(("atomic_or", "atomic_xor", "atomic_xchg", "atomic_load", "atomic_store"), pointers.store),
    **dict.fromkeys(("zeros_like", "full_like"), blocks.like),
    **dict.fromkeys(("sum", "argmax", "argmin", "xor_sum", "reduce_or", "reduce"), blocks.reduce),
    **dict.fromkeys(("cumsum", "cumprod", "sort", "flip", "topk", "associative_scan", "softmax"), blocks.scan),
    **dict.fromkeys(("max", "min"), _extreme),
    **dict.fromkeys(("maximum", "minimum", "abs", "cdiv", "next_power_of_2", "fma", "clamp"), elementwise.number),
    **dict.fromkeys(("int", "float", "bool"), elementwise.converted),
    **dict.fromkeys(("to", "cast"), elementwise.to),
    **dict.fromkeys(("trans", "permute"), blocks.permuted),
    **dict.fromkeys(("reshape", "view", "broadcast_to"), blocks.shaped),
    **dict.fromkeys(("join", "split", "cat", "interleave"), blocks.pair),
    **dict.fromkeys(("rand", "randn", "randint", "rand4x", "randn4x", "randint4x"), elementwise.random),
    **dict.fromkeys(("range", "static_range"), elementwise.range_of),
    **dict.fromkeys(("ravel", "to_tensor", "constexpr", "tuple", "list"), blocks.same_of),
}

METHODS: Final = frozenset((*_ORDER, *_HANDLERS, *_OPERATORS, *pointers.DESCRIPTOR))
