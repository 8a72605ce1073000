"""Sizes that nobody says are shown by their names, and a name is right whatever its value is: each kernel is compiled
again with other values, and every label must give the sizes that it has then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent.kernels import HEAD
from agent.process import Agent

KERNELS = {
    "vector": """
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    HALF: tl.constexpr = BLOCK // 2
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    half = tl.arange(0, HALF)
    twice = tl.arange(0, 2 * BLOCK)
    shifted = tl.arange(BLOCK, 2 * BLOCK)
    wide = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    low = x.to(tl.float16)
    y = tl.where(offs < n, x, 0.0) + tl.exp(x)
    total = tl.sum(y)
    helped = doubled(x)
    tl.store(y_ptr + offs, y + total)
""",
    "matrix": """
def kernel(a_ptr, b_ptr, c_ptr, k, stride, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a_ptr + rm[:, None] * stride + rk[None, :]
    b_ptrs = b_ptr + (rk[:, None] * stride + rn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs = b_ptrs + BK * stride
    turned = tl.trans(acc)
    rows = tl.sum(acc, axis=1)
    columns = tl.max(acc, 0)
    last = tl.sum(acc, axis=-1)
    scaled = acc / rows[:, None]
    full = tl.full([BM, 1, BN], 1.0, tl.float32)
    deep = full * acc[:, None, :]
    c_ptrs = c_ptr + rm[:, None] * stride + rn[None, :]
    tl.store(c_ptrs, scaled)
""",
    "pointers": """
def kernel(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    offs = tl.arange(0, BM)
    mask = (offs < m) & (offs >= 0)
    if m > 3:
        z = offs * 2
    else:
        z = tl.arange(0, BM)
    joined = tl.join(z, z)
    picked = tl.reshape(joined, [2 * BM])
    tl.store(y_ptr + z, mask)
""",
}
OTHERS = {
    "vector": [{"BLOCK": 16}, {"BLOCK": 256}],
    "matrix": [{"BM": 16, "BN": 32, "BK": 128}, {"BM": 64, "BN": 16, "BK": 32}],
    "pointers": [{"BM": 16, "BN": 32}],
}


def values(agent: Agent, root: Path, text: str) -> dict[tuple[int, str], tuple[str, str | None]]:
    """(type, with names) by line and name."""
    report = agent.show(root / "kernels.py", text).reports["kernel"]
    assert report["signatures"], report["problems"]
    return {(v["span"]["line"], v["name"]): (v["type"], v["symbolic"]) for v in report["values"]}


@pytest.mark.parametrize("name", KERNELS)
def test_a_name_is_right_whatever_its_value(agent: Agent, tmp_path: Path, name: str) -> None:
    helper = "WIDTH = tl.constexpr(32)\n\n\n@triton.jit\ndef doubled(x):\n    return x + x\n\n\n# \n@triton.jit"
    text = HEAD + helper + KERNELS[name]
    assumed = values(agent, tmp_path, text)
    for sizes in OTHERS[name]:
        said = ", ".join(f"{parameter} = {size}" for parameter, size in sizes.items())
        known = {**sizes, "HALF": sizes.get("BLOCK", 0) // 2}
        actual = values(agent, tmp_path, text.replace("# \n", f"# triton-ls: {said}\n"))
        for place, (_, symbolic) in assumed.items():
            if symbolic is not None:
                expected = re.sub(r"\b[A-Z]+\b", lambda found, known=known: str(known[found[0]]), symbolic)
                assert actual[place] == (expected, None), (place, symbolic)
    assert any(symbolic for _, symbolic in assumed.values())


def test_most_sizes_have_names(agent: Agent, tmp_path: Path) -> None:
    found = values(agent, tmp_path, HEAD + "@triton.jit" + KERNELS["matrix"])
    shown = {name: names for (_, name), (kind, names) in found.items() if "[" in kind and "constexpr" not in kind}
    assert shown == {
        "rm": "int32[BM]",
        "rn": "int32[BN]",
        "rk": "int32[BK]",
        "a_ptrs": "*fp32[BM, BK]",
        "b_ptrs": "*fp32[BK, BN]",
        "acc": "fp32[BM, BN]",
        "a": "fp32[BM, BK]",
        "b": "fp32[BK, BN]",
        "turned": "fp32[BN, BM]",
        "rows": "fp32[BM]",
        "columns": "fp32[BN]",
        "last": "fp32[BM]",
        "scaled": "fp32[BM, BN]",
        "full": "fp32[BM, 1, BN]",
        "deep": "fp32[BM, 1, BN]",
        "c_ptrs": "*fp32[BM, BN]",
    }


@pytest.mark.parametrize("name", KERNELS)
def test_a_size_has_its_name_up_to_an_error_too(agent: Agent, tmp_path: Path, name: str) -> None:
    """At most keys a kernel that is typed does not compile: what stands above the key says what it said."""
    text = (
        HEAD
        + "WIDTH = tl.constexpr(32)\n\n\n@triton.jit\ndef doubled(x):\n    return x + x\n\n\n@triton.jit"
        + KERNELS[name]
    )
    whole = values(agent, tmp_path, text)
    report = agent.show(tmp_path / "kernels.py", f"{text}    offs = tl.arang\n").reports["kernel"]
    assert not report["signatures"]
    until = {(v["span"]["line"], v["name"]): (v["type"], v["symbolic"]) for v in report["values"]}
    assert until == whole
