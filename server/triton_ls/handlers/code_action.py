"""``textDocument/codeAction``: the fixes of findings, and what can be shown of a function."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert, cursor
from triton_ls.facts import Facts
from triton_ls.handlers.config_resources import COMMAND as CONFIGS
from triton_ls.handlers.custom_op import COMMAND as CUSTOM_OP
from triton_ls.handlers.pin_launch import COMMAND as PIN
from triton_ls.handlers.resources import COMMAND as RESOURCES
from triton_ls.handlers.run import COMMAND as RUN
from triton_ls.handlers.run_script import COMMAND as SCRIPT
from triton_ls.handlers.show_ir import COMMAND
from triton_ls.handlers.show_shapes import COMMAND as SHAPES
from triton_ls.positions import from_position
from triton_ls.server import TritonServer

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
    if (wanted is None or types.CodeActionKind.Empty in wanted) and not _is_passing(ls, facts, params):
        actions.extend(_show_ir(ls, facts, params))
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
        for finding in ls.findings(facts)
        for fix in finding.fixes
        if _touches(convert.diagnostic(finding, facts, ls.client, ls.lines).range, selected)
    ]


def _is_passing(ls: TritonServer, facts: Facts, params: types.CodeActionParams) -> bool:
    """An editor that asks by itself shows a light bulb for any answer: one on every line of a kernel says nothing, so
    there is one at its name."""
    if params.context.trigger_kind is not types.CodeActionTriggerKind.Automatic:
        return False
    line, _ = from_position(facts.lines, params.range.start, ls.client.encoding)
    return all(entry.name_span.line != line for entry in facts.kernels)


def _show_ir(ls: TritonServer, facts: Facts, params: types.CodeActionParams) -> _Actions:
    line, column = from_position(facts.lines, params.range.start, ls.client.encoding)
    entry = cursor.innermost(facts.kernels, line, column)
    if entry is None or entry.stale:
        return []
    subject = [params.text_document.uri, entry.qualname]
    actions = [types.Command(title=f"Show TTIR of {entry.qualname}", command=COMMAND, arguments=subject)]
    if entry.role == "kernel":
        title = f"Show registers and shared memory of {entry.qualname}"
        actions.append(types.Command(title=title, command=RESOURCES, arguments=subject))
        actions.append(types.Command(title="Show shapes for one config or launch", command=SHAPES, arguments=subject))
        title = f"Show resources of all configs of {entry.qualname}"
        actions.append(types.Command(title=title, command=CONFIGS, arguments=subject))
        if ls.client.trusted:
            actions.append(types.Command(title=f"Run kernel {entry.qualname}", command=RUN, arguments=subject))
        title = f"Copy launch of {entry.qualname} as script"
        actions.append(types.Command(title=title, command=SCRIPT, arguments=subject))
        actions.append(types.Command(title="Pin launch parameters", command=PIN, arguments=subject))
        actions.append(types.Command(title="Create torch custom op", command=CUSTOM_OP, arguments=subject))
    return [*actions]


def _touches(one: types.Range, other: types.Range) -> bool:
    return _place(one.start) <= _place(other.end) and _place(other.start) <= _place(one.end)


def _place(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
