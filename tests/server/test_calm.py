"""What stays as it is shown, unmarked, when something else of the file is edited in one go; and what is marked, each
time. The sessions of ``tests/faults/hand`` found these."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from connection import KERNELS, Connection, connect
from lsprotocol import types

from kernel_analysis.report import Finding, KernelReport, SignatureReport, ValueReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls import convert, outline
from triton_ls.client import Client
from triton_ls.error_delay import QUIET, REST, ErrorDelay
from triton_ls.file_facts import REMARK, Earlier, FileFacts, place
from triton_ls.handlers.did_change import lines_of
from triton_ls.hints import hints
from triton_ls.views import DocumentViews

FILE = "/kernels.py"


def replaced(line: int, character: int, length: int, text: str) -> types.TextDocumentContentChangePartial:
    start, end = types.Position(line, character), types.Position(line, character + length)
    return types.TextDocumentContentChangePartial(range=types.Range(start, end), text=text)


def change(connection: Connection, uri: str, changes: list[types.TextDocumentContentChangeEvent]) -> None:
    connection.versions[uri] += 1
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=connection.versions[uri])
    connection.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))


@pytest.mark.slow("a server and its agents are started")
async def test_what_stands_between_two_places_that_are_edited_at_once(tmp_path: Path) -> None:
    """Many cursors, a name that is renamed, a formatter: all of it is one message."""
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        last = KERNELS.count("\n") - 1
        change(connection, uri, [replaced(last, 4, 0, "  "), replaced(1, 0, 0, "# two\n# lines\n")])
        # The answer is of before the compiler could look.
        said = await connection.hover(uri, 15, 19)
    assert said is not None
    assert "**written**" in said
    assert "before the last edits" not in said


@pytest.mark.slow("a server and its agents are started")
async def test_other_line_ends_leave_every_line_as_it_is(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        for text in (KERNELS.replace("\n", "\r\n"), KERNELS.replace("\n", "\r"), KERNELS):
            connection.replace(uri, text)
            said = await connection.hover(uri, 13, 19)
            assert said is not None
            assert "**written**" in said
            assert "before the last edits" not in said


def test_advice_is_given_once_a_file_and_each_mark_kept() -> None:
    """Whether an error is shown later changes no other: the first has the advice, shown or not."""
    found = tuple([Finding("code", "error", f"{n}\nadvice{REMARK}", Span(FILE, n, 1, n, 2)) for n in (1, 2, 3)])
    facts = FileFacts(FILE, "1\n2\n3\n", findings=found)
    given = convert.findings(facts, False)
    assert [finding.message for finding in given] == [f"1\nadvice{REMARK}", f"2{REMARK}", f"3{REMARK}"]
    later = convert.diagnostics(given[1:], facts, Client(), lambda _: ())
    assert [item.message for item in later] == [f"2{REMARK}", f"3{REMARK}"]


def test_an_error_that_names_its_line_is_no_new_one_when_it_moves() -> None:
    """A syntax error says where it was found: it stays where somebody types above it."""
    delay = ErrorDelay()

    def shown(line: int, said: int, now: float) -> list[Finding]:
        found = Finding("syntax-error", "error", f"unterminated string literal (detected at line {said})\nadvice",
                        Span(FILE, line, 1, line, 2))  # fmt: skip
        return delay.shown(FILE, [found], now)[0]

    assert shown(9, 9, 10.0)
    for key in range(4):
        delay.edited(FILE, key + 1, key + 1, 1, 20.0 + key / 10)
        assert shown(10 + key, 10 + key, 20.05 + key / 10), "it was there all the time"


def test_what_is_remembered_of_an_error_that_was_not_shown_is_not_shown() -> None:
    """It was found in a text of some keys ago, while somebody typed: what is shown now would be no news."""
    delay = ErrorDelay()
    now, before = (
        Finding("compile-error", "error", f"`x` is not defined{m}", Span(FILE, 5, 1, 5, 2)) for m in ("", REMARK)
    )
    for key in range(4):
        delay.edited(FILE, 2, 2, 0, 10.0 + key / 10)
    assert delay.shown(FILE, [before], 10.31) == ([], 0.0)
    assert delay.shown(FILE, [before], 20.0) == ([], 0.0)
    assert delay.shown(FILE, [now], 20.0) == ([now], 0.0)
    delay.edited(FILE, 2, 2, 0, 30.0)
    assert delay.shown(FILE, [before], 30.01) == ([before], 0.0), "it was there all the time"


def error(line: int, message: str = "`x` is not defined", code: str = "compile-error", file: str = FILE) -> Finding:
    return Finding(code, "error", message, Span(file, line, 1, line, 2))


@pytest.mark.parametrize(
    ("line", "code", "after"),
    [
        (20, "compile-error", QUIET),  # under the cursor
        (20, "syntax-error", QUIET),
        (22, "syntax-error", QUIET),  # where Python lost the thread
        (19, "compile-error", 0.0),  # the line that was left with the last key
        (18, "compile-error", QUIET),  # one before it
        (5, "compile-error", REST),
        (30, "not-analyzed", REST),
    ],
)
def test_what_a_line_that_is_typed_makes_of_others_waits_for_rest(line: int, code: str, after: float) -> None:
    """However slowly somebody types."""
    delay = ErrorDelay()
    for key, at in enumerate((18, 19, 20)):
        delay.edited(FILE, at - 1, at, 1, 10.0 + key * (REST - 0.1))
    last, found = 10.0 + 2 * (REST - 0.1), error(line, code=code)
    if after:
        shown, wait = delay.shown(FILE, [found], last + after - 0.05)
        assert (shown, round(wait, 6)) == ([], 0.05)
    assert delay.shown(FILE, [found], last + after) == ([found], 0.0)
    delay.edited(FILE, 20, 20, 0, last + 2.0)
    assert delay.shown(FILE, [found], last + 2.0)[0] == [found], "it stays until it is another"


@pytest.mark.parametrize(
    ("start", "end", "text", "lines"),
    [
        ((4, 7), (4, 7), "x", (5, 5)),
        ((4, 7), (4, 7), "\n    ", (5, 6)),
        ((4, 0), (5, 0), "    x = n\n", (5, 5)),  # one line for one
        ((4, 0), (6, 0), "    x\n    y\n    z\n", (5, 7)),
        ((4, 0), (5, 0), "", (5, 5)),
        ((4, 0), (4, 0), "\n", (5, 6)),  # above the line
        ((4, 9), (5, 0), "\n", (5, 6)),
    ],
)
def test_who_types_in_a_line_that_is_put_in_the_place_of_it_has_not_left_it(
    start: tuple[int, int], end: tuple[int, int], text: str, lines: tuple[int, int]
) -> None:
    """Some editors say whole lines, whatever was typed: what is wrong on it waits as it does with others."""
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(*start), types.Position(*end)), text=text
    )
    assert lines_of(change) == lines
    delay = ErrorDelay()
    delay.edited(FILE, 5, 5, 0, 10.0)
    delay.edited(FILE, *lines, lines[1] - lines[0], 10.1)
    assert (delay.shown(FILE, [error(5)], 10.2)[0] == []) is (lines[1] == 5)


def test_what_is_shown_next_is_asked_for_in_time() -> None:
    delay, near, far = ErrorDelay(), error(20, "near"), error(5, "far")
    delay.edited(FILE, 20, 20, 0, 10.0)
    assert delay.shown(FILE, [near, far], 10.0)[0] == []
    shown, wait = delay.shown(FILE, [near, far], 10.0 + QUIET)
    assert (shown, round(wait, 6)) == ([near], round(REST - QUIET, 6))
    assert delay.shown(FILE, [near, far], 10.0 + REST) == ([near, far], 0.0)


def test_the_lines_that_were_typed_move_with_what_is_typed_above_and_go_with_it() -> None:
    for first, cursor, added, moved in ((3, 5, 2, 22), (3, 3, -2, 18), (19, 19, -1, None), (20, 22, 2, 20)):
        delay = ErrorDelay()
        delay.edited(FILE, 20, 20, 0, 10.0)
        delay.edited(FILE, first, cursor, added, 10.2)
        shown = [n for n in range(1, 40) if delay.shown(FILE, [error(n, f"{n}")], 10.2 + QUIET)[0]]
        assert {*shown} == {*range(first, cursor + 1), *([moved] if moved else [])}


def test_after_rest_no_line_was_left() -> None:
    delay = ErrorDelay()
    delay.edited(FILE, 20, 20, 0, 10.0)
    delay.edited(FILE, 5, 5, 0, 10.0 + REST)
    assert delay.shown(FILE, [error(20)], 10.1 + REST)[0] == []
    assert delay.shown(FILE, [error(20)], 10.1 + REST + QUIET)[0] == []


def test_what_is_typed_in_one_file_makes_errors_of_another_wait_for_rest() -> None:
    delay, other = ErrorDelay(), "/other.py"
    known, new = error(3, "known", file=other), error(4, "new", file=other)
    assert delay.shown(other, [known], 5.0) == ([known], 0.0)
    delay.edited(FILE, 20, 20, 0, 10.0)
    assert delay.shown(other, [known, new], 10.5) == ([known], 1.0)
    assert delay.shown(other, [known, new], 10.0 + REST) == ([known, new], 0.0)
    # One that was opened since is looked at now.
    delay.edited(FILE, 20, 20, 0, 20.0)
    assert delay.shown("/opened.py", [error(3, file="/opened.py")], 20.1)[1] == 0.0


def test_whoever_saves_sees_all() -> None:
    delay = ErrorDelay()
    delay.edited(FILE, 20, 20, 0, 10.0)
    assert delay.shown(FILE, [error(20), error(5)], 10.1)[0] == []
    delay.saved()
    assert delay.shown(FILE, [error(20), error(5)], 10.1)[0] == [error(20), error(5)]


def test_the_same_finding_of_two_functions_is_shown_once_as_it_is_now() -> None:
    at = Span(FILE, 1, 1, 1, 2)
    old, new = Finding("code", "error", f"wrong{REMARK}", at), Finding("code", "error", "wrong", at)
    for found in ((old, new), (new, old)):
        assert convert.findings(FileFacts(FILE, "1\n", findings=found), False) == [new]


def of_helper(kind: str, type_: str) -> KernelReport:
    signature = SignatureReport({"x": type_}, {}, {"x": (kind, "why", kind == "call")}, 0.0, 0.0, cached=False)
    at = Span(FILE, 1, 1, 2, 5)
    return KernelReport("key", FILE, "helper", "helper", "helper", "analyzed", at, at, [signature])


def test_only_what_its_callers_pass_is_kept_of_a_helper_whose_callers_are_lost() -> None:
    """A guess is worth no more than the next one."""
    at = Span(FILE, 3, 1, 4, 5)
    lost = Entry("kernel key", "kernel", "kernel", "kernel", at, at, stale=True)
    for first, second, remembered in (
        ("call", "assumed", True),
        ("assumed", "assumed", False),
        ("assumed", "call", False),
        ("call", "call", False),
    ):
        before, now = of_helper(first, "i32[64]"), of_helper(second, "i32[32]")
        facts = FileFacts(FILE, "def helper\n  x\ndef kernel\n  x\n", (lost,)).reported(before)
        facts = replace(facts, earlier=frozenset({"helper"})).reported(now)
        kept = {} if not remembered else {"helper": Earlier(before)}
        assert (facts.before, facts.reports) == (kept, {} if remembered else {place(now.name_span): now})


def test_what_is_kept_of_a_helper_is_of_none_of_two_with_its_name() -> None:
    """One was pasted below the other: what is kept by name would be shown of both."""
    at = Span(FILE, 3, 1, 4, 5)
    lost = Entry("kernel key", "kernel", "kernel", "kernel", at, at, stale=True)
    before, now = of_helper("call", "i32[64]"), of_helper("assumed", "i32[32]")
    twice = tuple(Entry("key", "helper", "helper", "helper", span, span) for span in (now.span, Span(FILE, 5, 1, 6, 5)))
    text = "def helper\n  x\ndef kernel\n  x\ndef helper\n  x\n"
    facts = FileFacts(FILE, text, (*twice, lost), reports={place(before.name_span): before})
    facts = replace(facts, earlier=frozenset({"helper"})).reported(now)
    assert facts.known(twice[0]) == (now, False)
    assert facts.known(twice[1]) is None


CYCLE = """\
import triton
import triton.language as tl


