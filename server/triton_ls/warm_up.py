"""What takes milliseconds when it is first used, made while the agent comes up: nobody waits then, and the first hover
and the first facts need not. May decide nothing: what is not made here is made when it is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from triton_ls import names, reports

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.protocol import LanguageServerProtocol

_OFTEN: Final = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_HOVER,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
    types.TEXT_DOCUMENT_INLAY_HINT,
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.TEXT_DOCUMENT_CODE_LENS,
)
"""What editors say when a file is opened and at every key, in that order."""


async def prepare(protocol: LanguageServerProtocol) -> None:
    """One thing after the other; whatever the client says meanwhile comes between."""
    for make in _steps(protocol):
        make()
        await asyncio.sleep(0)


def _steps(protocol: LanguageServerProtocol) -> Iterator[Callable[[], object]]:
    converter: Converter = protocol._converter  # pyright: ignore[reportPrivateUsage] (pygls has no other way to it)
    for method in _OFTEN:
        said: Any = protocol.get_message_type(method)
        yield partial(converter.get_structure_hook, said)
        answer: Any = protocol.get_result_type(method)
        if answer is not None:
            yield partial(converter.get_unstructure_hook, answer)
        if method == types.TEXT_DOCUMENT_DID_OPEN:
            yield partial(converter.get_unstructure_hook, types.PublishDiagnosticsNotification)
            yield from reports.first_uses()
        elif method == types.TEXT_DOCUMENT_HOVER:
            yield partial(names.name_at, ["name"], 1, 1, 1, 1)
