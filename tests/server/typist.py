"""Somebody who types a kernel, key by key, and looks after each key at what the editor would show.

Counts what disturbs; may not judge how much of it is too much.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field

from connection import Connection
from lsprotocol import types

ABOVE = '''\
"""Rows, normalized."""

import torch
import triton
import triton.language as tl


@triton.jit
def put(out_ptr, at, value, mask):
    tl.store(out_ptr + at, value, mask=mask)


@triton.jit
def mean(x, n):
    return tl.sum(x, axis=0) / n


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    put(out_ptr, offsets, x * 2, mask)


'''
TYPED = """\
@triton.jit
def norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    mean_ptr,
    rstd_ptr,
    stride,
    n,
    eps,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    start = x_ptr + row * stride
    x = tl.load(start + offsets, mask=mask, other=0.0)
    x = x.to(tl.float32)
    average = mean(x, n)
    centred = tl.where(mask, x - average, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    rstd = 1 / tl.sqrt(variance + eps)
    tl.store(mean_ptr + row, average)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets, mask=mask)
    for i in range(1):
        centred = centred * rstd
    put(out_ptr + row * stride, offsets, centred * weight + bias, mask)
"""
BELOW = """

def norm(x, weight, bias, eps):
    rows, n = x.shape
    out = torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32)
    rstd = torch.empty(rows, dtype=torch.float32)
    norm_kernel[(rows,)](x, weight, bias, out, mean, rstd, x.stride(0), n, eps, BLOCK=1024)
    return out
"""
ROLES = {"put": "helper", "mean": "helper", "scale_kernel": "kernel", "norm_kernel": "kernel"}


@dataclass(slots=True)
class Seen:
    """``flashes``: how often red came; the others: after how many of the ``keys`` something was so. ``details``: what
    was typed when."""

    keys: int = 0
    flashes: int = 0
    red: int = 0
    blanked: int = 0
    swapped: int = 0
    late_symbols: int = 0
    late_lenses: int = 0
    details: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        counts = ", ".join(f"{name}: {getattr(self, name)}" for name in self.__slots__ if name != "details")
        return "\n".join([counts, *self.details])


class Typist:
    """Types at the end of ``ABOVE``, before ``BELOW``."""

    def __init__(self, connection: Connection, keys_a_second: float) -> None:
        self._connection, self._pause = connection, 1 / keys_a_second
        self._text, self._at, self._uri = ABOVE + BELOW, len(ABOVE), ""
        self._hints: dict[str, int] = {}
        self._red = False
        self.seen = Seen()

    async def begin(self) -> None:
        self._uri = self._connection.open("kernels.py", self._text)
        await self._connection.until_shown(self._uri, self._line_of("def scale_kernel"), "mutated-parameter")

    async def paste(self, text: str) -> None:
        """What nobody watches."""
        self._insert(text)
        await asyncio.sleep(0.5)  # a person looks at what was pasted
        await self._look(counted=False)

    async def type(self, text: str) -> None:
        """Key by key; an editor indents by itself."""
        for key in re.findall(r"\n *|.", text):
            self._insert(key)
            self.seen.keys += 1
            end = asyncio.get_running_loop().time() + self._pause
            await self._watch(end - self._pause * 0.4)
            await self._look(counted=True)
            await self._watch(end)

    def _insert(self, text: str) -> None:
        before = self._text[: self._at]
        line = before.count("\n")
        self._text = before + text + self._text[self._at :]
        self._at += len(text)
        self._connection.insert(self._uri, line, len(before) - before.rfind("\n") - 1, text)

    async def look(self) -> None:
        """Once more, at the end."""
        await self._watch(0)
        await self._look(counted=True)

    async def _watch(self, end: float) -> None:
        """Red that comes, however short."""
        while True:
            shown = self._connection.client.diagnostics.get(self._uri, [])
            red = [item for item in shown if item.severity == types.DiagnosticSeverity.Error]
            if red and not self._red:
                self.seen.flashes += 1
                self._note(f"red: {red[0].range.start.line + 1}: {red[0].message}")
            self._red = bool(red)
            if (left := end - asyncio.get_running_loop().time()) <= 0:
                return
            await asyncio.sleep(min(left, 0.005))

    async def _look(self, counted: bool) -> None:
        document = types.TextDocumentIdentifier(self._uri)
        whole = types.Range(types.Position(0, 0), types.Position(self._text.count("\n") + 1, 0))
        ask = self._connection.client
        text, cursor = self._text, self._text[: self._at].count("\n")
        symbols = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(document)) or []
        lenses = await ask.text_document_code_lens_async(types.CodeLensParams(document)) or []
        hints = await ask.text_document_inlay_hint_async(types.InlayHintParams(document, whole)) or []
        self._compare_hints(Counter(hint.position.line for hint in hints), text.split("\n"), cursor, counted)
        if not counted:
            return
        self.seen.red += self._red
        roles = {s.name: (s.detail or "").partition(":")[0] for s in symbols if isinstance(s, types.DocumentSymbol)}
        there = {name for name in ROLES if re.search(rf"^def {name}\(", text, re.MULTILINE)}
        if any(roles.get(name, ROLES[name]) != ROLES[name] for name in there):
            self.seen.swapped += 1
            self._note(f"roles: {roles}")
        if there - roles.keys():
            self.seen.late_symbols += 1
            self._note(f"no symbol: {there - roles.keys()}")
        runnable = {lens.command.arguments[1] for lens in lenses if lens.command and lens.command.arguments}
        if runnable != {name for name in there if ROLES[name] == "kernel"}:
            self.seen.late_lenses += 1
            self._note(f"lenses: {runnable}")

    def _compare_hints(self, found: Counter[int], lines: list[str], cursor: int, counted: bool) -> None:
        """What was shown on a line once, and is not now."""
        shown = {line: found.get(number, 0) for number, line in enumerate(lines) if line.strip() and number != cursor}
        gone = [line for line, count in self._hints.items() if count > shown.get(line, count)]
        if counted and gone:
            self.seen.blanked += 1
            self._note(f"no hint: {gone[0].strip()} and {len(gone) - 1} more")
        for line, count in shown.items():
            self._hints[line] = max(count, self._hints.get(line, 0))
        self._hints.pop(lines[cursor], None)

    def _note(self, what: str) -> None:
        typed = self._text[: self._at].rpartition("\n")[2]
        self.seen.details.append(f"  after {typed.strip()!r}: {what}")

    def _line_of(self, start: str) -> int:
        return self._text[: self._text.index(start)].count("\n") + 1
