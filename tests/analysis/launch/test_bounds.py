"""The bounds of addresses: arithmetic on forms, and what it makes of kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from triton.experimental.gluon.language.nvidia.ampere import async_copy

from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.bounds.linear_forms import Bounds, Form, atom
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchRefused
from kernel_analysis.launch.plan import Planner
from kernel_analysis.lowering import Compiler

HEAD = "import triton\nimport triton.language as tl\n\n\n"
GPU = Device("cuda", "a GPU", "cuda:90", 80 << 30)
DEVICE = Device("interpreter", "the interpreter", "cuda:90", 0)


def test_a_mask_bounds_what_it_is_a_part_of() -> None:
    row, column = atom(0, 9, "row"), atom(0, 127, "column")
    inside = column.shifted(1 - 100)  # column < 100
    offset = row.times(100) + column
    assert Bounds().range(offset) == (0, 9 * 100 + 127)
    assert Bounds([inside]).range(offset) == (0, 9 * 100 + 99)


def test_a_mask_on_a_sum_bounds_the_sum() -> None:
    program, lane = atom(0, 7, "program 0"), atom(0, 63, "range")
    offset = program.times(64) + lane
    assert Bounds([offset.shifted(1 - 500)]).upper(offset.times(4)) == 499 * 4
    assert Bounds([offset.shifted(1 - 500)]).upper(program) == 7


def test_what_can_t_be_is_known() -> None:
    assert not Bounds([Form(1)]).possible
    assert Bounds([Form(0)]).possible


def _launch(tmp_path: Path, text: str, device: Device = DEVICE, target: str = "cuda:90") -> ExecutableLaunch:
    file = tmp_path / "kernels.py"
    file.write_text(HEAD + text)
    project = Project([str(tmp_path)], [], target, patient=True)
    *_, function = project.module(str(file)).functions
    return Planner(project, function, Compiler(target), device, 4).plan()


def _sizes(tmp_path: Path, text: str) -> dict[str, tuple[int, int]]:
    launch = _launch(tmp_path, text)
    return {a.name: (a.size, a.before) for a in launch.arguments if a.kind == "tensor"}


CASES = {
    "masked": (
        "# triton-run: grid = (4,), n = 100, B = 32\n"
        "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(x + i, 1.0, mask=i < n)\n",
        {"x": (100, 0)},
    ),
    "not masked": (
        "# triton-run: grid = (4,), B = 32\n"
        "@triton.jit\ndef k(x, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(x + i, 1.0)\n",
        {"x": (128, 0)},
    ),
    "rows, masked by column": (
        "# triton-run: grid = (3,), n = 20, stride = 30, B = 32\n"
        "@triton.jit\ndef k(x, n, stride, B: tl.constexpr):\n"
        "    i = tl.arange(0, B)\n    tl.store(x + tl.program_id(0) * stride + i, 1.0, mask=i < n)\n",
        {"x": (80, 0)},
    ),
    "a pointer that walks": (
        "# triton-run: grid = (1,), n = 100, B = 16\n"
        "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"
        "    p = x + tl.arange(0, B)\n"
        "    for start in range(0, n, B):\n"
        "        tl.store(p, 1.0, mask=start + tl.arange(0, B) < n)\n        p += B\n",
        {"x": (100, 0)},
    ),
    "before the pointer": (
        "# triton-run: grid = (1,), B = 16\n"
        "@triton.jit\ndef k(x, B: tl.constexpr):\n    tl.store(x + tl.arange(0, B) - 4, 1.0)\n",
        {"x": (16, 4)},
    ),
    "an index from memory": (
        "# triton-run: grid = (8,)\n"
        '@triton.jit\ndef k(i: "*i32", x: "*fp32"):\n    tl.store(x + tl.load(i + tl.program_id(0)) * 2, 1.0)\n',
        {"i": (8, 0), "x": (31, 0)},
    ),
    "an early return": (
        "# triton-run: grid = (100,), n = 10\n"
        "@triton.jit\ndef k(x, n):\n"
        "    if tl.program_id(0) >= n:\n        return\n    tl.store(x + tl.program_id(0), 1.0)\n",
        {"x": (10, 0)},
    ),
    "inline assembly at an operand": (
        "# triton-run: grid = (2,), B = 16\n"
        '@triton.jit\ndef k(x: "*i32", B: tl.constexpr):\n'
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        '    store: tl.constexpr = "st.global.b32 [$1+4], 1; mov.b32 $0, 0;"\n'
        '    tl.inline_asm_elementwise(store, "=r,l", [x + i], tl.int32, False, 1)\n',
        {"x": (33, 0)},
    ),
    "pointers that change places": (
        "# triton-run: grid = (1,)\n"
        "@triton.jit\ndef k(a, b):\n"
        "    for i in range(5):\n        tl.store(a + i, 1.0)\n        a, b = b, a\n",
        {"a": (5, 0), "b": (5, 0)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_buffers_are_as_large_as_the_addresses_demand(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    assert _sizes(tmp_path, text) == expected


def test_an_address_without_a_bound_is_refused_by_name(tmp_path: Path) -> None:
    text = (
        '@triton.jit\ndef k(next_ptr: "*i32", out_ptr):\n    at = tl.load(next_ptr)\n'
        "    tl.store(next_ptr, at + 1)\n    tl.store(out_ptr + at, 1.0)\n"
    )
    with pytest.raises(
        LaunchRefused, match=r"the address of `out_ptr` at line 9 has no bound.*numbers in `next_ptr`"
    ) as caught:
        _sizes(tmp_path, text)
    assert caught.value.missing == ("next_ptr",)
    assert caught.value.place == (str(tmp_path / "kernels.py"), 9)


GLUON = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy


# triton-run: grid = (1,), n = 100
@gluon.jit
def k(x, out, n, B: gl.constexpr = 128):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    buffer = gl.allocate_shared_memory(gl.float32, [B], gl.SwizzledSharedLayout(1, 1, 1, order=[0]))
    at = gl.arange(0, B, layout)
    {load}
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + at, buffer.load(layout))
"""


