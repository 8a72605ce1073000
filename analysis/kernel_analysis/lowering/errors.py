"""What went wrong in Triton's front end -> a Problem: the innermost place in the user's code, the calls that led
there, the compiler's own words and, for the common ones, advice in plain words. May not decide whose fault a guessed
type is: it only says what is certain.
"""

# pyright: basic
from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from kernel_analysis.facts import Problem, ProblemKind
from kernel_analysis.ir import At
from kernel_analysis.lowering import compat, versions
from kernel_analysis.lowering.front.frontend import OutOfTime, Recording
from kernel_analysis.lowering.front.unresolved_names import UnresolvedUse
from kernel_analysis.lowering.gate.evaluation import Forbidden
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.lowering.message_kinds import kind_of
from kernel_analysis.lowering.printed.printed_places import Places
from kernel_analysis.source.slice import Slice, Unresolved
from kernel_analysis.source.tree.bound_before import may_be_bound
from kernel_analysis.source.tree.device_loops import goes_over_chosen, is_on_device
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

_OURS = re.compile(r"<(\d+)>$")
_REPR = re.compile(r"^(\w+)\((['\"])(.*)\2,?\)$", re.DOTALL)

_REFUSALS = (UnresolvedUse, NotEvaluable, Forbidden)
"""What is not evaluated here: nobody's error."""

_CERTAIN = re.compile(
    r"is not defined$|^unsupported AST node type: (?!Raise)|^nested function definition|^module '[\w.]+' has no attribute|unexpected keyword argument"
    r"|missing \d* ?(a )?required|takes \d+ positional arguments?|too many positional arguments|is not supported in triton|[Ss]imultaneous multiple"
    r"|^'dtype' object is not callable|\b(?:have|has) been removed|Only `range` and `static_range`|are not supported in triton|cannot be used outside"
    r"|to a constant pointer$|^AST (?:comparison|binary) operator"
)
"""Errors that no other types or constexpr values could make go away."""

_LONGEST_NAME = 9
"""Nodes of a name that is a path of a few parts."""

_COLLECTED = re.compile(r"JIT functions do not support \*\*|'NoneType' object has no attribute|^it is not defined$")
"""What the versions say of ``**meta``, and those before 3.8 of ``*args``."""

_SHORT = re.compile(r"^Expected dtype|^invalid axis|^only accepts")
"""What says nothing of what was called, and with what, for all its numbers."""

_UNDEFINED = re.compile(r"`?(\w+)`? is not defined$")
_TOO_EARLY = (
    "Nothing has assigned it yet where it is read. What stands further down does not count, and what a loop assigns "
    "first is gone after the loop: assign it before."
)

_RETURN = "Cannot have `return` statements inside `while` or `for` statements in triton."
_SAYS_NOTHING = ("AssertionError()", "We use SCF, so the loop body should only have one block")
"""What Triton says of a ``return`` in a loop that no ``if`` is around."""

_NAMELESS = re.compile(r"^'(?P<operator>In|NotIn|MatMult)' object has no attribute '__name__'$")
"""Before 3.9 Triton trips over the name of an operator that it doesn't have."""

_TYPES = re.compile(r"^\((?:triton\.language\.\w+(?:, |,?\)$))+")
_BINDING = re.compile(r"^\w+\(\): incompatible function arguments")
_ADDRESS_SPACE = "the address space can't be said in a kernel"
_PASSED_ON = re.compile(r"^'\w+' object has no attribute '(?:signature|fn)'")
_COMBINERS = ("reduce", "associative_scan", "map_elementwise")
"""What has Triton call a function, and trips over one that is no jit function by itself."""
_UNBOUND = re.compile(r"^(?:got an unexpected keyword|(?P<lacks>missing a required argument)|(?P<more>too many))")

