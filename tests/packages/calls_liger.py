"""Calls of liger-kernel's public functions, as its users train with them."""

# The package is installed for this test only.
# pyright: reportMissingImports=false

from __future__ import annotations

import functools
import importlib
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from calling import Maker, attempt, backward
from triton import language
from triton.language.extra import libdevice

BT, H, V = 64, 128, 512
IMPLEMENTATIONS = ("liger_kernel.ops", "liger_kernel.ops.backends._ascend.ops")


def everything() -> list[str]:
    failed: list[str] = []
    another_vendor()
    ops = SimpleNamespace()
    for name in IMPLEMENTATIONS:
        # An implementation takes the place of what it has, and leaves the rest.
        vars(ops).update(vars(importlib.import_module(name)))
        calls = [functools.partial(call, ops) for call in CALLS]
        failed += [f"{name} {line}" for line in attempt(calls)]
    return failed


def another_vendor() -> None:
    """What Triton has in another vendor's package: its kernels are not run, only imported and launched."""
    os.environ["ASCEND_UB_CAPACITY_BITS"] = str(192 * 1024 * 8)
    stream = SimpleNamespace(synchronize=lambda: None)
    torch.npu = SimpleNamespace(current_stream=lambda: stream)  # pyright: ignore[reportAttributeAccessIssue]
    if not hasattr(language.math, "tanh"):
        language.math.tanh = libdevice.tanh  # pyright: ignore[reportAttributeAccessIssue]
    for name in ("cann", "cann.extension"):
        sys.modules.setdefault(f"triton.language.extra.{name}", ModuleType(name))
    vars(sys.modules["triton.language.extra.cann.extension"]).update(extract_slice=None, insert_slice=None)