@triton.jit
def endless(n):
    return n * endless(n - 1)


@triton.jit
def leads_in(n_ptr, out_ptr):
    tl.store(out_ptr, endless(tl.load(n_ptr)))
"""


@pytest.mark.slow("a server and its agents are started")
async def test_an_error_that_two_functions_lead_to_stays_when_one_is_edited(tmp_path: Path) -> None:
    """Whichever said it first: the function that is typed in is looked at before all others."""
    async with connect(tmp_path) as connection:
        seen: list[list[tuple[int, str, str]]] = []
        uri = connection.open("kernels.py", CYCLE)
        await connection.until_shown(uri, 7, "recursion")
        line = CYCLE.count("\n")
        for number, key in enumerate("    x = n_ptr\n"):
            connection.insert(uri, line, number, key)
            await asyncio.sleep(0.05)
            seen.append(connection.shown(uri))
    assert all([item[:2] for item in shown].count((7, "recursion")) == 1 for shown in seen), seen


HELPER = """\
import triton
import triton.language as tl


@triton.jit
def put(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def put_twice(out_ptr, value):
    put(out_ptr, value)
    put(out_ptr + 1, value)


@triton.jit
def kernel(other_ptr, out_ptr):
    put_twice(out_ptr, 1)
    tl.store(other_ptr, 2)


@triton.jit
def alone(out_ptr):
    tl.store(out_ptr, 3)
"""


@pytest.mark.slow("a server and its agents are started")
async def test_a_kernel_is_no_more_what_it_was_than_its_helpers_are(tmp_path: Path) -> None:
    """From the key on, before the compiler could look; and again what it was, unmarked, when that has seen no more
    than a comment."""
    async with connect(tmp_path, settings={"debounce": 2000}) as connection:
        uri = connection.open("kernels.py", HELPER)

        async def marked(name: str) -> bool | None:
            said = await connection.hover_on(uri, text, rf"def {name}\(.*(out_ptr)", 1)
            return None if said is None or "**written**" not in said else "before the last edits" in said

        text, every = HELPER, ("put_twice", "kernel", "alone")
        while [await marked(name) for name in every] != [False, False, False]:
            await asyncio.sleep(0.05)
        for typed in ("\n    # so it is", "\n    tl.store(out_ptr + 5, value)"):
            text = text.replace("tl.store(out_ptr, value)", f"tl.store(out_ptr, value){typed}")
            connection.replace(uri, text)
            assert [await marked(name) for name in every] == [True, True, False]
            while [await marked(name) for name in every] != [False, False, False]:
                await asyncio.sleep(0.05)


def test_a_kernel_is_listed_with_the_key_that_ends_its_decorator() -> None:
    """Nobody waits for an agent to say so: the lens and the symbol were there before the decorator was typed again."""
    kernels = KERNELS.replace("\r\n", "\n")
    typed = kernels.replace("@triton.jit", "@triton.ji", 1)
    whole = {entry.qualname: entry.role for entry in outline.entries(FILE, kernels)}
    lost = next(name for name in whole if name not in {e.qualname for e in outline.entries(FILE, typed)})
    left = tuple(entry for entry in outline.entries(FILE, typed))
    views, facts = DocumentViews(), FileFacts(FILE, typed, left)
    view = views.of(FILE, kernels, facts, [kernels])
    assert {entry.qualname: entry.role for entry in view.kernels} == whole
    assert lost not in {entry.qualname for entry in views.of(FILE, typed + "\n", facts, [typed + "\n"]).kernels}


def test_a_kernel_is_listed_with_the_key_that_takes_its_decorator_out_of_a_comment() -> None:
    kernels = KERNELS.replace("\r\n", "\n")
    typed = kernels.replace("@triton.jit", "# so @triton.jit", 1)
    facts = FileFacts(FILE, typed, outline.entries(FILE, typed))
    whole = [entry.qualname for entry in outline.entries(FILE, kernels)]
    assert [entry.qualname for entry in facts.kernels] == whole[1:]
    text = typed.replace("# so @", "# so\n@")
    assert [entry.qualname for entry in DocumentViews().of(FILE, text, facts, [text]).kernels] == whole


def test_a_kernel_is_listed_under_each_of_its_names_while_it_is_renamed() -> None:
    kernels = KERNELS + "\n\nSAID = '''\n@triton.jit\ndef in_a_string(x):\n    pass\n'''\n"
    known = tuple(e for e in outline.entries(FILE, kernels) if e.name != "in_a_string")
    facts = FileFacts(FILE, kernels, known)
    typed = kernels.replace("def copy_kernel", "def copy_kernel_")
    listed = [entry.name for entry in DocumentViews().of(FILE, typed, facts, [typed]).kernels]
    assert listed == ["copy_kernel_", "clobber_kernel"]
    # It keeps the place of the others, and none comes that the agent did not take for one.
    gone = kernels.replace("@triton.jit\ndef clobber_kernel", "def clobber_kernel")
    assert [entry.name for entry in DocumentViews().of(FILE, gone, facts, [gone]).kernels] == ["copy_kernel"]


def test_functions_that_are_edited_at_once_stay_apart() -> None:
    """A name that is put back where it is defined and in what uses it: one edit from the one to the other."""
    outer = "def outer(x):\n    def inner(y):\n        pass\n    pass\n\n\n"
    spans = {"outer": (22, 25), "inner": (23, 24)}
    kernels = KERNELS + outer
    places = {
        name: (Span(FILE, first, 1, last, 9), Span(FILE, first, 9 if name == "inner" else 5, first, 14))
        for name, (first, last) in spans.items()
    }
    nested = [Entry(name, name, name, "helper", *places[name]) for name in spans]
    facts = FileFacts(FILE, kernels, (*outline.entries(FILE, kernels), *nested))
    typed = "\n".join(f"{line}  # so" if line.strip() else line for line in kernels.split("\n"))
    entries = facts.moved_through([typed]).kernels
    lines = [(entry.name, entry.span.line, entry.span.end_line) for entry in entries]
    before = {entry.name: entry for entry in facts.kernels}
    assert [name for name, _, _ in lines] == ["copy_kernel", "clobber_kernel", "outer", "inner"]
    assert all(first == before[name].span.line for name, first, _ in lines)
    ends = {name: last for name, _, last in lines}
    assert ends["copy_kernel"] < before["clobber_kernel"].span.line
    assert ends["clobber_kernel"] < before["outer"].span.line
    assert ends["inner"] <= ends["outer"]


def test_types_of_before_stay_until_all_signatures_are_compiled() -> None:
    """The first of several has one type where the next has another: none of it is shown, and nothing goes for it."""
    span, name, value = Span(FILE, 1, 1, 2, 10), Span(FILE, 1, 5, 1, 11), Span(FILE, 2, 5, 2, 6)
    signature = SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)
    entry = Entry("now", "kernel", "kernel", "kernel", span, name)
    blank = KernelReport("now", FILE, "kernel", "kernel", "kernel", "partial", span, name, [signature])

    def of(*types: str) -> KernelReport:
        return replace(blank, values=[ValueReport("x", " | ".join(types), value)])

    def labels(facts: FileFacts) -> list[str]:
        return [hint.label for hint in hints(facts, 1, 2, True, True, lambda report: report.values)]

    facts = FileFacts(FILE, "def kernel(p):\n    x = 1\n", (entry,), before={"kernel": Earlier(of("fp32[64]"))})
    assert labels(facts) == ["~ fp32[64]"]
    early = facts.told_early(blank)
    assert labels(early) == ["~ fp32[64]"]
    assert labels(early.moved_through([facts.text.replace("1", "2")])) == []
    assert labels(early.moved_through([facts.text + "    y = 1\n"])) == ["~ fp32[64]"]
    assert labels(early.reported(of("fp32[64]", "fp16[64]"))) == [": fp32[64] | fp16[64]"]
    assert labels(replace(facts, before={}).told_early(blank)) == []
