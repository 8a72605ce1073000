"""The result of a run in words: Markdown for editors, text for the terminal. The first line says on what it ran.

It is a ``run_wire.RunResult``, most of whose items depend on where it ran. What a kernel can have put into it, and that
is nearly all, goes through ``markdown.text``: it is shown on a page.
"""

from __future__ import annotations

from kernel_analysis.run_wire import Compared, ConfigRow, Output, Passed, Resources, RunResult, Time
from triton_ls.markdown import cell, code
from triton_ls.markdown import text as sentence

_VERDICTS = {
    "agree": "agrees",
    "contradiction": "CONTRADICTS the analysis",
    "not seen": "not seen in this launch",
    "unknown": "the analysis did not know",
}


def headline(result: RunResult) -> str:
    """Where it ran, before anything else."""
    device = result["device"]
    versions = f"Triton {device['triton']}, PyTorch {device['torch']}, Python {device['python']}"
    if device["kind"] == "interpreter":
        return f"Ran on Triton's interpreter on the CPU, without a GPU: no times are taken ({versions})."
    return f"Ran on {device['name']}, {device['target']} ({versions})."


def summary(result: RunResult) -> str:
    """One line: ``0.42 ms, 81% of copy bandwidth``."""
    wrong = sum(check["verdict"] == "contradiction" for check in result["checks"])
    checks = f"{wrong} claim{'s' * (wrong > 1)} contradicted" if wrong else "as analysed"
    if result["time_ms"] is None:
        where = "interpreter" if result["device"]["kind"] == "interpreter" else "no times"
        return f"{where}, {checks}"
    parts = [f"{milliseconds(result['time_ms']['median'])}"]
    if "tflops" in result:
        parts.append(f"{result['tflops']:.3g} TFLOP/s")
    if (percent := result.get("percent_of_copy")) is not None:
        parts.append(f"{percent:.0f}% of copy bandwidth")
    return ", ".join([*parts, *([checks] if wrong else [])])


def milliseconds(value: float) -> str:
    return f"{value:.3g} ms" if value >= 0.1 else f"{value * 1000:.3g} µs"


def markdown(result: RunResult) -> str:
    """The whole result for people."""
    label = f" ({sentence(result['label'])})" if result["label"] else ""
    lines = [f"# {code(result['kernel'])}{label}: {sentence(summary(result))}", "", sentence(headline(result)), ""]
    lines += [f"**Warning:** {sentence(warning)}" for warning in warnings(result)]
    lines += ["", "## Launch", "", f"grid {sentence(_grid(result))}", ""]
    lines += _table(["parameter", "given"], [[f"`{a['name']}`", _given(a)] for a in result["arguments"]])
    lines += ["", *(f"- Assumed: {sentence(assumed)}." for assumed in result["assumed"])]
    if result["time_ms"] is not None:
        lines += ["", "## Time", "", *(f"- {sentence(line)}" for line in _times(result, result["time_ms"]))]
    if resources := result.get("resources"):
        lines += ["", f"Compiled to {sentence(_resources(resources))}."]
    if configs := result.get("configs"):
        lines += ["", "## Autotune configs", ""]
        winner = result.get("winner")
        lines += _table(["config", "time", ""], [_config(row, i == winner) for i, row in enumerate(configs)])
    lines += ["", "## Claims and what was observed", ""]
    lines += _table(["buffer", "analysis", "observed", ""], [_check(check) for check in result["checks"]])
    if result["outputs"]:
        lines += ["", "## Outputs", ""]
        head = ["buffer", "written", "min", "max", "mean", "NaN", "Inf", "first"]
        lines += _table(head, [_output(output) for output in result["outputs"]])
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def warnings(result: RunResult) -> list[str]:
    """Contradictions first."""
    out: list[str] = []
    for check in result["checks"]:
        if check["verdict"] == "contradiction":
            seen = check["observed"]
            what = "written" if seen["written"] and check["claimed"]["written"] == "no" else "read"
            out.append(f"`{check['name']}` was {what}, and the analysis says that it is not. Please report this.")
    return out + [str(warning) for warning in result["warnings"]]


