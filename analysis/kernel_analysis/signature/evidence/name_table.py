"""What a parameter's name alone suggests: one table for types, constexprs and the numbers of a run. The weakest
evidence: it only decides where nothing else does.

A row has a convention that many share, with where it is from; no project's own names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from kernel_analysis.record import record

Suggestion: TypeAlias = Literal[
    "surely pointer", "pointer", "number", "float", "integers", "long", "narrow", "mask", "flag", "small", "dtype",
    "block", "count", "extent", "bits", "ignored label", "epsilon", "probability", "seed", "start", "few", "window",
    "stride", "head size", "heads", "elements", "rows",
]  # fmt: skip


@record
class NameRow:
    """``pattern``: of the names; ``source``: whose convention it is."""

    pattern: re.Pattern[str]
    source: str


def _row(pattern: str, source: str, cased: bool = False) -> NameRow:
    return NameRow(re.compile(pattern) if cased else re.compile(pattern, re.IGNORECASE), source)


TABLE: Final[Mapping[Suggestion, NameRow]] = {
    "surely pointer": _row(r"(?:ptr|pointer)s?\d*$", "Triton's tutorials: `x_ptr`, `output_ptr`"),
    "pointer": _row(
        r"(?:^|_)(?:ptr|ptrs|pointer|p|tensor|buf|buffer|out|output|grad|weight|bias|cache)\d*$|^(?:p|ptr)_|(?:Ptr|_PTR)$"
        r"|^(?:x|y|z|q|k|v|o|w|u|g|dx|dy|dz|dq|dk|dv|do|dw|db|dg|du|X|Y|Q|K|V|O|W|DX|DY|DQ|DK|DV|DO|DW|Q_|A|C|Out|Lse|L"
        r"|lse|delta|Delta|src|dst|in|a|b|c)\d*$",
        "Triton's tutorials: `A` and `C`, attention's `Q`, `K`, `V`, `Out`, gradients `DX`; torch.nn: `weight`",
        True,
    ),
    "number": _row(
        r"stride|^(?:n|num|max|min|total|len|size|offset|step|start|end|pad)_"
        r"|_(?:n|num|size|len|length|dim|dims|numel|cols|rows|stride|count|offset|heads)$"
        r"|^(?:n|m|M|N|K|B|H|T|S|D|C|G|E|HW|numel|size|length|seed|seqlen|dim|i|j|idx|pid|batch|nheads|rows|cols)\d*$"
        r"|^[nm]_?[a-z]*(?:cols|rows|elements)",
        "BLAS: `M`, `N`, `K`; Triton's tutorials: `n_elements`, `stride_am`; torch: `N`, `C`, `H`, `size`, `dim`",
        True,
    ),
    "float": _row(
        r"(?:^|_)(?:eps|epsilon|scale|scaling|alpha|beta|gamma|lr|dropout|prob|momentum|decay|temperature|theta|softcap|"
        r"smoothing|weight_decay|rate|p_dropout)\d*$|^(?:eps|sm_scale|scale|inv_|rcp_)|_scale(?:_log2)?$|softmax_scale",
        "torch.nn and torch.optim: `eps`, `alpha`, `lr`, `momentum`, `label_smoothing`; Triton's tutorials: `sm_scale`",
    ),
    "integers": _row(
        r"(?:^|_)(?:ids?|idx|idxs|index|indices|indexes|offsets?|seqlens?|lens?|lengths?|counts?|tables?|slots?|labels?|"
        r"targets?|positions?|pos|histogram|locks?|semaphores?|map|mapping|start|starts|ends|nnz)(?:_ptrs?|_p)?$"
        r"|^(?:idx|ids|indices|num_|cumsum)|seq_?lens?",
        "torch: `index`, `offsets`, `input_lengths`, `target`; CUDA: locks, semaphores; scipy.sparse: `nnz`",
    ),
    "long": _row(
        r"(?:^|_)(?:ids?|idxs?|index|indices|indexes|labels?|targets?|positions?|mapping|masks?)(?:_ptrs?|_p)?$",
        "torch: an `index` or `target` is of int64",
    ),
    "narrow": _row(r"expert|topk|top_k|page|req", "experts and pages: their tables are of int32"),
    "mask": _row(r"(?:^|_)masks?(?:_ptrs?|_p)?$", "torch: `mask`, `attn_mask`"),
    "flag": _row(
        r"^(?:is|has|use|enable|do|apply|save|store|load|return|need|with|even|allow|causal|transpose|trans|inplace|"
        r"training|reverse|compute|add|fuse|include|skip|tie)(?:_|$)|_(?:flag|enabled)$|^(?:IS|HAS|USE)[A-Z]|causal$",
        "Python: `is_`, `has_`, `use_`; torch: `is_causal`, `inplace`, `training`; Triton's tutorials: `EVEN_K`",
    ),
    "small": _row(
        r"^num_|(?:^|_)(?:stages|warps|group|groups|ctas|unroll|iters?|group_size_m|ndim|rank|axis|vec|splits?|topk|top_k|"
        r"n_?split|loop|steps|num)$|^group_(?:m|size)",
        "Triton: `num_stages`, `num_warps`, `num_ctas`, `GROUP_SIZE_M`, `SPLIT_K`; torch: `ndim`, `axis`, `topk`",
    ),
    "dtype": _row(r"dtype(?:_?\d+)?$|(?:^|_)(?:ty|DT)$", "torch and Triton: `dtype`"),
    "block": _row(r"^B[A-Z]$|block|tile", "Triton's tutorials: `BLOCK_SIZE`, `BLOCK_M`; `BM`, `BK` for short"),
    "count": _row(r"num|count", "Python: `num_blocks` is no block"),
    "extent": _row(
        r"block|tile|chunk|^B[A-Z]{0,2}$|dim|size|^D$|head", "Triton's tutorials: `BLOCK_SIZE`, `HEAD_DIM`"
    ),
    "bits": _row(r"bits?$|^n?bits?", "quantisation: `bits`, `nbits`"),
    "ignored label": _row(r"(?:^|_)ignore_index$", "torch.nn.functional.cross_entropy, nll_loss"),
    "epsilon": _row(r"eps", "torch.nn.LayerNorm: `eps`"),
    "probability": _row(r"drop|^p$|prob", "torch.nn.Dropout: `p`"),
    "seed": _row(r"seed", "tl.rand: `seed`"),
    "start": _row(
        r"offset|start|index|idx|^pad|padding|flag|mode|rank$|_id$|shift",
        "Python: what counts from zero; torch.nn: `padding=0`",
    ),
    "few": _row(
        r"group|split|stage|iters?$|step|repeat|factor|ratio|rate|dilation|t_?max|unroll",
        "torch.nn: `groups`, `dilation`, `scale_factor`",
    ),
    "window": _row(r"kernel_size|^kw$|^kh$|window", "torch.nn.Conv2d: `kernel_size`"),
    "stride": _row(r"^stride$", "torch.nn.Conv2d: `stride=1`"),
    "head size": _row(r"head_dim|d_head|dhead|headdim", "Triton's tutorials: `HEAD_DIM`"),
    "heads": _row(r"n_?heads?|num_heads?|batch|^b$|^z$|^h$", "Triton's tutorials: `Z` and `H`; torch: `num_heads`"),
    "elements": _row(
        r"n_?elem|numel|xnumel|n_?values|total|^n$|length", "Triton's tutorials: `n_elements`; Inductor: `xnumel`"
    ),
    "rows": _row(r"n_?rows?|tokens?", "Triton's tutorials: `n_rows`"),
}  # fmt: skip
IGNORED: Final = -100
"""The label that torch's ``cross_entropy`` and ``nll_loss`` leave out where nobody says another."""
_WHOLE: Final[tuple[Suggestion, ...]] = (
    "ignored label", "seed", "start", "few", "window", "stride", "head size", "heads", "elements", "rows",
)  # fmt: skip


def suggests(name: str, what: Suggestion) -> bool:
    """Whether something of this name is usually that."""
    return TABLE[what].pattern.search(name) is not None


def whole_number(name: str) -> Suggestion | None:
    """Which kind of integer a name suggests: the first row that fits."""
    return next((what for what in _WHOLE if suggests(name, what)), None)


def is_pointer(name: str) -> int:
    """2: surely a pointer by its name, 1: perhaps, 0: says nothing, -1: rather a number."""
    if suggests(name, "surely pointer"):
        return 2
    if suggests(name, "number") or suggests(name, "float"):
        return -1
    return int(suggests(name, "pointer"))


def is_long(name: str) -> bool:
    """Whether integers of this name usually are torch's default ones, of int64."""
    return suggests(name, "long") and not suggests(name, "narrow")


def is_block(name: str) -> bool:
    """Whether a constexpr of this name is surely an extent of a block: ``BLOCK_M``, ``BT``."""
    return suggests(name, "block") and not suggests(name, "count")
