"""``textDocument/codeAction``: the fixes of findings, and what can be shown of a function."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert, cursor
from triton_ls.handlers.config_resources import COMMAND as CONFIGS
from triton_ls.handlers.custom_op import COMMAND as CUSTOM_OP
from triton_ls.handlers.pin_launch import COMMAND as PIN
from triton_ls.handlers.resources import COMMAND as RESOURCES
from triton_ls.handlers.run import COMMAND as RUN
from triton_ls.handlers.run_script import COMMAND as SCRIPT
from triton_ls.handlers.show_ir import COMMAND
from triton_ls.handlers.show_shapes import COMMAND as SHAPES
from triton_ls.server import TritonServer
from triton_ls.snapshot import Snapshot

_Actions = list[types.Command | types.CodeAction]


def register(server: TritonServer) -> None:
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Empty])
    server.query(types.TEXT_DOCUMENT_CODE_ACTION, options)(_code_action)


def _code_action(shown: Snapshot, params: types.CodeActionParams) -> _Actions:
    wanted = params.context.only
    actions: _Actions = []
    if wanted is None or types.CodeActionKind.QuickFix in wanted or types.CodeActionKind.Empty in wanted:
        actions.extend(_fixes(shown, params.range))
    if (wanted is None or types.CodeActionKind.Empty in wanted) and not _is_passing(shown, params):
        actions.extend(_show_ir(shown, params))
    return actions


def _fixes(shown: Snapshot, selected: types.Range) -> _Actions:
    if not shown.client.code_action_literals:
        return []
    return [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[convert.diagnostic(finding, shown.facts, shown.client, shown.lines)],
            edit=convert.text_edits(fix, shown.client, shown.lines),
            is_preferred=len(finding.fixes) == 1,
        )
        for finding in shown.findings
        for fix in finding.fixes
        if _touches(convert.diagnostic(finding, shown.facts, shown.client, shown.lines).range, selected)
    ]


def _is_passing(shown: Snapshot, params: types.CodeActionParams) -> bool:
    """An editor that asks by itself shows a light bulb for any answer: one on every line of a kernel says nothing, so
    there is one at its name."""
    if params.context.trigger_kind is not types.CodeActionTriggerKind.Automatic:
        return False
    line, _ = shown.place(params.range.start)
    return all(entry.name_span.line != line for entry in shown.facts.kernels)


def _show_ir(shown: Snapshot, params: types.CodeActionParams) -> _Actions:
    entry = cursor.innermost(shown.facts.kernels, *shown.place(params.range.start))
    if entry is None or entry.stale:
        return []
    subject = [shown.uri, entry.qualname]
    actions = [types.Command(title=f"Show TTIR of {entry.qualname}", command=COMMAND, arguments=subject)]
    if entry.role == "kernel":
        title = f"Show registers and shared memory of {entry.qualname}"
        actions.append(types.Command(title=title, command=RESOURCES, arguments=subject))
        actions.append(types.Command(title="Show shapes for one config or launch", command=SHAPES, arguments=subject))
        title = f"Show resources of all configs of {entry.qualname}"
        actions.append(types.Command(title=title, command=CONFIGS, arguments=subject))
        if shown.client.trusted:
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
