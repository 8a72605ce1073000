"""``mutates-args``: a torch op writes an argument that it does not declare, or declares what it never writes. Said
where every use is understood; what is unknown says nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from kernel_analysis.facts import Facts, Verdict
from kernel_analysis.host.decorators.layers import stack
from kernel_analysis.host.tensors.launches.certain_launches import certain
from kernel_analysis.host.tensors.ops import TorchOp, ops
from kernel_analysis.host.tensors.schemas import SchemaOp, schema_ops
from kernel_analysis.host.tensors.writes import TensorWrite, Writes
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module

CODE = "mutates-args"

_HOOKS = ("restore_value", "reset_to_zero", "pre_hook", "post_hook")


@dataclass(slots=True)
class Ops:
    """The torch ops of a file, looked at as soon as all of its kernels that they rest on are known."""

    file: FileSubject
    _known: dict[int, Subject | None] = field(default_factory=dict[int, "Subject | None"])
    _waiting: list[TorchOp | SchemaOp] | None = None
    _asked: list[JitFunction] = field(default_factory=list[JitFunction])

    @property
    def module(self) -> Module:
        return self.file.module

    def learn(self, function: JitFunction, subject: Subject | None) -> list[Finding]:
        """What is known of the ops now that this function is (None: it could not be analysed)."""
        self._known[id(function.node)] = subject
        return self._settled()

    def learn_others(self, known: Callable[[JitFunction], Subject | None]) -> list[Finding]:
        """What is known of the ops that rest on kernels of other files, of which ``known`` tells."""
        found = self._settled()
        own = {id(function.node) for function in self.module.functions}
        while new := {id(f.node): f for f in self._asked if id(f.node) not in own | self._known.keys()}:
            self._known.update({key: known(function) for key, function in new.items()})
            found += self._settled()
        return found

    def _settled(self) -> list[Finding]:
        """Of those that rest on nothing unknown."""
        if self._waiting is None:
            self._waiting = [
                *ops(self.file.project.resolver, self.module),
                *schema_ops(self.file.project.resolver, self.module),
            ]
        found: list[Finding] = []
        self._asked.clear()
        for op in list(self._waiting):
            findings = self._op(op)
            if findings is not None:
                self._waiting.remove(op)
                found += findings
        return found

    def _op(self, op: TorchOp | SchemaOp) -> list[Finding] | None:
        """None: it rests on a kernel that is not known yet."""
        declared = op.mutates
        resolver = self.file.project.resolver
        owner = op.module if isinstance(op, SchemaOp) else self.module
        own = owner is self.module
        launches = self.file.launches if own else certain(resolver, owner, self.file.project.launches_in(owner))
        writes = Writes(resolver, owner, launches, self._kernel)
        made = {name: writes.of(op.function, name) for name in op.tensors}
        if any(id(function.node) not in self._known for function in writes.asked):
            self._asked += writes.asked
            return None
        if isinstance(op, SchemaOp):
            return list(_of_schema(self.module, op, made))
        if declared == "unknown":
            return list(_unknown(self.module, op, made))
        return [] if declared is None else list(_findings(self.module, op, declared, made))

    def _kernel(self, function: JitFunction, name: str) -> Verdict:
        subject = self._known.get(id(function.node))
        return "unknown" if subject is None else _of_kernel(subject, subject.facts, name)


def _of_kernel(subject: Subject, facts: Facts, name: str) -> Verdict:
    """Whether a launch of the kernel writes what it is given for the parameter, whatever else it is given."""
    own = [fact for fact in facts.parameters if fact.name == name]
    if subject.report.status == "failed" or len(own) != 1:
        return "unknown"
    fact = own[0]
    if fact.write.verdict == "yes":
        sure = any(subject.places.condition(site.at, site.path) is None for site in fact.write.sites)
        return "yes" if sure else "unknown"
    if fact.write.verdict == "unknown" or fact.table_write.verdict != "no":
        return "unknown"
    return "unknown" if _hooked(subject) else "no"


def _hooked(subject: Subject) -> bool:
    """Whether an autotuner may write beside the kernel."""
    if not subject.function.decorated and not subject.function.wrappers:
        return False
    known = stack(subject.project.resolver, subject.function)
    if known is None:
        return True
    configs = known.configs()
    hooks = any(name in (layer.arguments or dict.fromkeys(_HOOKS)) for layer in known.tuners for name in _HOOKS)
    return hooks or configs is None or any(config.hook is not None for config in configs)


def _of_schema(module: Module, op: SchemaOp, made: Mapping[str, TensorWrite]) -> Iterator[Finding]:
    """Which tensors are written, a schema says by `Tensor(a!)`."""
    for name, written in made.items():
        if written.verdict == "yes" and name not in op.mutates:
            use = written.node
            related = (Related(op.module.span(use), f"`{name}` is written here"),) if use is not None else ()
            message = f"op `{op.name}` writes `{name}`, which its schema does not say: `Tensor(a!)` there, not `Tensor`"
            yield Finding(CODE, "warning", message, module.span(op.node), related)


def _unknown(module: Module, op: TorchOp, made: Mapping[str, TensorWrite]) -> Iterator[Finding]:
    """What `"unknown"` costs, where all is known."""
    if not made or any(written.verdict == "unknown" for written in made.values()):
        return
    node = op.arguments["mutates_args"]
    right = [name for name in (a.arg for a in op.parameters) if name in made and made[name].verdict == "yes"]
    what = ", ".join(f"`{name}`" for name in right) or "none"
    message = f'with `"unknown"` torch takes every tensor of op `{op.function.name}` for written; it writes {what}'
    inside = ", ".join(f'"{name}"' for name in right)
    fix = Fix("Write what the op mutates", (Edit(module.span(node), f"[{inside}]" if right else "()"),))
    yield Finding(CODE, "hint", message, module.span(node), (), (fix,))


def _findings(
    module: Module, op: TorchOp, declared: frozenset[str], made: Mapping[str, TensorWrite]
) -> Iterator[Finding]:
    node = op.arguments["mutates_args"]
    missing = [name for name, written in made.items() if written.verdict == "yes" and name not in declared]
    extra = [name for name, written in made.items() if written.verdict == "no" and name in declared]
    every = [argument.arg for argument in op.parameters]
    strange = sorted(declared.difference(every))
    right = [name for name in every if name in missing or name in declared and name not in extra]
    fix = Fix("Write what the op mutates", (Edit(module.span(node), _spelled(node, right)),))
    op_name = f"op `{op.function.name}`"
    for name in missing:
        use = made[name].node
        related = (Related(module.span(use), f"`{name}` is written here"),) if use is not None else ()
        message = f"{op_name} writes `{name}`, which `mutates_args` does not list: torch takes it for unchanged"
        yield Finding(CODE, "warning", message, module.span(node), related, (fix,))
    # An op that gives nothing and writes nothing would be dropped: what it says keeps it.
    for name in extra if right or not _gives_nothing(op.function) else ():
        message = f"`mutates_args` lists `{name}`, which {op_name} never writes"
        yield Finding(CODE, "warning", message, module.span(node), (), (fix,))
    for name in strange:
        message = f"`mutates_args` lists `{name}`, which is no argument of {op_name}: torch refuses the op"
        yield Finding(CODE, "warning", message, module.span(node), (), (fix,))


def _gives_nothing(function: ast.FunctionDef) -> bool:
    return isinstance(function.returns, ast.Constant) and function.returns.value is None


def _spelled(node: ast.expr, names: list[str]) -> str:
    """As a container of the same kind."""
    inside = ", ".join(f'"{name}"' for name in names)
    if isinstance(node, ast.List):
        return f"[{inside}]"
    if not names or isinstance(node, ast.Tuple):
        return f"({inside},)" if len(names) == 1 else f"({inside})"
    return f"{{{inside}}}"
