"""``initialized``: only now may the client be asked for its settings, and told to say when they, or files, change."""

from __future__ import annotations

import logging
from collections.abc import Callable

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from kernel_analysis.files import PYTHON_ENDINGS
from triton_ls.server import TritonServer
from triton_ls.settings import SECTION
from triton_ls.warm_up import prepare

logger = logging.getLogger(__name__)

_UNTOLD = "The editor does not report changed settings ({}): restart triton-ls after changing them."


def register(server: TritonServer) -> None:
    server.feature(types.INITIALIZED)(_initialized)


async def _initialized(ls: TritonServer, params: types.InitializedParams) -> None:
    ls.editor.spawn(prepare(ls.protocol))
    workspace = ls.client_capabilities.workspace
    changes = workspace.did_change_configuration if workspace is not None else None
    if changes is not None and changes.dynamic_registration:
        settings = types.Registration(
            id="triton-ls-settings",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
        )
        ls.editor.spawn(_register(ls, settings, lambda why: ls.editor.tell(_UNTOLD.format(why))))
    files = workspace.did_change_watched_files if workspace is not None else None
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(f"**/*{ending}") for ending in PYTHON_ENDINGS]
        new = types.Registration(
            id="triton-ls-files",
            method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        ls.editor.spawn(_register(ls, new, lambda why: logger.warning("the editor does not report new files: %s", why)))
    await ls.session.configure(ls.editor.roots(), ls.editor.client.configuration)


async def _register(
    ls: TritonServer, registration: types.Registration, refused: Callable[[JsonRpcException], None]
) -> None:
    """Ask the client to say when something changes; ``refused`` hears why it won't."""
    try:
        await ls.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
    except JsonRpcException as error:
        refused(error)
