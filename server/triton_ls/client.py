"""What the client at the other end can do, read once from its capabilities. May not talk to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """``pulls``: asks for diagnostics itself and can be told to ask again. ``virtual_documents``: shows
    ``triton-ls-ir:`` documents. ``status``: wants to know what the server is at. ``trusted``: the user's code may be
    run, when that is asked for."""

    encoding: str = "utf-16"
    configuration: bool = False
    pulls: bool = False
    markdown: bool = True
    related_information: bool = False
    versioned_diagnostics: bool = False
    symbol_tree: bool = False
    code_action_literals: bool = False
    progress: bool = False
    show_document: bool = False
    inlay_hints: bool = False
    hints_refresh: bool = False
    lenses_refresh: bool = False
    versioned_edits: bool = False
    virtual_documents: bool = False
    status: bool = False
    trusted: bool = True


def read(capabilities: types.ClientCapabilities, options: object, encoding: str) -> Client:
    """``options``: the ``initializationOptions``, where a client says what no capability exists for."""
    documents = capabilities.text_document or types.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
    window = capabilities.window or types.WindowClientCapabilities()
    publish = documents.publish_diagnostics
    hover = documents.hover.content_format if documents.hover is not None else None
    symbols = documents.document_symbol
    actions = documents.code_action
    refresh = workspace.diagnostics is not None and bool(workspace.diagnostics.refresh_support)
    extra = cast("dict[str, Any]", options) if isinstance(options, dict) else {}
    return Client(
        encoding=encoding,
        configuration=bool(workspace.configuration),
        # Without a refresh a client that pulls would never learn of results that come later: it is pushed to.
        pulls=documents.diagnostic is not None and refresh,
        markdown=bool(hover) and hover[0] == types.MarkupKind.Markdown,
        related_information=publish is not None and bool(publish.related_information),
        versioned_diagnostics=publish is not None and bool(publish.version_support),
        symbol_tree=symbols is not None and bool(symbols.hierarchical_document_symbol_support),
        code_action_literals=actions is not None and actions.code_action_literal_support is not None,
        progress=bool(window.work_done_progress),
        show_document=window.show_document is not None and bool(window.show_document.support),
        inlay_hints=documents.inlay_hint is not None,
        hints_refresh=workspace.inlay_hint is not None and bool(workspace.inlay_hint.refresh_support),
        lenses_refresh=workspace.code_lens is not None and bool(workspace.code_lens.refresh_support),
        versioned_edits=workspace.workspace_edit is not None and bool(workspace.workspace_edit.document_changes),
        virtual_documents=bool(extra.get("virtualDocuments")),
        status=bool(extra.get("status")),
        trusted=bool(extra.get("trusted", True)),
    )
