"""What a call passes, ``*args`` and ``**keywords`` spread out as far as the text says what is in them.

Reads syntax only, through the ``Frame`` that knows the names around the call.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument, of_items, unknown_one, varying
from kernel_analysis.signature.launches import set_blocks
from kernel_analysis.signature.launches.frame import Entry, Frame
from kernel_analysis.signature.launches.parameters.asked import base
from kernel_analysis.signature.launches.parameters.declared import constant
from kernel_analysis.signature.launches.passed_arguments import PassedArguments
from kernel_analysis.source.tree import parameters


def passed(frame: Frame, call: ast.Call) -> PassedArguments:
    """The arguments of a call; found out once."""
    resolver = frame.host.resolver
    if call not in frame.calls:
        with resolver.reading() as files:
            frame.calls[call] = _passed(frame, call), files
    found, files = frame.calls[call]
    resolver.read(files)
    return found


def _passed(host: Frame, call: ast.Call) -> PassedArguments:
    found = PassedArguments()
    into, lost = found.positional, list[HostArgument]()
    for node in call.args:
        starred = isinstance(node, ast.Starred)
        given = host.argument(node.value) if starred else _argument(host, node)
        if starred and given.kind in ("dict", "object"):
            given = NOT_KNOWN  # whose items are its values, and not its keys
        items = (given.items or ()) if starred else (given,)
        # Behind what may be longer it is one of those further on.
        into += map(varying, items) if found.more and into is found.positional else items
        if starred and not _counted(node.value, given):
            found.more = True
            lost += [*found.last, unknown_one(given) if given.items is None else NOT_KNOWN]
            found.last = list[HostArgument]()
            if given.items is None:
                # From here on, which argument goes where is only known counted from the end.
                into = found.last
    found.between = lost[0] if lost and all(one.kind == lost[0].kind for one in lost) else NOT_KNOWN
    for keyword in call.keywords:
        if keyword.arg is not None:
            found.keywords[keyword.arg] = _argument(host, keyword.value)
        else:
            given = host.argument(keyword.value)
            known = dict(zip(given.keys, given.items or (), strict=True)) if given.kind == "dict" else {}
            found.keywords.update({name: value for name, value in known.items() if isinstance(name, str)})
            found.open |= given.kind != "dict" or given.open or given.varies
    return found


def _counted(node: ast.expr, given: HostArgument) -> bool:
    """Whether it is certain how many are in what is spread out. What is one of several is not sure in any part."""
    if given.items is None or given.varies or given.open:
        return False
    written = isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in node.elts)
    return written or given.sure or any(item.sure for item in given.items)


def _argument(host: Frame, node: ast.expr) -> HostArgument:
    found = set_blocks.as_set(host, node, host.argument(node))
    if found.kind not in ("tensor", "unknown"):
        return found
    name = base(node)
    return found if name is None else replace(found, name=name)


def given(entry: Entry, name: str) -> HostArgument | None:
    """What a call of a function passes for its parameter ``name``; None: nothing that is known."""
    caller, call, function = entry
    arguments = function.args
    names = parameters.positional(arguments)
    found = passed(caller, call)
    if arguments.vararg is not None and name == arguments.vararg.arg:
        rest = of_items(tuple(found.positional[len(names) :]))
        return varying(rest) if found.more else rest
    if arguments.kwarg is not None and name == arguments.kwarg.arg:
        own = {*(a.arg for a in (*arguments.args, *arguments.kwonlyargs))}
        others = {key: value for key, value in found.keywords.items() if key not in own}
        return HostArgument("dict", items=tuple(others.values()), keys=tuple(others), open=found.open)
    if name in found.keywords:
        return found.keywords[name]
    if name in names and names.index(name) < len(found.positional):
        return found.positional[names.index(name)]
    if found.more or found.open:
        return None
    default = constant(parameters.defaults(arguments).get(name))
    return None if default is NOT_KNOWN else default
