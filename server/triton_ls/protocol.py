"""JSON-RPC as pygls speaks it, and an answer to each request that it can't read or that comes out of turn: a client
waits for one.

Knows no method but those with which a session begins and ends.
"""

from __future__ import annotations

from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol


class Protocol(LanguageServerProtocol):
    _begun = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        identity: object = data.get("id")
        if "jsonrpc" in data and not isinstance(identity, int | str | None):
            raise JsonRpcInvalidRequest("the id of a message is a number or a text")
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(identity, int | str):
                self._refuse(identity, error)
            raise

    def handle_message(self, message: Any) -> None:
        if not hasattr(message, "jsonrpc"):
            raise JsonRpcInvalidRequest("a message is an object that says `jsonrpc`")
        method: str | None = getattr(message, "method", None)
        error = None if method is None else self._out_of_turn(method)
        self._begun = self._begun or method == types.INITIALIZE
        if error is None:
            super().handle_message(message)
        elif (identity := getattr(message, "id", None)) is not None:
            self._refuse(identity, error)

    def _out_of_turn(self, method: str) -> JsonRpcException | None:
        """Why what the client wants can't be done now: it says hello first and once, and after goodbye no more than
        that it goes. pygls takes all before the first and answers nothing after the second."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("The session was shut down.")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The session is initialized already.") if self._begun else None
        return None if self._begun else JsonRpcServerNotInitialized("The session is not initialized yet.")

    def _refuse(self, identity: int | str, error: JsonRpcException) -> None:
        cast("Any", self)._send_response(identity, error=error.to_response_error())