_HINTS: list[tuple[str, str]] = [
    (
        r"arange's arguments must be of type tl\.constexpr",
        "The bounds of `tl.arange` must be known at compile time: pass them as `tl.constexpr` parameters.",
    ),
    (
        r"arange's range must be a power of 2|Shape element \d+ must be a power of 2|shape.*power of 2",
        "Blocks have sizes that are powers of two: round up with `triton.next_power_of_2` and mask the rest.",
    ),
    (
        r"Cannot make_shape_compatible|incompatible dimensions|cannot broadcast",
        "The two blocks can't be broadcast to one shape: give the smaller one a dimension with `[:, None]` "
        "or `[None, :]`.",
    ),
    (
        r"Cannot bitcast|cannot cast",
        "This conversion does not exist: check the two dtypes.",
    ),
    (
        r"unsupported tensor index",
        "Elements can't be taken out of a block or pointer: load those that are needed, or reduce under a mask.",
    ),
    (
        r"is not defined$",
        "Nothing of this name is visible in the kernel: a kernel sees its parameters, its locals, and "
        "module-level names that are jit functions, modules or `tl.constexpr` values.",
    ),
    (
        r"^AST comparison operator '(?:Not)?In'",
        "A kernel can't ask what is in a tuple: compare with each, `MODE == 1 or MODE == 2`.",
    ),
    (
        r"[Ll]oop.carried variable|has initial type",
        "A variable that a loop changes must keep its type and shape: start it with the type that the loop "
        "gives it, for example `tl.zeros([...], tl.float32)`.",
    ),
    (
        r"Unsupported ptr type|Pointer argument|pointer type",
        "A pointer was expected here: pass the tensor itself (its pointer) and add offsets to it.",
    ),
    (
        r"unsupported operand type",
        "One of the two operands is not a number or block: look for a `None` argument or a pointer "
        "multiplied by something.",
    ),
    (
        r"marked as constexpr and listed in do_not_specialize",
        "Take it out of the list: what is a `tl.constexpr` is always compiled for its value.",
    ),
    (
        r"must be constexpr|should be constexpr|expected.*constexpr|to be a constexpr|not.*constexpr",
        "This value must be known at compile time: make the parameter `tl.constexpr`.",
    ),
    (
        r"[Mm]ismatched type for|return type.*mismatch|Inconsistent return types",
        "Both branches must give the variable the same type: convert one with `.to(...)`.",
    ),
    (
        r"K >= \d+|M, N, and K|dot.*shape|Input shapes should have|equal reduction dimensions",
        "`tl.dot` needs blocks of at least 16 in each dimension (K depends on the dtype), with matching inner sizes.",
    ),
    (
        r"'dtype' object is not callable",
        "A dtype is no conversion: write `x.to(tl.float32)`, or `tl.full([], value, tl.float32)` for a number.",
    ),
    (
        r"'tuple' object has no attribute (?:dtype|shape|to|type)\b|of type `tuple` to tensor",
        "One of the two is a tuple: a comma at the end of a line, `x = tl.load(ptr),`, makes one.",
    ),
    (
        r"Did you forget to add @triton\.jit",
        "Functions that a kernel calls must be jit functions themselves: add `@triton.jit`.",
    ),
]


def problem_of(error: BaseException, recording: Recording, stderr: str, slice: Slice, places: Places) -> Problem:
    """The Problem for an exception out of ``make_ir``; ``stderr`` is what MLIR wrote while it ran."""
    problem = _problem(error, recording, stderr, slice, places)
    kind = ProblemKind(topics=("too-long",)) if isinstance(_innermost(error), OutOfTime) else kind_of(problem.message)
    return replace(problem, kind=kind)


