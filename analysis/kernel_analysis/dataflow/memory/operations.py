"""What every operation of Triton's dialects does: one row an operation, one table, nothing decided elsewhere by an
operation's name.

An operation that is in no row is unknown: what reaches it becomes UNKNOWN, with its name as the reason.
"""

from __future__ import annotations

from typing import Literal

from kernel_analysis.record import record

Result = Literal[
    "none",
    "pass",
    "bits",
    "load",
    "advance",
    "sum",
    "numeric",
    "from_integer",
    "region",
    "call",
    "asm",
    "extern",
    "kept",
]


@record
class Operation:
    """Operands are counted as they are printed. ``reads`` / ``writes``: those through whose address it accesses memory;
    ``reads_all``: it reads through every operand that is a descriptor. ``indexed``: where, other operands say, too.
    ``stores``: the operand whose value goes into memory (into shared memory: one of them); ``keeps``: what it reads
    goes into shared memory; ``changes``: it changes that otherwise, or tensor memory: a barrier, an accumulator.
    ``mask_from``: it has a mask when it has more operands than this.

    ``reaches``: how far an access goes: the ``elements`` that its operand points to; what the descriptor ``describes``,
    which is bounded where that is made; None: nobody computes it, and no launch is made. ``describes``: of what makes a
    descriptor, how many operands there are for each dimension. ``differs``: whether its result is another in each
    program.

    ``result``: what its results are made of. ``pass``: one of the operands ``passes`` (empty: of all); ``bits``: the
    bits of all, so that it may still be one of them; ``numeric``: all, as something else; ``advance``: an address and
    what is added to it; ``load``: what is in memory, or, where its
    mask is off, one of the operands ``passes``; ``kept``: what somebody put into shared memory; ``none``: nothing.
    An operation that drops what it is made of has ``none``, and no other.
    ``versions``: the Triton versions that have it, for people (the analysis does not care)."""

    result: Result = "none"
    passes: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    reads_all: bool = False
    stores: int | None = None
    mask_from: int | None = None
    indexed: bool = False
    keeps: bool = False
    changes: bool = False
    reaches: Literal["elements", "described"] | None = None
    describes: int = 0
    differs: bool = False
    versions: str = "3.6-3.9"


def _rows(operation: Operation, *names: str) -> dict[str, Operation]:
    return dict.fromkeys(names, operation)


_NONE = Operation()
_NUMERIC = Operation("numeric")
_REGION = Operation("region")

