"""The slice of a jit function: everything that compiling it needs, cut out of the user's files. Plain data.

``cut`` in ``kernels/cut.py`` makes it; ``signature`` and ``lowering`` read it; nothing here is ever executed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from kernel_analysis.ir import At
from kernel_analysis.record import record
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

JIT_OPTIONS = ("version", "do_not_specialize", "do_not_specialize_on_alignment", "debug", "noinline")
"""What of ``@triton.jit(...)`` changes what a function compiles to."""


@record
class TritonObject:
    """An object of the installed Triton, by dotted path: ``triton.language``, ``triton.language.float32``,
    ``triton.language.extra.libdevice``. Also what else a kernel may call: ``math.log2``, ``builtins.len``,
    ``torch.finfo``. ``constexpr``: what ``constexpr_function`` makes of it."""

    path: str
    constexpr: bool = False


_GLUON: Final = "triton.experimental.gluon"
WRITTEN_WITH: Final = frozenset(("triton", "triton.language", "triton.experimental", _GLUON, f"{_GLUON}.language"))
"""The modules that kernels are written with: where something else is in their place there are no kernels. For others
(``triton.language.math``, ``libdevice``) a backend may have its own, with other functions in it."""


@record
class FunctionRef:
    """Another function of the slice, by index in ``Slice.functions``."""

    index: int


@record
class AggregateRef:
    """One of Triton's aggregate classes, by index in ``Slice.aggregates``."""

    index: int


@record
class TorchDtype:
    """``torch.float16`` and the like, by name; torch is never imported. In a kernel it is a plain opaque constant."""

    name: str


@record
class MadeOfTriton:
    """What a class of Triton's makes of constants: a layout. ``path``: of the class; a tuple stands for a list."""

    path: str
    args: tuple[ConstantValue, ...]
    keywords: tuple[tuple[str, ConstantValue], ...] = ()

    def __repr__(self) -> str:
        args = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.keywords)]
        return f"{self.path.rpartition('.')[2]}({', '.join(args)})"


@record
class NamedTupleValue:
    """A value of a ``typing.NamedTuple`` or ``collections.namedtuple`` class."""

    class_name: str
    fields: tuple[str, ...]
    values: tuple[ConstantValue, ...]


