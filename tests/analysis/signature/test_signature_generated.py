"""What a code generator's decorator says of types and values is believed before all else, and told as evidence."""

from __future__ import annotations

BODY = """
@triton.jit
def kernel(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    offs = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    v = tl.load(in_ptr0 + offs, mask=offs < xnumel)
    tl.store(out_ptr0 + offs, v, mask=offs < xnumel)
"""
SIGNATURE = "{'in_ptr0': '*bf16', 'out_ptr0': '*u8', 'xnumel': 'i64', 'XBLOCK': 'constexpr'}"


def test_the_signature_beats_a_launch(case):
    launch = "kernel[(1,)](torch.empty(3), torch.empty(3, dtype=torch.float16), 3, XBLOCK=32)\n"
    got = case(f"@h(triton_meta={{'signature': {SIGNATURE}}})" + BODY + launch)
    assert got.first.types == {"in_ptr0": "*bf16", "out_ptr0": "*u8", "xnumel": "i64", "XBLOCK": "constexpr"}
    evidence = got.first.evidence["in_ptr0"]
    assert (evidence.kind, evidence.detail, evidence.certain) == (
        "annotation",
        "triton_meta['signature'] says *bf16",
        True,
    )
    assert evidence.line is not None
    assert got.first.constants == {"XBLOCK": 32}
    assert got.compiles()


def test_an_extent_stays_within_the_size_hint(case):
    for hint, extent in ((1, 1), (2, 2), (48, 32), (1024, 64)):
        got = case(f"@h(size_hints={{'x': {hint}, 'r0_': 4}}, triton_meta={{'signature': {SIGNATURE}}})" + BODY)
        assert got.first.constants == {"XBLOCK": extent}
        evidence = got.first.evidence["XBLOCK"]
        assert (evidence.detail, evidence.certain) == (f"size_hints say x: {hint}", False)
        assert got.compiles()


def test_the_hint_of_a_range_is_its_own(case):
    text = BODY.replace("XBLOCK", "R0_BLOCK")
    got = case(f"@h(size_hints={{'x': 2, 'r0_': 8}}, triton_meta={{'signature': {SIGNATURE}}})" + text)
    assert got.first.constants == {"R0_BLOCK": 8}


def test_constants_are_compiled_in(case):
    meta = f"{{'signature': {SIGNATURE}, 'constants': {{'xnumel': 1, (0,): None, 'other': 2}}}}"
    got = case(f"@h(triton_meta={meta})" + BODY.replace("v = tl.load(in_ptr0 + offs", "v = tl.load(out_ptr0 + offs"))
    assert got.first.types == {"in_ptr0": "constexpr", "out_ptr0": "*u8", "xnumel": "constexpr", "XBLOCK": "constexpr"}
    assert got.first.constants["xnumel"] == 1
    assert got.first.constants["in_ptr0"] is None
    assert got.first.evidence["xnumel"].detail == "triton_meta['constants'] says 1"


def test_positions_name_parameters_too(case):
    got = case("@h(triton_meta={'signature': {0: '*fp64', 1: '*fp64', 2: 'i32', 9: 'i32'}, 'constants': {}})" + BODY)
    assert got.first.types == {"in_ptr0": "*fp64", "out_ptr0": "*fp64", "xnumel": "i32", "XBLOCK": "constexpr"}


def test_configs_give_values(case):
    configs = "[{'XBLOCK': 16, 'num_warps': 4}, {'XBLOCK': 128, 'num_warps': 4}]"
    got = case(f"@h(configs={configs}, triton_meta={{'signature': {SIGNATURE}}})" + BODY)
    assert got.first.constants == {"XBLOCK": 16}
    assert got.first.evidence["XBLOCK"].certain


def test_what_is_no_literal_or_no_type_is_guessed_as_ever(case):
    for meta in (
        "meta",
        "{'signature': meta}",
        "{'signature': {'in_ptr0': TYPE}}",
        "{'signature': {'in_ptr0': '*q7'}}",
    ):
        got = case(f"@h(size_hints=sizes, configs=[one], triton_meta={meta}, inductor_meta=meta)" + BODY)
        assert got.first.types["in_ptr0"] == "*fp32"
        assert not got.first.evidence["in_ptr0"].certain


def test_no_other_signature_overrules_it(case):
    text = BODY.replace("    v = ", "    if xnumel == 1:\n        tl.store(out_ptr0, 3)\n    v = ")
    got = case(f"@h(triton_meta={{'signature': {SIGNATURE}, 'constants': {{'xnumel': 1}}}})" + text)
    assert {s.constants["xnumel"] for s in got.signatures} == {1}