def _problem(error: BaseException, recording: Recording, stderr: str, slice: Slice, places: Places) -> Problem:
    if recording.recursion is not None:
        return _recursion(recording, slice, places)
    frames = _frames(error)
    ours = [(index, _taker(index, node, slice)) for index, node in frames if index >= 0]
    if not ours and recording.calls:
        ours = [(index, node) for index, node in recording.calls if index >= 0]
    at = _at(ours[-1], places) if ours else At(0, 0)
    chain = tuple(_at(frame, places) for frame in ours[:-1])
    innermost = _innermost(error)
    if recording.endless is not None:
        message = "the jit functions call each other without end at compile time: no `tl.constexpr` argument stops them"
        hint = "End the recursion with an `if` on a `tl.constexpr` parameter that changes with every call."
        return Problem("recursion", message, _at(recording.endless, places), chain[:1], hint)
    if isinstance(innermost, RecursionError):
        # Of what Python goes into here, and not of jit functions: those were counted.
        return Problem("not-analyzed", "Python's recursion limit was reached in what this evaluates", at, chain)
    unresolved = _unresolved(ours, slice)
    if isinstance(innermost, _REFUSALS) and (unresolved is None or unresolved[0].reason != str(innermost)):
        wrong = isinstance(innermost, UnresolvedUse) and innermost.wrong
        return _not_found(str(innermost), wrong, at, chain)
    if unresolved is not None:
        binding, name = unresolved
        return _not_found(binding.reason, binding.wrong, _at((ours[-1][0], name), places), chain)
    if isinstance(innermost, MemoryError):
        return Problem("not-analyzed", "the compiler ran out of the memory that it may use", at, chain)
    message = _message(innermost)
    written = slice.functions[ours[-1][0] if ours else 0].node.args
    for stars, collected in (("**", written.kwarg), ("*", written.vararg)):
        if collected is None or not _COLLECTED.search(message.replace(f"{collected.arg} is", "it is")):
            continue
        name = f"{stars}{collected.arg}"
        place = _at((ours[-1][0] if ours else 0, collected), places)
        said = f"Triton {compat.triton_version} has no `{name}` parameters"
        return Problem("compile-error", said, place, chain, versions.advice(name), certain=True)
    if message == "error encountered during parsing":
        message, place = _mlir_message(stderr, places)
        place = place and _whole_loop(place, slice)
        at, chain = place or at, () if place else chain
    always = False
    if message in _SAYS_NOTHING and ours and (leaves := _leaves_loop(ours[-1][1])) is not None:
        message, at = _RETURN, _at((ours[-1][0], leaves[1]), places)
        always = leaves[1] in leaves[0].body  # no test is around it
    if ours and (refused := _refused_form(message, ours[-1][1])) is not None:
        message, always = refused, True
    message = _told(message, ours[-1][1] if ours else None)
    if recording.arguments and (_SHORT.search(message) or not re.search(r"\d", message)):
        message = f"{message}: {recording.arguments}"
    dated = versions.advice(message)
    hint = dated or next((text for pattern, text in _HINTS if re.search(pattern, message)), None)
    unbound = _is_unbound(message, at, slice)
    # Whether nothing but another text makes the error go away.
    certain = always or (bool(_CERTAIN.search(message)) if unbound is None else unbound)
    if certain and ours and message.startswith("Only `range`"):
        certain = not goes_over_chosen(ours[-1][1], slice.functions[ours[-1][0]])  # for other values it may be one
    return Problem(
        "compile-error", message, at, chain, _TOO_EARLY if unbound else hint, certain, dated=dated is not None
    )


def _not_found(reason: str, wrong: bool, at: At, chain: tuple[At, ...]) -> Problem:
    """A name that stands nowhere is the user's error, although nobody could say what it means."""
    if wrong:
        return Problem("compile-error", reason.removesuffix("."), at, chain, versions.advice(reason), certain=True)
    return Problem("not-analyzed", reason, at, chain, versions.advice(reason))


def refuses(error: BaseException) -> bool:
    """Whether the kernel reached for what is not evaluated here, whichever variables its loops carry."""
    return isinstance(_innermost(error), _REFUSALS)


def _is_unbound(message: str, at: At, slice: Slice) -> bool | None:
    """Of a variable that is not defined where it is read: whether it never is there, whatever is passed (what only some
    branches assign is there under the values that go with them). None where the function assigns no such name."""
    function, undefined = slice.functions[at.function], _UNDEFINED.match(message)
    if undefined is None:
        return None
    names = [node for node in function.nodes if isinstance(node, ast.Name) and node.id == undefined[1]]
    if all(isinstance(node.ctx, ast.Load) for node in names):
        return None
    read = next((node for node in descend(function.nodes[at.node]) if node in names), None)
    if not isinstance(read, ast.Name):
        return False
    return not may_be_bound(function.node.body, read, lambda loop: is_on_device(loop, function))


