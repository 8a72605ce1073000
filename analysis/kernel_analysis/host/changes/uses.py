"""What a text does with what a name stands for: which uses only read it, which change it, and which hand it on to code
that may change it.

Syntax only: what a callee does with its arguments is asked of ``Judge``. Evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kernel_analysis.host.changes.text.quoted import code_in
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import Dict, Items, Object, Record, Value, Wrapped
from kernel_analysis.record import record
from kernel_analysis.source.text_search.words import places
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import children

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

Around: TypeAlias = "tuple[ast.AST, ...]"
Kept: TypeAlias = Literal["nothing", "parts", "inside", "all"]
"""What a callee may keep of an argument, or change: nothing, what is in it as part of what it returns, what is in it,
or it itself."""
Judge: TypeAlias = Callable[["ast.Call | Beside", "int | str | None"], Kept]
"""Of the argument of a call at a position or of that keyword; None: one of several, or of ``**keywords``, or what an
operator has beside it."""

Link: TypeAlias = "tuple[ast.AST, Link | None]"
"""A node, and what it stands in."""

_BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitXor: "xor", ast.BitAnd: "and",
    ast.FloorDiv: "floordiv",
}  # fmt: skip
_UNARY: Final[dict[type[ast.unaryop], tuple[str, ...]]] = {
    ast.USub: ("__neg__",), ast.UAdd: ("__pos__",), ast.Invert: ("__invert__",),
}  # fmt: skip
_COMPARED: Final[dict[type[ast.cmpop], tuple[str, ...]]] = {
    ast.Eq: ("__eq__",), ast.NotEq: ("__ne__", "__eq__"), ast.Lt: ("__lt__", "__gt__"), ast.Gt: ("__gt__", "__lt__"),
    ast.LtE: ("__le__", "__ge__"), ast.GtE: ("__ge__", "__le__"), ast.In: ("__contains__",),
    ast.NotIn: ("__contains__",),
}  # fmt: skip
_ITEMS: Final = ("__getitem__", "__setitem__", "__delitem__", "__class_getitem__")
MEMBER: Final = "in"
"""The word of a use that looks for something in it."""
_LONGEST_WORD = 1000
"""Characters of what may be asked for and is no name."""
VIEWS = frozenset({"keys", "values", "items"})
READS = frozenset({"get", "index", "count", "copy", "union", "intersection", "difference", "isdisjoint", "issubset",
                   "issuperset", "symmetric_difference", "__getitem__", "__contains__", "__len__"}) | VIEWS  # fmt: skip
CHANGES = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault",
                     "popitem", "add", "discard", "__setitem__", "__delitem__", "__setattr__", "__delattr__",
                     "__ior__", "__iadd__", "__imul__", "difference_update", "intersection_update",
                     "symmetric_difference_update"})  # fmt: skip
_SETS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__", "object"})
"""What a function is called that sets an attribute whose name is text: ``mock.patch.object``, too."""
DICTS: Final = ("__globals__", "f_globals", "f_locals", "get_capture_scope")
"""Attributes that are the dict of some module's names, or give it when they are called; of which, is not asked."""
_BOUND = frozenset({"__setattr__", "__delattr__"})
"""Of these, what an object's own method is called."""


@record
class Occurrence:
    """``chain``: the node, and what it stands in, up to the statement; ``around``: functions and classes, outermost
    first."""

    chain: tuple[ast.AST, ...]
    statement: ast.stmt
    around: Around


class ModuleWords:
    """Where a module has which words, as they are looked for; kept with it. ``spelled``: by the ``id`` of a statement,
    the words in its own expressions."""

    def __init__(self) -> None:
        self.occurrences: dict[str, list[Occurrence]] = {}
        self.spelled: dict[int, dict[str, list[Link]]] = {}

    def forget(self) -> None:
        """Nothing: all of it is of the module's own text."""


@record
class Beside:
    """An operator, or an index, with what it has on its other side: which has these methods called, if it has any."""

    other: ast.expr | ast.AST
    methods: tuple[str, ...]


