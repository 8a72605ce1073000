"""``initialized``: only now may the client be asked for its settings, and told to say when they, or files, change."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from triton_ls.server import TritonServer
from triton_ls.settings import SECTION
from triton_ls.warm_up import prepare

logger = logging.getLogger(__name__)


def register(server: TritonServer) -> None:
    server.feature(types.INITIALIZED)(_initialized)


async def _initialized(ls: TritonServer, params: types.InitializedParams) -> None:
    ls.editor.spawn(prepare(ls.protocol))
    workspace = ls.client_capabilities.workspace
    changes = workspace.did_change_configuration if workspace is not None else None
    if changes is not None and changes.dynamic_registration:
        ls.editor.spawn(_ask_for_changes(ls))
    files = workspace.did_change_watched_files if workspace is not None else None
    if files is not None and files.dynamic_registration:
        ls.editor.spawn(_ask_for_files(ls))
    await ls.session.configure(ls.editor.roots(), ls.editor.client.configuration)


async def _ask_for_changes(ls: TritonServer) -> None:
    registration = types.Registration(
        id="triton-ls-settings",
        method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
        register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
    )
    try:
        await ls.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
    except JsonRpcException as error:
        ls.editor.tell(f"The editor does not report changed settings ({error}): restart triton-ls after changing them.")


async def _ask_for_files(ls: TritonServer) -> None:
    watchers = [types.FileSystemWatcher("**/*.py")]
    registration = types.Registration(
        id="triton-ls-files",
        method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
    )
    try:
        await ls.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
    except JsonRpcException as error:
        logger.warning("the editor does not report new files: %s", error)
