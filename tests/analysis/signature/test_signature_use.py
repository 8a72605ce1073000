"""What a body alone says about its parameters, on kernels without launches."""

from __future__ import annotations

import pytest


def test_pointers_scalars_and_extents(case):
    got = case("""
@triton.jit
def kernel(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    tl.store(y_ptr + offs, tl.exp(x) * scale, mask=mask)
""")
    assert got.first.types == {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "scale": "fp32", "BLOCK": "constexpr"}
    assert got.first.constants["BLOCK"] & (got.first.constants["BLOCK"] - 1) == 0
    assert got.first.evidence["x_ptr"].kind == "use"
    assert got.first.evidence["x_ptr"].line == 10
    assert not any(e.certain for e in got.first.evidence.values())
    assert got.compiles()


def test_loaded_value_used_as_index_is_an_integer(case):
    got = case("""
@triton.jit
def kernel(a, b, rows, out, stride, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    row = tl.load(rows + offs)
    tl.store(out + offs, tl.load(a + row * stride) + tl.load(b + offs))
""")
    assert got.first.types["rows"] == "*i32"
    assert got.first.types["a"] == "*fp32"
    assert got.first.types["stride"] == "i32"
    assert got.compiles()


def test_loaded_value_as_loop_bound_mask_bits_and_shift(case):
    got = case("""
@triton.jit
def kernel(ends, keep, packed, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    k = tl.load(keep + offs)
    word = tl.load(packed + offs)
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in range(tl.load(ends)):
        acc += ((word >> i) & 1).to(tl.float32)
    tl.store(out + offs, acc, mask=k)
""")
    assert got.first.types == {"ends": "*i32", "keep": "*i1", "packed": "*i32", "out": "*fp32", "BLOCK": "constexpr"}
    assert got.compiles()


def test_pointer_table(case):
    got = case("""
@triton.jit
def kernel(table, out):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out, tl.load(p))
""")
    assert got.first.types["table"] == "*i64"
    assert got.compiles()


def test_address_chosen_between_two_pointers(case):
    got = case("""
@triton.jit
def kernel(a, b, out, n, which: tl.constexpr):
    if tl.program_id(0) < n:
        p = a
    else:
        p = b
    tl.store(out, tl.load(p + n))
""")
    assert (got.first.types["a"], got.first.types["b"], got.first.types["n"]) == ("*fp32", "*fp32", "i32")
    assert got.compiles()


def test_use_inside_a_helper_counts(case):
    got = case("""
@triton.jit
def put(where, offset, what):
    tl.store(where + offset, what)

@triton.jit
def kernel(dst, src, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    put(dst, offs, tl.load(src + offs))
""")
    assert got.first.types == {"dst": "*fp32", "src": "*fp32", "BLOCK": "constexpr"}
    assert got.compiles()


def test_descriptor_parameter(case):
    got = case("""
@triton.jit
def kernel(desc, out, BLOCK: tl.constexpr):
    tile = desc.load([0, 0])
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs[:, None] * BLOCK + offs[None, :], tile)
""")
    assert got.first.types["desc"].startswith("tensordesc<fp32[")
    assert got.compiles()


def test_tuple_parameter(case):
    got = case("""
@triton.jit
def kernel(pair, sizes, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(pair[0] + offs, mask=offs < sizes[0])
    tl.store(pair[1] + offs, x, mask=offs < sizes[1])
""")
    assert got.first.types["pair"] == ("*fp32", "*fp32")
    assert got.first.types["sizes"] == ("i32", "i32")
    assert got.compiles()


@pytest.mark.parametrize(
    ("annotation", "type"),
    [
        ("tl.int64", "i64"),
        ('"*fp16"', "*fp16"),
        ("tl.pointer_type(tl.int8)", "*i8"),
        ('"i64"', "i64"),
        ("tl.float32", "fp32"),
    ],
)
def test_annotation_fixes_the_type(case, annotation, type):
    got = case(f"""
@triton.jit
def kernel(out, p: {annotation}):
    pass
""")
    assert got.first.types["p"] == type
    assert got.first.evidence["p"].kind == "annotation"
    assert got.first.evidence["p"].certain


def test_const_annotation_makes_a_const_pointer(case):
    got = case("""
@triton.jit
def kernel(x: tl.const, out):
    tl.store(out, tl.load(x))
""")
    assert got.first.types["x"] == "*kfp32"
    assert got.compiles()


def test_limits_of_torchs_dtypes(case):
    got = case("""
@triton.jit
def kernel(x, out):
    LARGEST: tl.constexpr = torch.finfo(torch.float8_e4m3fn).max
    low = torch.iinfo(torch.int8).min
    tl.store(out, tl.minimum(tl.load(x), LARGEST) + low)
""")
    assert got.compiles()


def test_a_function_of_integers(case):
    got = case("""
@triton.jit
def kernel(x, out):
    tl.store(out, tl.extra.cuda.libdevice.int2float_rn(tl.load(x)))
""")
    assert got.first.types["x"] == "*i32"
    assert got.compiles()