@record
class Use:
    """A use that does more than read. ``store``: an item or attribute is set or deleted; ``method``: one of its methods
    is called, or taken, that does not only read; ``held``: it itself goes where others may change it; ``part``: what
    is in it does; ``annotation``: it itself, among the annotations. ``first``: the attribute of it that this is about,
    if one is taken; ``word``: the method."""

    kind: Literal["store", "method", "held", "part", "annotation"]
    occurrence: Occurrence
    first: str | None = None
    word: str = ""

    @property
    def line(self) -> int:
        """Where it is, for people."""
        return getattr(self.occurrence.chain[0], "lineno", self.occurrence.statement.lineno)


def told(module: Module, made: Use) -> str:
    return f"what {module.at(made.line)} does with it"


def occurrences(module: Module, word: str) -> list[Occurrence]:
    """Where a text has a word: as a name, as an attribute, or as text that names one."""
    known = module.keeps(ModuleWords).occurrences
    if word not in known:
        known[word] = list(_occurrences(module, word))
    return known[word]


def _occurrences(module: Module, word: str) -> Iterator[Occurrence]:
    lines = sorted({module.line_of_named(place) for place in places(module.named, word)})
    spelled = module.keeps(ModuleWords).spelled
    for statement, around in nodes.statements_on(module, lines):
        found = spelled.get(id(statement))
        if found is None:
            found = spelled[id(statement)] = _spelled(statement)
        for link in found.get(word, ()):
            yield Occurrence(_chain(link), statement, around)


def imports(module: Module, word: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, Around]]:
    """The imports that have a name, or bind it."""
    lines = sorted({module.line_of_named(place) for place in places(module.named, word)})
    for statement, around in nodes.statements_on(module, lines):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if any(word in (alias.asname, alias.name) for alias in statement.names):
                yield statement, around


def _spelled(statement: ast.stmt) -> dict[str, list[Link]]:
    """The words that a statement's own expressions have, each with where."""
    found: dict[str, list[Link]] = {}
    for top in nodes.own(statement):
        todo: list[Link] = [(top, (statement, None) if top is not statement else None)]
        while todo:
            link = todo.pop()
            node = link[0]
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(link)
                continue
            if isinstance(node, ast.Constant):
                word = node.value.rpartition(".")[2] if isinstance(node.value, str) else None
                if word is not None and (len(word) < _LONGEST_WORD or word.isidentifier()):
                    found.setdefault(word, []).append(link)
                todo += [(inner, link) for inner in code_in(node)]
                continue
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(link)
            todo += [(child, link) for child in children(node)]
    return found


def _chain(link: Link | None) -> tuple[ast.AST, ...]:
    chain: list[ast.AST] = []
    while link is not None:
        node, link = link
        chain.append(node)
    return tuple(chain)


def use(at: Occurrence, judge: Judge) -> Use | None:
    """What is done with what stands there; None: it is read, and no more."""
    chain = at.chain
    whole, first = True, None
    place = 0
    if isinstance(chain[0], ast.Name) and not isinstance(chain[0].ctx, ast.Load):
        return None  # the name is bound
    while True:
        node = chain[place]
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return Use("store", at, first)
        if place + 1 == len(chain):
            return None
        parent = chain[place + 1]
        kept: Kept = "all"
        if isinstance(parent, ast.Attribute):
            called = chain[place + 2] if len(chain) > place + 2 else None
            if isinstance(called, ast.Call) and called.func is parent and parent.attr in READS:
                whole = whole and parent.attr in VIEWS
                place += 2
                continue
            if isinstance(called, ast.Call) and called.func is parent or parent.attr in CHANGES:
                return Use("method", at, first, parent.attr)
            whole = whole and first is None
            first = first or parent.attr
            place += 1
            continue
        if isinstance(parent, ast.Subscript) and parent.value is node:
            whole = whole and not isinstance(parent.ctx, ast.Load)
            place += 1
            continue
        if isinstance(parent, (ast.Call, ast.keyword)):
            if isinstance(parent, ast.keyword):
                call = chain[place + 2]
                whole = whole and parent.arg is not None
                # What a class statement is given goes to its bases, but for what makes it.
                of_class: Kept = "nothing" if parent.arg == "metaclass" else "all"
                kept = judge(call, parent.arg) if isinstance(call, ast.Call) else of_class
            elif parent.func is node:
                return None
            elif place == 0 and last_name(parent.func) in ("setattr", "delattr") and parent.args[0] is node:
                return Use("store", at, _text(parent.args, 1))
            else:
                kept = judge(parent, _position(parent, node))
            if kept == "nothing":
                return None
            if kept in ("all", "inside"):
                return Use("held" if whole and kept == "all" else "part", at, first)
            whole = False
            place += 2 if isinstance(parent, ast.keyword) else 1
            continue
        operation = operated(node, parent, chain[place + 2] if len(chain) > place + 2 else None)
        if operation is not None:
            if operation.methods and judge(operation, None) != "nothing":
                return Use("held" if whole else "part", at, first)
            if isinstance(parent, ast.Compare):
                return Use("part", at, first, MEMBER) if parent.left is not node and whole else None
            if operation.methods is _ITEMS:
                return None
        outcome = _passes(node, parent)
        if outcome == "read":
            return None
        if outcome == "annotation":
            return Use("annotation", at, first) if whole else None
        if outcome == "held":
            return Use("held" if whole else "part", at, first)
        if outcome == "part":
            return Use("part", at, first)
        whole = whole and outcome != "made"
        place += 1


