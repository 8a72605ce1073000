"""The server over stdio with the real agent, as VS Code, neovim and emacs see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from connection import INTERPRETER, KERNELS, client_capabilities, connect, vscode_that_pulls
from lsprotocol import types

pytestmark = pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")

PROFILES = ["visual-studio-code", "neovim@v0.7.0", "neovim", "emacs"]


@pytest.mark.parametrize("profile", PROFILES)
async def test_open_look_edit_close(tmp_path: Path, profile: str) -> None:
    async with connect(tmp_path, profile, options={"interpreter": INTERPRETER}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        message = await connection.until_shown(uri, 14, "mutated-parameter", "in_ptr")
        assert "clobber_kernel" in message

        hover = await connection.hover_on(uri, KERNELS, r"def copy_kernel\(in_ptr, (out_ptr)", 1)
        assert hover is not None
        assert "(parameter) out_ptr: *" in hover
        assert "**written** at line 10" in hover
        assert "not read" in hover
        assert "offsets: int32[1024]" in (await connection.hover_on(uri, KERNELS, r"mask = (offsets)", 1) or "")
        assert "**reads** `in_ptr`" in (await connection.hover_on(uri, KERNELS, r"    (copy_kernel)\[", 1) or "")
        assert await connection.hover_on(uri, KERNELS, "launch") is None

        connection.replace(uri, KERNELS.replace("tl.store(in_ptr + offsets, offsets)", "pass"))
        await connection.until_gone(uri, 14, "mutated-parameter")

        document = types.TextDocumentIdentifier(uri)
        connection.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        await connection.until(
            lambda: len(connection.client.diagnostics[uri]) == 0, "no diagnostics of a closed document"
        )


@pytest.mark.slow("two clients, a server each")
async def test_places_that_a_client_can_not_show_apart_are_in_the_message(tmp_path: Path) -> None:
    async with connect(tmp_path, "emacs") as connection:
        uri = connection.open("kernels.py", KERNELS)
        message = await connection.until_shown(uri, 14, "mutated-parameter")
        assert "line 16: " in message
    async with connect(tmp_path, "visual-studio-code") as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        related = [note for item in connection.client.diagnostics[uri] for note in item.related_information or []]
        assert (uri, 15) in [(note.location.uri, note.location.range.start.line) for note in related]


async def test_a_piece_of_advice_is_given_once_a_file(tmp_path: Path) -> None:
    body = "(out_ptr):\n    tl.store(out_ptr + tl.arange(0, 3), 0)\n"
    text = "import triton\nimport triton.language as tl\n" + "".join(
        f"\n@triton.jit\ndef {name}{body}" for name in ("first", "second")
    )
    async with connect(tmp_path, "visual-studio-code") as connection:
        uri = connection.open("wrong.py", text)
        first = await connection.until_shown(uri, 6, "compile-error")
        second = await connection.until_shown(uri, 10, "compile-error")
        assert first.splitlines()[0] == second
        assert "next_power_of_2" in first


async def test_a_client_that_pulls_is_told_to_and_not_pushed_to(tmp_path: Path) -> None:
    async with connect(tmp_path, vscode_that_pulls(), settings={"debounce": 60_000}) as connection:
        client = connection.client
        uri = connection.open("kernels.py", KERNELS)
        await connection.until(lambda: client.diagnostic_refresh_count, "a refresh")

        async def pull(previous: str | None = None) -> Any:
            params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
            return await client.text_document_diagnostic_async(params)

        report = await pull()
        while sum(item.code == "mutated-parameter" for item in report.items) < 2:  # each function is told by itself
            report = await pull()
        settled = await pull()
        assert (await pull(settled.result_id)).kind == "unchanged"
        assert client.diagnostics == {}

        # Right after an edit: what was not edited is where it is now, what was edited is withheld or marked.
        connection.insert(uri, 0, 0, "# a comment\n")
        connection.insert(uri, 16, 0, "    pass\n")
        report = await pull(settled.result_id)
        shown = {item.range.start.line: item.message.endswith("(before the last edits)") for item in report.items}
        assert shown == {6: False, 14: True}


async def test_hover_marks_what_was_computed_from_another_text(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"debounce": 60_000}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        connection.insert(uri, 8, 0, "\n")
        edited = KERNELS.replace("    value", "\n    value")
        hover = await connection.hover_on(uri, edited, r"def copy_kernel\((in_ptr)", 1)
        assert hover is not None
        assert "**read** at line 10" in hover
        assert "As it was before the last edits." in hover
        connection.insert(uri, 5, 0, " ")
        assert await connection.hover(uri, 5, 18) is None, "its own line was edited"
        connection.change(
            uri,
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(5, 0), types.Position(5, 1)), text=""
            ),
        )
        hover = await connection.hover_on(uri, edited, r"def clobber_kernel\((in_ptr)", 1)
        assert hover is not None
        assert "**written** at line 17" in hover
        # Saving means that there is no more to wait for.
        connection.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await connection.until_shown(uri, 15, "mutated-parameter")
        assert await connection.hover_on(uri, edited, r"def copy_kernel\((in_ptr)", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_positions_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    capabilities = client_capabilities("visual-studio-code")
    kinds = [types.PositionEncodingKind(encoding)]
    capabilities.general = types.GeneralClientCapabilities(position_encodings=kinds)
    text = KERNELS.replace("clobber_kernel(in_ptr", "clobber_kernel(é𠀀, in_ptr")
    text = text.replace("clobber_kernel[(1,)](x", "clobber_kernel[(1,)](0, x")
    line = "def clobber_kernel(é𠀀, "
    units = {"utf-8": len(line.encode()), "utf-16": len(line.encode("utf-16-le")) // 2, "utf-32": len(line)}
    async with connect(tmp_path, capabilities) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until_shown(uri, 14, "mutated-parameter")
        found = [item for item in connection.client.diagnostics[uri] if "in_ptr" in item.message]
        starts = [item.range.start.character for item in found if item.range.start.line == 13]
        assert starts == [units[encoding]]
        hover = await connection.hover(uri, 13, units[encoding] + 2)
        assert hover is not None
        assert "(parameter) in_ptr" in hover
        # An edit right behind the wide characters has to arrive at the same place.
        connection.insert(uri, 13, units[encoding], "renamed_")
        await connection.until_shown(uri, 16, "compile-error", "`in_ptr` is not defined")


async def test_lines_end_where_the_protocol_and_python_end_them(tmp_path: Path) -> None:
    text = "# page\f break, \u2028 separator, \x1d group\r\n" + KERNELS
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until_shown(uri, 15, "mutated-parameter")
        connection.insert(uri, 1, 999, "  # beyond the end of a line is its end")
        connection.insert(uri, 0, 0, "# one more line\n")
        await connection.until_shown(uri, 16, "mutated-parameter")


async def test_broken_text_elsewhere_does_not_hide_kernels(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        connection.insert(uri, 0, 0, "def (:\n")
        await connection.until_shown(uri, 15, "mutated-parameter")


@pytest.mark.slow("two sessions, each with two agents that import Triton")
async def test_symbols_as_a_tree_or_a_list(tmp_path: Path) -> None:
    text = KERNELS + "\n\ndef make():\n    @triton.jit\n    def inner(ptr):\n        tl.store(ptr, 0)\n"
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(""))
    async with connect(tmp_path) as connection:
        params.text_document.uri = connection.open("kernels.py", text)
        await connection.until_shown(params.text_document.uri, 14, "mutated-parameter")
        symbols = await connection.client.text_document_document_symbol_async(params)
        assert symbols is not None
        assert [symbol.name for symbol in symbols] == ["copy_kernel", "clobber_kernel", "inner"]
        detail = symbols[0].detail  # pyright: ignore[reportAttributeAccessIssue]
        assert detail == "kernel: writes out_ptr; reads in_ptr"
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.document_symbol = None
    async with connect(tmp_path, capabilities) as connection:
        params.text_document.uri = connection.open("kernels.py", text)
        await connection.until_shown(params.text_document.uri, 14, "mutated-parameter")
        symbols = await connection.client.text_document_document_symbol_async(params)
        assert symbols is not None
        assert isinstance(symbols[0], types.SymbolInformation)


async def test_quick_fixes_of_findings(tmp_path: Path) -> None:
    text = KERNELS.replace("@triton.jit\ndef clobber", "SIZE = 64\n\n\n@triton.jit\ndef clobber")
    text = text.replace("offsets = tl.arange(0, BLOCK)\n    tl.store", "offsets = tl.arange(0, SIZE)\n    tl.store")
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until(lambda: connection.shown(uri), "diagnostics")
        await connection.until_shown(uri, 18, "non-constexpr-global")
        place = types.Range(types.Position(17, 0), types.Position(17, 80))
        only = [types.CodeActionKind.QuickFix]
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([], only))
        actions = await connection.client.text_document_code_action_async(params)
        edits = [a.edit for a in actions or [] if isinstance(a, types.CodeAction) and a.edit is not None]
        assert edits
        assert edits[0].changes is not None
        assert "constexpr" in "".join(edit.new_text for edit in edits[0].changes[uri])


async def test_a_quick_fix_says_what_a_guess_could_not_know(tmp_path: Path) -> None:
    text = (
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef k(x, out, N: tl.constexpr, M: tl.constexpr):\n"
        "    tl.static_assert(N == M * 3 + 7)\n    tl.static_assert(N * M == 248)\n"
        "    o = tl.arange(0, M)\n    tl.store(out + o, tl.load(x + o))\n"
    )
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until_shown(uri, 8, "not-analyzed", "Needed: the value of `N`, `M`")
        place = types.Range(types.Position(7, 4), types.Position(7, 4))
        only = [types.CodeActionKind.QuickFix]
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([], only))
        actions = await connection.client.text_document_code_action_async(params)
        action = next(a for a in actions or [] if a.title == "Say what `N` and `M` are, in a comment")
        assert isinstance(action, types.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        (edit,) = action.edit.changes[uri]
        assert isinstance(edit, types.TextEdit)
        connection.change(uri, types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text))
        # As written it is what was guessed, and the error follows from it; then the author corrects it.
        await connection.until_shown(uri, 9, "compile-error", "`N = 199, M = 64`")
        numbers = types.Range(types.Position(4, len("# triton-ls: ")), types.Position(4, len(edit.new_text) - 1))
        connection.change(uri, types.TextDocumentContentChangePartial(range=numbers, text="N = 31, M = 8"))
        await connection.until_shown(uri, 7, "mutated-parameter")
        assert not {"compile-error", "not-analyzed"} & {code for _, code, _ in connection.shown(uri)}


async def test_the_first_facts_are_shown_while_other_values_are_compiled(tmp_path: Path) -> None:
    body = "".join(f"    x = x * {n}.0 + tl.where(x > {n}, tl.exp(x), tl.sum(x, 0))\n" for n in range(400))
    kinds = "".join(f"    if KIND == {n}:\n        tl.store({name}_ptr, n)\n" for n, name in enumerate("abcd"))
    text = (
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def k(x_ptr, out_ptr, a_ptr, b_ptr, c_ptr, d_ptr, n, KIND: tl.constexpr):\n"
        f"    o = tl.arange(0, 64)\n    x = tl.load(x_ptr + o)\n{body}{kinds}    tl.store(out_ptr + o, x)\n"
    )
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", text)
        hovers: list[str] = []
        for _ in range(20_000):
            shown = connection.shown(uri)
            if len(shown) == 5:
                break
            # Nothing that could change is a finding: all come at once.
            assert shown == []
            hover = await connection.hover_on(uri, text, r"(b_ptr), c_ptr", 1)
            if hover is not None and hover not in hovers:
                hovers.append(hover)
        assert len(connection.shown(uri)) == 5
    assert any("still being compiled" in hover for hover in hovers), hovers


async def test_symbols_and_lenses_of_a_file_that_nothing_is_known_of_yet(tmp_path: Path) -> None:
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.code_lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    tuned = "@triton.autotune(\n    configs=[],\n    key=[],\n)\n@triton.jit\ndef clobber"
    text = KERNELS.replace("@triton.jit\ndef clobber", tuned)
    text = text.replace("def launch", "@triton.jit\ndef twice(x):\n    return x * 2\n\n\ndef launch")
    refreshed: list[None] = []
    async with connect(tmp_path, capabilities, settings={"interpreter": "/nowhere"}) as connection:
        connection.client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda params: refreshed.append(params))
        uri = connection.open("kernels.py", text)
        document = types.TextDocumentIdentifier(uri)
        symbols = await connection.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        roles = [(s.name, s.detail) for s in symbols or [] if isinstance(s, types.DocumentSymbol)]
        assert roles == [("copy_kernel", "kernel"), ("clobber_kernel", "kernel"), ("twice", "helper")]
        lenses = await connection.client.text_document_code_lens_async(types.CodeLensParams(document))
        assert [lens.range.start.line for lens in lenses or []] == [4, 12], "above the decorators"
        await connection.until(lambda: refreshed, "a refresh once roles are known")
