"""What was read of a helper is kept while its slice has the same helpers, and changes no fact."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from lowering_helpers import Case, compiler, lower

from kernel_analysis.dataflow import analyze
from kernel_analysis.facts import Facts
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.source.tree import syntax

HELPERS = """
@triton.jit
def inner(p, x):
    tl.store(p, x)

@triton.jit
def put(p, q, x):
    inner({target}, x)
    return {target}
"""
KERNEL = """
@triton.jit
def kernel(a_ptr, b_ptr, x_ptr, n):
    x = tl.sum(tl.load(x_ptr + tl.arange(0, 16)), 0)
    back = put(a_ptr, b_ptr, x)
    {last}
"""


def made(folder: Path, target: str, last: str) -> Case:
    folder.mkdir(exist_ok=True)
    text = HELPERS.format(target=target) + KERNEL.format(last=last)
    return lower(folder, text, a_ptr="*fp32", b_ptr="*fp32", x_ptr="*fp32", n="i32")


def facts(case: Case) -> Facts:
    types: dict[str, ParameterType] = {"a_ptr": "*fp32", "b_ptr": "*fp32", "x_ptr": "*fp32"}
    return analyze(
        case.ir, case.slice, Signature(types, {}, {name: Evidence("annotation", "", True) for name in types})
    )


def written(case: Case) -> dict[str, list[str]]:
    """What stands at the writes, by parameter, with the calls that lead there."""
    out: dict[str, list[str]] = {}
    for fact in facts(case).parameters:
        for site in fact.write.sites:
            out.setdefault(fact.name, []).append(" > ".join(map(case.text, (*site.path, site.at))))
    return out


def helpers(case: Case) -> dict[str, object]:
    return {name: function for name, function in case.ir.functions.items() if name != case.ir.entry}


def test_an_edit_of_the_kernel_keeps_its_helpers(tmp_path: Path) -> None:
    before = made(tmp_path, "p", "tl.store(back, n)")
    facts(before)
    after = made(tmp_path, "p", "tl.store(b_ptr, n)\n    tl.store(back + 1, n)")
    assert helpers(after) == helpers(before)
    assert after.ir.functions[after.ir.entry] is not before.ir.functions[before.ir.entry]
    assert written(after) == {
        "a_ptr": ["put(a_ptr, b_ptr, x) > inner(p, x) > tl.store(p, x)", "tl.store(back + 1, n)"],
        "b_ptr": ["tl.store(b_ptr, n)"],
    }


def test_known_helpers_are_not_compiled_again(tmp_path: Path) -> None:
    made(tmp_path, "p", "tl.store(back, n)")
    after = made(tmp_path, "p", "tl.store(back + 1, n)")
    assert str(after.lowered.module).count("tt.store") == 1
    assert str(after.lowered.module).count("tt.reduce.return") == 0
    types: dict[str, ParameterType] = {"a_ptr": "*fp32", "b_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}
    evidence = {name: Evidence("annotation", "", True) for name in types}
    shown = compiler("cuda:90").front_end(after.slice, Signature(types, {}, evidence), {}, aligned=False)
    assert isinstance(shown, str)
    assert shown.count("tt.store") == 2
    assert shown.count("tt.reduce.return") == 1


def test_an_edit_of_a_helper_replaces_all_of_them(tmp_path: Path) -> None:
    before = made(tmp_path, "p", "tl.store(back, n)")
    assert set(written(before)) == {"a_ptr"}
    after = made(tmp_path, "q", "tl.store(back, n)")
    library = {name for name in helpers(after) if name.startswith("triton.language")}
    assert library
    for name, function in helpers(after).items():
        assert (function is before.ir.functions[name]) == (name in library)
    assert written(after) == {"b_ptr": ["put(a_ptr, b_ptr, x) > inner(q, x) > tl.store(p, x)", "tl.store(back, n)"]}


def test_other_kernels_share_tritons_own_functions(tmp_path: Path) -> None:
    one = made(tmp_path / "one", "p", "tl.store(back, n)")
    other = made(tmp_path / "other", "q", "tl.store(b_ptr, n)")
    shared = [name for name, function in helpers(other).items() if function is helpers(one).get(name)]
    assert shared
    assert all(name.startswith("triton.language") for name in shared)


@pytest.mark.parametrize("last", ["tl.store(back, n)", "tl.store(b_ptr + put(b_ptr, a_ptr, x).to(tl.int64), n)"])
def test_reading_a_kernel_alone_and_with_its_helpers_are_the_same(tmp_path: Path, last: str) -> None:
    """The first time the whole module is read, the second time the kernel's own function."""
    compiler.cache_clear()
    first, second = made(tmp_path, "p", last), made(tmp_path, "p", last)
    assert helpers(first) == helpers(second)
    assert facts(first) == facts(second)
    assert [(op.name, first.text(op.at)) for op in first.ops()] == [
        (op.name, second.text(op.at)) for op in second.ops()
    ]


def test_a_helper_is_what_its_constants_make_of_it(tmp_path: Path) -> None:
    text = """
    SIDE: tl.constexpr = {side}

    @triton.jit
    def put(p, q):
        if SIDE:
            tl.store(p, 1)
        else:
            tl.store(q, 1)

    @triton.jit
    def kernel(a_ptr, b_ptr, x_ptr, n):
        put(a_ptr, b_ptr)
    """
    one = lower(tmp_path, text.format(side="True"), a_ptr="*fp32", b_ptr="*fp32", x_ptr="*fp32", n="i32")
    other = lower(tmp_path, text.format(side="False"), a_ptr="*fp32", b_ptr="*fp32", x_ptr="*fp32", n="i32")
    assert list(written(one)) == ["a_ptr"]
    assert list(written(other)) == ["b_ptr"]


def test_a_helper_that_calls_the_kernel_is_not_kept(tmp_path: Path) -> None:
    text = """
    @triton.jit
    def again(p, q, N: tl.constexpr):
        kernel(p, q, p, N)

    @triton.jit
    def kernel(a_ptr, b_ptr, x_ptr, n: tl.constexpr):
        if n > 0:
            again(a_ptr, b_ptr, n - 1)
        else:
            tl.store({target}, 1)
    """
    for target in ("a_ptr", "b_ptr"):
        constants = {"n": 2}
        case = lower(
            tmp_path, text.format(target=target), constants=constants, a_ptr="*fp32", b_ptr="*fp32", x_ptr="*fp32"
        )
        assert list(written(case)) == [target]


def test_what_is_kept_of_functions_of_tritons_own_holds_no_slice(tmp_path: Path) -> None:
    """They outlive it, and it would hold the trees of all files that it was cut out of."""
    first = made(tmp_path, "p", "tl.store(back, tl.sum(tl.sort(tl.arange(0, 16)), 0))")
    facts(first)
    kept = {name for name, function in first.ir.functions.items() if function.index < 0}
    held = [weakref.ref(function.node) for function in first.slice.functions]
    del first
    second = made(tmp_path, "q", "tl.store(back, tl.sum(tl.sort(tl.arange(0, 16)), 0))")
    facts(second)
    syntax.let_go()
    assert kept & set(second.ir.functions)
    gc.collect()
    assert [node() for node in held] == [None] * len(held)