def attn_res(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    backward(ops.LigerAttnResFunction.apply(make.leaf(4, 2, 16, width), make.leaf(width), make.leaf(width), 1e-6))


def cross_entropy(ops: SimpleNamespace, make: Maker) -> None:
    target = make.ids(BT, below=V)
    apply = ops.LigerCrossEntropyFunction.apply
    backward(apply(make.leaf(BT, V), target, None))
    weight = make.plain(V, dtype=torch.float32)
    backward(apply(make.leaf(BT, V), target, weight, -100, 1e-4, 0.1, "mean", 30.0, True, True, True))
    backward(apply(make.leaf(BT, V), target, None, -100, 0.0, 0.0, "none", None))


def dyt(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerDyTFunction.apply(make.leaf(2, 32, H), make.leaf(1), make.leaf(H), make.leaf(H)))
    backward(ops.LigerDyTFunction.apply(make.leaf(2, 32, H), make.leaf(1), make.leaf(H), None))


def embedding(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerEmbeddingFunction.apply(make.leaf(V, H), make.ids(2, 16, below=V)))


def mm_int8int2(ops: SimpleNamespace, make: Maker) -> None:
    from liger_kernel.ops.experimental.mm_int8int2 import matmul, pack_weights

    weights = make.ids(64, 64, below=3, dtype=torch.int8)
    matmul(make.ids(64, 64, below=100, dtype=torch.int8), pack_weights(weights.to(torch.uint8), 2))


def fused_add_rms_norm(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    for mode, offset in (("llama", 0.0), ("gemma", 1.0), ("none", 0.0)):
        x, r, w = make.leaf(BT, width), make.leaf(BT, width), make.leaf(width)
        backward(ops.LigerFusedAddRMSNormFunction.apply(x * 1, r * 1, w, 1e-6, offset, mode, False))


def fused_ce_tvd(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerFusedCETVDFunction.apply(make.leaf(BT, V), make.plain(BT, V), make.ids(BT, below=V), -100))


def fused_linear_cross_entropy(ops: SimpleNamespace, make: Maker) -> None:
    target = make.ids(BT, below=V)
    apply = ops.LigerFusedLinearCrossEntropyFunction.apply
    backward(apply(make.leaf(BT, H), make.leaf(V, H), target))
    backward(apply(make.leaf(BT, H), make.leaf(V, H), target, make.leaf(V), None, -100, 0.0, 0.1, "mean", 30.0, True))


def fused_linear_jsd(ops: SimpleNamespace, make: Maker) -> None:
    apply = ops.LigerFusedLinearJSDFunction.apply
    labels = make.ids(BT, below=V)
    for given in (None, labels):
        backward(apply(make.leaf(BT, H), make.leaf(V, H), make.plain(BT, H), make.plain(V, H), given, 0.5, -100, 1.0))


def fused_linear_kl_div(ops: SimpleNamespace, make: Maker) -> None:
    apply = ops.LigerFusedLinearKLDivFunction.apply
    for labels in (None, make.ids(BT, below=V)):
        backward(apply(make.leaf(BT, H), make.leaf(V, H), make.plain(BT, V), labels, "batchmean", -100, 1.0))


def fused_moe(ops: SimpleNamespace, make: Maker) -> None:
    experts, topk, inner = 8, 2, 64
    index = make.ids(BT, topk, below=experts, dtype=torch.int32)
    weights = make.leaf(BT, topk)
    with some_tiles():
        backward(
            ops.LigerFusedMoEFunction.apply(
                make.leaf(BT, H), make.leaf(experts, 2 * inner, H), make.leaf(experts, H, inner), index, weights
            )
        )


class some_tiles(torch.overrides.TorchFunctionMode):
    """What a kernel would have counted by now is read as 4."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return 4 if func is torch.Tensor.item else func(*args, **(kwargs or {}))


def neighborhood_attention(ops: SimpleNamespace, make: Maker) -> None:
    q, k, v = (make.leaf(2, 4, 64, 32) for _ in range(3))
    backward(ops.LigerFusedNeighborhoodAttentionFunction.apply(q, k, v, 7, 1, None))
    backward(ops.LigerFusedNeighborhoodAttentionFunction.apply(q, k, v, 7, 2, 0.25))


def geglu(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerGELUMulFunction.apply(make.leaf(BT, H), make.leaf(BT, H)))


def group_norm(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerGroupNormFunction.apply(make.leaf(4, 32, 64), make.leaf(32), make.leaf(32), 32, 4, 1e-6))


def grpo(ops: SimpleNamespace, make: Maker) -> None:
    batch, length = 4, 16
    ids = make.ids(batch, length, below=V)
    advantages = make.plain(batch, dtype=torch.float32)
    mask = torch.ones(batch, length, dtype=torch.int64)
    old, ref = (make.plain(batch, length, dtype=torch.float32) for _ in range(2))
    for loss, level, delta, ratio in (
        ("grpo", "token", None, None),
        ("dapo", "token", 2.0, make.plain(batch, length, dtype=torch.float32)),
        ("sapo", "token", None, None),
        ("grpo", "sequence", None, None),
        ("dapo", "sequence", 2.0, make.plain(batch, length, dtype=torch.float32)),
    ):
        for correction in (False, True):
            logits = make.leaf(batch, length + 1, V)
            backward(
                ops.GrpoLossFunction.apply(
                    logits, old, ref, ids, advantages, mask, 0.9, 0.04, 0.2, 0.4, False, loss, None, True, level,
                    1.0, 1.05, ratio, delta, correction,
                )
            )  # fmt: skip
    backward(
        ops.GrpoLossFunction.apply(
            make.leaf(batch, length + 1, V), None, None, ids, advantages, None, 0.9, 0.0, 0.2, 0.4, False, "vespo",
            None, True, "token", 1.0, 1.05, None, None, False, None, make.plain(batch, dtype=torch.float32),
        )
    )  # fmt: skip


def selective_log_softmax(ops: SimpleNamespace, make: Maker) -> None:
    from liger_kernel.ops.grpo_loss import fused_selective_log_softmax

    fused_selective_log_softmax(make.plain(4, 17, V), make.ids(4, 16, below=V), 0.9, None)


def jsd(ops: SimpleNamespace, make: Maker) -> None:
    for labels, beta in ((None, 0.5), (make.ids(BT, below=V), 0.1), (None, 0.0), (None, 1.0)):
        backward(ops.LigerJSDFunction.apply(make.leaf(BT, V), make.plain(BT, V), labels, beta, -100))


def kl_div(ops: SimpleNamespace, make: Maker) -> None:
    for reduction in ("batchmean", "sum", "mean", "none"):
        for log in (False, True):
            backward(ops.LigerKLDivLossFunction.apply(make.leaf(BT, V), make.plain(BT, V), reduction, log, 1e-10))


def layer_norm(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    backward(ops.LigerLayerNormFunction.apply(make.leaf(BT, width), make.leaf(width), make.leaf(width), 1e-6))


def llama4_rope(ops: SimpleNamespace, make: Maker) -> None:
    freqs = torch.polar(torch.ones(16, 32), torch.rand(16, 32))
    backward(ops.LigerLlama4RopeFunction.apply(make.leaf(2, 16, 8, 64), make.leaf(2, 16, 2, 64), freqs))


def mhc(ops: SimpleNamespace, make: Maker) -> None:
    n, hc, c = 32, 4, 128
    m = hc * hc + 2 * hc
    scalars = [make.leaf(dtype=torch.float32) for _ in range(3)]
    x = make.leaf(n, hc, c)
    phi, b = make.leaf(hc * c, m), make.leaf(m, dtype=torch.float32)
    pre, post, res = ops.LigerMHCCoeffsFunction.apply(x, phi, b, *scalars, True, 20, 1e-5, 0.0, 1e-6, 2.0)
    backward([pre, post, res])
    pre, post, res = (t.detach().requires_grad_() for t in (pre, post, res))
    backward(ops.LigerMHCPreFunction.apply(x, pre))
    backward(ops.LigerMHCPostResFunction.apply(x, make.leaf(n, c), post, res))
    with torch.no_grad():
        ops.LigerMHCCoeffsFunction.apply(x, phi, b, *scalars, True, 20, 1e-5, 0.0, 1e-6, 2.0)
    from liger_kernel.ops import mhc as functions

    functions.mhc_sinkhorn_bwd(
        make.plain(n, m, dtype=torch.float32), b.detach(), scalars[2].detach(),
        make.plain(n, hc, hc, dtype=torch.float32), tmax=20, sinkhorn_eps=1e-6,
    )  # fmt: skip


def mlp(ops: SimpleNamespace, make: Maker) -> None:
    gate, up, down = make.leaf(256, H), make.leaf(256, H), make.leaf(H, 256)
    backward(ops.LigerMLPFunction.apply(make.leaf(2, 64, H), gate, up, down))
    plain = [make.plain(*shape) for shape in ((2, 64, H), (256, H), (256, H), (H, 256))]
    ops.LigerMLPFunction.apply(*plain)


def modulated_rms_norm(ops: SimpleNamespace, make: Maker) -> None:
    for mode, offset in (("llama", 0.0), ("gemma", 1.0), ("none", 0.0)):
        for weight, shift in ((make.leaf(H), make.leaf(2, H)), (None, None)):
            x = make.leaf(2, 32, H) * 1
            backward(
                ops.LigerModulatedRMSNormFunction.apply(x, weight, make.leaf(2, H), shift, 1e-6, offset, mode, False)
            )


def multi_token_attention(ops: SimpleNamespace, make: Maker) -> None:
    for sparse in (False, True) if make.dtype is torch.float32 else (False,):
        scores, weight, bias = make.leaf(2, 4, 32, 32), make.leaf(4, 4, 3, 3), make.leaf(4)
        backward(ops.LigerMultiTokenAttentionFunction.apply(scores, weight, bias, 1, 1, 1, 1, sparse))


def poly_norm(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    backward(ops.LigerPolyNormFunction.apply(make.leaf(BT, width) * 1, make.leaf(3), make.leaf(), 1e-6, False))


def mrope(ops: SimpleNamespace, make: Maker) -> None:
    q, k = make.leaf(2, 8, 16, 64), make.leaf(2, 2, 16, 64)
    cos, sin = make.plain(3, 2, 16, 64), make.plain(3, 2, 16, 64)
    backward(ops.LigerQwen2VLMRopeFunction.apply(q, k, cos, sin, [8, 12, 12]))


def relu_squared(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerReLUSquaredFunction.apply(make.leaf(BT, H)))


def rms_norm(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    for mode, offset in (("llama", 0.0), ("gemma", 1.0), ("none", 0.0)):
        for row in (True, None):
            for weight in (make.leaf(width), None):
                x = make.leaf(BT, width) * 1
                backward(ops.LigerRMSNormFunction.apply(x, weight, 1e-6, offset, mode, False, row))


def many_rows(ops: SimpleNamespace, make: Maker) -> None:
    """There is a kernel that takes several at once."""
    x = make.leaf(32768, 64) * 1
    backward(ops.LigerRMSNormFunction.apply(x, make.leaf(64), 1e-6, 0.0, "llama", False, None))


def wide_rows(ops: SimpleNamespace, make: Maker) -> None:
    """They are cut in tiles, where they do not fit in fast memory."""
    for call in (attn_res, layer_norm, poly_norm, softmax, sparsemax, fused_add_rms_norm, rms_norm):
        call(ops, make, 32768)


def rope(ops: SimpleNamespace, make: Maker) -> None:
    q, k = make.leaf(2, 8, 16, 64), make.leaf(2, 2, 16, 64)
    backward(ops.LigerRopeFunction.apply(q, k, make.plain(1, 16, 64), make.plain(1, 16, 64)))


def softmax(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    backward(ops.LigerSoftmaxFunction.apply(make.leaf(BT, width)))


def sparsemax(ops: SimpleNamespace, make: Maker, width: int = H) -> None:
    backward(ops.LigerSparsemaxFunction.apply(make.leaf(BT, width), -1))


def swiglu(ops: SimpleNamespace, make: Maker) -> None:
    backward(ops.LigerSiLUMulFunction.apply(make.leaf(BT, H) * 1, make.leaf(BT, H) * 1))
    backward(ops.LigerSiLUMulFunction.apply(make.leaf(4, 20_000) * 1, make.leaf(4, 20_000) * 1))
    if hasattr(ops, "LigerFusedGateUpSiLUMulFunction"):
        backward(ops.LigerFusedGateUpSiLUMulFunction.apply(make.leaf(BT, 2 * H), False))


def swiglu_blackwell(ops: SimpleNamespace, make: Maker) -> None:
    """On a newer device wide rows are cut in tiles."""
    from unittest import mock

    from liger_kernel.ops import swiglu as functions

    with mock.patch.object(functions, "infer_device_arch", return_value="blackwell"):
        backward(functions.LigerSiLUMulFunction.apply(make.leaf(4, 20_000) * 1, make.leaf(4, 20_000) * 1))


def tvd(ops: SimpleNamespace, make: Maker) -> None:
    for labels in (None, make.ids(BT, below=V)):
        for reduction in ("batchmean", "sum", "none"):
            backward(ops.LigerTVDLossFunction.apply(make.leaf(BT, V), make.plain(BT, V), labels, reduction, -100))


def vocab_parallel(ops: SimpleNamespace, make: Maker) -> None:
    for smoothing in (0.0, 0.1):
        backward(
            ops.LigerVocabParallelCEFunction.apply(
                make.leaf(32, 2, V), make.ids(32, 2, below=V), None, -100, smoothing, "megatron", "global"
            )
        )


CALLS = [
    attn_res, cross_entropy, dyt, embedding, mm_int8int2, fused_add_rms_norm, fused_ce_tvd, fused_linear_cross_entropy,
    fused_linear_jsd, fused_linear_kl_div, fused_moe, neighborhood_attention, geglu, group_norm, grpo,
    selective_log_softmax, jsd, kl_div, layer_norm, llama4_rope, mhc, mlp, modulated_rms_norm, multi_token_attention,
    poly_norm, mrope, relu_squared, rms_norm, many_rows, wide_rows, rope, softmax, sparsemax, swiglu, swiglu_blackwell,
    tvd, vocab_parallel,
]  # fmt: skip