def _position(call: ast.Call, node: ast.AST) -> int | None:
    """At which an argument is for certain: none that is spread, nor any behind such a one."""
    for position, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return None
        if argument is node:
            return position
    return None


def operated(node: ast.AST, parent: ast.AST, above: ast.AST | None) -> Beside | None:
    """What an operator does with a value that stands beside it; None: no operator has it."""
    if isinstance(parent, ast.UnaryOp):
        return Beside(node, _UNARY.get(type(parent.op), ()))
    if isinstance(parent, ast.BinOp):
        return Beside(parent.right if node is parent.left else parent.left, _of_operator(parent.op))
    if isinstance(parent, ast.AugAssign):
        return Beside(parent.target, _of_operator(parent.op)) if node is parent.value else None
    if isinstance(parent, ast.Compare):
        operands = (parent.left, *parent.comparators)
        steps = zip(operands, parent.ops, operands[1:], strict=False)
        beside = [(two if one is node else one, op) for one, op, two in steps
                  if one is node or two is node and not isinstance(op, (ast.In, ast.NotIn))]  # fmt: skip
        methods = tuple(method for _, op in beside for method in _COMPARED.get(type(op), ()))
        return Beside(beside[0][0] if len(beside) == 1 else parent, methods)
    if isinstance(parent, ast.Subscript):
        return Beside(parent.value, _ITEMS)
    if isinstance(parent, ast.Slice):
        return Beside(parent, _ITEMS)
    if isinstance(parent, ast.Tuple) and isinstance(above, ast.Subscript) and above.slice is parent:
        return Beside(above.value, _ITEMS)
    return None


def _of_operator(op: ast.operator) -> tuple[str, ...]:
    name = _BINARY[type(op)]
    return f"__{name}__", f"__r{name}__", f"__i{name}__"


def _passes(node: ast.AST, parent: ast.AST) -> Literal["read", "held", "part", "made", "same", "annotation"]:
    """Where a value goes from an expression to what it stands in. ``made``: something new has its parts; ``same``: it
    is the value of that, too."""
    if isinstance(parent, (ast.Starred, ast.BinOp)):
        return "made"
    if isinstance(parent, ast.Dict) and any(
        name is None and value is node for name, value in zip(parent.keys, parent.values, strict=True)
    ):
        return "made"
    if isinstance(parent, ast.BoolOp):
        return "same"
    if isinstance(parent, ast.IfExp):
        return "read" if node is parent.test else "same"
    if isinstance(parent, (ast.For, ast.AsyncFor)):
        return "part"
    if isinstance(parent, ast.comprehension):
        return "part" if node is parent.iter else "read"
    if isinstance(parent, ast.AugAssign):
        return "part" if node is parent.value else "read"
    if isinstance(parent, (ast.AnnAssign, ast.arg)):
        return "held" if node is getattr(parent, "value", None) else "annotation"
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        # A decorator is called, and a class may derive from it.
        return "annotation" if node is getattr(parent, "returns", None) else "read"
    if isinstance(parent, ast.Assert):
        return "read" if node is parent.test else "held"
    read = (ast.FormattedValue, ast.JoinedStr, ast.UnaryOp, ast.Expr, ast.If, ast.While, ast.Delete)
    return "read" if isinstance(parent, read) else "held"


