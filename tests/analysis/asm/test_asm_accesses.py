"""Known PTX instructions: what they read and write, and through which operand of the Triton operation."""

from __future__ import annotations

import pytest
from asm_helpers import bases, behind, unclear

from kernel_analysis.dataflow.asm import AsmEffects, effects


def summary(found: AsmEffects) -> list[str]:
    """``r0`` read through operand 0, ``w0`` written, ``*`` behind it: through an address or a map that it leads to."""
    flags: set[str] = set()
    for access in found.accesses:
        assert not unclear(access.address)
        through = [*map(str, bases(access.address)), *(f"*{operand}" for operand in behind(access.address))]
        for letter, there in (("r", access.read), ("w", access.write)):
            flags.update(letter + operand for operand in through if there)
    return sorted(flags)


# Operand 0 is $1 (64 bits), operand 1 is $2 (32 bits), operand 2 is $3 (64 bits).
def ptx(asm: str) -> AsmEffects:
    return effects(asm, "=r,l,r,l", 3, 1)


@pytest.mark.parametrize(
    ("asm", "expected"),
    [
        ("ld.global.u32 $0, [$1];", "r0"),
        ("ld.u32 $0, [$1];", "r0"),
        ("ld.volatile.global.b32 $0, [$1+16];", "r0"),
        ("ld.relaxed.sys.global.L1::no_allocate.b32 $0, [$1 + -4];", "r0"),
        ("ld.acquire.gpu.global.u32 $0, [$1];", "r0"),
        ("ld.global.nc.L2::128B.f32 $0, [$3];", "r2"),
        ("ldu.global.b32 $0, [$1];", "r0"),
        ("{ .reg .b32 a, b, c; ld.global.v4.b32 {$0, a, b, c}, [$1]; }", "r0"),
        ("st.global.u32 [$1], $2;", "w0"),
        ("st.release.sys.global.u32 [$3+8], $2;", "w2"),
        ("st.global.L2::cache_hint.v2.b32 [$1], {$2, $2}, $3;", "w0"),
        ("st.volatile.global.v4.u32 [$1], {$2,$2,$2,$2};\n mov.u32 $0, 0;", "w0"),
        ("st.b32 [$1], $2; st.b32 [$3], $2;", "w0 w2"),
        ("atom.global.add.u32 $0, [$1], $2;", "r0 w0"),
        ("atom.global.acq_rel.gpu.cas.b32 $0, [$1], 0, 1;", "r0 w0"),
        ("atom.exch.b32 _, [$1], $2;", "r0 w0"),
        ("red.relaxed.gpu.global.add.s32 [$1], $2;", "r0 w0"),
        ("red.global.v2.f32.add [$1], {$2, $2};", "r0 w0"),
        ("cp.async.ca.shared.global [$2], [$1], 16;", "r0"),
        ("cp.async.cg.shared::cta.global.L2::128B [$2], [$1], 16, 8;", "r0"),
        ("cp.async.commit_group; cp.async.wait_group 0;", ""),
        ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$2], [$1], 64, [$2];", "r0"),
        ("cp.async.bulk.global.shared::cta.bulk_group [$1], [$2], 64;", "w0"),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [$1], [$2], 64;", "r0 w0"),
        ("cp.async.bulk.prefetch.L2.global [$1], 64;", ""),
        # The tensor map is read, and the tensor that it describes is read or written.
        ("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [$1, {$2}], [$2];", "r0 w*0"),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$2], [$1, {$2, $2}], [$2];",
            "r*0 r0",
        ),
        ("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [$1, {$2}], [$2];", "r*0 r0 w*0"),
        ("cp.async.bulk.prefetch.tensor.1d.L2.global [$1, {$2}];", ""),
        ("prefetch.global.L2 [$1]; prefetchu.L1 [$1]; applypriority.global.L2::evict_normal [$1], 128;", ""),
        ("prefetch.tensormap [$1];", ""),
        ("discard.global.L2 [$1], 128;", "w0"),
        ("{ .reg .b64 c; createpolicy.range.global.L2::evict_last.b64 c, [$1], 64, 128; }", ""),
        ("multimem.ld_reduce.relaxed.sys.global.add.f32 $0, [$1];", "r0"),
        ("multimem.st.release.sys.global.b32 [$1], $2;", "w0"),
        ("multimem.red.release.sys.global.add.u32 [$1], $2;", "r0 w0"),
        ("tensormap.replace.tile.global_address.global.b1024.b64 [$1], $3;", "w0"),
        (
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$1], [$2], 128;",
            "w0",
        ),
        ("fence.proxy.tensormap::generic.acquire.gpu [$1], 128;", ""),
        ("{ .reg .b32 f<4>; wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {f0,f1,f2,f3}, [$1], $2; }", "r0"),
        ("wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [$1], {$2,$2,$2,$2}, $2;", "w0"),
        ("{ .reg .b32 a<4>; tex.2d.v4.s32.s32 {a0,a1,a2,a3}, [$1, {$2, $2}]; }", "r*0"),
        ("sust.b.1d.b32.trap [$1, {$2}], {$2};", "w*0"),
        # A barrier object, shared memory and tensor memory are no parameter's.
        ("st.shared.u32 [$2], $2; ld.shared::cta.u32 $0, [$2]; atom.shared.add.u32 $0, [$2], 1;", ""),
        ("st.shared.u32 [$1], $2;", ""),
        ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [$2], $2, [$2];", ""),
        ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [$2], $2, [$2];", ""),
        ("{ .reg .b32 a<4>; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {a0,a1,a2,a3}, [$2]; }", ""),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [$2], {$2};", ""),
        ("mbarrier.init.shared::cta.b64 [$2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [$2], 64;", ""),
        ("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [$2], 0; @!p bra L; }", ""),
        ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$2], 64;", ""),
        (
            "{ .reg .b32 a<2>; tcgen05.ld.sync.aligned.16x64b.x2.b32 {a0, a1}, [$2]; tcgen05.wait::ld.sync.aligned; }",
            "",
        ),
        # No memory.
        ("", ""),
        ("   \n\t", ""),
        ("// st.global.u32 [$1], $2;\n/* st.global.u32 [$1], $2; */", ""),
        ("mov.u32 $0, %laneid; mov.u32 $0, %tid.x; mov.u32 $0, %smid;", ""),
        ("bar.sync 0; barrier.cluster.arrive.release.aligned; bar.warp.sync 0xffffffff;", ""),
        ("membar.gl; fence.acq_rel.gpu; fence.proxy.async; fence.proxy.alias;", ""),
        ("griddepcontrol.wait; // dummy $0", ""),
        ("griddepcontrol.launch_dependents; nanosleep.u32 $2; setmaxnreg.inc.sync.aligned.u32 240;", ""),
        ("trap; exit; ret; brkpt; pmevent 1;", ""),
        ("tanh.approx.f32 $0, $2; ex2.approx.ftz.f32 $0, $0; rcp.approx.f32 $0, $0; lg2.approx.f32 $0, $0;", ""),
        ("lop3.b32 $0, $2, $2, 0x80008000, 0xea; prmt.b32 $0, $2, $2, 0x7531; shf.l.wrap.b32 $0, $2, $2, 3;", ""),
        ("bfe.u32 $0, $2, 0, 8; bfi.b32 $0, $2, $2, 8, 8; popc.b32 $0, $2; clz.b32 $0, $2; brev.b32 $0, $2;", ""),
        ("fma.rn.bf16x2 $0, $2, $2, $2; max.NaN.f16x2 $0, $2, $2; sub.f16x2 $0, $2, $2;", ""),
        ("vabsdiff4.u32.u32.u32 $0, $2, $2, $2; dp4a.s32.u32 $0, $2, $2, $2; dp2a.lo.s32.s32 $0, $2, $2, $2;", ""),
        ("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $2, $2; mov.b32 $0, {t, 0, 0, 0}; }", ""),
        ("cvt.rs.satfinite.e4m3x4.f32 $0, {$2, $2, $2, $2}, $2;", ""),
        ("shfl.sync.bfly.b32 $0, $2, 16, 31, 0xffffffff; redux.sync.add.s32 $0, $2, 0xffffffff;", ""),
        ("{ .reg .pred p; setp.ne.b32 p, $2, 0; vote.sync.ballot.b32 $0, p, 0xffffffff; elect.sync _|p, -1; }", ""),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0,_,_,_}, {$2,$2,$2,$2}, {$2,$2}, {$2,$2,$2,$2};", ""),
        ("{ .reg .pred p; isspacep.global p, $1; selp.b32 $0, 1, 0, p; }", ""),
        ("mapa.shared::cluster.u32 $0, $2, 0; getctarank.shared::cluster.u32 $0, $2;", ""),
    ],
)
def test_known_instructions(asm: str, expected: str) -> None:
    found = ptx(asm)
    assert (summary(found), found.unknown) == (expected.split(), ())


