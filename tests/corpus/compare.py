"""Compares what a block claims with what the agent reports, one to one, and says every difference in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpus.expected import FACTS, Expected, Finding, Function, Site

_FLAG_FIELDS = {"masks": ("masked", "masked_only"), "uniform": ("uniform", "uniform_write")}
_SITES = {
    "read": "read_sites",
    "written": "write_sites",
    "table_read": "table_read_sites",
    "table_written": "table_write_sites",
}


def _sites(report: dict[str, Any], file: str) -> dict[Site, str | None]:
    """Each with its condition."""
    found: dict[Site, str | None] = {}
    for parameter in report["parameters"]:
        for fact, key in _SITES.items():
            for site in parameter[key]:
                path = site["path"]
                span = path[0]["span"] if path else site["span"]
                line = span["line"] if span["file"] == file else 0
                found[fact, parameter["name"], line, tuple(step["function"] for step in path)] = site["condition"]
    return found


def _order(report: dict[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"read-first": set(), "write-first": set()}
    for parameter in report["parameters"]:
        if parameter["first"]:
            found[f"{parameter['first']}-first"].add(parameter["name"])
    return found


def _function(function: Function, report: dict[str, Any], checks: frozenset[str]) -> Iterator[str]:
    who = f"line {function.line}: {function.name}"
    if report["status"] != function.status:
        reasons = "; ".join(problem["message"] for problem in report["problems"])
        yield f"{who} is {report['status']}, not {function.status} ({reasons or 'no problem is given'})"
        if report["status"] == "failed":
            return  # everything is unknown then
    names = [parameter["name"] for parameter in report["parameters"]]
    if function.status == "failed":
        for parameter in report["parameters"]:
            decided = [fact for fact in FACTS if parameter["type"] != "constexpr" and parameter[fact] != "unknown"]
            if decided:
                yield f"{who}: {', '.join(decided)} of {parameter['name']} is said, and nothing was compiled"
    else:
        for name, _ in function.facts:
            if name not in names:
                yield f"{who} reports no parameter {name} (only {', '.join(names)})"
        for parameter in report["parameters"]:
            for fact in FACTS:
                want, got = function.verdict(parameter["name"], fact), parameter[fact]
                if want != got:
                    reason = f" ({parameter['reason']})" if got == "unknown" else ""
                    yield f"{who}: {parameter['name']} {fact} is {got}{reason}, not {want}"
            if "unknown" in (parameter["read"], parameter["written"]) and not (
                parameter["reason"] and parameter["reason_span"]
            ):
                yield f"{who}: {parameter['name']} is unknown without a reason and a place"
    recursion = tuple((report["recursion"] or {"cycle": ()})["cycle"])
    if recursion not in _turns(function.recursion[:-1]):
        yield f"{who}: recursion is {' -> '.join(recursion) or None}, not {' -> '.join(function.recursion) or None}"
    yield from _details(who, function, report, checks)


def _turns(cycle: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A cycle has no first: all ways to write it down."""
    return [cycle[start:] + cycle[:start] for start in range(max(1, len(cycle)))]


def _details(who: str, function: Function, report: dict[str, Any], checks: frozenset[str]) -> Iterator[str]:
    facts_with_sites = {(fact, name) for fact, name, _, _ in function.sites}
    sites = _sites(report, report["file"])
    reported = {site for site in sites if (site[0], site[1]) in facts_with_sites}
    for fact, name, line, via in sorted(function.sites - reported):
        yield f"{who}: {name} should be {fact} at line {line}{f' via {via}' if via else ''} and isn't"
    for fact, name, line, via in sorted(reported - function.sites):
        yield f"{who}: {name} is {fact} at line {line}{f' via {via}' if via else ''}, which isn't expected"
    for site in sorted(function.sites & reported):
        if "conditions" in checks and function.conditions[site] != sites[site]:
            want, got = function.conditions[site], sites[site]
            yield f"{who}: {site[1]} is {site[0]} at line {site[2]} when {got}, not when {want}"
    for check, (flag, key) in _FLAG_FIELDS.items():
        if check in checks:
            got = {parameter["name"] for parameter in report["parameters"] if parameter[key]}
            if got != function.flags.get(flag, set()):
                yield f"{who}: {flag} is {sorted(got)}, not {sorted(function.flags.get(flag, set()))}"
    if "order" in checks:
        for flag, got in _order(report).items():
            if got != function.flags.get(flag, set()):
                yield f"{who}: {flag} is {sorted(got)}, not {sorted(function.flags.get(flag, set()))}"
    values = {(value["span"]["line"], value["name"]): value["type"] for value in report["values"]}
    for line, name, want in function.values:
        got = values.pop((line, name), None)
        if got != want:
            yield f"{who}: {name} at line {line} is {got}, not {want}"
    if "values" in checks:
        for (line, name), got in values.items():
            if line > function.head_end:
                yield f"{who}: {name} at line {line} is {got}, which isn't expected"


def _mutations(expected: Expected, reports: dict[tuple[str, int], dict[str, Any]]) -> list[Finding]:
    """The ``mutated-parameter`` findings that follow from the claims, so that no page has to repeat them."""
    findings: list[Finding] = []
    for function in expected.functions:
        report = reports.get((function.name, function.line))
        for parameter in report["parameters"] if report and function.status != "failed" else ():
            name = parameter["name"]
            line = parameter["span"]["line"]
            if function.verdict(name, "table_written") == "yes":
                findings.append(Finding(line, "mutated-parameter", "hint", f"in `{name}` point to is mutated"))
            if function.verdict(name, "written") == "yes" and name not in function.flags.get("silent", set()):
                severity = "warning" if name in function.flags.get("warns", set()) else "hint"
                findings.append(Finding(line, "mutated-parameter", severity, f"`{name}` is mutated"))
    return findings


def _findings(want: list[Finding], got: list[dict[str, Any]]) -> Iterator[str]:
    # Every function that leads to a place may say the same of it; a reader is shown it once.
    left = [finding for index, finding in enumerate(got) if finding not in got[:index]]
    for finding in want:
        for other in left:
            if (
                other["code"] == finding.code
                and other["span"]["line"] == finding.line
                and finding.severity in (None, other["severity"])
                and finding.message in other["message"]
            ):
                left.remove(other)
                break
        else:
            yield f"line {finding.line}: no [{finding.code} {finding.severity or 'any'}] with {finding.message!r}"
    for other in left:
        place, severity = other["span"], other["severity"]
        yield f"line {place['line']}: unexpected [{other['code']} {severity}] {other['message']}"


def differences(
    expected: Expected, reports: list[dict[str, Any]], findings: list[dict[str, Any]], checks: frozenset[str]
) -> list[str]:
    """Every difference between the claims of a file and the reports and findings about it."""
    by_place = {(report["name"], report["name_span"]["line"]): report for report in reports}
    problems: list[str] = []
    for function in expected.functions:
        report = by_place.get((function.name, function.line))
        if report is None:
            problems.append(f"line {function.line}: {function.name} was not reported")
        else:
            problems += _function(function, report, checks)
    wanted = {(function.name, function.line) for function in expected.functions}
    problems += [
        f"line {line}: {name} was reported, but claims nothing" for name, line in by_place if (name, line) not in wanted
    ]
    problems += _findings(expected.findings + _mutations(expected, by_place), findings)
    return problems
