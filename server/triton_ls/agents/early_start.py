"""The first agent, started from what the client says first, while the language server is still being imported.

Takes the client's message as plain JSON: may not import pygls' or lsprotocol's types, which take longer than an agent
needs to start.
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, cast

from pygls.uris import from_fs_path

from triton_ls.agents.agent_process import Agent
from triton_ls.agents.launch import CannotStart, Environment, usual
from triton_ls.settings import CLIENT_OPTIONS, SECTION, find_pyproject, merge, parse, read_pyproject
from triton_ls.uris import path_of


class FirstAgent:
    """At most one agent, for whoever asks first for one of its environment."""

    def __init__(self) -> None:
        self._environment: Environment | None = None
        self._agent: asyncio.Task[Agent] | None = None

    async def begin(self, message: bytes) -> None:
        """Have an agent started as ``initialize`` suggests, if it is that. What goes wrong with it is said when it is
        started in earnest."""
        environment = _environment(message)
        if environment is None:
            return
        try:
            agent = await Agent.spawn(environment)
        except CannotStart:
            return
        self._environment = environment
        self._agent = asyncio.get_running_loop().create_task(agent.initialized(environment))
        await asyncio.sleep(0)  # so that it is asked before the imports, which nothing interrupts

    async def start(self, environment: Environment) -> Agent:
        """An agent that has answered ``initialize``, or ``CannotStart``: the early one if it is of this environment;
        of another it is of no use."""
        agent, self._agent = self._agent, None
        if agent is None:
            return await Agent.start(environment)
        if environment == self._environment:
            return await agent
        try:
            await (await agent).close()
        except CannotStart:
            pass  # as what it was to be started is not what is wanted
        return await Agent.start(environment)


def _environment(message: bytes) -> Environment | None:
    """What agents of the workspace depend on, as far as ``initialize`` says it."""
    try:
        request: object = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict) or cast("dict[str, Any]", request).get("method") != "initialize":
        return None
    params = cast("dict[str, Any]", request).get("params")
    if not isinstance(params, dict):
        return None
    given = cast("dict[str, Any]", params)
    roots = _roots(given)
    options: object = given.get("initializationOptions")
    options = cast("dict[str, object]", options) if isinstance(options, dict) else {}
    own: object = options.get(SECTION, {name: value for name, value in options.items() if name not in CLIENT_OPTIONS})
    client, _ = parse(own, "initializationOptions")
    project, _ = read_pyproject(find_pyproject(roots[0])) if roots else ({}, [])
    return usual(merge(client, project), roots, bool(options.get("trusted", True)))


def _roots(params: dict[str, Any]) -> tuple[str, ...]:
    folders: object = params.get("workspaceFolders")
    listed = cast("list[object]", folders) if isinstance(folders, list) else []
    uris: list[object] = [cast("dict[str, object]", one).get("uri") for one in listed if isinstance(one, dict)]
    path: object = params.get("rootPath")
    if not uris:
        uris = [params.get("rootUri") or (from_fs_path(path) if isinstance(path, str) else None)]
    paths = [path_of(uri) for uri in uris if isinstance(uri, str)]
    return tuple(path.rstrip(os.sep) or os.sep for path in paths if path is not None)
