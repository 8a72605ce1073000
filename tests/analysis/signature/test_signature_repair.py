"""What is tried after a guess did not compile: with the real compiler's own messages."""

from __future__ import annotations

from dataclasses import replace

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks
from kernel_analysis.attempt.fault.known_ranks import rank
from kernel_analysis.attempt.repairs.repair import TRIES, alternatives, carried, repaired
from kernel_analysis.facts import Problem
from kernel_analysis.lowering import Lowered
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import NamedTupleValue, TritonObject


def broken(got, types=None, constants=None, certain=()):
    """The first signature with wrong guesses put in, and what the compiler says to it."""
    first = got.first
    evidence = {
        n: Evidence("assumed", "a test says so", n in certain)
        if n in (*(types or {}), *(constants or {}), *certain)
        else e
        for n, e in first.evidence.items()
    }
    wrong = replace(
        first,
        types={**first.types, **(types or {})},
        constants={**first.constants, **(constants or {})},
        evidence=evidence,
    )
    problem = got.lower(wrong)
    assert isinstance(problem, Problem)
    return wrong, problem


def repair(got, wrong, problem):
    """The first alternative that compiles, which there must be."""
    found = repaired(got.slice, wrong, problem, got.attempt)
    assert found is not None
    return found


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


def test_extent_that_is_no_power_of_two(case):
    got = case(DOT)
    wrong, problem = broken(got, constants={"B": 48})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["B"] in (16, 32, 64, 128)
    assert not signature.evidence["B"].certain


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


def test_name_that_only_another_branch_defines(case):
    text = """
@triton.jit
def kernel(out, A: tl.constexpr, B: tl.constexpr):
    if A:
        v = 1.0
    if B:
        tl.store(out, v)
"""
    got = case(text)
    wrong, problem = broken(got, constants={"A": False, "B": True})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["A"] is True or signature.constants["B"] is False


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


def test_a_factor_that_may_be_one(case):
    got = case("""
@triton.jit
def kernel(x, out, TWICE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, (1 + TWICE) * N)
    tl.store(out + i, tl.load(x + i))
""")
    wrong, problem = broken(got, constants={"TWICE": 64, "N": 64}, certain=("N",))
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["TWICE"] in (1, 3, 7)


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


def test_a_block_that_is_reshaped(case):
    got = case(
        """
@triton.jit
def pairs(x, N: tl.constexpr):
    return tl.sum(x.reshape(N, N // 2, 2), axis=2)
""",
        "pairs",
    )
    wrong, problem = broken(got, {"x": "fp32[64]"}, certain=("N",))
    signature, _ = repair(got, wrong, problem)
    n = signature.constants["N"]
    assert isinstance(n, int)
    assert signature.types["x"] == f"fp32[{n}, {n // 2}, 2]"


def test_flags_that_do_not_go_together(case):
    got = case("""
@triton.jit
def kernel(a, b, out, A: tl.constexpr, B: tl.constexpr):
    if A:
        tl.static_assert(not B, "not both")
        tl.store(out, tl.load(a))
    if B:
        tl.store(out, tl.load(b))
""")
    wrong, problem = broken(got, constants={"A": True, "B": True})
    made = {**wrong.evidence, "B": Evidence("use", TO_REACH, False)}
    signature, _ = repair(got, replace(wrong, evidence=made), problem)
    assert (signature.constants["A"], signature.constants["B"]) == (False, True)


def test_names_made_of_names_are_followed_for_a_while(case):
    """Each of them under several branches: all ways to the first one are more than can be gone. What rank each has is
    found out once."""
    lines = [f"    if n > {k}:\n        v{i} = v{i - 1} + {k}\n" for i in range(1, 10) for k in range(5)]
    got = case(f"\n@triton.jit\ndef kernel(x, n):\n    v0 = tl.load(x)\n{''.join(lines)}    tl.store(x, v9)\n")
    function = got.slice.functions[0]
    last = function.node.body[-1]
    assert not KnownBlocks(function).is_block(last.value.args[1], last)
    assert rank(last.value.args[1], last, KnownBlocks(function, launched=True)) == 0
    assert KnownBlocks(function).is_block(function.node.body[1].body[0].value, last)


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


def test_as_many_elements_as_a_scale_is_for(case):
    got = case("""
@triton.jit
def kernel(a, b, scale, out, B: tl.constexpr, GROUP: tl.constexpr):
    o, s = tl.arange(0, B), tl.arange(0, B // GROUP)
    p = o[:, None] * B + o[None, :]
    scales = tl.load(scale + o[:, None] * (B // GROUP) + s[None, :])
    tl.store(out + p, tl.dot_scaled(tl.load(a + p), scales, "e4m3", tl.load(b + p), scales, "e4m3"))
""")
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "scale": "*u8"}
    wrong, problem = broken(got, types, {"B": 64, "GROUP": 4})
    assert "scale-factor" in problem.kind.topics
    assert repair(got, wrong, problem)[0].constants["GROUP"] == 32


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


