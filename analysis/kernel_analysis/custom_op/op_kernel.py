"""A kernel as a custom op sees it: which parameters are tensors, which of these it writes, what a schema can say of the
others."""

from __future__ import annotations

from collections.abc import Mapping

from kernel_analysis.custom_op.op_model import OpInput, OpRefused
from kernel_analysis.facts import Facts, ParameterFacts
from kernel_analysis.signature.signature_model import ParameterType, Signature
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import ConstantValue

_TENSOR = "torch.Tensor"


class Kernel:
    """``signatures``: the likeliest first. Raises Refused for what torch can't be told."""

    def __init__(
        self, function: JitFunction, signatures: list[Signature], facts: Facts, module: frozenset[str]
    ) -> None:
        self.function, self.signature = function, signatures[0]
        self.module = module - {parameter.name for parameter in function.parameters}
        self.facts: Mapping[str, ParameterFacts] = {parameter.name: parameter for parameter in facts.parameters}
        self.left_out = {name for config in function.configs for name in config} | function.heuristics.keys()
        self._types = [signature.types for signature in signatures]
        self._values = [signature.constants for signature in signatures]
        for name, kind in self.signature.types.items():
            self._check(name, kind)

    @property
    def names(self) -> list[str]:
        """Of the parameters, in order."""
        return [parameter.name for parameter in self.function.parameters]

    def pointer(self, name: str) -> bool:
        """Whether any signature has a pointer there."""
        return any(str(types.get(name)).startswith("*") for types in self._types)

    def tensor(self, name: str, missing: bool = False) -> OpInput:
        """The op's input for a pointer. ``missing``: a launch may pass None."""
        written = self.facts[name].write.verdict != "no" if name in self.facts else False
        if missing or any(values.get(name, 0) is None for values in self._values):
            return OpInput(name, f"{_TENSOR} | None", "None", written)
        return OpInput(name, _TENSOR, None, written)

    def number(self, name: str, default: str | None = None) -> OpInput | None:
        """The op's input for another parameter; None where no schema has its type."""
        kind, value = self.signature.types.get(name), self.signature.constants.get(name)
        if kind == "constexpr":
            made = type(value).__name__ if type(value) in (bool, int, float, str) else None
        else:
            made = "bool" if kind == "i1" else "float" if str(kind).startswith(("fp", "bf")) else "int"
            if name in self.signature.evidence and self.signature.evidence[name].kind in ("name", "assumed"):
                made = "torch.types.Number"  # only its name says what it is
        return None if made is None else OpInput(name, made, default)

    def value(self, name: str) -> ConstantValue:
        """Of a constexpr, under the likeliest signature."""
        return self.signature.constants.get(name)

    def _check(self, name: str, kind: ParameterType) -> None:
        facts = self.facts.get(name)
        if isinstance(kind, tuple):
            raise OpRefused(f"Its parameter `{name}` is a tuple, which torch can't pass to a kernel that it traces.")
        if kind.startswith("tensordesc"):
            raise OpRefused(
                f"Its parameter `{name}` is a tensor descriptor of the host's, which torch's wrap_triton can't trace. "
                "Pass the tensor, and make the descriptor in the kernel with tl.make_tensor_descriptor."
            )
        if facts is None:
            return
        if facts.table_write.verdict != "no":
            raise OpRefused(
                f"It writes through the addresses in `{name}`: torch can't be told which tensors these are."
            )
        if not kind.startswith("*") and facts.write.verdict != "no" and not self.pointer(name):
            raise OpRefused(f"It writes through `{name}`, a number: torch can't be told which tensor that is.")
