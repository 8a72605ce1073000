"""What is tried after a guessed type did not compile: with the real compiler's own messages."""

from __future__ import annotations

from dataclasses import replace

from repairing import broken, repair

from kernel_analysis.attempt.repairs.repair import TRIES, alternatives, carried, repaired
from kernel_analysis.facts import Problem
from kernel_analysis.lowering import Lowered
from kernel_analysis.source.slice import TritonObject

DOT = """
@triton.jit
def kernel(a, b, c, B: tl.constexpr):
    o = tl.arange(0, B)
    p = o[:, None] * B + o[None, :]
    tl.store(c + p, tl.dot(tl.load(a + p), tl.load(b + p)))
"""


def test_operands_of_one_dtype(case):
    got = case(DOT)
    wrong, problem = broken(got, {"a": "*fp16"})
    signature, lowered = repair(got, wrong, problem)
    assert isinstance(lowered, Lowered)
    assert signature.types["a"] == signature.types["b"]


def test_certain_parameters_are_never_touched(case):
    got = case(DOT)
    wrong, problem = broken(got, {"a": "*fp16"}, certain=("a",))
    assert all(s.types["a"] == "*fp16" for s in alternatives(got.slice, wrong, problem))
    signature, _ = repair(got, wrong, problem)
    assert signature.types["a"] == signature.types["b"] == "*fp16"
    wrong, problem = broken(got, {"a": "*fp16"}, certain=("a", "b", "c", "B"))
    assert alternatives(got.slice, wrong, problem) == []


def test_number_used_as_an_address_and_the_reverse(case):
    text = """
@triton.jit
def kernel(x, n, out, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(out + o, tl.load(x + o, mask=o < n))
"""
    got = case(text)
    wrong, problem = broken(got, {"x": "i32"})
    signature, _ = repair(got, wrong, problem)
    assert str(signature.types["x"]).startswith("*")


def test_float_where_an_integer_must_be(case):
    text = """
@triton.jit
def kernel(index, x, out):
    tl.store(out, tl.load(x + tl.load(index)))
"""
    got = case(text)
    wrong, problem = broken(got, {"index": "*fp32"})
    signature, _ = repair(got, wrong, problem)
    assert signature.types["index"] == "*i32"


def test_tries_are_bounded_when_nothing_helps(case):
    got = case("""
@triton.jit
def kernel(x, out, n, m):
    tl.store(out, nowhere_to_be_found(tl.load(x + n) + m))
""")
    tried = []

    def lower(signature):
        tried.append(signature)
        return got.lower(signature)

    problem = got.lower(got.first)
    assert isinstance(problem, Problem)
    assert repaired(got.slice, got.first, problem, lower) is None
    assert len(tried) <= TRIES


def test_what_was_repaired_is_carried_over_to_the_other_signatures(case):
    got = case("""
@triton.jit
def kernel(x, out, FLAG: tl.constexpr):
    v = tl.load(x)
    if FLAG:
        v += 1
    tl.store(out, v)
""")
    first, other = got.signatures
    after = replace(first, types={**first.types, "x": "*fp16"})
    moved = carried(other, first, after)
    assert moved.types == {**other.types, "x": "*fp16"}
    assert moved.constants == other.constants
    assert carried(other, first, first).types == other.types


def test_an_element_of_a_tuple_is_no_pointer(case):
    got = case("""
@triton.jit
def kernel(x, out, pair):
    tl.store(out, tl.load(x + pair[0] * pair[1]))
""")
    wrong, problem = broken(got, {"pair": ("i32", "*fp32")})
    signature, lowered = repair(got, wrong, problem)
    assert isinstance(lowered, Lowered)
    assert signature.types["pair"] == ("i32", "i32")


def test_a_dtype_that_the_target_lacks_is_chosen_by_a_flag(case):
    got = case("""
@triton.jit
def kernel(x, out, FNUZ: tl.constexpr, QUANTIZED: tl.constexpr):
    v = tl.load(x)
    if QUANTIZED:
        dtype = tl.float8e4b8 if FNUZ else tl.float8e4nv
        v = v.to(dtype).to(tl.float32)
    tl.store(out, v)
""")
    wrong, problem = broken(got, constants={"FNUZ": True, "QUANTIZED": True})
    assert "not supported in this architecture" in problem.message
    signature, _ = repair(got, wrong, problem)
    assert (signature.constants["FNUZ"], signature.constants["QUANTIZED"]) == (False, True)


def test_a_dtype_of_as_many_bits_as_it_is_stored_in(case):
    got = case("""
@triton.jit
def kernel(x, out, DTYPE: tl.constexpr):
    tl.store(out, tl.load(x).to(DTYPE).to(tl.uint8, bitcast=True))
""")
    wrong, problem = broken(got, constants={"DTYPE": TritonObject("triton.language.float32")})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["DTYPE"] == TritonObject("triton.language.float8e4nv")


def test_a_dtype_that_is_asserted(case):
    got = case("""
@triton.jit
def kernel(x, out):
    tl.static_assert(x.dtype.element_ty == tl.bfloat16 or x.dtype.element_ty == tl.uint8)
    tl.store(out, tl.load(x))
""")
    wrong, problem = broken(got, {"x": "*i32"})
    signature, _ = repair(got, wrong, problem)
    assert signature.types["x"] == "*bf16"


