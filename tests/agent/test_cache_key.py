"""What an outcome is stored under: all of a signature could change it, but for where things stand."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from kernel_analysis.agent.kept.cache import cache_key
from kernel_analysis.signature.signature_model import Evidence, LaunchOptions, Signature
from kernel_analysis.source.slice import AggregateRef

EVIDENCE = Evidence("launch", "a launch passes an integer", True)
SIGNATURE = Signature({"n": "i32"}, {}, {"n": EVIDENCE})
OF_EVIDENCE: dict[str, Any] = {
    "kind": "use", "detail": "it is added", "certain": False, "ones": ("n",), "said": True, "any_size": ("n",),
    "passed": True, "others": ("n",), "rivals": True,
}  # fmt: skip
PLACES: dict[str, Any] = {"line": 3, "place": "line 3"}
OF_SIGNATURE: dict[str, Any] = {
    "types": {"n": "i64"}, "constants": {"n": 1}, "evidence": {}, "launch": LaunchOptions({"num_warps": 8}),
    "later": True, "launches": (("n",),), "launched": True, "called": True, "names": {"n": ("a",)},
    "made": {"n": AggregateRef(0)}, "extents": {"n": ("BLOCK",)}, "splits": {"n": ((1, 0),)}, "memory": ("n",),
    "bound": (("FLAG", 0),),
}  # fmt: skip


def key(signature: Signature) -> str:
    return cache_key("slice", [signature], "3.9.0", "")


def with_evidence(**other: Any) -> Signature:
    return replace(SIGNATURE, evidence={"n": replace(EVIDENCE, **other)})


def test_every_field_is_here() -> None:
    assert {field.name for field in fields(Signature)} == set(OF_SIGNATURE)
    assert {field.name for field in fields(Evidence)} == {*OF_EVIDENCE, *PLACES}


@pytest.mark.parametrize("name", OF_SIGNATURE)
def test_a_field_of_a_signature_is_in_the_key(name: str) -> None:
    assert key(replace(SIGNATURE, **{name: OF_SIGNATURE[name]})) != key(SIGNATURE)


@pytest.mark.parametrize("name", OF_EVIDENCE)
def test_a_field_of_evidence_is_in_the_key(name: str) -> None:
    assert key(with_evidence(**{name: OF_EVIDENCE[name]})) != key(SIGNATURE)


@pytest.mark.parametrize("name", PLACES)
def test_where_it_stands_is_not(name: str) -> None:
    assert key(with_evidence(**{name: PLACES[name]})) == key(SIGNATURE)
