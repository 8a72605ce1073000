"""The table of PTX instructions: what each defines, what it does through each ``[address]``, what its result carries.

Data only, from the PTX ISA; a mnemonic without a row is unknown, never harmless. It may not look at operands.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kernel_analysis.record import record

Flow: TypeAlias = Literal[
    "copy", "either", "selected", "first", "sum", "difference", "product and sum", "bits", "parts",
    "none", "load", "own",
]  # fmt: skip
"""What of its sources a destination carries. ``copy``: the only one as it is; ``either``: one of them; ``selected``:
one, less the last, which selects (where they are constants, they may be its digits);
``first``: the first; ``sum``, ``difference``; ``product and sum``: the last, and the product of the others; ``bits``:
the bits of all, so that it may still be one of them; ``parts``: all, as something else. ``none``: nothing of them;
``load``: what memory held; ``own``: an address in memory that is no parameter's
(shared, local). None of them guesses what an address is."""

Touch: TypeAlias = Literal["read", "write", "readwrite", "own", "hint", "table-read", "table-write", "table-readwrite"]
"""Through an ``[address]``: ``own``: shared or tensor memory by definition; ``hint``: nothing is read or written;
``table-*``: through the handle that is the address itself."""

SPACES = ("global", "shared", "local", "const", "param")


@record
class InstructionRow:
    """``defines``: leading operands that are registers it sets. ``touches``: one per ``[address]``, in order;
    ``more``: what any further one is. ``tensor``: an address in global memory is a tensor map, and the access goes to
    the tensor behind it."""

    defines: int = 0
    touches: tuple[Touch, ...] = ()
    flow: Flow = "none"
    more: Touch | None = None
    tensor: bool = False


_DATA: dict[Flow, str] = {
    "copy": "mov cvta",
    "either": "min max",
    "selected": "selp slct",
    "first": "shfl",
    "sum": "add",
    "difference": "sub",
    "product and sum": "mad mad24 fma",
    "bits": "cvt and or xor lop3 shl shr shf bfe bfi prmt szext addc subc abs",
    "parts": """
        madc sad dp4a dp2a neg mul mul24 div rem not cnot popc brev clz bfind fns bmsk rcp sqrt rsqrt sin cos lg2 ex2
        tanh copysign mma wgmma.mma_async wmma.mma movmatrix redux vadd vsub vabsdiff vmin vmax vshl vshr vmad vset
        vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 set
        setp testp vote match bar.red barrier.red barrier.cta.red""",
    "none": "isspacep activemask elect getctarank stacksave istypep clusterlaunchcontrol.query_cancel",
    "own": "mapa alloca",
}

_SILENT = """
    bar barrier membar fence nanosleep griddepcontrol setmaxnreg pmevent trap exit ret brkpt bra brx stackrestore
    cp.async.commit_group cp.async.wait_group cp.async.wait_all cp.async.bulk.commit_group cp.async.bulk.wait_group
    wgmma.fence wgmma.commit_group wgmma.wait_group tcgen05.fence tcgen05.wait tcgen05.relinquish_alloc_permit"""

_MEMORY: dict[str, InstructionRow] = {
    "ld ldu": InstructionRow(1, ("read",), "load"),
    "st": InstructionRow(0, ("write",)),
    "atom": InstructionRow(1, ("readwrite",), "load"),
    "red": InstructionRow(0, ("readwrite",)),
    "st.async": InstructionRow(0, ("write",), more="own"),
    "st.bulk": InstructionRow(0, ("write",)),
    "red.async": InstructionRow(0, ("readwrite",), more="own"),
    "discard": InstructionRow(0, ("write",)),  # the ISA: "behaves like a weak write of an unstable indeterminate value"
    "prefetch prefetchu applypriority cp.async.bulk.prefetch": InstructionRow(0, ("hint",)),
    "createpolicy": InstructionRow(1, ("hint",)),
    "fence.proxy.tensormap": InstructionRow(0, ("hint",)),
    "cp.async": InstructionRow(0, ("write", "read")),
    "cp.async.bulk": InstructionRow(0, ("write", "read"), more="own"),
    "cp.reduce.async.bulk": InstructionRow(0, ("readwrite", "read"), more="own"),
    "cp.async.bulk.tensor": InstructionRow(0, ("write", "read"), more="own", tensor=True),
    "cp.reduce.async.bulk.tensor": InstructionRow(0, ("readwrite", "read"), more="own", tensor=True),
    "cp.async.mbarrier.arrive": InstructionRow(0, ("own",)),
    "multimem.ld_reduce": InstructionRow(1, ("read",), "load"),
    "multimem.st": InstructionRow(0, ("write",)),
    "multimem.red": InstructionRow(0, ("readwrite",)),
    "multimem.cp.async.bulk": InstructionRow(0, ("write", "read"), more="own"),
    "multimem.cp.reduce.async.bulk": InstructionRow(0, ("readwrite", "read"), more="own"),
    "tensormap.replace": InstructionRow(0, ("write",)),
    "tensormap.cp_fenceproxy": InstructionRow(0, ("write", "read")),
    "ldmatrix": InstructionRow(1, ("own",), "load"),
    "stmatrix": InstructionRow(0, ("own",)),
    "wmma.load": InstructionRow(1, ("read",), "load"),
    "wmma.store": InstructionRow(0, ("write",)),
    # All on shared memory. `mbarrier.arrive` may define a state, `mbarrier.test_wait` a predicate.
    "mbarrier": InstructionRow(1, ("own",)),
    "clusterlaunchcontrol.try_cancel": InstructionRow(0, ("own", "own")),
    "tcgen05.ld": InstructionRow(1, ("own",), "load"),
    "tcgen05.ld.red": InstructionRow(2, ("own",), "load"),
    "tcgen05.st tcgen05.alloc tcgen05.dealloc tcgen05.commit tcgen05.cp tcgen05.shift tcgen05.mma": InstructionRow(
        0, (), more="own"
    ),
    "tex tld4 suld": InstructionRow(1, ("table-read",), "load"),
    "sust": InstructionRow(0, ("table-write",)),
    "sured": InstructionRow(0, ("table-readwrite",)),
    "txq suq": InstructionRow(1, ("hint",)),
}


def _table() -> dict[str, InstructionRow]:
    rows = {name: InstructionRow(1, (), flow) for flow, names in _DATA.items() for name in names.split()}
    rows |= {name: InstructionRow() for name in _SILENT.split()}
    rows |= {name: row for names, row in _MEMORY.items() for name in names.split()}
    return rows


TABLE = _table()


def row_of(parts: tuple[str, ...]) -> InstructionRow | None:
    """The row of the longest known beginning of a mnemonic: ``cp.async.bulk`` before ``cp.async``."""
    stems = [part.partition("::")[0] for part in parts]
    for length in range(min(len(stems), 5), 0, -1):
        if (row := TABLE.get(".".join(stems[:length]))) is not None:
            if parts[0] == "cvta" and "to" not in parts and any(space != "global" for space in spaces_of(parts)):
                return InstructionRow(
                    1, (), "own"
                )  # a generic address made from one in shared, local, const or param memory
            return row
    return None


def spaces_of(parts: tuple[str, ...]) -> list[str]:
    """The state spaces that a mnemonic names, in order: one for each ``[address]``."""
    return [space for part in parts[1:] if (space := part.partition("::")[0]) in SPACES]
