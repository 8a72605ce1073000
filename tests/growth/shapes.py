"""All shapes of text."""

from __future__ import annotations

from growth import handed_shapes, kernel_shapes, statement_shapes
from growth.registry import SHAPES, Files

__all__ = ["SHAPES", "Files", "handed_shapes", "kernel_shapes", "statement_shapes"]