def _frames(error: Any) -> list[tuple[int, ast.AST]]:
    """(slice function or -1, node) of every CompilationError in the chain of causes, outermost first."""
    frames: list[tuple[int, ast.AST]] = []
    current = error
    while current is not None:
        if isinstance(current, compat.CompilationError) and isinstance(current.node, ast.AST):
            match = _OURS.match(current.src or "")
            frame = (int(match[1]) if match else -1, current.node)
            if not frames or frames[-1] != frame:  # Gluon says twice that it calls a partition
                frames.append(frame)
        current = current.__cause__
    return frames


def _taker(index: int, node: ast.AST, slice: Slice) -> ast.AST:
    """Of items that are spread, the call: most functions take them, and some of Triton's not."""
    if not isinstance(node, ast.Starred):
        return node
    calls = (call for call in slice.functions[index].nodes if isinstance(call, ast.Call))
    return next((call for call in calls if any(argument is node for argument in call.args)), node)


def _innermost(error: BaseException) -> BaseException:
    """The exception with the words that matter: the last cause; where Triton kept only its ``repr``, what it was
    raised over."""
    while error.__cause__ is not None:
        error = error.__cause__
    behind = error.__context__
    if isinstance(error, compat.CompilationError) and isinstance(behind, (*_REFUSALS, MemoryError, RecursionError)):
        return behind
    return error


def _message(error: Any) -> str:
    if isinstance(error, compat.CompileTimeAssertionFailure):
        said = error.error_message or ""
        # Triton could not make the message, and says so with the address of a syntax tree.
        return "static_assert failed" if not said or said.startswith("<failed to") else f"static_assert failed: {said}"
    text = error.error_message if isinstance(error, compat.CompilationError) else str(error)
    text = str(text or type(error).__name__)
    wrapped = _REPR.match(text)
    if wrapped:
        said = wrapped[3]
        text = said.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in said else said
    text = re.sub(r"<class '(?:triton\.[\w.]*\.)?(\w+)'>", r"`\1`", text)
    text = re.sub(r"'?constexpr\[(\d+)\]'?", r"\1", text)
    return re.sub(r"<\d+>:| at 0x[0-9a-f]+(?=>)", "", text).strip()


def _refused_form(message: str, node: ast.AST) -> str | None:
    """What Triton refuses for how it is written, and trips over without saying so."""
    if isinstance(node, ast.For) and not isinstance(node.iter, ast.Call) and message.endswith("no attribute 'func'"):
        return "a kernel's `for` goes over `range`, `tl.range` or `tl.static_range`, and over nothing else"
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and message.endswith("attribute 'handle'"):
        return "a kernel's `while` needs a condition that is computed when the kernel runs"
    if isinstance(node, ast.Assign) and not hasattr(node, "lineno") and isinstance(node.targets[0], ast.Name):
        # Triton makes it of a parameter and its default.
        given = f"the default of `{node.targets[0].id}`"
        return f"{given} is no number: Triton takes such a one of a `tl.constexpr` parameter alone"
    if isinstance(node, ast.Assign) and len(node.targets) > 1 and message == "AssertionError()":
        return "simultaneous multiple assignment is not supported: a kernel assigns one after the other"
    return None


