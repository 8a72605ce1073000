"""Jit functions and their launches as written in a file. Plain data that ``source`` finds and ``signature`` reads."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kernel_analysis.record import record
from kernel_analysis.span import Span


@record
class Parameter:
    """A parameter as written. ``constexpr`` and ``const``: what the annotation says, through any alias of ``tl``."""

    name: str
    kind: Literal["positional", "vararg", "keyword"]
    annotation: ast.expr | None
    default: ast.expr | None
    constexpr: bool
    const: bool
    span: Span


@record
class Launch:
    """A launch ``kernel[grid](...)`` or ``kernel.run/.warmup(...)`` found in the workspace; ``call`` is the outer
    call, ``scope`` the functions around it. ``via``: the call that hands the kernel to the function around ``call``,
    where that launches what it is given. ``unseen``: what is launched has been made of the kernel by code that is not
    followed, and may pass it something else. ``target``: the expression that stands for it; of what is handed on, in
    the file of the call that does that."""

    file: str
    call: ast.Call
    grid: ast.expr | None
    scope: tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]
    via: Launch | None = None
    unseen: bool = False
    target: ast.expr | None = None

    @property
    def files(self) -> set[str]:
        """The files that it is written in."""
        return {self.file} if self.via is None else {self.file, *self.via.files}

    @property
    def at(self) -> tuple[str, int, int]:
        """Where the call begins: the same for a launch that is found again in the same text."""
        return self.file, self.call.lineno, self.call.col_offset

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line to show for it."""
        first = self.via or self
        return first.file, first.call.lineno


@dataclass(slots=True)
class JitFunction:
    """A ``@triton.jit`` function (a kernel or a helper) as written.

    ``node`` is from the tree that parsed last; ``stale`` when the text has since been broken there (no facts may be
    shown on it).
    ``options``: the literal keyword arguments of ``jit``. ``configs``: one dict of constexpr values an autotune
    config, as expressions; ``config_options``: the ``num_warps`` and the like of each; ``configs_vary``: why there may
    be others; ``pruned``: code of the author's leaves some out.
    ``heuristics``: the names that ``@triton.heuristics`` fills in, with the expression for each. ``autotuned``: has
    autotune, even where its configs can't be known without running code. ``decorated``: has autotune or heuristics.
    ``wrappers``: decorators that are not Triton's, as text. ``scope``: the functions and classes around it, outermost
    first, and before them the module that it stands in where that is a string in the file.
    """

    file: str
    module: str
    name: str
    qualname: str
    node: ast.FunctionDef
    span: Span
    name_span: Span
    parameters: list[Parameter]
    stale: bool = False
    gluon: bool = False
    autotuned: bool = False
    options: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    configs: list[dict[str, ast.expr]] = field(default_factory=list[dict[str, ast.expr]])
    config_options: list[Mapping[str, ast.expr]] = field(default_factory=list[Mapping[str, ast.expr]])
    configs_vary: str | None = None
    pruned: bool = False
    heuristics: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    wrappers: list[str] = field(default_factory=list[str])
    scope: tuple[ast.AST, ...] = ()
    launches: list[Launch] = field(default_factory=list[Launch])

    @property
    def decorated(self) -> bool:
        """Whether autotune or heuristics say that this is launched, so a kernel and no helper."""
        return bool(self.autotuned or self.configs or self.heuristics)
