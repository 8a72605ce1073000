"""What is said of errors that only a machine with a GPU meets."""

from __future__ import annotations

from pathlib import Path

from kernel_analysis.launch.execution.failures import MODULE, explained


class PTXASError(Exception):
    """As Triton raises it."""


def test_ptxas_has_the_word(tmp_path: Path) -> None:
    ptx = tmp_path / "kernel.ptx"
    ptx.write_text(f'.visible .entry k()\n{{\n.loc 1 12 5\nfrobnicate.b32 %r1, 3;\n}}\n.file 1 "/tmp/{MODULE}"\n')
    said = f"ptxas {ptx}, line 4; error   : Not a name of any known instruction: 'frobnicate'\nptxas fatal   : aborted"
    failure = explained(
        PTXASError(f"`ptxas` failed with error code 255\n`ptxas` stderr:\n{said}\nRepro command: p"), None
    )
    assert failure.kind == "compile"
    assert str(failure) == (
        "The kernel does not compile: ptxas: Not a name of any known instruction: 'frobnicate' (line 4 of the PTX)"
    )
    assert failure.places == [12]


def test_a_parser_s_failure_is_one_of_compiling() -> None:
    assert explained(RuntimeError("error encountered during parsing"), None).kind == "compile"
