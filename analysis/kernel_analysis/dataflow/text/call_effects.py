"""What calls do with what they are given: by what is called, as far as that is known; a function that is not may do
anything with all that it is given.

Knows the rows of ``language``; what a helper does, subclasses say.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from kernel_analysis.dataflow.text import aggregate_fields, instances, language
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.handed_texts import HandedTexts, is_signed
from kernel_analysis.dataflow.text.language_calls import Rows
from kernel_analysis.dataflow.text.left_behind import leaves_behind, methods_that_leave
from kernel_analysis.dataflow.text.value import (
    BLOCK,
    CONSTANT,
    NOTHING,
    OBJECT,
    OWN,
    POINTER_TYPE,
    Either,
    TextValue,
    TooInvolved,
    depends,
    heap,
    join,
    parts_of,
    sort_of,
    texts,
    tuple_of,
    whole,
    with_dep,
)
from kernel_analysis.source.slice import (
    AggregateRef,
    Constant,
    FunctionRef,
    NamedTupleClass,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
    Unresolved,
)
from kernel_analysis.source.tree import parameters

_COMPILER = ("_semantic", "_generator")
"""Parameters for which Triton hands its compiler to what Python runs: with that it may have anything compiled."""
_QUOTE = "_sq_"
"""What Triton writes in the name of a function for the quotes around a text."""


class Calls(Rows):
    """``slice_``: whose functions may be called; ``misplaced``: names that may stand for other items in the named tuple
    that a helper was compiled for than in the one that it is called with."""

    index: int

    def __init__(self, slice_: Slice, index: int) -> None:
        super().__init__(slice_.functions[index])
        self.slice, self.index = slice_, index
        self.misplaced = slice_.moved()
        self._operators = aggregate_fields.operators(slice_)
        self._leaving: dict[int, bool] = {}
        self._in_python: int | None = None
        self._leaving_methods = methods_that_leave(slice_) if slice_.aggregates else frozenset[str]()

    # What subclasses say.

    @property
    @abstractmethod
    def handed(self) -> HandedTexts:
        """Which parameters are given texts that are not written down."""

    @abstractmethod
    def helper(self, index: int, given: dict[str, TextValue], node: ast.Call) -> TextValue:
        """What a jit function of the slice does and gives."""

    def overloaded(self, node: ast.AST, *values: TextValue) -> TextValue | None:
        """What an operator gives that may be a method of the user's; None where it is Triton's."""
        if not any(self._may_have(value, bool(self._operators)) for value in values):
            return None
        self._asked_of_object("__")
        given = GivenArguments(list(values))
        return self.nobody_knows(given, given.depends(), node)

    def item_of_object(self, node: ast.Subscript, owner: TextValue, index: Callable[[], TextValue]) -> TextValue | None:
        """What brackets give that may be a method of the user's; None where they are Triton's."""
        if not self._may_have(owner, "__getitem__" in self._operators):
            return None
        self._asked_of_object("__")
        return self.nobody_knows(GivenArguments([owner, index()]), depends(owner), node)

    def _may_have(self, value: TextValue, own: bool) -> bool:
        """Whether a value may have an operator; ``own``: classes of the slice have it."""
        return value.sort >= OWN and own or value.sort == OBJECT and self.slice.other_operators

    def _asked_of_object(self, name: str) -> None:
        """Raises TooInvolved where a method of that name, or of one that begins so, may change what is held
        elsewhere."""
        for found in self._leaving_methods:
            if found == name or name == "__" and aggregate_fields.is_operator(found):
                doubts = next((c.varies[found] for c in self.slice.aggregates if found in c.varies), None)
                other = doubts and f"`{found}` of an object may be another method ({doubts})"
                raise TooInvolved(other or f"`{found}` of an object may change what is there after its call")

    # What calls are made of.

    def call(self, node: ast.Call) -> TextValue:
        """What a call gives."""
        function = node.func
        found = self.static(function)
        if found is not None:
            given = self.given(node, [])
            varies = self.root_varies(function)
            if varies:
                return self.any_of(self.alternative(self.bound(found), varies, self.others(function)), given, node)
            return self.one(found, given, node)
        if isinstance(function, ast.Attribute):
            receiver = self.expr(function.value)
            if receiver.made is not None and function.attr not in self.slice.certain_members(receiver.made.index)[0]:
                method = aggregate_fields.method(self.slice, receiver.made, function.attr)
                return self.one(method, self.given(node, [receiver]), node)
            if isinstance(receiver.const, AggregateRef):
                return self.any_of(self.member(receiver, function.attr), self.given(node, []), node)
            if isinstance(receiver.const, Namespace):
                member = receiver.const.members.get(function.attr, Unresolved(""))
                return self.one(member, self.given(node, []), node)
            if receiver.made is None and not (receiver.items is not None and function.attr in receiver.fields):
                return self._method(receiver, function.attr, node)
            value = self.member(receiver, function.attr)
        else:
            value = self.expr(function)
        if isinstance(value.const, Namespace):
            return self.one(Unresolved(""), self.given(node, []), node)
        return self.any_of(value, self.given(node, []), node)

    def any_of(self, value: TextValue, given: GivenArguments, node: ast.Call) -> TextValue:
        """Call whichever function the value is."""
        made: TextValue | None = None
        bound = given.behind(value)  # a function that nobody knows may be the method of what it is taken from
        for callee, gate in self.functions(value):
            result = self.under(gate, lambda callee=callee: self.one(callee, given if callee else bound, node))
            result = self.gated(result, gate)
            made = result if made is None else join(made, result)
        if made is None:
            return self.one(None, bound, node)
        return with_dep(made, depends(value))

    def given(self, node: ast.Call, first: list[TextValue]) -> GivenArguments:
        """The arguments of a call, behind a receiver."""
        given = GivenArguments(first)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                value = self.expr(argument.value)
                if value.items is not None and not value.open and given.loose is None:
                    given.positional += parts_of(value)
                else:
                    dep = self.shape(value)
                    given.dep |= dep
                    rest = self.uncertain(heap((value,)), dep)
                    given.loose = rest if given.loose is None else join(given.loose, rest)
            else:
                value = self.expr(argument)
                if given.loose is None:
                    given.positional.append(value)
                else:
                    loose = self.uncertain(heap((value,)), given.dep)
                    given.loose = join(given.loose, loose)
        for keyword in node.keywords:
            value = self.expr(keyword.value)
            if keyword.arg is not None:
                given.keywords[keyword.arg] = value
            else:
                given.dep |= depends(value)
                rest = self.uncertain(heap((value,)), depends(value))
                given.loose = rest if given.loose is None else join(given.loose, rest)
        return given

    def one(self, callee: Any, given: GivenArguments, node: ast.Call) -> TextValue:
        """Call one function."""
        if isinstance(callee, TritonObject):
            return self._language(callee, given, node)
        if isinstance(callee, FunctionRef):
            function = self.slice.functions[callee.index]
            if function.kind != "jit":
                return self._constexpr_function(callee.index, given)
            made: TextValue | None = None
            for index in self.slice.alike(callee.index):
                bound = self.arguments(self.slice.functions[index], given)
                result = self.helper(index, self._as_named(index, bound), node)
                made = result if made is None else join(made, result)
            return made or NOTHING
        if isinstance(callee, NamedTupleClass):
            return self._named_tuple(callee, given)
        if isinstance(callee, AggregateRef):
            return instances.made(self, callee, given, node)
        if isinstance(callee, Constant):
            return self.any_of(self.constant(callee.value), given, node)
        return self.apply(language.ANYTHING, given, node)

    def _constexpr_function(self, index: int, given: GivenArguments) -> TextValue:
        """It runs when the kernel is compiled, on constants; what else it is given it may give back, and any
        function or object that Python has, too."""
        self.leaves_nothing(index)
        made = heap((*given.all(), TextValue(self.anything())), self.in_python())
        return self.uncertain(made, made.dep)

    def in_python(self) -> int:
        """Why what Python computes while a kernel is compiled may be another, whatever that is given: what the names
        mean that it looks at. A function calls others, is handed some, and methods of what it is handed: so those of
        all that Python runs here."""
        if self._in_python is None:
            self._in_python = 0
            for function in self.slice.functions:
                if function.kind != "jit":
                    defaults = [*function.node.args.defaults, *function.node.args.kw_defaults]
                    left = [] if all(map(_unchanging, defaults)) else [f"what calls of `{function.name}` left behind"]
                    for reason in (*function.varies.values(), *left):
                        self._in_python |= self.option(reason)
        return self._in_python

    def leaves_nothing(self, index: int) -> None:
        """Raises TooInvolved where a function that Python runs may change what is held elsewhere: tuples, objects and
        constants are then no longer what the text gave them."""
        function = self.slice.functions[index]
        name = function.name
        if any(argument.arg in _COMPILER for argument in parameters.every(function.node.args)):
            raise TooInvolved(f"`{name}` asks for Triton's compiler itself, and may do anything with it")
        if leaves_behind(self.slice, index, self._leaving):
            raise TooInvolved(
                f"`{name}` may change what is there after its call: what it is given, a default, a global"
            )

    def _named_tuple(self, callee: NamedTupleClass, given: GivenArguments) -> TextValue:
        if given.loose is not None:
            return self.uncertain(heap(given.all()), given.dep)
        behind = len(callee.fields) - len(callee.defaults)
        items: list[TextValue] = []
        for number, name in enumerate(callee.fields):
            if number < len(given.positional):
                items.append(given.positional[number])
            elif name in given.keywords:
                items.append(given.keywords[name])
            else:
                items.append(self.constant(callee.defaults[number - behind]) if number >= behind else NOTHING)
        return tuple_of(items, fields=callee.fields)

    def arguments(self, function: SliceFunction, given: GivenArguments) -> dict[str, TextValue]:
        """What each parameter of a function is given."""
        spec = function.node.args
        positional = parameters.positional(spec)
        bound: dict[str, TextValue] = dict(zip(positional, given.positional, strict=False))
        rest = given.positional[len(positional) :]
        names = {*positional, *(a.arg for a in spec.kwonlyargs)}
        more: list[TextValue] = []
        for name, value in given.keywords.items():
            if name in names:
                bound[name] = value
            else:
                more.append(value)
        for name in names:
            if name not in bound:
                bound[name] = self.uncertain(self.default(function, name), given.dep)
            if given.loose is not None:
                bound[name] = join(bound[name], given.loose)
        if spec.vararg is not None:
            if given.loose is not None:
                # Of what is in sight nobody knows at which place it stands from behind, nor what stands for it.
                bound[spec.vararg.arg] = self.uncertain(heap((given.loose, *rest), given.dep), given.dep)
            else:
                bound[spec.vararg.arg] = tuple_of(rest)
        if spec.kwarg is not None:
            loose = [given.loose] if given.loose is not None else []
            bound[spec.kwarg.arg] = self.uncertain(heap([*more, *loose]), given.dep)
        return bound

    def _as_named(self, index: int, bound: dict[str, TextValue]) -> dict[str, TextValue]:
        """What a function knows of what it is given: Triton compiles one for all that it writes alike in its name."""
        # Where there are signs of quotes in a text, nobody sees where one ends.
        mixed = any(_QUOTE in text for value in bound.values() for text in _every_text(value))
        return {name: self._named(value, (index, name), mixed) for name, value in bound.items()}

    def _named(self, value: TextValue, parameter: tuple[int, str], mixed: bool) -> TextValue:
        if value.made is not None and value.made.index in self.slice.confused:
            dep = depends(value) | self.option("a class of the same name")
            return self.uncertain(heap((value, TextValue(self.anything())), dep), dep)
        if value.items is not None:
            items = tuple([self._named(item, parameter, mixed) for item in value.items])
            fields = value.fields
            if self.misplaced and value.made is None:
                fields = tuple(["" if name in self.misplaced else name for name in fields])
            if fields == value.fields and all(item is old for item, old in zip(items, value.items, strict=True)):
                return value
            return TextValue(
                value.flow, value.dep, items, value.const, value.pointer, fields, value.open, value.sort, value.made
            )
        if mixed or any(self._is_mistaken(text, parameter) for text in texts(value)):
            dep = value.dep | self.option("a text that Triton takes for another")
            return TextValue(value.flow, dep, sort=value.sort)
        # Which of several texts it is, is not asked.
        return TextValue(value.flow, value.dep, sort=value.sort) if isinstance(value.const, Either) else value

    def _is_mistaken(self, text: str, parameter: tuple[int, str]) -> bool:
        """Whether Triton may take a text for another that the parameter is given."""
        return text in self.slice.mistaken or is_signed(text) and self.handed.others(*parameter)

    def default(self, function: SliceFunction, name: str) -> TextValue:
        """What a parameter is when nothing is passed for it."""
        node = parameters.defaults(function.node.args).get(name)
        return NOTHING if node is None else self.evaluated(function, node)

    def evaluated(self, function: SliceFunction, node: ast.expr) -> TextValue:
        """An expression of another function's head, where only names from outside are known."""
        before = self.function, self.bindings, self.env
        self.function, self.bindings, self.env = function, function.bindings, {}
        try:
            return self.expr(node)
        finally:
            self.function, self.bindings, self.env = before

    def _method(self, receiver: TextValue, name: str, node: ast.Call) -> TextValue:
        self._asked_of_object(name)
        given = self.given(node, [receiver])
        row = language.method(name)
        if not row.anything and self.may_be_called(receiver) and any(map(whole, given.all())):
            # Perhaps a tuple with a function of that name in it.
            hidden = self.apply(language.ANYTHING, given, node)
            return join(hidden, self.apply(row, given, node))
        return self.apply(row, given, node)

    def _names_of(self, given: GivenArguments) -> int:
        """Why what is asked may have other names for its items: a function is compiled once for tuples of all names."""
        named = any(value.items is not None and value.made is None for value in given.positional[:1])
        return self.option("the names of a tuple's items") if named else 0

    def _language(self, callee: TritonObject, given: GivenArguments, node: ast.Call) -> TextValue:
        row = language.function(callee.path)
        if language.of_class(callee.path):
            return self.apply(row, given.of_method(), node)
        if callee.path == "builtins.getattr" and len(given.positional) >= 2:
            name = given.positional[1].const
            if isinstance(name, str) and not given.positional[1].dep and len(list(given.all())) == 2:
                return self.member(given.positional[0], name)
            made = heap((*given.all(), TextValue(self.anything())), self._names_of(given))
            return self.uncertain(made, made.dep)
        if callee.path == "builtins.hasattr":
            return TextValue(dep=given.depends() | self._names_of(given), sort=BLOCK)
        if callee.path == "builtins.len" and len(given.positional) == 1:
            value = given.positional[0]
            if value.items is not None and not value.open and not value.dep:
                return TextValue(const=len(value.items), sort=BLOCK)
            return TextValue(dep=self.shape(value), sort=BLOCK)
        name = callee.path.rpartition(".")[2]
        if name == "aggregate_replace":
            return instances.copied(self, given, node)
        if name in ("tuple", "list") and len(given.positional) == 1 and given.positional[0].items is not None:
            return given.positional[0]
        if name == "constexpr" and len(given.positional) == 1:
            return given.positional[0]
        if name == "pointer_type":
            return TextValue(dep=given.depends(), const=POINTER_TYPE, sort=BLOCK)
        if name == "warp_specialize" and row.calls is None:
            return self._partitions(given, node)
        made = self.apply(row, given, node)
        if row.anything and callee.path.startswith("triton."):
            # Whatever else it does, of Triton's own functions none makes an object of the user's.
            made = TextValue(made.flow, made.dep, sort=min(made.sort, max(CONSTANT, *map(sort_of, given.all()))))
        if row.varies is not None:
            return with_dep(made, self.option(row.varies))
        return made


def _unchanging(default: ast.expr | None) -> bool:
    """Whether a default is the same for each call of a function that changes nothing: no text gives it something else,
    and to go over it uses nothing up."""
    if isinstance(default, ast.Tuple | ast.List | ast.Set):
        return all(map(_unchanging, default.elts))
    if isinstance(default, ast.Dict):
        return all(map(_unchanging, (*default.keys, *default.values))) and None not in default.keys
    if isinstance(default, ast.UnaryOp):
        return _unchanging(default.operand)
    return default is None or isinstance(default, ast.Constant)


def _every_text(value: TextValue) -> Iterator[str]:
    yield from texts(value)
    for item in value.items or ():
        yield from _every_text(item)


def parameter_names(function: SliceFunction) -> list[str]:
    """The function's parameters, ``*args`` and ``**keywords`` among them."""
    return [argument.arg for argument in parameters.every(function.node.args)]