def _told(message: str, node: ast.AST | None) -> str:
    """The words with the name of what was called, for those that make no sentence without it."""
    if nameless := _NAMELESS.match(message):
        kind = "binary" if isinstance(node, ast.BinOp) else "comparison"
        return f"AST {kind} operator '{nameless['operator']}' is not (currently) implemented."
    if isinstance(node, ast.Subscript) and message.startswith("Did you forget"):
        return "unsupported tensor index: it is not known at compile time"  # Triton goes over it as if it were several
    if not isinstance(node, ast.Call):
        return message
    called = f"`{ast.unparse(node.func)}`" if len(list(ast.walk(node.func))) <= _LONGEST_NAME else "what is called"
    if _TYPES.match(message):
        given = message.strip("(),").replace("triton.language.", "")
        return f"{called} takes no operands of the types {given}"
    if unbound := _UNBOUND.match(message):
        return f"{called} {'is ' if unbound['lacks'] else 'got ' if unbound['more'] else ''}{message}"
    if _BINDING.match(message):
        return _ADDRESS_SPACE if message.startswith("get_ptr_ty") else f"{called} takes no arguments of these types"
    if message == "unhashable type: 'tensor'":
        return f"{called} is a tensor, not a function"
    if _PASSED_ON.match(message) and last_name(node.func) in _COMBINERS:
        return f"{called} needs the jit function by its own name: Triton takes none that is in a `tl.constexpr`"
    if message == "'function' object has no attribute 'arg_names'":
        return f"{called} needs a jit function to combine with"
    return message


def _leaves_loop(node: ast.AST) -> tuple[ast.For | ast.While, ast.Return] | None:
    """A loop of the kernel, and the ``return`` in it."""
    for loop in descend(node):
        unrolled = isinstance(loop, ast.For) and "static_range" in ast.unparse(loop.iter)
        if isinstance(loop, (ast.For, ast.While)) and not unrolled:
            found = next((inner for inner in descend(loop) if isinstance(inner, ast.Return)), None)
            if found is not None:
                return loop, found
    return None


def _mlir_message(stderr: str, places: Places) -> tuple[str, At | None]:
    """MLIR's own words and place for a module that does not verify: they go to the process's standard error only."""
    for match in re.finditer(r'(?:loc\()?"?(<\d+>|[^\s"]*)"?:(\d+):(\d+)\)?: error: (.*)', stderr):
        file, line, column, message = match.groups()
        if _OURS.match(file):
            return message, places.find(int(file[1:-1]), int(line), int(column))
    first = re.search(r"error: (.*)", stderr)
    return (first[1] if first else "the compiler's verifier refused the kernel and gave no reason"), None


def _whole_loop(at: At, slice: Slice) -> At:
    """What is refused about a loop is about all that it carries, also where its bounds are what is pointed at, as
    Triton 3.6 does."""
    nodes = slice.functions[at.function].nodes
    for ordinal, node in enumerate(nodes):
        head = node.iter if isinstance(node, ast.For) else node.test if isinstance(node, ast.While) else None
        if head is not None and any(inner is nodes[at.node] for inner in descend(head)):
            return At(at.function, ordinal)
    return at


def _recursion(recording: Recording, slice: Slice, places: Places) -> Problem:
    assert recording.recursion is not None
    cycle, calls = recording.recursion
    if 0 in cycle and len(cycle) == len(calls):
        # The kernel was compiled once as the entry before the cycle closed: tell it from there.
        start = cycle.index(0)
        cycle, calls = cycle[start:] + cycle[:start], calls[start:] + calls[:start]
    names = [slice.functions[index].name for index in cycle if index >= 0]
    path = " -> ".join([*names, names[0]]) if names else "a function"
    ours = [_at(call, places) for call in calls if call[0] >= 0]
    return Problem(
        "recursion",
        f"{path}: a jit function calls itself at run time, which no GPU code can do",
        ours[-1] if ours else At(0, 0),
        tuple(ours[:-1]),
        "Turn it into a loop, or let a `tl.constexpr` argument end the recursion at compile time.",
        certain=True,
    )


def _unresolved(ours: list[tuple[int, ast.AST]], slice: Slice) -> tuple[Unresolved, ast.AST] | None:
    """Why the failing expression could not be understood and which name is behind it, if we could not resolve one."""
    if ours:
        index, node = ours[-1]
        bindings = slice.functions[index].bindings
        for inner in descend(node):
            binding = bindings.get(inner.id) if isinstance(inner, ast.Name) else None
            if isinstance(binding, Unresolved):
                return binding, inner
    return None


def _at(frame: tuple[int, ast.AST], places: Places) -> At:
    index, node = frame
    return places.node(index, node)
