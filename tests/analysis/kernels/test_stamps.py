"""How often a file is looked at: at each question where somebody edits, once a request where files are taken as they
are."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_analysis.kernels import project as kernels_project
from kernel_analysis.kernels.project import Project


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    looks: list[str] = []
    stamp = kernels_project.file_stamp

    def noting(file: str) -> kernels_project.FileStamp | None:
        looks.append(file)
        return stamp(file)

    monkeypatch.setattr(kernels_project, "file_stamp", noting)
    return looks


@pytest.mark.parametrize(("patient", "most"), [(True, 1), (False, 4)])
def test_a_file_is_looked_at_once_a_request_or_at_each_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patient: bool, most: int
) -> None:
    file = tmp_path / "a.py"
    file.write_text("A = 1\n")
    project = Project([str(tmp_path)], [], patient=patient)
    looks = counted(monkeypatch)
    assert [project.text(str(file)) for _ in range(4)] == ["A = 1\n"] * 4
    assert looks == [str(file)] * most


@pytest.mark.parametrize("patient", [True, False])
def test_the_next_request_sees_what_nobody_told_of(tmp_path: Path, patient: bool) -> None:
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    file.write_text("A = 1\n")
    other.write_text("B = 1\n")
    project = Project([str(tmp_path)], [], patient=patient)
    assert project.text(str(other)) == "B = 1\n"
    other.write_text("B = 123\n")
    project.look_again()
    assert project.text(str(other)) == "B = 123\n"
    other.write_text("B = 12345\n")
    assert project.module(str(file)).text == "A = 1\n"
    assert project.text(str(other)) == "B = 12345\n"
    other.write_text("B = 1234567\n")
    project.changed([str(other)])
    assert project.text(str(other)) == "B = 1234567\n"
