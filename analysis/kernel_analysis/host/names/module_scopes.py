"""The scopes of a module, made when they are first asked for. Looks nothing up."""

from __future__ import annotations

from kernel_analysis.host.evaluate.values import Scope


class ModuleScopes(dict[int, Scope]):
    """By the ``id`` of the node, kept with the module."""

    def forget(self) -> None:
        for scope in self.values():
            scope.forget()
