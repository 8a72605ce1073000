"""Times torch's own operators on inputs of given shapes: JSON in the first argument, JSON out. A process of its own."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
import torch.nn.functional as F
import triton.testing


def _time(call: Any) -> float:
    found: Any = triton.testing.do_bench(call, warmup=25, rep=100, quantiles=[0.5, 0.2, 0.8])
    return float(found[0])


def main() -> None:
    """Milliseconds by kernel."""
    shapes: dict[str, list[list[int]]] = json.loads(sys.argv[1])
    times: dict[str, float] = {}
    for name, given in shapes.items():
        half = torch.float32 if name == "softmax_kernel" else torch.float16
        same = name == "attention_kernel"  # all three are alike there
        tensors = [torch.randn(given[0] if same else shape, device="cuda", dtype=half) for shape in given]
        calls: dict[str, Any] = {
            "matmul_kernel": lambda t=tensors: torch.matmul(t[0], t[1]),
            "softmax_kernel": lambda t=tensors: torch.softmax(t[0], dim=-1),
            "layer_norm_kernel": lambda t=tensors: F.layer_norm(t[0], (t[0].shape[-1],), t[1], t[2], 1e-5),
            "attention_kernel": lambda t=tensors: F.scaled_dot_product_attention(t[0], t[1], t[2]),
        }
        times[name] = _time(calls[name])
        if name == "layer_norm_kernel":
            del calls
    print(json.dumps(times))


if __name__ == "__main__":
    main()