def test_a_block_of_pointers_stays_one(case):
    got = case(
        """
@triton.jit
def product(a_ptrs, b_ptrs):
    return tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
""",
        "product",
    )
    wrong, problem = broken(got, {"a_ptrs": "*i64[64, 64]", "b_ptrs": "*fp32[64, 64]"})
    signature, _ = repair(got, wrong, problem)
    assert signature.types["a_ptrs"] == "*fp32[64, 64]"


def test_an_operand_that_was_loaded_has_the_dtype_of_one_that_was_made(case):
    got = case("""
@triton.jit
def kernel(a, b, c, first, B: tl.constexpr):
    o = tl.arange(0, B) + tl.load(first)
    p = o[:, None] * B + o[None, :]
    tl.store(c + p, tl.dot(tl.exp(tl.load(a + p)).to(tl.bfloat16), tl.load(b + p)))
""")
    wrong, problem = broken(got, {"b": "*fp32", "first": "*i64"})
    signature = alternatives(got.slice, wrong, problem)[0]
    assert signature.types == {**wrong.types, "b": "*bf16"}
    assert isinstance(got.lower(signature), Lowered)


def test_a_name_of_two_types(case):
    got = case("""
@triton.jit
def kernel(a, b, c, n):
    if n > 0:
        token = tl.load(a).to(tl.int32)
    else:
        token = tl.load(b)
    tl.store(c + token, 1.0)
""")
    wrong, problem = broken(got, {"b": "*fp32"})
    assert alternatives(got.slice, wrong, problem)[0].types["b"] == "*i32"


def test_a_number_that_is_added_to_an_address(case):
    got = case("""
@triton.jit
def kernel(a, b, i, j):
    tl.store(a + i, tl.load(b + j))
""")
    wrong, problem = broken(got, {"i": "fp32"}, certain=("a", "b"))
    signature, _ = repair(got, wrong, problem)
    assert signature.types["i"] == "i32"


def test_a_dtype_whose_bits_are_counted(case):
    got = case("""
@triton.jit
def kernel(x, out, DTYPE: tl.constexpr):
    tl.store(out, tl.load(x).to(DTYPE) | tl.full((), 1, DTYPE))
""")
    wrong, problem = broken(got, constants={"DTYPE": TritonObject("triton.language.float32")})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["DTYPE"] == TritonObject("triton.language.int32")


def test_a_name_that_is_defined_for_some_dtypes(case):
    got = case("""
@triton.jit
def kernel(a, out, B: tl.constexpr):
    kind: tl.constexpr = a.dtype.element_ty
    if kind == tl.float8e4nv:
        part: tl.constexpr = 1
    if kind == tl.uint8:
        part: tl.constexpr = 2
    o = tl.arange(0, B // part)
    tl.store(out + o, tl.load(a + o).to(tl.float32))
""")
    wrong, problem = broken(got, {"a": "*fp32"})
    assert problem.kind.topics == ("undefined",)
    assert alternatives(got.slice, wrong, problem)[0].types["a"] == "*fp8e4nv"
    assert repair(got, wrong, problem)[0].types["a"] == "*fp8e4nv"


def test_what_one_return_of_several_leaves_none_is_computed_with(case):
    got = case("""
@triton.jit
def kernel(x, out, stride_a: tl.constexpr, stride_b: tl.constexpr, stride_c: tl.constexpr, n, EXTRA: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out + i * stride_a + i * stride_b + i * stride_c, tl.load(x + i))


def strides(x, *names):
    if x is None:
        return {f"stride_{name}": None for name in names}
    return {f"stride_{name}": s for name, s in zip(names, x.stride())}


def launch(x, out):
    kernel[(1,)](x, out, **strides(x, "a", "b", "c"), n=1, EXTRA=True)
""")
    wrong = got.first
    assert wrong.constants["stride_a"] is None
    problem = got.lower(wrong)
    assert isinstance(problem, Problem)
    assert "none" in problem.kind.topics
    signature, _ = repair(got, wrong, problem)
    assert {type(signature.constants[f"stride_{name}"]) for name in "abc"} == {int}


def test_two_descriptors_have_blocks_of_one_shape(case):
    """That of which the kernel says what it is keeps it, wherever that is said."""
    for body in (
        "d.store([0, 0], tl.zeros([16, 16], tl.float32))\n    e.store([0, 0], d.load([0, 0]))",
        "e.store([0, 0], d.load([0, 0]))\n    d.store([0, 0], tl.zeros([16, 16], tl.float32))",
        "d.store([0, 0], e.load([0, 0]))\n    d.store([0, 0], tl.zeros([16, 16], tl.float32))",
    ):
        got = case(f"@triton.jit\ndef kernel(d, e):\n    {body}\n")
        problem = got.lower(got.first)
        assert isinstance(problem, Problem)
        signature, _ = repair(got, got.first, problem)
        assert signature.types["d"] == signature.types["e"] == "tensordesc<fp32[16, 16]>"
