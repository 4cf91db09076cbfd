"""What a build says at its end can be typed as it stands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from report.summary import called


def test_the_generator_is_called_by_a_name_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    assert called() == ".venv/bin/python -m report"

    script = programs / "report"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert called() == ".venv/bin/report"

    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    assert called() == "report"
