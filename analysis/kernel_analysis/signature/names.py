"""What a parameter's name alone suggests. The weakest evidence: it only decides where nothing else does."""

from __future__ import annotations

import re
from typing import Final

_POINTER: Final = re.compile(
    r"(?:^|_)(?:ptr|ptrs|pointer|p|tensor|buf|buffer|out|output|grad|weight|bias|cache)\d*$|^(?:p|ptr)_|(?:Ptr|_PTR)$"
    r"|^(?:x|y|z|q|k|v|o|w|u|g|dx|dy|dz|dq|dk|dv|do|dw|db|dg|du|X|Y|Q|K|V|O|W|DX|DY|DQ|DK|DV|DO|DW|Q_|A|C|Out|Lse|L|lse|delta|Delta|src|dst|in|a|b|c)\d*$"
)
_NUMBER: Final = re.compile(
    r"stride|^(?:n|num|max|min|total|len|size|offset|step|start|end|pad)_|_(?:n|num|size|len|length|dim|dims|numel|cols|rows|stride|count|offset|heads)$"
    r"|^(?:n|m|M|N|K|B|H|T|S|D|C|G|E|HW|numel|size|length|seed|seqlen|dim|i|j|idx|pid|batch|nheads|rows|cols)\d*$|^[nm]_?[a-z]*(?:cols|rows|elements)"
)
_FLOAT: Final = re.compile(
    r"(?:^|_)(?:eps|epsilon|scale|scaling|alpha|beta|gamma|lr|dropout|prob|momentum|decay|temperature|theta|softcap|smoothing|weight_decay|rate|p_dropout)\d*$"
    r"|^(?:eps|sm_scale|scale|inv_|rcp_)|_scale(?:_log2)?$|softmax_scale",
    re.IGNORECASE,
)
_INTEGERS: Final = re.compile(
    r"(?:^|_)(?:ids?|idx|idxs|index|indices|indexes|offsets?|cu_seqlens?|seqlens?|lens?|lengths?|counts?|table|tables|slot_mapping|slots?|labels?|"
    r"targets?|positions?|pos|histogram|locks?|semaphores?|chunk_offsets|map|mapping|start|starts|ends|num_tokens|nnz)(?:_ptrs?|_p)?$"
    r"|^(?:idx|ids|cu_|indices|num_|cumsum)|block_tables?|seq_?lens?|_loc(?:_ptr)?$",
    re.IGNORECASE,
)
_LONG: Final = re.compile(
    r"(?:^|_)(?:ids?|idxs?|index|indices|indexes|labels?|targets?|positions?|slot_mapping|mapping|masks?)(?:_ptrs?|_p)?$",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(r"expert|topk|top_k|page|req", re.IGNORECASE)
_BOOL: Final = re.compile(r"(?:^|_)masks?(?:_ptrs?|_p)?$", re.IGNORECASE)
_FLAG: Final = re.compile(
    r"^(?:is|has|use|enable|do|apply|save|store|load|return|need|with|even|allow|causal|transpose|trans|inplace|training|reverse|"
    r"compute|add|fuse|include|skip|tie|output_final)(?:_|$)|_(?:flag|enabled)$|^(?:IS|HAS|USE)[A-Z]|causal$",
    re.IGNORECASE,
)
_SMALL: Final = re.compile(
    r"^num_|(?:^|_)(?:stages|warps|group|groups|ctas|unroll|iters?|group_size_m|ndim|rank|axis|vec|splits?|topk|top_k|n_?split|loop|steps|num)$|^group_(?:m|size)",
    re.IGNORECASE,
)
_DTYPE: Final = re.compile(r"dtype(?:_?\d+)?$|(?:^|_)(?:ty|DT)$", re.IGNORECASE)
_BLOCK: Final = re.compile(r"block|tile|chunk|^B[A-Z]?$|^B[A-Z]{1,2}$|dim|size|^D$|head", re.IGNORECASE)
_IGNORED: Final = re.compile(r"(?:^|_)ignore_index$", re.IGNORECASE)
IGNORED: Final = -100
"""The label that torch's ``cross_entropy`` and ``nll_loss`` leave out where nobody says another."""


def is_ignored(name: str) -> bool:
    """Whether a number of this name is a label that torch's losses leave out."""
    return _IGNORED.search(name) is not None


def is_pointer(name: str) -> int:
    """2: surely a pointer by its name, 1: perhaps, 0: says nothing, -1: rather a number."""
    if re.search(r"(?:ptr|pointer)s?\d*$", name, re.IGNORECASE):
        return 2
    if _NUMBER.search(name) or _FLOAT.search(name):
        return -1
    return 1 if _POINTER.search(name) else 0


def is_float(name: str) -> bool:
    """Whether a number of this name is usually a float."""
    return _FLOAT.search(name) is not None


def is_integers(name: str) -> bool:
    """Whether a tensor of this name usually has integers: indices, lengths, tables."""
    return _INTEGERS.search(name) is not None


def is_long(name: str) -> bool:
    """Whether integers of this name usually are torch's default ones, of int64; serving code has its own of int32."""
    return _LONG.search(name) is not None and _SHORT.search(name) is None


def is_mask(name: str) -> bool:
    """Whether a tensor of this name usually has bools."""
    return _BOOL.search(name) is not None


def is_flag(name: str) -> bool:
    """Whether a constexpr of this name is usually a bool."""
    return _FLAG.search(name) is not None


def is_dtype(name: str) -> bool:
    """Whether a constexpr of this name is usually a dtype."""
    return _DTYPE.search(name) is not None


def is_small(name: str) -> bool:
    """Whether a constexpr of this name is usually a small number and no block's extent."""
    return _SMALL.search(name) is not None


def is_block(name: str) -> bool:
    """Whether a constexpr of this name is surely an extent of a block: ``BLOCK_M``, ``BT``."""
    return (
        re.search(r"^B[A-Z]$|block|tile", name, re.IGNORECASE) is not None
        and re.search("num|count", name, re.IGNORECASE) is None
    )


def is_bits(name: str) -> bool:
    """Whether a constexpr of this name is usually a number of bits."""
    return re.search(r"bits?$|^n?bits?", name, re.IGNORECASE) is not None


def is_extent(name: str) -> bool:
    """Whether a constexpr of this name is usually an extent of a block."""
    return _BLOCK.search(name) is not None
