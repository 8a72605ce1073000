"""Prints, as JSON, what the server says of a kernel and of a run that try to get markup shown: for the tests of what
VS Code makes of it, and for our own."""

from __future__ import annotations

import json

from kernel_analysis.report import KernelReport, ParameterReport, ProblemReport, SignatureReport, SiteReport
from kernel_analysis.run_wire import RunResult
from kernel_analysis.span import Span
from triton_ls import describe
from triton_ls.runs import run_report

HOSTILE = [
    "[click](command:workbench.action.quit)",
    "![seen](https://example.com/beacon.png)",
    "<img src=x onerror=alert(1)>",
    "<a href='command:x'>y</a>",
    "</code></pre><script>alert(1)</script>",
    "[a]: https://example.com 'x'",
    "<https://example.com>",
    "https://example.com www.example.com WWW.example.com me@example.com ftp://example.com",
    "`` ` `` <b>not bold</b>",
    "\\<b>x</b> \\[a](command:x)",
    "\\",
    "a | b | <i>c</i>",
    "x` [click](command:y) `y",
    "```<u>z</u>",
    "&lt;b&gt; &#60;b&#62;",
    "*fp32 and *fp16, __init__, ~~no~~, $x$",
    "$$\\href{javascript:alert(1)}{x}$$",
]
BLOCKS = [
    "\n\n# Heading\n\n<div>",
    "\n```\n<b>out</b>\n```\n",
    "\n\n[a]: https://example.com\n\n[a]",
    "\n- item\n- [ ] task",
]


def kernel(text: str) -> KernelReport:
    """With the text everywhere where a kernel's own words may come to stand."""
    span = Span("/tmp/kernels.py", 1, 1, 1, 2)
    elsewhere = Span(f"/tmp/{text.replace('/', '')}.py", 1, 1, 1, 2)
    site = SiteReport(elsewhere, op=text, masked=False, condition=text)
    parameter = ParameterReport(
        "x_ptr", "*fp32", span, "unknown", "yes", "no", "no", text, elsewhere, write_sites=[site]
    )
    first = SignatureReport(
        {"x_ptr": text, "N": "constexpr"}, {"N": text}, {"x_ptr": ("kind", text, False)}, 1, 1, False
    )
    other = SignatureReport({"x_ptr": "*fp32", "N": "constexpr"}, {"N": text + "2"}, {}, 1, 1, False)
    return KernelReport(
        "key", span.file, "kernel", "kernel", "kernel", "partial", span, span, [first, other], [parameter],
        problems=[ProblemReport("compile-error", text, elsewhere, hint=text)],
    )  # fmt: skip


def run(text: str) -> RunResult:
    """The result of a run with the text everywhere."""
    return {
        "kernel": text, "label": text,
        "device": {"kind": "cuda", "name": text, "target": text, "triton": text, "torch": text, "python": text,
                   "pair": text},
        "grid": [1, 1, 1], "warnings": [text], "assumed": [text], "time_ms": None, "percent_of_copy": None,
        "arguments": [{"name": "x", "kind": "scalar", "value": text}],
        "configs": [{"constants": {"N": text}, "options": {}, "error": text}], "winner": 0,
        "checks": [{"name": "x", "verdict": "unknown", "reason": text, "claimed": {"read": "yes", "written": "no"},
                    "observed": {"read": True, "written": False}}],
        "outputs": [{"name": "x", "written": 1, "size": 1, "first": [text]}],
    }  # fmt: skip


def documents() -> dict[str, str]:
    """All Markdown that is made of each."""
    found: dict[str, str] = {}
    for text in [*HOSTILE, *BLOCKS]:
        shown = kernel(text)
        found[f"hover of a kernel: {text}"] = describe.kernel(shown)
        found[f"hover of a parameter: {text}"] = describe.parameter(shown, shown.parameters[0])
        found[f"hint: {text}"] = describe.writes(shown, shown.parameters[0])
        found[f"run: {text}"] = run_report.markdown(run(text))
    return found


if __name__ == "__main__":
    print(json.dumps({"hostile": HOSTILE, "markdown": documents()}))