def text(result: RunResult) -> str:
    """For the terminal."""
    lines = [
        headline(result),
        f"{result['kernel']}{' ' + result['label'] if result['label'] else ''}: {summary(result)}",
    ]
    lines += [f"warning: {warning.replace('`', '')}" for warning in warnings(result)]
    lines += ["", f"grid {_grid(result)}"]
    width = max((len(a["name"]) for a in result["arguments"]), default=0)
    lines += [f"  {a['name']:<{width}}  {_given(a)}" for a in result["arguments"]]
    lines += [f"assumed: {sentence}" for sentence in result["assumed"]]
    if result["time_ms"] is not None:
        lines += ["", *_times(result, result["time_ms"])]
    if resources := result.get("resources"):
        lines.append(f"compiled to {_resources(resources)}")
    for position, row in enumerate(result.get("configs", [])):
        cells = _config(row, position == result.get("winner"))
        lines.append(f"  {cells[1]:>12}  {cells[0].replace('`', '')}  {cells[2]}".rstrip())
    lines += ["", "claims and what was observed:"]
    lines += ["  " + "  ".join(cell.replace("`", "") for cell in _check(check)).rstrip() for check in result["checks"]]
    for output in result["outputs"]:
        cells = _output(output)
        lines.append(
            f"{cells[0].replace('`', '')}: wrote {cells[1]}; min {cells[2]}, max {cells[3]}, mean {cells[4]}, "
            f"{cells[5]} NaN, {cells[6]} Inf; first {cells[7]}"
        )
    return "\n".join(lines)


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    shown = [[cell(sentence(each)) for each in row] for row in rows]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(f"| {' | '.join(row)} |" for row in shown)]


def _grid(result: RunResult) -> str:
    grid = list(result["grid"])
    while len(grid) > 1 and grid[-1] == 1:
        grid.pop()
    return "(" + ", ".join(map(str, grid)) + ("," if len(grid) == 1 else "") + ")"


def _given(argument: Passed) -> str:
    if "items" in argument:
        return "(" + ", ".join(_given(item) for item in argument["items"]) + ")"
    if argument["kind"] in ("scalar", "constexpr"):
        return f"{argument.get('value')}" + (" (constexpr)" if argument["kind"] == "constexpr" else "")
    if argument["kind"] == "none":
        return "None"
    if argument["kind"] == "table":
        return f"{argument.get('elements')} addresses of one buffer"
    shape = "x".join(map(str, argument.get("shape", []))) or f"{argument.get('elements')}"
    fill = argument.get("fill", "")
    fills = {
        "poison": "poisoned",
        "randn": "normal random numbers",
        "randint": f"integers {argument.get('low', 0):g} to {argument.get('high', 0):g}",
    }
    before = f", {argument['before']} of them before the pointer" if "before" in argument else ""
    return f"{argument.get('type')}[{shape}]{before}, {fills.get(fill, fill)}"


def _times(result: RunResult, time: Time) -> list[str]:
    lines = [
        f"{milliseconds(time['median'])} median ({milliseconds(time['low'])} to {milliseconds(time['high'])}, 20th to "
        "80th percentile), L2 flushed",
    ]
    moved, rate, percent = result.get("bytes"), result.get("gbps"), result.get("percent_of_copy")
    if moved is None or rate is None or percent is None:
        lines.append("how many bytes it moved is not known: it touches less than its buffers hold")
    else:
        lines.append(
            f"{moved / 1e6:.4g} MB moved at least once: {rate:.4g} GB/s, "
            f"{percent:.0f}% of the copy bandwidth measured here ({result.get('copy_gbps', 0):.4g} GB/s)"
        )
    if "flops" in result and "tflops" in result:
        lines.append(f"{result['flops']:.4g} FLOP in tl.dot: {result['tflops']:.4g} TFLOP/s")
    return lines


def _resources(found: Resources) -> str:
    share = found.get("occupancy")
    occupancy = f", occupancy {share:.0%}" if share is not None else ""
    return (
        f"{found['registers']} registers, {found['spills']} spills, {found['shared_bytes']} bytes of shared memory, "
        f"{found['warps']} warps{occupancy}"
    )


def _config(row: ConfigRow, winner: bool) -> list[str]:
    values = {**row.get("constants", {}), **row.get("options", {})}
    time = milliseconds(row["time_ms"]["median"]) if "time_ms" in row else row.get("error", "")
    return [f"`{', '.join(f'{name}={value}' for name, value in values.items())}`", time, "fastest" if winner else ""]


def _check(check: Compared) -> list[str]:
    claimed, seen = check["claimed"], check["observed"]
    said = {"yes": "{0}", "no": "not {0}", "unknown": "{0}?"}
    analysis = ", ".join(said[claimed[what]].format(what) for what in ("read", "written"))
    reading = [] if seen["read"] is None else ["read" if seen["read"] else "not read"]
    observed = ", ".join([*reading, "written" if seen["written"] else "not written"])
    reason = f": {check['reason']}" if check["verdict"] == "unknown" and check["reason"] else ""
    return [f"`{check['name']}`", analysis, observed, _VERDICTS[check["verdict"]] + reason]


def _output(output: Output) -> list[str]:
    finite = (output.get("min"), output.get("max"), output.get("mean"))
    numbers = ["-" if number is None else f"{number:.6g}" for number in finite]
    first = ", ".join(v if isinstance(v, str) else f"{v:.4g}" for v in output.get("first", []))
    return [
        f"`{output['name']}`", f"{output['written']} of {output['size']}", *numbers, str(output.get("nan", 0)),
        str(output.get("inf", 0)), first,
    ]  # fmt: skip
