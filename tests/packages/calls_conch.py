"""Calls of conch's public functions, as its users serve models with them."""

# The package is installed for this test only.
# pyright: reportMissingImports=false

from __future__ import annotations

import torch
from calling import Maker, attempt

BATCH, HEADS, KV_HEADS, HEAD, BLOCK, BLOCKS = 4, 8, 2, 64, 16, 32


def everything() -> list[str]:
    return attempt(CALLS)


def activations(make: Maker) -> None:
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
    from conch.ops.activation.silu_and_mul import silu_and_mul

    gelu_tanh_and_mul(make.plain(32, 256))
    silu_and_mul(make.plain(32, 256))


def cache(make: Maker, dtype: torch.dtype | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    shape = (BLOCKS, BLOCK, KV_HEADS, HEAD)
    return make.plain(*shape, dtype=dtype), make.plain(*shape, dtype=dtype)


def paged_attention(make: Maker) -> None:
    from conch.ops.attention.paged_attention import paged_attention

    scale = torch.ones(1)
    table = make.ids(BATCH, 8, below=BLOCKS, dtype=torch.int32)
    lengths = make.ids(BATCH, below=128, dtype=torch.int32)
    query = make.plain(BATCH, HEADS, HEAD)
    paged_attention(query, *cache(make), table, lengths)
    paged_attention(query, *cache(make), table, lengths, softcap=30.0, scale=0.125)
    keys = cache(make, torch.uint8)
    paged_attention(query, *keys, table, lengths, kv_cache_dtype="fp8", k_scale=scale, v_scale=scale)


def varlen_attention(make: Maker) -> None:
    from conch.ops.attention.varlen_attention import varlen_attention

    lengths = torch.full((BATCH,), 64, dtype=torch.int32)
    starts = torch.arange(0, BATCH + 1, dtype=torch.int32)
    table = make.ids(BATCH, 8, below=BLOCKS, dtype=torch.int32)
    query = make.plain(BATCH * 16, HEADS, HEAD)
    for causal, softcap in ((True, 0.0), (False, 30.0)):
        varlen_attention(query, *cache(make), starts * 16, 16, lengths, 64, table, causal=causal, softcap=softcap)
    one = make.plain(BATCH, HEADS, HEAD)
    table = make.ids(BATCH, 512, below=BLOCKS, dtype=torch.int32)
    varlen_attention(one, *cache(make), starts, 1, lengths * 128, 8192, table, causal=True)
    scale = torch.ones(1)
    keys = cache(make, torch.float8_e4m3fn)
    varlen_attention(
        query, *keys, starts * 16, 16, lengths, 64, table, causal=True, kv_cache_dtype="fp8", q_scale=scale,
        k_scale=scale, v_scale=scale,
    )  # fmt: skip


def unified_attention(make: Maker) -> None:
    from conch.third_party.vllm.unified_attention import unified_attention

    lengths = torch.full((BATCH,), 64, dtype=torch.int32)
    starts = torch.arange(0, BATCH + 1, dtype=torch.int32) * 16
    table = make.ids(BATCH, 8, below=BLOCKS, dtype=torch.int32)
    query = make.plain(BATCH * 16, HEADS, HEAD)
    one = torch.ones(1)
    for softcap, slopes in ((0.0, None), (30.0, make.plain(HEADS, dtype=torch.float32))):
        unified_attention(
            query, *cache(make), torch.empty_like(query), starts, 16, lengths, 64, 0.125, True, (-1, -1), table,
            softcap, None, one, one, slopes,
        )  # fmt: skip


def rotary_embedding(make: Maker) -> None:
    from conch.ops.embedding.rotary_embedding import rotary_embedding

    query, key = make.plain(32, HEADS * HEAD), make.plain(32, KV_HEADS * HEAD)
    rotary_embedding(make.ids(32, below=64), query, key, HEAD, make.plain(64, HEAD))


def norms(make: Maker) -> None:
    from conch.ops.normalization.gemma_rms_norm import gemma_rms_norm
    from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm

    weight = make.plain(256)
    rms_norm(make.plain(32, 256), weight, 1e-6)
    fused_add_rms_norm(make.plain(32, 256), make.plain(32, 256), weight, 1e-6)
    gemma_rms_norm(make.plain(32, 256), weight, 1e-6)
    gemma_rms_norm(make.plain(32, 256), weight, 1e-6, make.plain(32, 256))


def quantize(make: Maker) -> None:
    from conch.ops.quantization.fp8 import scaled_fp8_quant
    from conch.ops.quantization.int8 import scaled_int8_quant

    scaled_fp8_quant(make.plain(32, 256), torch.ones(1))
    scaled_int8_quant(make.plain(32, 256), torch.ones(1))


def blockwise(make: Maker) -> None:
    from conch.ops.quantization.bitsandbytes import functional

    x = make.plain(4096)
    for kind in ("nf4", "fp4"):
        for compress in (False, True):
            packed, state = functional.quantize_4bit(x, quant_type=kind, compress_statistics=compress)
            functional.dequantize_4bit(packed, state, quant_type=kind)


def gemm(make: Maker) -> None:
    from conch.ops.quantization.gemm import mixed_precision_gemm, scaled_gemm

    packed = make.ids(32, 128, below=1 << 30, dtype=torch.int32)
    scales = make.plain(2, 128)
    for zeros in (None, make.plain(2, 128)):
        mixed_precision_gemm(make.plain(32, 256), packed, scales, zeros, 4, 8, 128)
    for dtype in (torch.int8, torch.float8_e4m3fn):
        a, b = make.plain(32, 256).to(dtype), make.plain(256, 128).to(dtype)
        for scale_a, scale_b in ((torch.ones(1), torch.ones(1)), (torch.ones(32, 1), torch.ones(128, 1))):
            scaled_gemm(a, b, scale_a, scale_b, make.dtype)


def vision(make: Maker) -> None:
    from conch.ops.vision.bev_pool import bev_pool, bev_pool_backward
    from conch.ops.vision.nms import nms
    from conch.ops.vision.voxelization import VoxelizationParameter, generate_voxels

    coordinates = make.ids(128, 4, below=4, dtype=torch.int32)
    starts, lengths = (make.ids(16, below=8, dtype=torch.int32) for _ in range(2))
    bev_pool(make.plain(128, 64), coordinates, starts, lengths, 4, 4, 4, 4)
    bev_pool_backward(make.plain(4, 4, 4, 4, 64), coordinates, starts, lengths)
    nms(make.plain(64, 4, dtype=torch.float32), make.plain(64, dtype=torch.float32), 0.5)
    generate_voxels(
        make.plain(256, 4, dtype=torch.float32), VoxelizationParameter((0.0,) * 3, (8.0,) * 3, (1.0,) * 3, 10)
    )


def caches(make: Maker) -> None:
    from conch.ops.vllm.copy_blocks import copy_blocks
    from conch.ops.vllm.reshape_and_cache import reshape_and_cache

    pairs = make.ids(8, 2, below=BLOCKS)
    copy_blocks(*([make.plain(BLOCKS, BLOCK * KV_HEADS * HEAD) for _ in range(2)] for _ in range(2)), pairs)
    key, value = make.plain(32, KV_HEADS, HEAD), make.plain(32, KV_HEADS, HEAD)
    reshape_and_cache(key, value, *cache(make), make.ids(32, below=128))
    scale = torch.ones(1)
    reshape_and_cache(key, value, *cache(make, torch.uint8), make.ids(32, below=128), "fp8", scale, scale)


CALLS = [
    activations, paged_attention, varlen_attention, unified_attention, rotary_embedding, norms, quantize, blockwise,
    gemm, vision, caches,
]  # fmt: skip
