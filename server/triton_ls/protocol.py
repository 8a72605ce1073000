"""JSON-RPC as pygls speaks it, and an answer to each request that it can't read: a client waits for one.

Knows no method.
"""

from __future__ import annotations

from typing import Any, cast

from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol


class Protocol(LanguageServerProtocol):
    def structure_message(self, data: dict[str, Any]) -> Any:
        identity: object = data.get("id")
        if "jsonrpc" in data and not isinstance(identity, int | str | None):
            raise JsonRpcInvalidRequest("the id of a message is a number or a text")
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(identity, int | str):
                answer = cast("Any", self)._send_response
                answer(identity, error=error.to_response_error())
            raise
