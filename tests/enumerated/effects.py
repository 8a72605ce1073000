"""What operations do, as the plain reader sees it: which operand is an address, which is kept, what comes out.

Shares nothing with the analysis, on purpose. An operation that is in no table raises where an address reaches it.
"""

from __future__ import annotations

READS = {
    "tt.load": 0, "tt.atomic_load": 0, "tt.atomic_poll": 0, "tt.descriptor_load": 0, "tt.descriptor_gather": 0,
    "ttg.async_copy_global_to_local": 0, "ttng.async_tma_copy_global_to_local": 0, "ttng.async_tma_gather": 0,
    "amdg.buffer_load": 0, "amdg.buffer_load_to_local": 0, "amdg.async_tdm_copy_global_to_local": 0,
}  # fmt: skip
WRITES = {
    "tt.store": (0, 1), "tt.atomic_store": (0, 1), "tt.descriptor_store": (0, None), "tt.descriptor_scatter": (0, None),
    "ttng.async_tma_copy_local_to_global": (0, None), "ttng.async_tma_scatter": (0, None),
    "amdg.buffer_store": (1, 0), "amdg.async_tdm_copy_local_to_global": (0, None),
}  # fmt: skip
BOTH = {
    "tt.atomic_rmw": (0, 1), "tt.atomic_cas": (0, 2), "tt.descriptor_reduce": (0, None),
    "ttng.async_tma_reduce": (0, None),
    "amdg.buffer_atomic_rmw": (1, 0), "amdg.buffer_atomic_cas": (2, 1),
}  # fmt: skip
SAME = {
    "tt.splat", "tt.unsplat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans", "tt.bitcast", "tt.join",
    "tt.split", "tt.cat", "tt.ptr_to_int", "tt.gather", "arith.bitcast", "arith.index_cast", "arith.extsi",
    "arith.extui", "ttg.convert_layout", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui",
    "ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_trans", "ttg.memdesc_reshape",
    "ttg.memdesc_reinterpret", "ttng.reinterpret_tensor_descriptor", "gluon.set_auto_layout",
}  # fmt: skip
FIRST = {"tt.make_tensor_descriptor", "tt.make_tensor_ptr", "tt.advance"}
NOTHING = {
    "arith.constant", "ub.poison", "tt.get_program_id", "tt.get_num_programs", "tt.make_range", "tt.print",
    "tt.assert", "tt.dot", "tt.fp_to_fp", "tt.histogram", "tt.clampf", "tt.precise_sqrt", "tt.precise_divf",
    "tt.mulhiui", "cf.assert", "gpu.barrier", "ttng.init_barrier", "ttng.inval_barrier", "ttng.wait_barrier",
    "ttng.arrive_barrier", "ttng.barrier_expect", "ttg.local_dealloc", "ttng.fence_async_shared", "ttg.async_wait",
    "ttg.async_commit_group", "ttng.async_tma_store_wait", "ttg.barrier", "ttg.local_barrier", "tt.approx_divf",
    "tt.grid_dependency_wait", "tt.grid_dependency_launch_dependents", "tt.dot_scaled",
}  # fmt: skip
ENDS = {
    "scf.yield", "scf.condition", "tt.return", "tt.reduce.return", "tt.scan.return", "tt.map_elementwise.return",
    "ttg.warp_yield", "ttg.warp_return", "cf.br", "cf.cond_br", "llvm.unreachable", "ub.unreachable",
}  # fmt: skip
FOLD = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
}
COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b, "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b,
}  # fmt: skip