def _text(args: list[ast.expr], position: int) -> str | None:
    node = args[position] if len(args) > position else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def sets_by_text(at: Occurrence) -> ast.expr | str | None:
    """Whose attribute is set, where a text is the attribute's name: ``setattr(owner, "NAME", value)``, or the dotted
    path that a test patches, or ``owner.__dict__["NAME"]``; None where it is no such thing."""
    node = at.chain[0]
    call = at.chain[1] if len(at.chain) > 1 else None
    if isinstance(node, ast.Constant) and isinstance(call, ast.Subscript) and call.slice is node:
        return None if isinstance(call.ctx, ast.Load) else _dict_of(call.value)
    if not isinstance(node, ast.Constant) or not isinstance(call, ast.Call) or node not in call.args:
        return None
    text = str(node.value)
    if "." in text:
        return text.rpartition(".")[0] if last_name(call.func) in ("patch", *_SETS) else None
    return set_by(call, node)


def set_by(call: ast.Call, node: ast.expr) -> ast.expr | None:
    """Whose attribute a call sets that is given its name there; None where it does not."""
    if last_name(call.func) in _SETS and call.args.index(node) == 1:
        return call.args[0]
    if isinstance(call.func, ast.Attribute) and call.func.attr in _BOUND and call.args.index(node) == 0:
        return call.func.value
    return None


def _dict_of(node: ast.expr) -> ast.expr | None:
    """Whose attributes a dict holds: ``owner.__dict__``, ``vars(owner)``; itself where it is some module's."""
    given = node.func if isinstance(node, ast.Call) else node
    if isinstance(given, ast.Attribute) and given.attr in DICTS:
        return given
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    asked = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return node.args[0] if asked and isinstance(node, ast.Call) and node.args else None


def relevant(made: Use, value: Value) -> bool:
    """Whether a use changes a value of that kind, or lets others do so."""
    if isinstance(value, Object):
        # Of what it has itself, what can't be changed may go anywhere.
        kept = made.kind in ("held", "part", "method") and made.first in value.names
        return not kept or changeable(value.values[value.names.index(made.first or "")])
    if made.kind == "part" and made.first is None:
        # What is looked for is held against what is in a list, and against the keys of a dict.
        return not (made.word == MEMBER and isinstance(value, Dict)) and holds_changeable(value)
    if made.kind == "method" and made.first is None and made.word not in CHANGES:
        return made.word not in READS
    return True


def holds_changeable(value: Value) -> bool:
    """Whether something in it may be changed."""
    if isinstance(value, Dict):
        return any(changeable(v) for _, v in value.pairs)
    if isinstance(value, Wrapped):
        return holds_changeable(value.value)
    return isinstance(value, (Items, Object, Record)) and any(map(changeable, value.values))


def own_instance(node: ast.expr, at: Occurrence) -> bool:
    """``self`` of an ordinary method: what is set there is set for that object alone."""
    if not isinstance(node, ast.Name) or len(at.around) < 2 or not isinstance(at.around[-2], ast.ClassDef):
        return False
    method, cls = at.around[-1], at.around[-2]
    if (
        not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
        or not method.args.args
        or method.args.args[0].arg != node.id
    ):
        return False
    of_class = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in method.decorator_list)
    made_by_class = method.name in ("__init_subclass__", "__class_getitem__", "__new__")
    bound_again = any(isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)
                      for s in method.body for n in ast.walk(s))  # fmt: skip
    makes_classes = any(isinstance(base, ast.Name) and base.id == "type" for base in cls.bases)
    return not (of_class or made_by_class or bound_again or makes_classes)
