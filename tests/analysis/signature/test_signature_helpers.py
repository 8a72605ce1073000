"""Roles, and the signatures of helpers, whose parameters may be blocks."""

from __future__ import annotations

from kernel_analysis.signature.evidence.roles import role

TEXT = """
@triton.jit
def scaled(block, by):
    return block * by

@triton.jit
def write(p, offs, block):
    tl.store(p + offs, block)

@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    write(out, offs, scaled(tl.load(x + offs), 2.0))

@triton.jit
def alone(p):
    tl.store(p, 1)

@triton.jit
def product(a, b):
    return tl.dot(a, tl.trans(b))

@triton.jit
def total(row):
    return tl.sum(row) + row[:, None]

@triton.jit
def rows(p, lines):
    tl.store(p + lines[:, None], 1)

def run(x, out):
    kernel[(1,)](x, out, BLOCK=32)
"""


def test_roles(case):
    got = case(TEXT)
    roles = {f.name: role(f, got.functions) for f in got.functions}
    assert roles == {
        "scaled": "helper",
        "write": "helper",
        "kernel": "kernel",
        "alone": "kernel",
        "product": "helper",
        "total": "helper",
        "rows": "helper",
    }


def test_known_to_be_called_elsewhere(case):
    got = case(TEXT)
    alone = next(f for f in got.functions if f.name == "alone")
    assert role(alone, got.functions, {"alone"}) == "helper"


def test_types_come_from_the_caller(case):
    got = case(TEXT, "write")
    assert got.first.types == {"p": "*fp32", "offs": "i32[32]", "block": "fp32[32]"}
    assert got.first.evidence["block"].kind == "call"
    assert "kernel" in got.first.evidence["block"].detail
    assert got.compiles()


def test_compile_time_argument_comes_along(case):
    got = case(TEXT, "scaled")
    assert got.first.types == {"block": "fp32[32]", "by": "constexpr"}
    assert got.first.constants["by"] == 2.0
    assert got.compiles()


def test_ranks_by_use(case):
    product = case(TEXT, "product")
    assert product.first.types == {"a": "fp32[64, 64]", "b": "fp32[64, 64]"}
    assert product.compiles()
    total = case(TEXT, "total")
    assert total.first.types == {"row": "fp32[64]"}
    assert total.compiles()


def test_combine_function_is_called_with_scalars(case):
    text = """
@triton.jit
def larger(a, b):
    return tl.maximum(a, b)

@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, BLOCK)), 0, larger))
"""
    got = case(text, "larger")
    assert got.first.types == {"a": "fp32", "b": "fp32"}
    assert got.compiles()


def test_a_helpers_annotation_fixes_nothing(case):
    got = case(
        """
@triton.jit
def index(axis: int, n: int):
    return tl.program_id(axis) * n
""",
        "index",
    )
    assert got.first.types == {"axis": "constexpr", "n": "i32"}
    assert not any(evidence.certain for evidence in got.first.evidence.values())
    assert got.compiles()


def test_types_come_from_a_helper_where_the_file_has_no_kernel(case):
    text = """
@triton.jit
def put(p, offs, value):
    tl.store(p + offs, value)

@triton.jit
def rows(p, lines):
    put(p, lines[:, None], tl.load(p + lines[:, None]).to(tl.bfloat16))
"""
    got = case(text, "put")
    assert got.first.types == {"p": "*fp32", "offs": "i32[64, 1]", "value": "bf16[64, 1]"}
    assert got.first.evidence["value"].detail == "rows passes it"


def test_a_tuple_of_blocks_comes_from_the_caller(case):
    text = """
@triton.jit
def joined(pair, scale):
    return pair[0] + pair[1] * scale

@triton.jit
def kernel(p):
    x = tl.load(p + tl.arange(0, 64))
    tl.store(p + tl.arange(0, 32), joined(tl.reshape(x, (32, 2)).split(), 0.5))
"""
    got = case(text, "joined")
    assert got.first.types["pair"] == ("fp32[32]", "fp32[32]")
    assert got.compiles()
