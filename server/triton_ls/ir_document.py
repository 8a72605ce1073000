"""A stage of the compiler as a document: its name for the editor, its text, which of its lines belongs to which of the
user's.

May not show anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from kernel_analysis import report
from kernel_analysis.wire import Printed
from triton_ls.agents.agent_process import AgentError
from triton_ls.editor import Editor
from triton_ls.session import Session

SCHEME = "triton-ls-ir"
PATIENCE = 60.0
"""Seconds for what is compiled to the end: LLVM and ptxas take longer over a large kernel than the front end does."""

_ENDINGS = {"ttir": ".ttir.mlir", "ttgir": ".ttgir.mlir", "llir": ".ll", "amdgcn": ".s"}


@dataclass(frozen=True, slots=True)
class IrSubject:
    """A function of a document, and the stage that it is shown at."""

    uri: str
    qualname: str
    stage: str

    @property
    def virtual_uri(self) -> str:
        """The editor shows the part before the ``?`` as its title."""
        return f"{SCHEME}:/{quote(self.qualname, safe='')}.{self.stage}?{quote(self.uri, safe='')}"

    @property
    def file_name(self) -> str:
        """A name whose ending tells an editor the language."""
        return f"{self.qualname}{_ENDINGS.get(self.stage, '.' + self.stage)}"

    @classmethod
    def of(cls, virtual_uri: str) -> IrSubject:
        scheme, _, rest = virtual_uri.partition(":")
        name, _, document = rest.partition("?")
        qualname, _, stage = unquote(name.lstrip("/")).rpartition(".")
        if scheme != SCHEME or not document or not qualname:
            raise JsonRpcInvalidParams(f"{virtual_uri} is no {SCHEME}: document.")
        return cls(unquote(document), qualname, stage)


@dataclass(frozen=True, slots=True)
class Content:
    """``lines``: (line of the text, document, line of it), lines from 0."""

    text: str
    lines: list[tuple[int, str, int]]


async def content(session: Session, editor: Editor, subject: IrSubject) -> Content:
    """It is compiled now; ``JsonRpcException`` says why that can't be."""
    file = editor.file(subject.uri)
    await session.ready()
    known = report.stages(session.settings(file).target)
    if subject.stage not in known:
        target = session.settings(file).target
        raise JsonRpcException(f"There is no stage {subject.stage} for {target}; there are {', '.join(known)}.")
    try:
        if subject.stage == "ttir":
            made = await session.ask(file, Printed, qualname=subject.qualname)
        else:
            made = (await session.stage(file, subject.qualname, subject.stage, PATIENCE)).stage
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    return Content(made.text, [(number, editor.uri_of(source), line - 1) for number, source, line in made.map])
