"""Lines, positions and facts that move with the text, without any process."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from kernel_analysis.report import (
    CallReport,
    Finding,
    KernelReport,
    ParameterReport,
    SignatureReport,
    SiteReport,
    ValueReport,
)
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry, Index
from triton_ls import describe
from triton_ls.file_facts import FileFacts, place
from triton_ls.moved_lines import Moves
from triton_ls.positions import apply_change, from_position, to_position
from triton_ls.text import split_lines

ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
TEXTS = st.text(alphabet="a\n\r\f\u2028é𠀀 ", max_size=40)
FILE = "/kernels.py"


@given(TEXTS)
def test_lines_are_the_text_and_end_only_where_they_end(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


@given(TEXTS, ENCODINGS, st.integers(0, 50), st.integers(0, 50))
def test_positions_survive_the_round_trip(text: str, encoding: str, line: int, column: int) -> None:
    lines = split_lines(text)
    there = to_position(lines, line % len(lines) + 1, column + 1, encoding)
    at = from_position(lines, there, encoding)
    assert to_position(lines, *at, encoding) == there


@given(TEXTS, TEXTS, ENCODINGS, st.integers(0, 60), st.integers(0, 60))
def test_changes_are_applied_where_the_client_means_them(
    text: str, new: str, encoding: str, one: int, other: int
) -> None:
    start, end = sorted((one % (len(text) + 1), other % (len(text) + 1)))
    lines = split_lines(text)

    def position(offset: int) -> types.Position | None:
        """None within a ``\\r\\n``, where no position points."""
        if text[offset - 1 : offset + 1] == "\r\n":
            return None
        before = split_lines(text[:offset])
        return to_position(lines, len(before), len(before[-1]) + 1, encoding)

    first, last = position(start), position(end)
    if first is not None and last is not None:
        change = types.TextDocumentContentChangePartial(range=types.Range(first, last), text=new)
        assert apply_change(text, change, encoding) == text[:start] + new + text[end:]


def span(line: int, end_line: int) -> Span:
    return Span(FILE, line, 1, end_line, 5)


def facts_of(names: list[str], key: str = "key") -> FileFacts:
    """A file of functions of three lines each."""
    text = "".join(f"def {name}\n  one\n  two\n" for name in names)
    spans = {name: span(3 * number + 1, 3 * number + 3) for number, name in enumerate(names)}
    entries = tuple(Entry(key + name, name, name, "kernel", at, span(at.line, at.line)) for name, at in spans.items())
    reports = {
        place(entry.name_span): KernelReport(
            entry.key, FILE, entry.name, entry.name, "kernel", "analyzed", entry.span, entry.name_span
        )
        for entry in entries
    }
    return FileFacts(FILE, text, entries, reports=reports)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 3)), max_size=4))
def test_what_is_shown_after_edits_stands_on_the_text_that_it_was_computed_from(
    edits: list[tuple[int, int, int]],
) -> None:
    facts = facts_of(["a", "b", "c", "d", "e"])
    texts: list[str] = []
    for line, removed, added in edits:
        lines = list(split_lines(texts[-1] if texts else facts.text))
        lines[line : line + removed] = [f"new {len(texts)}\n"] * added
        texts.append("".join(lines))
    moved = facts.moved_through(texts)
    for report in moved.reports.values():
        shown = moved.lines[report.span.line - 1 : report.span.end_line]
        assert shown == (f"def {report.name}\n", "  one\n", "  two\n")
    listed = {entry.name: moved.lines[entry.name_span.line - 1] for entry in moved.kernels}
    assert listed == {name: f"def {name}\n" for name in listed}
    assert {report.name for report in moved.reports.values()} <= listed.keys()


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 3)), max_size=4))
def test_what_is_remembered_stands_on_lines_that_are_the_same(edits: list[tuple[int, int, int]]) -> None:
    names = ["a", "b", "c", "d", "e"]
    facts = facts_of(names)
    known = {
        at: replace(
            report,
            signatures=[SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)],
            values=[ValueReport(f"{report.name}{line}", "int32", span(line, line)) for line in (at[0] + 1, at[0] + 2)],
        )
        for at, report in facts.reports.items()
    }
    text = "".join(f"def {name}\n  {name}{3 * n + 2}\n  {name}{3 * n + 3}\n" for n, name in enumerate(names))
    facts = replace(facts, text=text, reports=known)
    for number, (line, removed, added) in enumerate(edits):
        lines = list(split_lines(facts.text))
        lines[line : line + removed] = [f"new {number}\n"] * added
        facts = facts.moved_through(["".join(lines)])
    for name, was in facts.before.items():
        assert was.report.name == name
        for value in was.report.values:
            assert facts.lines[value.span.line - 1].strip() == value.name
            assert value.span.line not in was.edited
        assert all(facts.lines[at - 1].startswith("new") for at in was.edited if at <= len(facts.lines))


def test_an_edited_function_is_listed_but_has_no_content_that_is_known() -> None:
    facts = facts_of(["a", "b"])
    moved = facts.moved_through([facts.text.replace("def a\n  one", "def a\n  other")])
    assert [(entry.name, entry.key) for entry in moved.kernels] == [("a", "edited"), ("b", "keyb")]


def test_two_edits_far_apart_leave_what_is_between_them() -> None:
    facts = facts_of(["a", "b", "c"])
    top = "import x\n" + facts.text
    both = top.replace("def c\n  one", "def c\n  other")
    moved = facts.moved_through([top, both])
    assert {(r.name, r.span.line) for r in moved.reports.values()} == {("a", 2), ("b", 5)}


def test_one_edit_of_places_far_apart_leaves_what_is_between_them() -> None:
    """An editor that reads a file again, or takes back what was done at many places, hands one over from the first to
    the last of them."""
    facts = facts_of(["a", "b", "c", "d"])
    text = "import x\n" + facts.text.replace("def b\n  one", "def b\n  other").replace("  two\ndef d", "def d")
    moved = facts.moved_through([text])
    assert {(r.name, r.span.line) for r in moved.reports.values()} == {("a", 2), ("d", 10)}
    assert [entry.name for entry in moved.kernels] == ["a", "b", "c", "d"]


@given(st.lists(st.sampled_from("abcdefgh\n"), max_size=12), st.data())
def test_what_one_edit_leaves_stands_on_the_same_lines(lines: list[str], data: st.DataObject) -> None:
    """However much it is that an editor puts in the place of what: what moved stands on lines that are the same, in
    the same order, and what is taken through them ends where the text does."""
    new = [line for line in lines if data.draw(st.booleans())]
    for _ in range(data.draw(st.integers(0, 3))):
        new.insert(data.draw(st.integers(0, len(new))), data.draw(st.sampled_from("abxyz\n")))
    before, after = (split_lines("".join(f"{line.strip()}\n" for line in text)) for text in (lines, new))
    moves = Moves(FILE, ["".join(before), "".join(after)])
    places = [moves.apply(span(line, line)) for line in range(1, len(before) + 1)]
    now = [(line, at.line) for line, at in enumerate(places, 1) if at is not None]
    assert all(before[line - 1].strip() == after[at - 1].strip() for line, at in now)
    assert [at for _, at in now] == sorted({at for _, at in now})
    assert moves.edited(frozenset()) == {*range(1, len(after) + 1)} - {at for _, at in now}


def test_who_lost_a_parameter_touches_nobody_knows_what() -> None:
    """All that wrote stands on lines that were edited: that nothing is written, does not follow."""
    sites = [SiteReport(span(3, 3), "tt.store", masked=False)]
    written = ParameterReport("out", "*fp32", span(1, 1), "no", "yes", "no", "no", write_sites=sites)
    plain = ParameterReport("n", "i32", span(1, 1), "no", "no", "no", "no")
    made = SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)
    report = replace(facts_of(["a"]).reports[1, 1], parameters=[written, plain], signatures=[made])
    facts = replace(facts_of(["a"]), reports={(1, 1): report})
    before = facts.moved_through([facts.text.replace("two", "three")]).before["a"].report
    assert describe.summary(report) == "writes out"
    assert describe.summary(before) == "what memory it touches is not known"


def test_a_new_index_keeps_reports_of_the_same_content_only() -> None:
    facts = facts_of(["a", "b"])
    text = "import x\n" + facts.text
    moved = facts.moved_through([text]).kernels
    other = Entry("other key", "b", "b", "kernel", moved[1].span, moved[1].name_span)
    renewed = facts.indexed(Index((moved[0], other), ()), [text], 1)
    assert [report.name for report in renewed.reports.values()] == ["a"]
    assert renewed.text == text


def test_what_calls_a_helper_that_was_edited_before_it_had_a_report_is_of_before_that() -> None:
    facts = facts_of(["helper", "calls_it", "alone"])
    at, other, _ = facts.reports  # (their places)
    call = CallReport(span(5, 5), "helper", facts.reports[at].name_span, ())
    reports = {place: report for place, report in facts.reports.items() if place != at}
    signature = SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)
    reports[other] = replace(reports[other], calls=[call], signatures=[signature])
    facts = replace(facts, reports=reports)
    moved = facts.moved_through([facts.text.replace("one", "other", 1)])
    assert set(moved.before) == {"calls_it"}
    assert [report.name for report in moved.reports.values()] == ["alone"]


def test_what_an_agent_corrects_of_one_text_was_not_so_before_an_edit() -> None:
    """A function compiled, and does not any more: with nothing edited in between, an agent has learned more."""
    facts = facts_of(["a", "b"])
    worked = [
        replace(report, signatures=[SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)])
        for report in facts.reports.values()
    ]
    fails = [replace(report, signatures=[]) for report in worked]
    index = Index(facts.kernels, ())
    known = facts.indexed(index, [], 1)
    for report in worked:
        known = known.reported(report)
    asked_again = known.indexed(index, [], 1).reported(fails[0])
    assert asked_again.known(facts.kernels[0]) == (fails[0], False)
    # ``b`` was not heard of yet when a helper in another file was edited.
    edited = asked_again.indexed(index, [], 2).reported(fails[1])
    assert edited.known(facts.kernels[1]) == (worked[1], True)
    # That is remembered however often it is asked again, until it compiles.
    later = edited.indexed(index, [], 2).reported(fails[1])
    assert later.known(facts.kernels[1]) == (worked[1], True)
    assert later.reported(worked[1]).known(facts.kernels[1]) == (worked[1], False)


def test_what_is_known_of_a_function_that_failed_stays_when_it_is_edited_again() -> None:
    """Key by key it compiles, fails and does not parse: what stands on other lines stays through all of it."""
    facts = facts_of(["a"])
    (at, plain), (entry,) = next(iter(facts.reports.items())), facts.kernels
    found, wrong = Finding("unused", "hint", "never", span(1, 1)), Finding("wrong", "error", "so", span(3, 3))
    values = [ValueReport("one", "int32", span(2, 2)), ValueReport("two", "int32", span(3, 3))]
    signature = SignatureReport({}, {}, {}, 0.0, 0.0, cached=False)
    worked = replace(plain, signatures=[signature], findings=[found])
    fails = replace(plain, findings=[wrong], values=values)

    def edited(facts: FileFacts, last: str) -> FileFacts:
        text = facts.text.replace(facts.lines[2], last)
        index = Index((replace(entry, key=last),), ())
        return facts.indexed(index, [text], 1)

    for known in ([worked], [], [worked, fails], [fails]):  # the last report of each text
        facts = facts_of(["a"])
        for number, report in enumerate(known):
            facts = edited(facts, f"  text {number}\n").reported(replace(report, key=f"  text {number}\n"))
        for number in range(3):
            facts = edited(facts, f"  later {number}\n")
            said = [finding.message.partition("\n")[0] for finding in facts.all_findings()]
            assert said == ["never"] * said.count("never")
            assert bool(said) == (worked in known)
            failing = facts.until_it_fails(facts.kernels[0])
            assert (failing is not None) == (fails in known)
            if failing is not None:
                assert ([value.name for value in failing[0].report.values], failing[1]) == (["one"], True)
        again = facts.reported(replace(worked, key=facts.kernels[0].key))
        assert again.until_it_fails(entry) is None
        assert again.known(entry) is not None
    assert at == place(entry.name_span)


def test_a_function_with_another_decorator_is_another() -> None:
    """Its lines are above those of its span: changed, taken away, or more of them."""
    plain = facts_of(["a", "b"])
    text = "@one\n@two(\n  3)\n" + plain.text
    facts = facts_of(["x", "a", "b"]).moved_through([text])
    facts = replace(facts, reports={}, kernels=())
    facts = replace(
        facts,
        kernels=tuple(replace(e, span=span(e.span.line + 3, e.span.end_line + 3),
                              name_span=span(e.name_span.line + 3, e.name_span.line + 3)) for e in plain.kernels),
        reports={(line + 3, column): replace(r, span=span(r.span.line + 3, r.span.end_line + 3),
                                             name_span=span(line + 3, line + 3))
                 for (line, column), r in plain.reports.items()},
    )  # fmt: skip
    for other in (
        "@on\n@two(\n  3)\n",
        "@two(\n  3)\n",
        "@one\n@two(\n  4)\n",
        "@zero\n@one\n@two(\n  3)\n",
        "x@one\n@two(\n  3)\n",
    ):
        moved = facts.moved_through([other + plain.text])
        assert {report.name for report in moved.reports.values()} == {"b"}, other
        assert {entry.name: entry.key for entry in moved.kernels} == {"a": "edited", "b": "keyb"}, other
    moved = facts.moved_through(["# more\n" + text.replace("\n", "\r\n")])
    assert {report.name for report in moved.reports.values()} == {"a", "b"}
    # Without any it is none of ours, though the text may not parse: a decorator may have been that of the next one.
    wrong = Finding("syntax-error", "error", "so", span(1, 1))
    for other in ("", "@one\n@two(\n  3)\ndef new(\n"):
        for known in (facts, facts.moved_through(["@one\n" + plain.text])):
            moved = known.moved_through([other + plain.text])
            broken = known.indexed(Index(moved.kernels[-1:], (wrong,)), [moved.text], 1)
            assert [[entry.name for entry in each.kernels] for each in (moved, broken)] == [["b"]] * 2, other
            assert not moved.before
            assert not moved.awaited
