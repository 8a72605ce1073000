"""The settings in force for each file: asks the client, reads ``pyproject.toml``, tells the user what is wrong with
either.

May not start anything.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from triton_ls.settings import SECTION, Settings, find_pyproject, merge, parse, read_pyproject

_PATIENCE = 3.0

logger = logging.getLogger(__name__)


class Configuration:
    """Ask ``settings(file)``; call ``refresh`` when the client or a ``pyproject.toml`` says that something changed."""

    def __init__(self, server: LanguageServer, tell: Callable[[str], None]) -> None:
        self._server, self._tell = server, tell
        self._roots: tuple[str, ...] = ()
        self._initial: dict[str, Any] = {}
        self._scoped: dict[str, dict[str, Any]] = {}
        self._known: dict[str, Settings] = {}
        """By directory: they are asked for several times at each key."""
        self._told: set[str] = set()
        self._target: str | None = None

    def take(self, source: object, origin: str) -> None:
        """Settings that came with ``initialize`` or ``didChangeConfiguration``: for clients that can't be asked."""
        if isinstance(source, dict) and SECTION in source:
            source = cast("dict[str, object]", source)[SECTION]
        self._initial = self._parsed(cast("object", source), origin)
        self._known.clear()

    async def refresh(self, roots: tuple[str, ...], ask: bool) -> None:
        """Ask the client, for each root and for files outside of all, and forget what ``pyproject.toml`` said."""
        self._roots = roots
        self.forget_projects()
        if not ask:
            return
        scopes = [*roots, ""]
        items = [
            types.ConfigurationItem(section=SECTION, scope_uri=from_fs_path(root) if root else None) for root in scopes
        ]
        request = self._server.workspace_configuration_async(types.ConfigurationParams(items=items))
        try:
            answers = await asyncio.wait_for(request, _PATIENCE)
        except (asyncio.TimeoutError, JsonRpcException) as error:
            logger.warning("the client did not say its settings: %s", error)
            return
        self._scoped = {
            scope: self._parsed(answer, "The editor's settings") for scope, answer in zip(scopes, answers, strict=False)
        }
        self._known.clear()

    def forget_projects(self) -> None:
        """Some ``pyproject.toml`` changed."""
        self._known.clear()

    def choose_target(self, target: object) -> None:
        """What is compiled for from now on, whatever the settings say; None: what they say."""
        if target is None:
            self._target = None
        else:
            values, complaints = parse({"target": target}, "triton-ls.setTarget")
            if complaints:
                raise JsonRpcInvalidParams(complaints[0])
            self._target = values["target"]
        self._known.clear()

    def settings(self, file: str) -> Settings:
        directory = os.path.dirname(file)
        known = self._known.get(directory)
        if known is None:
            known = self._known[directory] = self._settings(directory)
        return known

    def _settings(self, directory: str) -> Settings:
        root = max((r for r in self._roots if is_below(os.path.join(directory, ""), r)), key=len, default="")
        client = {**self._initial, **self._scoped.get(root, {})}
        project, complaints = read_pyproject(find_pyproject(directory))
        self._complain(complaints)
        settings = merge(client, project)
        return settings if self._target is None else replace(settings, target=self._target)

    def _parsed(self, source: object, origin: str) -> dict[str, Any]:
        values, complaints = parse(source, origin)
        self._complain(complaints)
        return values

    def _complain(self, complaints: list[str]) -> None:
        for complaint in complaints:
            if complaint not in self._told:
                self._told.add(complaint)
                self._tell(complaint)


def is_below(file: str, directory: str) -> bool:
    return file.startswith(directory.rstrip(os.sep) + os.sep)
