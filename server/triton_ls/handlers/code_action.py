"""``textDocument/codeAction``: the fixes of findings, and "Show TTIR" on a function."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert, cursor
from triton_ls.facts import Facts
from triton_ls.handlers.show_ttir import COMMAND
from triton_ls.server import TritonServer
from triton_ls.text import from_position

_Actions = list[types.Command | types.CodeAction]


def register(server: TritonServer) -> None:
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Empty])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(_code_action)


def _code_action(ls: TritonServer, params: types.CodeActionParams) -> _Actions | None:
    file = ls.file_of(params.text_document.uri)
    facts = None if file is None else ls.session.view(file)
    if facts is None:
        return None
    wanted = params.context.only
    actions: _Actions = []
    if wanted is None or types.CodeActionKind.QuickFix in wanted or types.CodeActionKind.Empty in wanted:
        actions.extend(_fixes(ls, facts, params.range))
    if wanted is None or types.CodeActionKind.Empty in wanted:
        actions.extend(_show_ttir(ls, facts, params))
    return actions


def _fixes(ls: TritonServer, facts: Facts, selected: types.Range) -> _Actions:
    if not ls.client.code_action_literals:
        return []
    return [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[convert.diagnostic(finding, facts, ls.client, ls.lines)],
            edit=convert.text_edits(fix, ls.client, ls.lines),
            is_preferred=len(finding.fixes) == 1,
        )
        for finding in convert.findings(facts)
        for fix in finding.fixes
        if _touches(convert.diagnostic(finding, facts, ls.client, ls.lines).range, selected)
    ]


def _show_ttir(ls: TritonServer, facts: Facts, params: types.CodeActionParams) -> _Actions:
    line, column = from_position(facts.lines, params.range.start, ls.client.encoding)
    entry = cursor.innermost(facts.kernels, line, column)
    if entry is None or entry.stale:
        return []
    title = f"Show TTIR of {entry.qualname}"
    return [types.Command(title=title, command=COMMAND, arguments=[params.text_document.uri, entry.qualname])]


def _touches(one: types.Range, other: types.Range) -> bool:
    return _place(one.start) <= _place(other.end) and _place(other.start) <= _place(one.end)


def _place(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