class ListValue(tuple["ConstantValue", ...]):
    """A list: Python tells it from a tuple of the same items."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


@record
class DictValue:
    """A dict, which only what Python runs may use: pairs in order, none of which is or holds a function."""

    pairs: tuple[tuple[ConstantValue, ConstantValue], ...]


ConstantValue: TypeAlias = (
    int
    | float
    | bool
    | str
    | None
    | tuple["ConstantValue", ...]
    | TritonObject
    | FunctionRef
    | AggregateRef
    | TorchDtype
    | NamedTupleValue
    | MadeOfTriton
    | DictValue
)


@record
class Constant:
    """A global whose value was found by safe evaluation.

    ``constexpr``: the user wrapped it, ``X = tl.constexpr(42)``. A bare ``X = 42`` or ``X: tl.constexpr = 42`` has
    False: Triton refuses those in a body (not in a parameter's default) unless told otherwise.
    """

    value: ConstantValue
    constexpr: bool
    span: Span


@record
class Namespace:
    """A module or class of the user's that a jit function reaches into, ``utils.helper``; only the members used.
    ``refused``: where a class is defined that nothing makes one of those that Triton takes as a global."""

    name: str
    members: dict[str, Binding]
    refused: Span | None = None


@record
class NamedTupleClass:
    """A NamedTuple class used as a constructor in a jit function. ``defaults`` belong to the last fields; ``members``:
    what is taken from the class itself."""

    name: str
    fields: tuple[str, ...]
    defaults: tuple[ConstantValue, ...]
    members: dict[str, Binding] = field(default_factory=dict[str, "Binding"], hash=False)


@record
class AggregateField:
    """A field of an aggregate. ``kinds``: what its annotation allows; None where that is not known. ``default``: a
    value, or why it can't be known; ``optional``: it has one."""

    name: str
    kinds: tuple[TritonObject | AggregateRef, ...] | None
    default: ConstantValue | Unresolved = None
    optional: bool = False


@dataclass(slots=True)
class AggregateClass:
    """A class that the user decorated with Triton's ``aggregate``. ``fields`` and ``methods`` are its own; ``bases``
    are aggregates themselves. ``problem``: why nothing of the kind can be made of it. ``varies``: its own methods that
    may be others where the file runs, and why; what the class says of them is a guess. Under no name, why the class
    may be another. ``key`` tells it from others in
    the process that read it."""

    module: str
    qualname: str
    key: tuple[object, ...]
    fields: tuple[AggregateField, ...] = ()
    bases: tuple[AggregateRef, ...] = ()
    methods: dict[str, FunctionRef | Unresolved] = field(default_factory=dict[str, "FunctionRef | Unresolved"])
    problem: str = ""
    varies: dict[str, str] = field(default_factory=dict[str, str])


@record
class Unresolved:
    """A name whose meaning could not be found without running code. ``reason`` is a sentence for the user; ``wrong``:
    nothing that it could mean is what a kernel may use, be it that it stands nowhere or that it is a function of
    Python's. ``constexpr``: where a ``tl.constexpr`` is made of what is not known: it is some constant. ``broken``: it
    stands in a part of the file that does not parse."""

    reason: str
    wrong: bool = False
    constexpr: Span | None = None
    broken: bool = False


Binding: TypeAlias = TritonObject | FunctionRef | AggregateRef | Constant | Namespace | NamedTupleClass | Unresolved


def _mangled(text: str) -> str:
    """A text as it stands in the name of what Triton compiles for it."""
    return repr(text).replace("'", "_sq_").replace("[", "_").replace("]", "_")


def contents(binding: Binding | ConstantValue) -> Iterator[Binding | ConstantValue]:
    """It, and all that is in it. A function or an aggregate of the slice stands for itself: what is in that is told by
    the slice."""
    yield binding
    parts: Iterable[Binding | ConstantValue] = ()
    if isinstance(binding, Constant):
        parts = (binding.value,)
    elif isinstance(binding, Namespace):
        parts = binding.members.values()
    elif isinstance(binding, NamedTupleClass):
        parts = (*binding.members.values(), *binding.defaults)
    elif isinstance(binding, MadeOfTriton):
        parts = (*binding.args, *(value for _, value in binding.keywords))
    elif isinstance(binding, DictValue):
        parts = (part for pair in binding.pairs for part in pair)
    elif isinstance(binding, NamedTupleValue):
        parts = binding.values
    elif isinstance(binding, tuple):
        parts = binding
    for part in parts:
        yield from contents(part)


@dataclass(slots=True)
class SliceFunction:
    """One function of a slice, with the meaning of every global or captured name that its body or defaults use.

    ``nodes``: every node of ``node`` that has a position, in ``ast.walk`` order with the decorators left out; the
    index is the node's ordinal (``At.node``). ``nodes[0]`` is ``node`` itself. ``digest`` covers the syntax tree and
    ``options``, never positions.
    ``kind``: a plain ``function`` is an aggregate's ``__init__``, which Triton calls as it is.
    ``annotation_names``: the bound names that only annotations use; what they are rarely matters to the compiler.
    ``varies``: the bound names that may stand for something else where the file runs, and why; what they are bound to
    is the likeliest. ``others``: of such names all else that they may stand for, if that is in sight.
    """

    kind: Literal["jit", "constexpr_function", "function"]
    file: str
    module: str
    name: str
    qualname: str
    node: ast.FunctionDef
    nodes: tuple[ast.AST, ...]
    digest: str
    gluon: bool = False
    options: dict[str, ConstantValue] = field(default_factory=dict[str, ConstantValue])
    bindings: dict[str, Binding] = field(default_factory=dict[str, Binding])
    annotation_names: frozenset[str] = frozenset()
    varies: dict[str, str] = field(default_factory=dict[str, str])
    others: dict[str, tuple[Binding, ...]] = field(default_factory=dict[str, tuple[Binding, ...]])

    def used(self, within: int | None = None) -> Iterator[str]:
        """The dotted paths of what it uses of Triton; ``within``: one of its nodes."""
        nodes = self.nodes if within is None else list(descend(self.nodes[within]))
        inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in inner:
                path = self.path(node)
                if path is not None:
                    yield path

    def path(self, node: ast.expr) -> str | None:
        """The dotted path of what is named there by a global, where that is Triton's."""
        root, names = chain(node)
        binding = self.bindings.get(root.id) if isinstance(root, ast.Name) else None
        while isinstance(binding, Namespace) and names:
            binding = binding.members.get(names.pop(0))
        return ".".join((binding.path, *names)) if isinstance(binding, TritonObject) else None


@dataclass(slots=True)
class Slice:
    """``functions[0]`` is the jit function itself, the others in order of discovery.

    ``hash`` (hex) covers all syntax trees, names and bindings (why one is not resolved, too) and no positions;
    ``helpers_hash`` does so for all but the first function. ``files`` are all files that the slice was read from, plus
    those whose appearance would change it (a module that was looked for and not found). ``autotuned``: it may be run
    several times on the same tensors, so what the runs make of one another is asked. ``other_operators``: objects of
    classes that it has not got may have operators, where a launch passes what makes them. ``language_changed``: why
    what any kernel is made of (a block's ``+``) may be another than the installed Triton has. ``guessed``: constants of
    host code that nobody can know, by name, with what was guessed and why it is not known.
    """

    functions: list[SliceFunction]
    hash: str
    helpers_hash: str
    files: frozenset[str]
    _places: list[Callable[[ast.AST], Span]] = field(default_factory=list[Callable[[ast.AST], Span]], repr=False)
    aggregates: list[AggregateClass] = field(default_factory=list[AggregateClass])
    autotuned: bool = False
    other_operators: bool = False
    language_changed: str | None = None
    guessed: dict[str, tuple[int | float | str | None, str]] = field(
        default_factory=dict[str, "tuple[int | float | str | None, str]"]
    )
    _alike: dict[tuple[str, str, str], tuple[int, ...]] | None = field(default=None, repr=False, compare=False)
    _mistaken: frozenset[str] | None = field(default=None, repr=False, compare=False)
    _confused: frozenset[int] | None = field(default=None, repr=False, compare=False)
    _orders: frozenset[tuple[str, ...]] | None = field(default=None, repr=False, compare=False)

    def alike(self, index: int) -> tuple[int, ...]:
        """A function and all others that Triton can't tell from it: it compiles one for a module and name, whatever
        else bears them (what a factory makes, what is defined twice)."""
        if self._alike is None:
            self._alike = {}
            for number, function in enumerate(self.functions):
                name = function.file, function.module, function.qualname
                self._alike[name] = (*self._alike.get(name, ()), number)
        function = self.functions[index]
        made = self._alike[function.file, function.module, function.qualname]
        return made if len(made) == 1 else (index, *[other for other in made if other != index])

    def moved(self, passed: Set[tuple[str, ...]] = frozenset()) -> frozenset[str]:
        """The names that stand for one item in some named tuples, and for another in others as long: Triton compiles a
        function once for both. Those of its own functions, and ``passed``."""
        if self._orders is None:
            bound = (part for function in self.functions for b in function.bindings.values() for part in contents(b))
            self._orders = frozenset(b.fields for b in bound if isinstance(b, NamedTupleClass | NamedTupleValue))
        orders = self._orders | passed
        if len(orders) < 2:
            return frozenset()
        places: dict[tuple[int, str], set[int]] = {}
        for names in orders:
            for place, name in enumerate(names):
                places.setdefault((len(names), name), set()).add(place)
        return frozenset([name for (_, name), found in places.items() if len(found) > 1])

    @property
    def mistaken(self) -> frozenset[str]:
        """The texts in it that Triton can't tell from others in it: it names what it compiles by both, and writes some
        signs alike."""
        if self._mistaken is None:
            texts: dict[str, set[str]] = {}
            for function in self.functions:
                nodes = (n.value for n in function.nodes if isinstance(n, ast.Constant))
                bound = (part for b in function.bindings.values() for part in contents(b))
                for found in (*nodes, *bound):
                    if isinstance(found, str):
                        texts.setdefault(_mangled(found), set()).add(found)
            self._mistaken = frozenset([text for alike in texts.values() if len(alike) > 1 for text in alike])
        return self._mistaken

    @property
    def confused(self) -> frozenset[int]:
        """The aggregates that Triton can't tell from another: what takes objects is named by their classes' names."""
        if self._confused is None:
            names = [(made.module, made.qualname) for made in self.aggregates]
            self._confused = frozenset([number for number, name in enumerate(names) if names.count(name) > 1])
        return self._confused

    def members(self, index: int) -> tuple[dict[str, AggregateField], dict[str, FunctionRef | Unresolved]]:
        """The fields of an aggregate in Triton's order, and its methods, those of its bases among them."""
        return self._members(index, False)

    def certain_members(self, index: int) -> tuple[dict[str, AggregateField], dict[str, FunctionRef | Unresolved]]:
        """The same, but that a method that may be another is not resolved."""
        return self._members(index, True)

    def _members(
        self, index: int, certain: bool
    ) -> tuple[dict[str, AggregateField], dict[str, FunctionRef | Unresolved]]:
        fields: dict[str, AggregateField] = {}
        methods: dict[str, FunctionRef | Unresolved] = {}
        made = self.aggregates[index]
        for base in reversed(made.bases):
            inherited = self._members(base.index, certain)
            fields.update(inherited[0])
            methods.update(inherited[1])
        methods.pop("__init__", None)  # Triton's classes take their own
        if certain and (why := self._another(made)) is not None:
            return {}, {**methods, **made.methods, "__init__": Unresolved(why)}
        fields.update({field.name: field for field in made.fields})
        others = made.varies.items() if certain else ()
        return fields, {**methods, **made.methods, **{name: Unresolved(why) for name, why in others}}

    def _another(self, made: AggregateClass) -> str | None:
        """Why objects of a class may be made otherwise, or have something else for its fields."""
        doubts = (self._another(self.aggregates[base.index]) for base in made.bases)
        return made.problem or made.varies.get("") or next(filter(None, doubts), None)

    def methods(self) -> set[int]:
        """The functions that are methods: a call may hand them an object first."""
        found = (method for made in self.aggregates for method in made.methods.values())
        return {method.index for method in found if isinstance(method, FunctionRef)}

    def span(self, at: At) -> Span | None:
        """Where the node stands in the user's file as it is now; None for ``NOWHERE``. Set up by ``cut``."""
        if not 0 <= at.function < len(self._places) or not 0 <= at.node < len(self.functions[at.function].nodes):
            return None
        return self._places[at.function](self.functions[at.function].nodes[at.node])
