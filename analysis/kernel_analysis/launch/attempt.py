"""One try at a launch: follow the code around it or choose, bound the addresses, size the buffers. Runs no code of the
user's and imports no torch."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kernel_analysis.facts import Facts, ParameterFacts
from kernel_analysis.ir import Ir
from kernel_analysis.launch import choices, pragma, weight
from kernel_analysis.launch.addresses import Addresses, TooHard, TooLong, Touch, Touched
from kernel_analysis.launch.fakes import UNKNOWN, Tensor
from kernel_analysis.launch.follow import Arrived, Follower
from kernel_analysis.launch.forms import Form, atom
from kernel_analysis.launch.integers import Pointer, Value
from kernel_analysis.launch.model import Argument, Launch, Refused
from kernel_analysis.launch.module import Rendered
from kernel_analysis.signature.launched import host
from kernel_analysis.signature.model import ParameterType, Signature

if TYPE_CHECKING:
    from kernel_analysis.launch.plan import Planner

_MOST_BYTES_INTERPRETED = 256 << 20
_MOST_BYTES = 2 << 30
_MOST_WORK = 60_000  # operations of the interpreter, each tens of microseconds
_MOST_CODE = 20_000  # numbers that one thread computes in one pass over the code: compiling takes seconds
_MOST_VALUE = 1024  # of them, those of one block
_MOST_SECONDS = 0.25  # of one launch on a GPU, by a rough estimate
_PROCESSORS_RATE = 2e10  # numbers per second of each processor
_MOST_PROGRAMS = (1 << 31) - 1
_MOST_CONFIGS = 32


class TooBig(Exception):
    """This launch is more than the machine should be given; a smaller one may do."""


@dataclass(slots=True)
class Case:
    """One way to launch: a set of constexpr values, and what follows from it."""

    signature: Signature
    facts: Facts
    ir: Ir
    grid: tuple[int, int, int]
    touched: Touched
    options: dict[str, int] = field(default_factory=dict[str, int])
    constants: dict[str, Any] = field(default_factory=dict[str, Any])


def plain(value: Any) -> bool:
    """Whether a value is a number, a text or None: something that a constexpr may be."""
    return value is None or isinstance(value, bool | int | float | str)


class Attempt:
    """A launch with extents of one size."""

    def __init__(self, planner: Planner, sizes: choices.Sizes, pinned: pragma.Pinned | None) -> None:
        self._planner, self._sizes, self._pinned = planner, sizes, pinned
        self._function = planner.function
        self._made: dict[str, pragma.Made] = {}
        self._given_scalars: dict[str, Any] = {}
        self._guessed: set[str] = set()
        self._why: dict[str, str] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._assumed: list[str] = []
        self._follower = Follower(planner.project, sizes.shape, sizes.scalar, planner.processors)
        self._arrived, self._followed = self._follow()

    def launch(self) -> Launch:
        planner, function = self._planner, self._function
        pinned = self._pinned_values()
        given = {**self._followed, **pinned}
        configs = [(c, o) for c, o in self._configs() if all(pinned.get(n, v) == v for n, v in c.items())]
        cases: list[Case] = []
        for constants, options in configs or [({}, {})]:
            cases.append(self._case({**given, **constants}, options))
            if self._planner.device.interpreted:
                break
        first = cases[0]
        arguments = self._arguments(first, cases)
        total = sum(_bytes(argument) for argument in arguments)
        limit = _MOST_BYTES_INTERPRETED if planner.device.interpreted else min(_MOST_BYTES, planner.device.memory // 4)
        if total > limit and not self._made:
            raise TooBig(f"the buffers for it would take {total / 1e9:.3g} GB")
        programs = math.prod(first.grid)
        if planner.device.interpreted and first.touched.steps * programs > _MOST_WORK and self._pinned is None:
            raise TooBig("it takes too long in the interpreter")
        if max(map(self._seconds, cases)) > _MOST_SECONDS and self._free:
            raise TooBig("a launch takes too long")
        rendered = Rendered(planner.project, planner.slice)
        constants = [self._constants(rendered, case) for case in cases]
        source = rendered.text + "\n\nCONSTANTS = [\n" + "".join(f"    {line},\n" for line in constants) + "]\n"
        if len(configs) > len(cases):
            self._assumed.append(f"the first of {len(configs)} autotune configs is run")
        options = {
            n: v for n, v in given.items() if n in pragma.OPTIONS and type(v) is int and (n in pinned or _fit(n, v))
        }
        return Launch(
            label=self._pinned.label if self._pinned is not None else "",
            pragma=self._pragma(first, arguments, options),
            kernel=function.qualname,
            entry=rendered.entry,
            source=source,
            grid=first.grid,
            arguments=arguments,
            configs=[
                {"constants": {k: _shown(v) for k, v in c.constants.items()}, "options": {**options, **c.options}}
                for c in cases
            ],
            grid_of=[case.grid for case in cases],
            options=options,
            assumed=self._assumptions(first),
            flops=first.touched.flops or None,
            timed=not self._feeds_itself(first),
            places=rendered.places(source),
        )

    @property
    def _free(self) -> bool:
        """Whether a smaller launch can be chosen instead."""
        return self._pinned is None and not self._sizes.last and not self._planner.device.interpreted

    def _check_code(self, ir: Ir, options: dict[str, Any]) -> None:
        """Blocks that are much too large for the threads take minutes to be compiled."""
        warps = options.get("num_warps")
        threads = 32 * (warps if type(warps) is int and _fit("num_warps", warps) else 4)
        if self._free and (weight.code(ir) / threads > _MOST_CODE or weight.largest(ir) / threads > _MOST_VALUE):
            raise TooBig("its blocks are too large")

    def _seconds(self, case: Case) -> float:
        """What a launch takes on a GPU, roughly."""
        touched, warps = case.touched, case.options.get("num_warps", 4)
        alone = touched.steps * 20e-9 + touched.work / (warps * 32) * 1.2e-9
        return max(alone, math.prod(case.grid) * touched.work / (_PROCESSORS_RATE * self._planner.processors))

    def _pinned_values(self) -> dict[str, Any]:
        """What the author says of parameters that are no tensors; ``_made`` gets the tensors."""
        if self._pinned is None:
            return {}
        found = self._pinned.values(self._followed)
        self._made = {name: value for name, value in found.items() if isinstance(value, pragma.Made)}
        self._why.update(dict.fromkeys(found, "pinned"))
        label = f"[{self._pinned.label}]" if self._pinned.label else ""
        self._assumed.append(f"pinned at line {self._pinned.span.line}: # {pragma.MARK}{label}")
        return {name: value for name, value in found.items() if plain(value)}

    def _types(self, given: dict[str, Any]) -> dict[str, str]:
        """Types other than those that were inferred: of pinned tensors, and of pointers that are pinned to None."""
        base = self._planner.base
        types = {n: f"*{made.type}" for n, made in self._made.items() if made.type is not None}
        for name in self._made.keys() - types.keys():
            if base.types.get(name) == "constexpr":
                types[name] = "*fp32"
        for name, kind in base.types.items():
            if isinstance(kind, str) and kind.startswith("tensordesc") and name in types:
                types[name] = f"tensordesc<{types[name][1:]}{kind[kind.index('[') :]}"
            elif self._pinned is not None and name in self._pinned.items and name in given and given[name] is None:
                types[name] = "constexpr"
        return types

    # What is passed ---------------------------------------------------------------------------------------------------

    def _follow(self) -> tuple[Arrived | None, dict[str, Any]]:
        """The first launch that can be followed, and what it passes by parameter."""
        names = [p.name for p in self._function.parameters if p.kind == "positional"]
        for launch in self._function.launches or self._planner.project.launches_of(self._function):
            arrived = self._follower.arrive(launch)
            if arrived is None:
                continue
            passed = dict(zip(names, arrived.positional, strict=False))
            passed.update(arrived.keywords)
            tensors = {name: value for name, value in passed.items() if isinstance(value, Tensor)}
            self._shapes = {name: value.shape for name, value in tensors.items()}
            self._guessed = {name for name, value in tensors.items() if value.guessed}
            self._why = dict.fromkeys(passed, f"as at line {launch.call.lineno}")
            self._assumed.append(
                f"arguments and grid as in the launch at line {launch.call.lineno}, for tensors of chosen shapes"
            )
            return arrived, {n: v for n, v in passed.items() if plain(v) and v is not UNKNOWN}
        return None, {}

    def _configs(self) -> list[tuple[dict[str, Any], dict[str, int]]]:
        """Constexpr values and options of each autotune config."""
        function = self._function
        around = host(self._planner.project, function.file, (), function.node.lineno)
        out: list[tuple[dict[str, Any], dict[str, int]]] = []
        for values, options in zip(function.configs, function.config_options, strict=True):
            constants = {n: around.argument(v).value for n, v in values.items()}
            numbers = {n: around.argument(v).value for n, v in options.items()}
            if all(plain(v) for v in constants.values()):
                out.append((constants, {n: v for n, v in numbers.items() if type(v) is int and n in pragma.OPTIONS}))
        return out[:_MOST_CONFIGS]

    def _case(self, given: dict[str, Any], options: dict[str, int]) -> Case:
        """Grid and addresses for one set of constexpr values."""
        types, strict = self._types(given), self._pinned is not None
        signature, ir, facts = self._planner.lowered(given, types, strict)
        constants = {**signature.constants, **{n: v for n, v in given.items() if n in signature.types}}
        heuristic = self._heuristics(signature, constants)
        if heuristic:
            given = {**heuristic, **given}
            signature, ir, facts = self._planner.lowered(given, types, strict)
        self._check_code(ir, {**given, **options})
        scalars = self._scalars(signature, given)
        grid = self._grid({**given, **scalars, **signature.constants})
        guess = grid or (4, 4, 4)
        touched = self._addresses(ir, facts, signature, scalars, guess)
        shrunk = {n: reach for n, reach in touched.extents.items() if n not in given and scalars.get(n, 0) > reach}
        if shrunk:
            for name, reach in shrunk.items():
                scalars[name] = reach if self._sizes.large else max(1, reach * 3 // 4)
                self._why[name] = "what one block covers"
            self._given_scalars = scalars
            touched = self._addresses(ir, facts, signature, scalars, guess)
        if grid is None:
            grid = self._grid_by_use(touched)
            touched = self._addresses(ir, facts, signature, scalars, grid)
        self._given_scalars = scalars
        self._refuse_unbounded(touched)
        return Case(
            signature, facts, ir, grid, touched, options, {n: given[n] for n in given if n in signature.constants}
        )

    def _heuristics(self, signature: Signature, constants: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        values: dict[str, Any] = {**constants, **self._followed}
        for name, kind in signature.types.items():
            if name not in values and isinstance(kind, str):
                values[name] = (
                    Tensor(self._shapes.get(name, (self._sizes.flat,)))
                    if kind.startswith("*")
                    else self._sizes.scalar(name, kind)
                )
        for name, expression in self._function.heuristics.items():
            value = self._follower.apply(self._function.file, expression, [{**values, **out}])
            if plain(value) and name in signature.types:
                out[name] = value
        return out

    def _scalars(self, signature: Signature, given: dict[str, Any]) -> dict[str, Any]:
        """The value of every parameter that is a number at run time, elements of tuples included."""
        found: dict[str, Any] = {}
        strides = self._sizes.strides(
            [n for n, k in signature.types.items() if isinstance(k, str) and k.startswith("i")]
        )

        def add(name: str, kind: ParameterType) -> None:
            if isinstance(kind, tuple):
                for position, inner in enumerate(kind):
                    add(f"{name}[{position}]", inner)
            elif kind.startswith(("*", "tensordesc", "constexpr")):
                return
            elif type(given.get(name)) in (int, float, bool):
                found[name] = given[name] if not kind.startswith("i") else int(given[name])
            else:
                found[name] = strides[name] if name in strides else self._sizes.scalar(name.partition("[")[0], kind)
                self._why.pop(name, None)

        for name, kind in signature.types.items():
            add(name, kind)
        return found

    def _grid(self, constants: dict[str, Any]) -> tuple[int, int, int] | None:
        pinned = self._pinned.grid(constants) if self._pinned is not None else None
        if pinned is not None or self._arrived is None:
            return pinned
        values = {**self._arrived.keywords, **constants}
        grid = self._arrived.grid(values)
        if grid is None or math.prod(grid) > _MOST_PROGRAMS:
            return None
        one, two, three = (*grid, 1, 1, 1)[:3]
        return one, two, three

    def _grid_by_use(self, touched: Touched) -> tuple[int, int, int]:
        """As many programs as the masks leave work for; a few where nothing says how many."""
        sizes: list[int] = []
        for axis in range(3):
            default = (
                1 if axis not in touched.axes else self._sizes.rows if axis == 0 else 8 if self._sizes.large else 2
            )
            sizes.append(max(1, min(touched.tiles.get(axis, default), 1 << 20 if axis == 0 else 65535)))
        if any(axis not in touched.tiles for axis in touched.axes):
            self._assumed.append("the number of programs is chosen")
        return sizes[0], sizes[1], sizes[2]

    # Addresses --------------------------------------------------------------------------------------------------------

    def _addresses(
        self, ir: Ir, facts: Facts, signature: Signature, scalars: dict[str, Any], grid: tuple[int, int, int]
    ) -> Touched:
        entry = ir.functions[ir.entry]
        by_name = {parameter.name: parameter for parameter in facts.parameters}
        values: list[Value] = []
        seen: dict[str, int] = {}
        loads: dict[str, tuple[int, int] | None] = {}
        for name, kind in zip(entry.parameters, entry.argument_types, strict=True):
            position = seen[name] = seen.get(name, -1) + 1
            if "tensordesc" in kind:
                values.append((Pointer(name, Form()),))
            elif "!tt.ptr" in kind:
                values.append((Pointer(name, Form()),))
                parameter = by_name.get(name)
                content = None if parameter is None else self._content(parameter)
                loads[name], loads[f"*{name}"] = content, None
            elif position:  # a descriptor's shape, then its strides
                shape = self._descriptor_shape(name, str(signature.types[name]))
                values.append(Form([*shape, *_contiguous(shape)][position - 1]))
            elif name in scalars and kind.startswith("i"):
                number = int(scalars[name])
                values.append(atom(number, number, name))
            else:
                values.append(None)
        try:
            return Addresses(ir, values, grid, loads).found
        except TooLong as error:
            raise TooBig("bounding its addresses takes too long") from error
        except TooHard as error:
            pointers = [n for n, k in signature.types.items() if isinstance(k, str) and k.startswith("*")]
            if pointers and all(name in self._made for name in pointers):
                return Touched()
            missing = tuple(name for name in pointers if name not in self._made)
            raise Refused(f"No safe launch of `{self._function.qualname}` can be made: {error}.", missing) from error

    def _content(self, parameter: ParameterFacts) -> tuple[int, int] | None:
        """The range of the integers that the buffer will hold."""
        kind, low, high = choices.fill(parameter.type.lstrip("*k"), parameter.read.verdict, parameter.write.verdict)
        return (int(low), int(high)) if kind == "randint" else None

    def _refuse_unbounded(self, touched: Touched) -> None:
        """Raises Refused for an access that no buffer can be made for."""
        nested = next((touch.base.lstrip("*") for touch in touched.touches if touch.base.startswith("**")), None)
        if nested is not None:
            what = f"`{nested}` holds addresses of buffers that hold addresses"
            raise Refused(f"No safe launch of `{self._function.qualname}` can be made: {what}.", (nested,))
        for touch in touched.touches:
            if (
                not (math.isfinite(touch.low) and math.isfinite(touch.high))
                and touch.base.lstrip("*") not in self._made
            ):
                span = self._planner.slice.span(touch.at)
                place = f" at line {span.line}" if span is not None else ""
                where = None if span is None else (span.file, span.line)
                cause = touch.cause
                base = touch.base.lstrip("*")
                if cause.startswith("loaded "):
                    name = cause.removeprefix("loaded ").lstrip("*")
                    reason = f"it follows from numbers in `{name}`, which the kernel itself writes"
                elif cause == "turn":
                    name, reason = base, "it grows in a loop of which nothing bounds the number of turns"
                else:
                    name, reason = base, "it follows from values that can't be bounded"
                raise Refused(
                    f"No safe launch of `{self._function.qualname}` can be made: the address of `{base}`{place} has no "
                    f"bound, because {reason}.",
                    (name,),
                    where,
                )

    # Buffers ----------------------------------------------------------------------------------------------------------

    def _arguments(self, first: Case, cases: list[Case]) -> list[Argument]:
        touches: dict[str, list[Touch]] = {}
        for case in cases:
            for touch in case.touched.touches:
                touches.setdefault(touch.base, []).append(touch)
        by_name = {parameter.name: parameter for parameter in first.facts.parameters}

        def make(name: str, kind: ParameterType) -> Argument:
            if isinstance(kind, tuple):
                return Argument(name, "tuple", items=[make(f"{name}[{i}]", inner) for i, inner in enumerate(kind)])
            why = self._why.get(name, "")
            if kind.startswith("constexpr"):
                value = first.signature.constants.get(name)
                return Argument(name, "none" if value is None else "constexpr", value=_shown(value), why=why)
            if kind.startswith(("*", "tensordesc")):
                return self._buffer(name, kind, touches, by_name.get(name))
            return Argument(name, "scalar", kind, self._given_scalars[name], why=why)

        return [make(name, kind) for name, kind in first.signature.types.items()]

    def _buffer(self, name: str, kind: str, touches: dict[str, list[Touch]], facts: ParameterFacts | None) -> Argument:
        read = facts.read.verdict if facts else "unknown"
        written = facts.write.verdict if facts else "unknown"
        notes = [*facts.write.unknowns, *facts.read.unknowns] if facts else []
        reason = notes[0].reason if notes else None
        if kind.startswith("tensordesc"):
            type_ = kind[kind.index("<") + 1 : kind.index("[")]
            shape = self._descriptor_shape(name, kind)
            how = choices.fill(type_, read, written)
            return Argument(
                name, "descriptor", type_, None, math.prod(shape), 0, *how, shape, _block(kind), read, written, reason
            )
        type_ = kind[1:].removeprefix("k")
        if touches.get(f"*{name}"):
            return self._table(name, type_, touches, facts)
        bounded = [t for t in touches.get(name, []) if math.isfinite(t.low) and math.isfinite(t.high)]
        size, before = _extent(bounded, choices.item_size(type_))
        made = self._made.get(name)
        if made is not None:
            if size - before > made.numel or before or len(bounded) < len(touches.get(name, [])):
                self._assumed.append(
                    f"{name} has {made.numel} elements, as pinned; that no access goes beyond them is not proven"
                )
            return Argument(
                name, "tensor", type_, None, made.numel, 0, made.fill, made.low, made.high, made.shape, (), read,
                written, reason, "pinned",
            )  # fmt: skip
        how = choices.fill(type_, read, written)
        shape = self._shapes.get(name, ())
        touched = size
        if name in self._guessed:
            shape = shape if math.prod(shape) == size and not before else ()
        elif shape and math.prod(shape) >= size and not before:
            size = math.prod(shape)
        elif shape:
            self._assumed.append(
                f"{name} has {size} elements, and the tensor at the launch {math.prod(shape)}: nothing shows that the "
                "kernel stays within those"
            )
            shape = ()
        return Argument(
            name,
            "tensor",
            type_,
            None,
            max(1, size),
            before,
            *how,
            shape,
            (),
            read,
            written,
            reason,
            self._why.get(name, ""),
            touched=touched,
        )

    def _table(self, name: str, type_: str, touches: dict[str, list[Touch]], facts: ParameterFacts | None) -> Argument:
        """A buffer of addresses, all of one other buffer."""
        entries, before = _extent(touches.get(name, []), 8)
        size, _ = _extent(touches[f"*{name}"], 1)
        read = facts.table_read.verdict if facts else "unknown"
        written = facts.table_write.verdict if facts else "unknown"
        target = Argument(f"*{name}", "tensor", "u8", None, size, 0, "zeros", 0, 0, (), (), read, written)
        own_read = facts.read.verdict if facts else "unknown"
        own_written = facts.write.verdict if facts else "unknown"
        return Argument(
            name, "table", type_, None, max(1, entries), before, "", 0, 0, (), (), own_read, own_written, target=target
        )

    def _descriptor_shape(self, name: str, kind: str) -> tuple[int, ...]:
        block = _block(kind)
        if name in self._made and len(self._made[name].shape) == len(block):
            return self._made[name].shape
        shape = self._shapes.get(name, ())
        if len(shape) == len(block):
            return shape
        return tuple(max(size, -(-self._sizes.extent // size) * size) if size > 1 else 1 for size in block)

    # What is told -----------------------------------------------------------------------------------------------------

    def _constants(self, rendered: Rendered, case: Case) -> str:
        values = case.signature.constants.items()
        return "{" + ", ".join(f'"{name}": {rendered.expression(value)}' for name, value in values) + "}"

    def _assumptions(self, case: Case) -> list[str]:
        """What was chosen that nothing in the file says."""
        out = list(self._assumed)
        chosen = [f"{n}={v}" for n, v in self._given_scalars.items() if n not in self._why]
        if chosen:
            out.append(f"chosen by name and use: {', '.join(chosen)}")
        guessed = [
            f"{name}: {kind}" if name not in case.signature.constants else f"{name}={case.signature.constants[name]!r}"
            for name, kind in case.signature.types.items()
            if not case.signature.evidence[name].certain
            and name not in self._given_scalars
            and name not in case.constants
        ]
        if guessed:
            out.append(f"types and constexprs by name and use: {', '.join(map(str, guessed))}")
        return out

    def _pragma(self, case: Case, arguments: list[Argument], options: dict[str, int]) -> str:
        """The comment that pins this launch."""
        items: list[tuple[str, str]] = []
        for argument in arguments:
            if argument.kind in ("scalar", "constexpr") and not isinstance(argument.value, str):
                items.append((argument.name, repr(argument.value)))
            elif argument.kind in ("tensor", "descriptor") and not argument.before:
                shape = ", ".join(map(str, argument.shape or (argument.size,)))
                numbers = {"randint": f"{argument.low:g}, {argument.high + 1:g}, ", "full": f"{argument.low!r}, "}
                maker = "empty" if argument.fill == "poison" else argument.fill
                items.append((argument.name, f"{maker}({numbers.get(argument.fill, '')}{shape}, {argument.type})"))
        items = [(n, v) for n, v in items if n not in case.constants or not self._function.autotuned]
        return pragma.written(case.grid, [*items, *((n, str(v)) for n, v in options.items())])

    def _feeds_itself(self, case: Case) -> bool:
        """Whether the kernel would meet what it wrote in the launch before: numbers that bound its loops."""
        return any(
            p.type.lstrip("*k").startswith(("i", "u")) and p.read.verdict != "no" and p.write.verdict != "no"
            for p in case.facts.parameters
        )


def _fit(name: str, value: int) -> bool:
    """Whether a value for a compiler option that the code around a launch gives can be meant."""
    return value in (1, 2, 4, 8, 16, 32) if name == "num_warps" else 0 < value <= 256


def _shown(value: Any) -> Any:
    return value if plain(value) else str(value)


def _contiguous(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[position + 1 :]) for position in range(len(shape))]


def _block(kind: str) -> tuple[int, ...]:
    return tuple(int(number) for number in kind[kind.index("[") + 1 : kind.index("]")].split(","))


def _extent(touches: list[Touch], item: int) -> tuple[int, int]:
    """The elements that a buffer needs, and how many of them lie before its start."""
    low = min((touch.low for touch in touches), default=0)
    high = max((touch.high for touch in touches), default=0)
    before = -(int(low) // item) if low < 0 else 0
    return before + max(0, -(-int(high) // item)), before


def _bytes(argument: Argument) -> int:
    inner = sum(map(_bytes, argument.items)) + (_bytes(argument.target) if argument.target else 0)
    return inner + argument.size * choices.item_size(argument.type)