def test_the_instruction_is_named_as_written() -> None:
    (access,) = ptx("{\n  mov.u32 $0, 0;  // first\n  @!p1\n   st.global.u32\t[$1],\n $2;\n}").accesses
    assert access.instruction == "@!p1 st.global.u32 [$1], $2"
    assert access.mnemonic == "st.global.u32"
    assert access.predicated


@pytest.mark.parametrize(
    ("asm", "stores"),
    [
        ("mov.u32 $0, 0; st.global.u32 [$1], $2; st.global.u32 [$3], $2;", "st.global.u32 [$1], $2"),
        ("atom.global.add.u32 $0, [$1], 1;", "atom.global.add.u32 $0, [$1], 1"),
        ("st.shared.u32 [$2], $2;", "st.shared.u32 [$2], $2"),
        ("st.global.u32 [4096], $2;", "st.global.u32 [4096], $2"),
        ("ld.global.u32 $0, [$1];", None),
        ("{ .reg .b32 a; st.local.u32 [a], $2; }", None),
        ("mov.u32 $0, %laneid;", None),
        ("unheard.of $0, [$1];", None),
    ],
)
def test_what_assembly_declared_pure_must_not_do(asm: str, stores: str | None) -> None:
    assert ptx(asm).stores == stores


def test_values_put_into_memory() -> None:
    assert bases(ptx("st.global.b64 [$1], $3;").stored) == [2]
    assert not ptx("ld.global.u32 $0, [$1];").stored
