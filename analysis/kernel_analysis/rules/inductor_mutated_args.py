"""``inductor-mutated-args``: a kernel of PyTorch Inductor writes other parameters than its own header says. Inductor
plans memory by that list. May not guess: an unknown write says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding, ParameterReport, Related
from kernel_analysis.rules.subject import Subject
from kernel_analysis.source.tree.triton_meta import declared

CODE = "inductor-mutated-args"

_OUTPUT = "out_ptr"
# What Inductor leaves out of the list although the kernel writes it: outputs, workspaces that nobody reads afterwards.
_UNLISTED = (_OUTPUT, "ws_ptr", "sem_ptr")


def check(subject: Subject) -> Iterator[Finding]:
    said = declared(subject.slice.functions[0].node)
    if said is None or said.mutated is None:
        return
    # An output is listed when it is a tensor that was there before. As an input the same tensor has a second name,
    # which is listed too.
    aliased = any(name.startswith(_OUTPUT) for name in said.mutated)
    for parameter in subject.report.parameters:
        listed = parameter.name in said.mutated
        if parameter.written == "yes" and not listed and not parameter.name.startswith(_UNLISTED):
            message = (
                f"`{parameter.name}` is written by {subject.noun}, but `mutated_arg_names` doesn't list it, "
                "and by its name it is no output"
            )
            yield Finding(CODE, "warning", message, parameter.span, _written(parameter))
        elif parameter.written == "no" and listed and not aliased:
            message = f"`mutated_arg_names` lists `{parameter.name}`, but {subject.noun} never writes it"
            yield Finding(CODE, "warning", message, parameter.span)


def _written(parameter: ParameterReport) -> tuple[Related, ...]:
    """The first place that writes it."""
    return tuple(Related(site.span, f"written here ({site.op})") for site in parameter.write_sites[:1])