OPERATIONS: dict[str, Operation] = {
    # Memory through pointers.
    "tt.load": Operation("load", (2,), reads=(0,), mask_from=1, reaches="elements"),
    "tt.store": Operation(writes=(0,), stores=1, mask_from=2, reaches="elements"),
    "tt.atomic_rmw": Operation("load", reads=(0,), writes=(0,), stores=1, mask_from=2, reaches="elements", differs=True),
    "tt.atomic_cas": Operation("load", reads=(0,), writes=(0,), stores=2, mask_from=3, reaches="elements", differs=True),
    "tt.atomic_load": Operation("load", reads=(0,), mask_from=1, versions="3.9", reaches="elements", differs=True),
    "tt.atomic_store": Operation(writes=(0,), stores=1, mask_from=2, versions="3.9", reaches="elements"),
    # Waits until memory holds a value; declared a write in the dialect to keep its order, it writes nothing.
    "tt.atomic_poll": Operation("load", reads=(0,), versions="3.9", reaches="elements", differs=True),
    # Memory through tensor descriptors.
    "tt.descriptor_load": Operation("load", reads=(0,), indexed=True, reaches="described"),
    "tt.descriptor_gather": Operation("load", reads=(0,), indexed=True, reaches="described"),
    "tt.descriptor_store": Operation(writes=(0,), stores=-1, indexed=True, reaches="described"),
    "tt.descriptor_scatter": Operation(writes=(0,), stores=-1, indexed=True, reaches="described"),
    "tt.descriptor_reduce": Operation(reads=(0,), writes=(0,), stores=-1, indexed=True, reaches="described"),
    # Gluon: copies between global and shared memory.
    "ttg.async_copy_global_to_local": Operation(reads=(0,), stores=3, mask_from=2, reaches="elements", keeps=True),
    "ttng.async_tma_copy_global_to_local": Operation(reads=(0,), indexed=True, reaches="described", keeps=True),
    "ttng.async_tma_copy_local_to_global": Operation(writes=(0,), indexed=True, reaches="described"),
    "ttng.async_tma_reduce": Operation(reads=(0,), writes=(0,), indexed=True, reaches="described"),
    "ttng.async_tma_gather": Operation(reads=(0,), indexed=True, reaches="described", keeps=True),
    "ttng.async_tma_scatter": Operation(writes=(0,), indexed=True, reaches="described"),
    "ttng.tensormap_create": Operation(writes=(0,)),
    "ttng.tensormap_fenceproxy_acquire": Operation(),
    # AMD: buffer operations and asynchronous copies.
    "amdg.buffer_load": Operation("load", (-1,), reads=(0,), indexed=True),
    "amdg.buffer_load_to_local": Operation(reads=(0,), indexed=True, keeps=True),
    "amdg.buffer_store": Operation(writes=(1,), stores=0, indexed=True),
    "amdg.buffer_atomic_rmw": Operation("load", reads=(1,), writes=(1,), stores=0, indexed=True, differs=True),
    "amdg.buffer_atomic_cas": Operation("load", reads=(2,), writes=(2,), stores=1, indexed=True, differs=True),
    "amdg.async_copy_local_to_global": Operation(writes=(1,), mask_from=2, reaches="elements"),
    "amdg.async_tdm_copy_global_to_local": Operation(reads=(0,), indexed=True, reaches="described", keeps=True),
    "amdg.async_tdm_fused_copy_global_to_local": Operation(reads=(0,), reads_all=True, versions="3.9", reaches="described", keeps=True),
    "amdg.async_tdm_copy_local_to_global": Operation(writes=(0,), indexed=True, reaches="described"),
    "amdg.async_tdm_gather": Operation(reads=(0,), indexed=True, reaches="described", keeps=True),
    "amdg.async_tdm_scatter": Operation(writes=(0,), indexed=True, reaches="described"),
    "amdg.tdm_prefetch": Operation(),
    # Addresses.
    "tt.addptr": Operation("advance"),
    "tt.advance": Operation("advance", versions="3.6-3.7"),
    "tt.make_tensor_ptr": Operation("advance", versions="3.6-3.7", describes=3),
    "tt.make_tensor_descriptor": Operation("advance", describes=2),
    "ttng.reinterpret_tensor_descriptor": Operation("pass", (0,)),
    "amdg.update_tensor_descriptor": Operation("advance", versions="3.8-3.9"),
    "tt.int_to_ptr": Operation("from_integer"),
    "tt.ptr_to_int": Operation("pass", (0,)),
    "arith.select": Operation("pass", (1, 2)),
    "tt.gather": Operation("pass", (0,)),
    **_rows(
        Operation("pass"),
        "tt.splat", "tt.unsplat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans", "tt.bitcast", "tt.join", "tt.split", "tt.cat",
        "ttg.convert_layout", "arith.bitcast", "arith.index_cast", "arith.index_castui", "amdg.extract_slice", "amdg.concat", "amdg.in_thread_transpose",
        "builtin.unrealized_conversion_cast", "gluon.set_auto_layout",
    ),
    # Integers that may be addresses.
    **_rows(Operation("sum"), "arith.addi", "arith.subi"),
    **_rows(Operation("pass"), "arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"),
    **_rows(Operation("bits"), "arith.andi", "arith.ori", "arith.xori", "arith.shli", "arith.shrui", "arith.shrsi", "arith.extsi", "arith.extui"),
    # Control flow.
    **_rows(_REGION, "scf.if", "scf.for", "scf.while", "scf.execute_region", "scf.index_switch", "tt.reduce", "tt.scan", "tt.map_elementwise"),
    **_rows(_REGION, "ttg.warp_specialize", "ttg.warp_specialize.partitions"),
    **_rows(_NONE, "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "cf.switch", "cf.assert", "tt.return", "tt.reduce.return", "tt.scan.return"),
    **_rows(_NONE, "tt.map_elementwise.return", "ttg.warp_yield", "ttg.warp_return", "llvm.unreachable", "ub.unreachable"),
    "tt.call": Operation("call"),
    "tt.elementwise_inline_asm": Operation("asm"),
    "ttg.inline_asm": Operation("asm", versions="3.9"),
    "tt.extern_elementwise": Operation("extern"),
    # Declared to write memory in the dialect so that they keep their order; they write no parameter.
    **_rows(_NONE, "tt.print", "tt.assert", "llvm.intr.assume"),
    **_rows(Operation(versions="3.9"), "tt.grid_dependency_wait", "tt.grid_dependency_launch_dependents"),
    # Values that are no addresses.
    **_rows(_NONE, "arith.constant", "ub.poison", "tt.get_num_programs", "tt.make_range"),
    **_rows(Operation(differs=True), "tt.get_program_id", "ttg.warp_id", "ttng.clc_get_program_id"),
    "tt.approx_divf": Operation("numeric", versions="3.9"),
    **_rows(
        _NUMERIC,
        "tt.dot", "tt.dot_scaled", "tt.histogram", "tt.fp_to_fp", "tt.clampf", "tt.mulhiui", "tt.precise_sqrt", "tt.precise_divf",
        "ttng.warp_group_dot", "ttng.warp_group_dot_wait", "ttg.fp4_to_fp", "amdg.scaled_upcast_fp4", "amdg.upcast_mxfp",
        "amdg.scaled_upcast_fp8", "amdg.scaled_downcast_fp4", "amdg.scaled_downcast_fp8", "ttng.packed_arith",
    ),
    # Gluon: shared and tensor memory, barriers. What is kept there is gone from sight: a value read back may be anything
    # that was stored.
    "ttg.local_alloc": Operation(stores=0),
    "ttng.tmem_alloc": Operation(stores=0),
    **_rows(Operation(stores=0), "ttg.local_store", "ttg.local_scatter", "ttng.tmem_store", "ttng.async_shared_store"),
    **_rows(
        _NONE,
        "ttg.local_dealloc", "ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_trans",
        "ttg.memdesc_reshape", "ttg.memdesc_reinterpret", "ttg.async_commit_group", "ttg.async_wait", "ttg.barrier", "ttg.local_barrier",
        "ttg.predicate_stage", "ttg.mask", "ttg.mask.return", "ttng.wait_barrier", "ttng.fence_async_shared",
        "ttng.fence_mbarrier_init_release_cluster", "ttng.cluster_arrive", "ttng.cluster_wait", "ttng.cluster_barrier",
        "ttng.tmem_subslice", "ttng.tmem_wait", "ttng.async_tma_store_wait", "ttng.clc_load_result", "ttng.clc_is_canceled",
        "amdg.async_wait", "amdg.async_tdm_wait", "amdg.async_tdm_intrinsic_wait", "amdg.wait_barrier", "amdg.cond_barrier",
        "amdg.cluster_barrier_arrive", "amdg.cluster_barrier_wait", "gpu.barrier", "rocdl.sched.barrier", "rocdl.s.barrier",
        "rocdl.s.setprio", "rocdl.iglp.opt", "nvvm.barrier0",
        "ttg.global_scratch_alloc", "amdg.memory_counter_wait", "amdg.instruction_sched_hint",
    ),
    **_rows(
        Operation(changes=True),
        "ttng.init_barrier", "ttng.inval_barrier", "ttng.barrier_expect", "ttng.arrive_barrier", "ttng.async_copy_mbarrier_arrive",
        "ttng.tmem_copy", "ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled", "ttng.tc_gen5_commit",
        "ttng.clc_try_cancel", "ttng.clc_try_cancel_sync",
        "amdg.init_barrier", "amdg.arrive_barrier", "amdg.async_copy_mbarrier_arrive",
    ),
    **_rows(Operation("kept"), "ttg.local_load", "ttg.local_gather", "ttng.tmem_load", "amdg.local_load_packed_transposed",
            "amdg.local_load_packed_tranposed"),
    "ttg.local_atomic_scatter_rmw": Operation("kept", stores=0),
}  # fmt: skip

_NUMERIC_DIALECTS = ("arith.", "math.")


class _Rows(dict[str, Operation | None]):
    def __missing__(self, name: str) -> Operation | None:
        row = OPERATIONS.get(name)
        if row is None and name.startswith(_NUMERIC_DIALECTS):
            row = _NUMERIC
        self[name] = row
        return row


ROWS = _Rows()
"""The row of an operation; None for one that no supported Triton emits. Arithmetic beyond the table makes numbers, not
addresses."""


class _Steps(dict[str, bool]):
    def __missing__(self, name: str) -> bool:
        row = ROWS[name]
        made = self[name] = bool(
            row is None
            or row.reads
            or row.writes
            or row.changes
            or row.stores is not None
            or row.result in ("call", "asm", "extern")
        )
        return made


STEPS = _Steps()
"""Whether an operation may access memory, shared memory included: by itself, in what it calls, or because nobody knows it."""
