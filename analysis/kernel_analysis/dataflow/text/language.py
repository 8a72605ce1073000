"""What the functions of Triton's languages do with the addresses that they are given: one row a name, one table.

A name that is in no row may do anything. A test holds the table against every public function of the installed Triton,
and against what the compiler makes of calls of them. Knows nothing of syntax trees.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import lru_cache
from typing import Literal

from kernel_analysis.record import record

Operand = tuple[int, str]
"""Position and name of a parameter; the receiver of a method is position 0."""


@record
class LanguageRow:
    """``reads``, ``writes``: the operands through whose address it accesses memory; ``loads``: those whose content is
    in the result; ``passes``: those that are in the result themselves; ``stores``: those whose value goes into memory;
    ``held``: those that are in the result unless they are addresses for certain: an address holds nothing itself.
    ``chosen``: those that choose between what it passes. ``indices``: those that say where in what it accesses, which
    is the address where that is made of nothing (what it stores never does). ``keeps``: what it loads or is given goes
    into shared memory. ``changes``: it changes memory of the kernel's own otherwise: a barrier, an accumulator.
    ``calls``: those that it calls, with all others. None stands for every operand.

    ``blocks``: the result is something of Triton's own, whatever it was given: never that as it is.
    ``casts``: the type of the result, which may be a pointer's where it was a number; where none is given, it is that
    of the operand ``like``. ``varies``: what else than its operands decides what it gives. ``holder``: the result is
    memory that holds what it was given, and no address.
    ``describes``: numbers among its other operands are set aside in the result: a descriptor has its shape.
    ``anything``: it may do all of this with all of them; which of it, ``decided`` says (None: any of them)."""

    reads: tuple[Operand, ...] | None = ()
    writes: tuple[Operand, ...] | None = ()
    loads: tuple[Operand, ...] | None = ()
    passes: tuple[Operand, ...] | None = None
    stores: tuple[Operand, ...] | None = ()
    held: tuple[Operand, ...] = ()
    chosen: tuple[Operand, ...] = ()
    indices: tuple[Operand, ...] | None = None
    keeps: bool = False
    changes: bool = False
    calls: tuple[Operand, ...] | None = ()
    blocks: bool = False
    casts: Operand | None = None
    like: Operand | None = None
    varies: str | None = None
    holder: bool = False
    describes: bool = False
    anything: bool = False
    decided: tuple[Operand, ...] | None = None
    touches: bool = field(init=False)
    """Whether it does anything but pass on what it is given."""

    def __post_init__(self) -> None:
        done = (self.reads, self.writes, self.loads, self.stores, self.held, self.calls)
        self.touches = self.changes or any(operands != () for operands in done)  # pyright: ignore


def _rows(row: LanguageRow, names: str) -> dict[str, LanguageRow]:
    return dict.fromkeys(names.split(), row)


_FIRST: tuple[Operand, ...] = ((0, "pointer"),)
_PTR: tuple[Operand, ...] = ((0, "ptr"),)
_DESC: tuple[Operand, ...] = ((0, "desc"),)
_OTHER: tuple[Operand, ...] = ((2, "other"),)

PASSES = LanguageRow()
"""Accesses nothing, and what it was given may be its result, or in that."""
COMPUTES = LanguageRow(blocks=True)
"""The same where a block, or a number, is made of it."""
NUMBER = LanguageRow(passes=())
"""Accesses nothing, and nothing that it was given is in its result as an address."""
ANYTHING = LanguageRow(reads=None, writes=None, loads=None, stores=None, calls=None, anything=True)
_ASSEMBLY = replace(ANYTHING, decided=((0, "asm"), (1, "constraints"), (3, "dtype"), (4, "is_pure"), (5, "pack")))
_LOAD = LanguageRow(reads=_FIRST, loads=_FIRST, passes=_OTHER, indices=(), blocks=True)
_STORE = LanguageRow(writes=_FIRST, passes=(), stores=((1, "value"),), indices=())
_ATOMIC = LanguageRow(reads=_FIRST, writes=_FIRST, loads=_FIRST, passes=(), stores=((1, "val"), (2, "val")), indices=())
_READ_ALL = LanguageRow(reads=None, loads=None, passes=(), keeps=True)
_SOURCE: tuple[Operand, ...] = ((1, "value"), (1, "smem"), (2, "src"), (3, "src"))
"""What a copy out of shared memory copies; what it copies to is first, and is put nowhere itself."""
_WRITE_ALL = LanguageRow(writes=None, passes=(), stores=_SOURCE)
_ATOMIC_ALL = LanguageRow(reads=None, writes=None, loads=None, passes=(), stores=_SOURCE)
_OPTIONS = LanguageRow(passes=(), varies="the launch's options")

DTYPES = frozenset(
    [
        "void",
        "int1",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float8e5",
        "float8e5b16",
        "float8e4nv",
        "float8e4b8",
        "float8e4b15",
        "float16",
        "bfloat16",
        "float32",
        "float64",
    ]
)

FUNCTIONS: dict[str, LanguageRow] = {
    # Memory through pointers and descriptors.
    "load": _LOAD,
    "store": _STORE,
    **_rows(_ATOMIC, "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor"),
    "atomic_load": _LOAD,
    "atomic_poll": LanguageRow(reads=_FIRST, loads=_FIRST, passes=(), indices=()),
    "atomic_store": LanguageRow(writes=_FIRST, passes=(), stores=((1, "val"),), indices=()),
    "load_tensor_descriptor": LanguageRow(reads=_DESC, loads=_DESC, passes=()),
    "store_tensor_descriptor": LanguageRow(writes=_DESC, passes=(), stores=((2, "value"),)),
    **_rows(
        LanguageRow(passes=((0, "base"),), describes=True), "make_tensor_descriptor make_block_ptr advance"
    ),
    "update_tensor_descriptor": LanguageRow(passes=_DESC, describes=True),
    # Gluon: copies between global and shared memory; which operand is where differs from module to module.
    **_rows(
        _READ_ALL,
        "async_copy_global_to_shared async_copy_global_to_shared_im2col async_load async_load_im2col async_gather "
        "async_load_fused global_load_to_shared buffer_load_to_shared global_to_shared",
    ),
    **_rows(_WRITE_ALL, "async_copy_shared_to_global async_store async_scatter shared_to_global"),
    **_rows(
        _ATOMIC_ALL,
        "async_atomic_add async_atomic_and async_atomic_max async_atomic_min async_atomic_or async_atomic_xor",
    ),
    "buffer_load": LanguageRow(reads=_PTR, loads=_PTR, passes=((3, "other"),)),
    "buffer_store": LanguageRow(writes=((1, "ptr"),), passes=(), stores=((0, "stored_value"),)),
    **_rows(
        LanguageRow(reads=_PTR, writes=_PTR, loads=_PTR, passes=(), stores=((2, "value"),)),
        "buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or buffer_atomic_xchg "
        "buffer_atomic_xor",
    ),
    "prefetch": NUMBER,
    **_rows(LanguageRow(loads=None, passes=()), "load_shared_relaxed load_shared_fp4_repacked load_result"),
    **_rows(
        LanguageRow(stores=None, holder=True, keeps=True, blocks=True),
        "allocate_shared_memory allocate_tensor_memory",
    ),
    "tcgen05_copy": LanguageRow(passes=(), stores=None),
    # Functions that are given functions.
    **_rows(LanguageRow(calls=((2, "combine_fn"),), blocks=True), "reduce associative_scan"),
    "map_elementwise": LanguageRow(calls=((0, "scalar_fn"),), blocks=True),
    "warp_specialize": LanguageRow(calls=None),
    # What assembly and foreign functions do is not written in the text.
    "inline_asm_elementwise": _ASSEMBLY,
    "inline_asm": replace(ANYTHING, decided=((0, "asm"), (1, "constraints"), (3, "result_types"), (4, "is_pure"))),
    "extern_elementwise": replace(
        ANYTHING, decided=((0, "lib_name"), (1, "lib_path"), (3, "arg_type_symbol_dict"), (4, "is_pure"))
    ),
    "dispatch": ANYTHING,
    # Numbers that may become pointers.
    "cast": LanguageRow(passes=((0, "input"),), casts=(1, "dtype"), blocks=True),
    "full": LanguageRow(passes=((1, "value"),), casts=(2, "dtype"), blocks=True),
    "full_like": LanguageRow(passes=((0, "input"), (1, "value")), casts=(3, "dtype"), like=(0, "input"), blocks=True),
    # Values that no address goes into.
    **_rows(
        NUMBER,
        "program_id num_programs arange zeros static_assert static_print device_assert device_print print assume "
        "debug_barrier barrier thread_barrier clock smid globaltimer memrealtime gdc_wait gdc_launch_dependents "
        "commit_group wait_group async_wait store_wait "
        "fence_async_shared fence_init_release_cluster sync_cluster_init tcgen05_mma_barrier_count "
        "sched_barrier warp_pipeline_stage bank_conflicts to_linear_layout allocate_mbarrier pointer_type "
        "block_type dtype tuple_type constexpr_type slice_type distributed_type str_to_ty const void "
        "get_int_dtype get_primitive_bitwidth current_target is_cuda is_hip is_hip_cdna3 is_hip_cdna4 is_hip_gfx1250 "
        "cuda_capability_geq is_builtin is_enabled validate_block_shape get_mfma_scale_layout get_wmma_scale_layout "
        "get_scaled_upcast_fp4_scale_layout compute_efficient_padded_shared_layout make_partitioned_dot_layouts "
        "get_tmem_reg_layout PropagateNan CachePolicy FractionalEvictionPolicy",
    ),
    # Barriers: whether something was done to one, what is in it tells.
    **_rows(
        LanguageRow(passes=(), changes=True),
        "mbarrier_arrive arrive wait init invalidate expect tcgen05_commit try_cancel",
    ),
    **_rows(LanguageRow(blocks=True, changes=True), "tcgen05_mma tcgen05_mma_scaled"),
    **_rows(_OPTIONS, "num_warps num_ctas num_threads"),
    "where": LanguageRow(passes=((1, "x"), (2, "y")), chosen=((0, "condition"),), blocks=True),
    **_rows(PASSES, "tuple constexpr aggregate_replace"),
    # What stands in the head of a loop: objects that hold what they are given.
    **_rows(COMPUTES, "range static_range condition"),
    # Computations: arithmetic, shapes, layouts, random numbers, products of matrices.
    **_rows(
        COMPUTES,
        "abs add argmax argmin bitonic_merge broadcast broadcast_to builtin_max builtin_min cat cdiv ceil clamp cos "
        "cumprod cumsum div_rn dot dot_scaled erf exp exp2 expand_dims expect_zero fdiv flip floor fma "
        "gather histogram interleave item join log log2 max max_constancy max_contiguous maximum min "
        "minimum mul multiple_of pair_uniform_to_normal permute philox philox_impl rand rand4x randint randint4x "
        "randn randn4x ravel reduce_or reshape rsqrt sigmoid sin softmax sort sort_impl split sqrt sqrt_rn squeeze "
        "sub sum swizzle2d tensor to_tensor topk trans uint32_to_uniform_float uint_to_uniform_float umulhi "
        "unsqueeze view xor_sum zeros_like convert_layout set_auto_layout dot_fma "
        "fp4_to_fp embed unembed mfma mfma_scaled wmma wmma_scaled scaled_upcast scaled_downcast slice mma_v2 "
        "warpgroup_mma warpgroup_mma_init warpgroup_mma_wait add2 fma2 max2 min2 mul2 "
        "sub2 add4 fma4 mul4 sub4 pack pack2 unpack unpack2 convert_custom_float8 convert_custom_float8_sm70 "
        "convert_custom_float8_sm80 convert_float16_to_fp8e4b15 convert_fp8e4b15_to_float16 is_negative_zero "
        "check_bit_width binary_op_type_legalization",
    ),
}  # fmt: skip
"""By the last part of a path into Triton's languages."""

