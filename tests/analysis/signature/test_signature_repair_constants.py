"""What is tried after a guessed constant did not compile, a flag, an extent or a function: with the real compiler's own
messages."""

from __future__ import annotations

from dataclasses import replace

from repairing import broken, repair

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks
from kernel_analysis.attempt.fault.known_ranks import rank
from kernel_analysis.attempt.repairs.repair import alternatives
from kernel_analysis.facts import Problem
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import NamedTupleValue, TritonObject

DOT = """
@triton.jit
def kernel(a, b, c, B: tl.constexpr):
    o = tl.arange(0, B)
    p = o[:, None] * B + o[None, :]
    tl.store(c + p, tl.dot(tl.load(a + p), tl.load(b + p)))
"""


def test_extent_that_is_no_power_of_two(case):
    got = case(DOT)
    wrong, problem = broken(got, constants={"B": 48})
    signature, _ = repair(got, wrong, problem)
    assert signature.constants["B"] in (16, 32, 64, 128)
    assert not signature.evidence["B"].certain


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