def test_a_flag_that_has_the_value_that_is_wanted_stays(case):
    got = case("""
@triton.jit
def kernel(x, y, out, TEACH: tl.constexpr, STYLE: tl.constexpr, GRAD: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    value = tl.load(x + offs)
    if TEACH:
        taught = tl.load(y + offs)
    if STYLE == 5 or STYLE == 6 or GRAD:
        value += taught
    tl.store(out + offs, value)

def run(x, y, out):
    kernel[(1,)](x, y, out, TEACH=False, STYLE=0, GRAD=False, BLOCK=64)
""")
    wrong, problem = broken(got, constants={"STYLE": 5})
    first = alternatives(got.slice, wrong, problem)[0]
    assert first.constants["GRAD"] is False
    assert first.constants["STYLE"] not in (5, 6)


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


def test_a_list_has_an_item(case):
    """What a comprehension leaves out is there for another dtype, or another value."""
    got = case("""
@triton.jit
def kernel(x, y, N: tl.constexpr):
    tl.store([p for p in (x, y) if x.dtype.element_ty == tl.float16 and N > 1][0], 1.0)
""")
    wrong, problem = broken(got, {"x": "*fp32"}, {"N": 0})
    signature, _ = repair(got, wrong, problem)
    assert signature.types["x"] == "*fp16"


def test_a_loop_has_no_turns(case):
    """What can't be compiled in an unrolled loop is not met where that has no turns."""
    got = case("""
@triton.jit
def kernel(x, N: tl.constexpr):
    for i in tl.static_range(0, N, 2):
        tl.store(lambda: x, 1.0)
    tl.store(x, 1.0)
""")
    wrong, problem = broken(got, constants={"N": 3})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["N"] == 0


def test_a_field_is_given_another_value(case):
    got = case("""
@triton.jit
def kernel(x, C: tl.constexpr):
    if C.on:
        tl.store(((x,) * C.turns)[1], 1.0)
    tl.store(x, 1.0)
""")
    few = NamedTupleValue("Fields", ("on", "turns"), (True, 1))
    wrong, problem = broken(got, constants={"C": few})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["C"] != few
    assert isinstance(signature.constants["C"], NamedTupleValue)


def test_a_test_that_is_made_in_part_when_the_kernel_runs_is_turned(case):
    got = case("""
@triton.jit
def kernel(x, n, FLAG: tl.constexpr):
    if n > 0 and FLAG:
        tl.store(lambda: x, 1.0)
    if (k := 0) == 1 and not FLAG:
        tl.store(x, 1.0)
""")
    wrong, problem = broken(got, constants={"FLAG": True})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["FLAG"] is False


def test_a_helper_stands_for_a_function_that_takes_pointers(case):
    """One that does nothing but choose: no access is made up."""
    got = case("""
@triton.jit
def stores(p, q):
    tl.store(p, 2.0)
    return q


@triton.jit
def first(p, q):
    return p


@triton.jit
def kernel(x, y, F: tl.constexpr):
    tl.store(F(x, y), tl.load(first(x, stores(x, y))))
""")
    wrong, problem = broken(got, {"x": "*fp32", "y": "*fp32"}, {"F": TritonObject("triton.language.maximum")})
    signature, _ = repair(got, wrong, problem)
    assert got.slice.functions[signature.constants["F"].index].name == "first"


def test_all_that_a_value_of_compile_time_is_made_of(case):
    """A helper that nobody calls: no number alone makes what is asserted known."""
    text = """
@triton.jit
def kernel(off, d, block1, block_d):
    tl.static_assert(d % block1 == 0)
    block2: tl.constexpr = block_d // block1
    tl.static_assert(block1 >= block2 and block1 % block2 == 0)
    return off * block1 + block2
"""
    got = case(text)
    problem = got.lower(got.first)
    assert isinstance(problem, Problem)
    signature, _ = repair(got, got.first, problem)
    assert signature.types["d"] == signature.types["block1"] == "constexpr"


def test_an_extent_that_a_reshape_has_no_room_for(case):
    """Of one row, whatever it is loaded by, is made a column: of the numbers of a kernel the extents of blocks come
    first."""
    text = """
@triton.jit
def take(ptrs, mask):
    return tl.load(ptrs, mask=mask)

@triton.jit
def kernel(x, out, N: tl.constexpr, K: tl.constexpr, sm: tl.constexpr, sk: tl.constexpr, sn: tl.constexpr,
           kind: tl.constexpr, level: tl.constexpr, mode: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    ptrs = x + rows[:, None] * sm + columns[None, :] * sk
    a = take(ptrs, (rows[:, None] < N // 1) & (columns[None, :] < K // 1))
    a = a.reshape((COLUMNS, 1))
    tl.store(out + columns[:, None] * sn + kind + level + mode, a)
"""
    got = case(text)
    wrong, problem = broken(got, constants={"COLUMNS": 16, "ROWS": 64})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["ROWS"] == 1