_BUILTINS: dict[str, LanguageRow] = {
    **_rows(
        NUMBER, "len range isinstance hasattr print bool str repr format ord chr type any all issubclass callable id"
    ),
    **_rows(
        PASSES, "min max abs int float sum round pow divmod tuple list reversed sorted enumerate zip complex set slice"
    ),
}
_MATH_MODULES = ("math.", "torch.finfo", "torch.iinfo")
_LANGUAGES = ("triton.language.", "triton.experimental.gluon.language.")
_ELEMENTWISE = ("libdevice",)
_MODULES = (
    "language core math random semantic standard target_info extra cuda hip libdevice utils gdc float2 _core _layouts "
    "_math _ops _semantic _standard fpsan nvidia ampere hopper blackwell rubin async_copy mbarrier tma clc cluster amd "
    "cdna3 cdna4 cdna5 gfx1250 rdna3 rdna4 tdm hint slice warp_pipeline"
)
MODULES = frozenset(_MODULES.split())
"""The modules of the languages, by the last part of their names: whatever else something is taken from is a class, and
has methods."""
_LAYOUTS = "Layout"

METHODS: dict[str, LanguageRow] = {
    # Of blocks and pointers, descriptors, shared and tensor memory at once: the receiver's class is not in sight.
    "load": LanguageRow(reads=_FIRST, loads=_FIRST, passes=(), held=_FIRST),
    "store": LanguageRow(writes=_FIRST, passes=(), stores=None, keeps=True),
    "gather": LanguageRow(reads=_FIRST, loads=_FIRST, blocks=True),
    "scatter": LanguageRow(writes=_FIRST, passes=(), stores=None, keeps=True),
    **_rows(LanguageRow(reads=_FIRST, loads=_FIRST, passes=(), held=_FIRST), "load_min load_max"),
    **_rows(LanguageRow(reads=_FIRST, loads=_FIRST), "atomic_load atomic_poll"),
    **_rows(
        LanguageRow(reads=_FIRST, writes=_FIRST, loads=_FIRST, passes=(), stores=None),
        "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor",
    ),
    "atomic_store": LanguageRow(writes=_FIRST, passes=(), stores=None),
    **_rows(
        LanguageRow(reads=_FIRST, writes=_FIRST, loads=_FIRST, passes=(), stores=None, keeps=True),
        "atomic_scatter_add atomic_scatter_and atomic_scatter_max atomic_scatter_min atomic_scatter_or "
        "atomic_scatter_xchg atomic_scatter_xor",
    ),
    "to": LanguageRow(passes=_FIRST, casts=(1, "dtype"), blocks=True),
    "cast": LanguageRow(passes=_FIRST, casts=(1, "dtype"), blocks=True),
    **_rows(LanguageRow(calls=((2, "combine_fn"),), blocks=True), "reduce associative_scan"),
    **_rows(
        COMPUTES,
        "abs advance argmax argmin broadcast_to cdiv ceil cos cumprod cumsum erf exp exp2 expand_dims flip floor "
        "histogram index item log log2 logical_and logical_or max min permute ravel reduce_or reinterpret "
        "_reinterpret reshape rsqrt sigmoid sin slice softmax sort split sqrt sqrt_rn sum trans view xor_sum",
    ),
    **_rows(
        NUMBER,
        "is_block is_bool is_bf16 is_const is_dtype is_floating is_fp16 is_fp32 is_fp64 is_fp8 is_fp8e4b15 "
        "is_fp8e4b8 is_fp8e4nv is_fp8e5 is_fp8e5b16 is_int is_int1 is_int16 is_int32 is_int64 is_int8 is_int_signed "
        "is_int_unsigned is_ptr is_standard_floating is_uint16 is_uint32 is_uint64 is_uint8 is_void kind "
        "get_int_max_value get_int_min_value get_block_shapes program_id is_canceled get_reg_layout count startswith "
        "endswith lower upper get_default_for with_identity_for bit_length split_string _keep_alive",
    ),
}  # fmt: skip