@pytest.mark.parametrize(("mask", "size"), [("", 128), (", mask=at < n", 100)])
def test_what_is_copied_to_shared_memory(tmp_path: Path, mask: str, size: int) -> None:
    old = not hasattr(async_copy, "async_load")
    name = "async_copy_global_to_shared" if old else "async_load"
    launch = _launch(tmp_path, GLUON.format(load=f"async_copy.{name}(buffer, x + at{mask})"), GPU)
    assert {a.name: a.size for a in launch.arguments if a.kind == "tensor"} == {"x": size, "out": 128}


REFUSED = {
    "its inline assembly touches memory in a way that can't be bounded": (
        '@triton.jit\ndef k(x: "*i32"):\n'
        '    tl.inline_asm_elementwise("{ .reg .b64 a; add.u64 a, $1, 64; st.global.b32 [a], 1; mov.b32 $0, 0; }",\n'
        '        "=r,l", [x], tl.int32, False, 1)\n'
    ),
    "behind `x` as `i` says, which has to be a multiple of 4": (
        '@triton.jit\ndef k(i: "*i64", x: "*fp32"):\n'
        "    at = x.to(tl.int64) + tl.load(i)\n    tl.store(at.to(tl.pointer_type(tl.float32)), 1.0)\n"
    ),
    "what it does to memory inside `tt.map_elementwise` is not followed": (
        "@triton.jit\ndef one(p):\n    return tl.load(p)\n\n\n"
        '@triton.jit\ndef k(x: "*fp32", out: "*fp32"):\n    i = tl.arange(0, 128)\n'
        "    tl.store(out + i, tl.map_elementwise(one, x + i))\n"
    ),
    "what its inline assembly does to memory is not known: `frob.b32 $0, [$1]`": (
        '@triton.jit\ndef k(x: "*i32", out: "*i32"):\n'
        '    y = tl.inline_asm_elementwise("frob.b32 $0, [$1];", "=r,l", [x], tl.int32, True, 1)\n'
        "    tl.store(out, y)\n"
    ),
}


BUFFERS = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(x, out, B: gl.constexpr = 256):
    at = gl.arange(0, B, layout=gl.BlockedLayout([1], [64], [4], [0]))
    gl.store(out + at, gl.amd.cdna3.buffer_load(ptr=x, offsets=at))
"""


def test_an_operation_whose_reach_nobody_computes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LaunchRefused, match=r"how far the operation `amdg.buffer_load` reaches is not computed"):
        _launch(tmp_path, BUFFERS, Device("cuda", "a GPU", "hip:gfx942", 80 << 30), "hip:gfx942")


@pytest.mark.parametrize("reason", REFUSED)
def test_what_can_t_be_bounded_is_refused_with_the_reason(tmp_path: Path, reason: str) -> None:
    with pytest.raises(LaunchRefused, match=re.escape(reason)):
        _launch(tmp_path, REFUSED[reason])


def test_compiler_options_are_never_guessed(tmp_path: Path) -> None:
    text = (
        "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(x + i, 1.0, mask=i < n)\n\n\n"
        "def host(x, BLOCK, num_warps, num_stages):\n"
        "    k[(triton.cdiv(x.numel(), BLOCK),)](x, x.numel(), BLOCK, num_warps=num_warps, num_stages=num_stages)\n"
    )
    assert _launch(tmp_path, text, GPU).options == {}


def test_a_descriptor_of_a_square_stays_small(tmp_path: Path) -> None:
    text = (
        '@triton.jit\ndef k(x: "*fp32", n, B: tl.constexpr = 16):\n'
        "    to = tl.make_tensor_descriptor(x, shape=[n, n], strides=[n, 1], block_shape=[B, B])\n"
        "    to.store([0, 0], tl.zeros((B, B), tl.float32))\n"
    )
    (x,) = (argument for argument in _launch(tmp_path, text, GPU).arguments if argument.name == "x")
    assert x.size <= 1 << 29


def test_blocks_that_take_minutes_to_compile_are_not_chosen(tmp_path: Path) -> None:
    text = (
        "@triton.jit\ndef k(x, B: tl.constexpr):\n"
        "    i, j = tl.arange(0, B), tl.arange(0, B)\n    tl.store(x + i[:, None] * B + j[None, :], 1.0)\n\n\n"
        "def host(x):\n    _, n = x.shape\n    k[(1,)](x, triton.next_power_of_2(n))\n"
    )
    (block,) = (argument.value for argument in _launch(tmp_path, text, GPU).arguments if argument.name == "B")
    assert block in (128, 256)


def test_all_configs_are_bounded_for_the_scalars_that_are_passed(tmp_path: Path) -> None:
    text = (
        "@triton.autotune(configs=[triton.Config({'B': 64}), triton.Config({'B': 16})], key=[])\n"
        "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"
        "    i = tl.arange(0, B)\n    tl.store(x + 1000 // n * B + i, 1.0, mask=i < n)\n"
    )
    launch = _launch(tmp_path, text, GPU)
    x, n = ((a.size, a.value) for a in launch.arguments if a.name in ("x", "n"))
    assert [config["constants"]["B"] for config in launch.configs] == [64, 16]
    assert n[1] == 16
    assert x[0] == 1000 // 16 * 64 + 16