def test_operators_by_their_names(case):
    got = case("""
@triton.jit
def kernel(packed, out, n):
    offs = tl.arange(0, 16)
    two = tl.load(packed + offs)
    tl.store(out + offs, two.__lshift__(4).to(tl.int8).__rshift__(4).to(out.dtype.element_ty).__mul__(0.5))
""")
    assert got.first.types["packed"] in ("*i8", "*i32")
    assert got.first.types["out"] == "*fp32"
    assert got.compiles()


def test_what_is_compared_with_a_float_is_one(case):
    got = case("""
@triton.jit
def kernel(x, before_target_ptr):
    best = tl.load(before_target_ptr)
    best = tl.maximum(best, tl.max(tl.load(x + tl.arange(0, 16)).to(tl.float32)))
    tl.store(before_target_ptr, best)
""")
    assert got.first.types["before_target_ptr"] == "*fp32"
    assert got.compiles()


def test_the_last_stride_of_a_descriptor_is_a_constant_one(case):
    got = case("""
@triton.jit
def kernel(x, out, n, stride_row, stride_column):
    made = tl.make_tensor_descriptor(x, shape=[n, n], strides=[stride_row, stride_column], block_shape=[16, 16])
    tl.store(out, tl.sum(made.load([0, 0])))
""")
    assert got.first.types["stride_column"] == "constexpr"
    assert got.first.constants["stride_column"] == 1
    assert got.first.types["stride_row"] != "constexpr"
    assert got.compiles()
    got = case("""
@triton.jit
def kernel(x, out, n, stride_row, STRIDE: tl.constexpr):
    made = tl.make_tensor_descriptor(x, shape=[n, n], strides=[stride_row, STRIDE], block_shape=[16, 16])
    tl.store(out, tl.sum(made.load([0, 0])))
""")
    assert got.first.constants["STRIDE"] == 1


def test_the_element_type_of_a_block_makes_no_pointer_of_it(case):
    got = case("""
@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs[:, None] * BLOCK + offs[None, :])
    w = tl.load(w_ptr + offs[:, None] * BLOCK + offs[None, :])
    tl.store(out_ptr + offs[:, None] + offs[None, :], tl.dot(x.to(w.type.element_ty), w))
""")
    assert got.first.types == {"x_ptr": "*fp32", "w_ptr": "*fp32", "out_ptr": "*fp32", "BLOCK": "constexpr"}
    assert got.compiles()


def test_elements_that_a_loop_goes_over_are_alike(case):
    got = case("""
@triton.jit
def kernel(pointers, more, out):
    total = 0.0
    for i in tl.static_range(len(pointers)):
        total += tl.load(pointers[i])
    values = [tl.load(pointer) for pointer in more]
    tl.store(out, total + values[0] + values[1])


def launch(a, b, c, out):
    kernel[(1,)]((a, b, c), (a, b), out)
""")
    assert got.first.types["pointers"] == ("*fp32", "*fp32", "*fp32")
    assert got.first.types["more"] == ("*fp32", "*fp32")
    assert got.compiles()


def test_rows_of_a_descriptor_are_gathered_and_scattered(case):
    got = case("""
@triton.jit
def kernel(source, sink, idx, N: tl.constexpr):
    rows = tl.load(idx + tl.arange(0, 32))
    block = source.gather(rows, 0)
    sink.scatter(block, rows, 0)
""")
    assert got.first.types["idx"] == "*i32"
    assert got.first.types["source"] == "tensordesc<fp32[1, 64]>"
    assert got.first.types["sink"] == "tensordesc<fp32[1, 64]>"
    assert got.compiles()


def test_bits_of_a_descriptor_are_integers(case):
    got = case("""
@triton.jit
def kernel(desc, src, M: tl.constexpr, N: tl.constexpr):
    block = tl.load(src + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    desc.atomic_and([0, 0], block)
""")
    assert got.first.types["desc"] == "tensordesc<i32[64, 64]>"
    assert got.first.types["src"] == "*i32"
    assert got.compiles()


def test_what_is_bound_in_an_expression_is_followed(case):
    got = case("""
@triton.jit
def kernel(parts, x, out, n, FLAG: tl.constexpr):
    a, b = parts
    if (c := b + n) is not None and FLAG:
        tl.store(c, 1.0)
    if (k := 0) == 0:
        tl.store(out, tl.load(y := x))
""")
    assert got.first.types["parts"] == ("i32", "*fp32")
    assert got.first.types["x"] == "*fp32"


def test_a_pointer_stores_what_it_is_given_and_a_descriptor_is_told_where(case):
    got = case("""
@triton.jit
def kernel(parts, x, desc, n):
    a, b, c = parts
    v = tl.load(x)
    b.store(v)
    a.atomic_add(v, sem="relaxed")
    tl.store(x, tl.load(c))
    desc.store([n, 0], tl.zeros((16, 16), tl.float32))
    desc.atomic_add(offsets=[n, 0], value=tl.zeros((16, 16), tl.float32))
""")
    assert got.first.types["parts"] == ("*fp32", "*fp32", "*fp32")
    assert got.first.types["desc"] == "tensordesc<fp32[16, 16]>"
    assert got.compiles()
