"""What a ``backward`` has of the tensors that its ``forward`` saved: every way to save others with every way that takes
them, run with torch."""

from __future__ import annotations

from pathlib import Path

import host_launches
import pytest

pytest.importorskip("torch")

OP = """
class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {save}
        return x * 2

    @staticmethod
    def backward(ctx, g):
        {take}
        k[(1,)](y, 1)
        return g

"""
SAVE = "ctx.save_for_backward(torch.zeros(4))"
APPLY = "{op}.apply(torch.zeros(4, requires_grad=True)).sum().backward()\n"
WAYS = {
    "as it is written": (SAVE, "", APPLY.format(op="Op")),
    "once more, by another name": (
        f"save = ctx.save_for_backward; {SAVE}; save(torch.zeros(4).half())",
        "",
        APPLY.format(op="Op"),
    ),
    "once more, by a text": (
        f"{SAVE}; getattr(ctx, 'save_for_' + 'backward')(torch.zeros(4).half())",
        "",
        APPLY.format(op="Op"),
    ),
    "by a helper": (
        f"_ = keep(ctx) if True else {SAVE}",
        "def keep(ctx):\n    ctx.save_for_backward(torch.zeros(4).half())\n",
        APPLY.format(op="Op"),
    ),
    "by a class that inherits": (
        SAVE,
        "class Sub(Op):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x.half())\n        return x * 2\n",
        APPLY.format(op="Sub"),
    ),
    "by a forward that is set": (
        SAVE,
        "def other(ctx, x):\n    ctx.save_for_backward(x.half())\n    return x * 2\nOp.forward = staticmethod(other)\n",
        APPLY.format(op="Op"),
    ),
    "by whoever calls backward": (
        SAVE,
        "class Ctx:\n    saved_tensors = (torch.zeros(4).half(),)\n",
        "Op.backward(Ctx, None)\n",
    ),
    "unpacked by hooks": (
        SAVE,
        "import torch.autograd.graph\n",
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t.half()):\n    " + APPLY.format(op="Op"),
    ),
}
"""What ``forward`` says of what it saves, what stands behind the class, and what runs it."""
TAKES = {
    "several": "y, = ctx.saved_tensors",
    "by index": "y = ctx.saved_tensors[0]",
    "by a name": "saved = ctx.saved_tensors; y = saved[0]",
    "in a loop": "y = [t for t in ctx.saved_tensors][0]",
}


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_saved_is_never_certain(way: str, take: str, tmp_path: Path) -> None:
    save, behind, call = WAYS[way]
    body = OP.format(save=save, take=TAKES[take]) + behind
    ((dtype, _),) = host_launches.run(body, call)
    assert str(dtype) == ("torch.float32" if way == "as it is written" else "torch.float16")
    said, _ = host_launches.told(tmp_path, body + f"\ndef run():\n{host_launches.indented(call, 4)}", {})
    assert said.kind != "tensor" or said.varies or not said.sure
    if take in ("several", "by index") and way != "once more, by another name":
        assert said.kind == "tensor"  # what it is taken for
