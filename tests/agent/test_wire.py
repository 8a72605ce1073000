"""What an agent is sent: both sides read the same definitions, the page names them all, and what is not so is said."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest

from agent.process import REPOSITORY, Agent
from kernel_analysis import run_wire, wire
from kernel_analysis.agent.protocol import request_parameters
from kernel_analysis.agent.protocol.channel import Channel
from kernel_analysis.agent.protocol.requests import Requests
from kernel_analysis.typed import wrong

PAGE = (REPOSITORY / "docs" / "agent.md").read_text(encoding="utf-8")
METHODS = {**wire.REQUESTS, **wire.NOTIFICATIONS}


@pytest.mark.parametrize("method", METHODS)
def test_the_page_names_every_field(method: str) -> None:
    (entry,) = re.findall(rf"^- `{method}` (?!as above)(.*?)(?=^- `|^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    shape = entry.partition("->")[0]
    for field in METHODS[method].__annotations__:
        assert f'"{field}"' in shape, field


SAID: dict[str, type] = {**wire.SAID, "recall": wire.Recall, **wire.REPLIES}
SHOWN = {"kernels": wire.Entry, "about": wire.CompiledFor, "insertions": wire.Insertion}
"""What is within something that is said, and shown there."""


def test_every_request_has_its_answer() -> None:
    assert wire.REPLIES.keys() == wire.REQUESTS.keys()
    assert len(wire.ASKED) == len(wire.REPLIES), "a question is known by what it is answered with"


@pytest.mark.parametrize("method", SAID)
def test_the_page_shows_all_that_is_said(method: str) -> None:
    (entry,) = re.findall(rf"^- `{method}` (?!as above)(.*?)(?=^- `|^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    shape = entry.partition("->")[2] if method in wire.REQUESTS else entry
    for field in fields(SAID[method]):
        assert f'"{field.name}"' in shape, field.name
        for inner in fields(SHOWN[field.name]) if field.name in SHOWN else ():
            assert f'"{inner.name}"' in shape, inner.name


@pytest.mark.parametrize(
    ("method", "params", "wrong"),
    [
        ("analyze", {"file": "/x.py"}, "it needs `generation`"),
        ("analyze", {"file": "/x.py", "generation": True}, "its `generation` is of type int, not True"),
        ("analyze", {"file": "/x.py", "generation": 1, "budget": {"seconds": 1}}, "it needs `share`"),
        ("analyze", {"file": "/x.py", "generation": 1, "budget": 3}, "its `budget` are a table, not 3"),
        ("analyze", {"file": "/x.py", "generation": 1, "skip": []}, "its `skip` is of type dict[str, str], not []"),
        ("document", {"file": "/x.py", "text": 3}, "its `text` is of type str, not 3"),
        ("document", {"file": "/x.py"}, "it needs `text`"),
        ("changed", {"files": [3]}, "its `files` is of type str, not 3"),
        ("ir", [1], "its parameters are a table, not [1]"),
        ("initialize", {"settings": {"target": 90}}, "its `target` is of type str, not 90"),
        ("analyze", {"file": "/x.py", "generation": 1, "first_line": None, "budget": None}, None),
        ("analyze", {"file": "/x.py", "generation": 1, "budget": {"seconds": 1, "share": 0.5, "reason": ""}}, None),
        ("initialize", {"roots": ["/"], "settings": {"cache": True, "directory": None}}, None),
    ],
)
def test_what_is_not_as_a_method_takes_it(method: str, params: Any, wrong: str | None) -> None:
    assert request_parameters.check(method, params) == wrong


@pytest.mark.parametrize(
    ("event", "message", "fault"),
    [
        ("error", {"event": "error", "kind": "compile", "message": "no"}, None),
        ("error", {"event": "error", "kind": "compile", "message": 3}, "its `message` is of type str, not 3"),
        ("progress", {"event": "progress"}, "it needs `message`"),
        ("device", {"event": "device", "device": 3, "processors": 4, "told": {}}, "its `device` are a table, not 3"),
    ],
)
def test_what_a_run_says_is_held_against_what_it_should_be(event: str, message: Any, fault: str | None) -> None:
    assert wrong(run_wire.EVENTS[event], message, "message") == fault


def test_parameters_are_refused_in_a_sentence(agent: Agent) -> None:
    error = agent.request("ir", {"file": "/x.py", "qualname": 3}).error
    assert error is not None
    assert (
        error["message"]
        == "`ir` was called with parameters that it doesn't take: its `qualname` is of type str, not 3."
    )


class Kept(Channel):
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


@pytest.mark.parametrize("error", [KeyError("x"), TypeError("y"), ValueError("z")])
def test_an_error_of_ours_is_called_one(error: Exception) -> None:
    """Whatever its type: the parameters were looked at before."""
    channel = Kept()
    requests = Requests(channel)

    def broken(params: Any) -> None:
        raise error

    requests.answers = {"ir": broken}
    requests.handle({"id": 1, "method": "ir", "params": {"file": "/x.py", "qualname": "k"}})
    (said,) = channel.sent
    assert said["error"]["code"] == -32603
    assert said["error"]["message"].startswith("`ir` failed, which is a bug of triton-ls: ")