_ABOUT = (
    "dtype type element_ty shape scalar numel primitive_bitwidth name layout block_type block_shape rank ndim "
    "itemsize fp_mantissa_width int_bitwidth int_signedness exponent_bias address_space nbytes nbytes_per_cta"
)
ABOUT = frozenset(_ABOUT.split())
"""Attributes of Triton's values that say something about them and hold no address."""

Kind = Literal["static", "loop"]
LOOPS: dict[str, Kind] = {
    "triton.language.static_range": "static",
    "triton.language.core.static_range": "static",
    "triton.experimental.gluon.language.static_range": "static",
    "triton.language.range": "loop",
    "triton.language.core.range": "loop",
    "builtins.range": "loop",
}
"""What a loop may go over: unrolled when it is compiled, or going round when it runs."""


@lru_cache(maxsize=4096)
def function(path: str) -> LanguageRow:
    """The row of a function of the language (or of Python's, as far as kernels may call it) by its dotted path."""
    head, _, name = path.rpartition(".")
    if head == "builtins":
        return _BUILTINS.get(name, ANYTHING)
    if path.startswith(_MATH_MODULES):
        return COMPUTES
    if not path.startswith(_LANGUAGES):
        # What of Triton itself a kernel may call only computes with sizes.
        return COMPUTES if path in ("triton.cdiv", "triton.next_power_of_2") else ANYTHING
    if head.endswith(_ELEMENTWISE) or name.endswith(_LAYOUTS) or name in DTYPES:
        return COMPUTES
    return (METHODS if of_class(path) else FUNCTIONS).get(name, ANYTHING)


def of_class(path: str) -> bool:
    """Whether something of the languages is a class's: a method, which is given what it is called on first."""
    return path.startswith(_LANGUAGES) and path.split(".")[-2] not in MODULES


def method(name: str) -> LanguageRow:
    """The row of a method, whatever it is called on."""
    if name.startswith("__") and name.endswith("__") and name not in ("__call__", "__init__"):
        return PASSES
    return METHODS.get(name, ANYTHING)
