"""What a library's function or a tensor's method gives in the host code around a launch: of which kind, where its value
is not known, and why that may be another.

Knows no library itself: ``host/tensors/`` does. Reads syntax only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.text_patterns import may_set
from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument
from kernel_analysis.host.evaluate.values import External, Method, TritonObject, Unknown, Value
from kernel_analysis.host.tensors import gives
from kernel_analysis.signature.launches import other_data, partly_known

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.host import Host

NOWHERE: Final = Unknown("It is not known without running the code.")


def given(host: Host, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """None where it is no library's function, or one of which nothing is known."""
    if isinstance(function, Method) and isinstance(function.receiver, HostArgument):
        return _method(host, function.receiver, function.name, args, keywords)
    if not isinstance(function, (External, TritonObject)):
        return None
    if function.path == "builtins.dict":
        return partly_known.dict_of(args, keywords)
    if function.path in ("torch.finfo", "torch.iinfo"):
        return Method(NOT_KNOWN, function.path)
    made = gives.called(function.path, args, keywords)
    if made is not None and made.kind == "tensor":
        _altered(host)
        default = host.resolver.torch.now().dtype
        if default is not None and "dtype" not in keywords:
            host.resolver.note(f"torch's default dtype may be set by {default}")
    return made


def _method(
    host: Host, receiver: HostArgument, name: str, args: list[Value], keywords: dict[str, Value]
) -> Value | None:
    made = gives.method(receiver, name, args, keywords)
    resolver, at = host.resolver, host.calling
    sure = made.kind == "tensor" and made.sure
    if sure:
        resolver.libraries.taken(External("torch.Tensor"), name, resolver.any_module() if at is None else at.module)
    if at is not None and may_set(at.module.text, name):
        resolver.note(f"a `{name}` is set in the file")
    elif sure and (where := other_data.method_set(resolver, name)):
        resolver.note(f"a `{name}` is set in {where}")
    if receiver.kind == "tensor":
        _altered(host)
    return partly_known.kind_or(made, NOWHERE)


def _altered(host: Host) -> None:
    """Notes where what torch's functions give may be something else."""
    if (by := host.resolver.torch.now().by) is not None:
        host.resolver.note(f"what torch's functions give may be another by {by}")
