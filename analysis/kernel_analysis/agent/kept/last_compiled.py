"""What each function was last compiled with: a kernel that compiled a moment ago was broken by the edit since.

Remembers; whose fault a failure is, ``broken_by_edit`` says. What is lost here costs an explanation, never a fact.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import OrderedDict
from typing import TypeAlias

from kernel_analysis import paths
from kernel_analysis.agent.kept.cache import Cache
from kernel_analysis.codec import pack, unpack
from kernel_analysis.facts import Problem
from kernel_analysis.report import SignatureReport
from kernel_analysis.source.kernel import JitFunction

Basis: TypeAlias = dict[str, list[str]]
"""By parameter of one signature: its type, its values, and what both were concluded from."""

_ENTRIES = 1024


def basis(signature: SignatureReport) -> Basis:
    """What a signature is and rests on, comparable over edits and processes."""
    values: dict[str, list[str]] = {}
    for path, value in signature.constants.items():
        values.setdefault(paths.owner(path), []).append(f"{path}={value!r}")
    return {
        name: [repr(type), " ".join(values.get(name, [])), *signature.evidence[name][:2]]
        for name, type in signature.types.items()
        if name in signature.evidence
    }


class History:
    """Through ``cache`` other agents know it, too: the one that compiled a function may have been killed since.
    ``surroundings``: the Triton and the target that compiled it. ``judged``: what ``broken_by_edit`` made of a
    failure."""

    def __init__(self, cache: Cache, surroundings: str) -> None:
        self._cache = cache
        self._surroundings = surroundings
        self._known: OrderedDict[str, str] = OrderedDict()
        self.judged: OrderedDict[str, Problem | None] = OrderedDict()

    def compiled(self, function: JitFunction, signatures: list[SignatureReport]) -> None:
        """The function compiled with these."""
        key = self._key(function)
        text = json.dumps(pack([basis(signature) for signature in signatures]))
        if self._known.get(key) != text:
            self._known[key] = text
            self._cache.note(key, text)
            if len(self._known) > _ENTRIES:
                self._known.popitem(last=False)

    def last(self, function: JitFunction) -> list[Basis]:
        """What it was last compiled with; nothing if nobody knows."""
        key = self._key(function)
        text = self._cache.noted(key) or self._known.get(key)
        try:
            return unpack(list[dict[str, list[str]]], json.loads(text)) if text else []
        except (ValueError, TypeError, RecursionError) as error:
            print(f"triton-ls: what a function last compiled with is damaged and forgotten ({error})", file=sys.stderr)
            return []

    def _key(self, function: JitFunction) -> str:
        parts = repr((function.file, function.qualname, self._surroundings))
        return "last:" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
