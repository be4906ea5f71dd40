"""The first hours of four users run from the installed package, in an empty folder with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(
    path for path in Path(__file__).parent.glob("*.py") if path.stem not in ("__init__", "test_first_hour")
)


@pytest.mark.suite
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_without_a_warning(script, tmp_path):
    if script.stem == "robot":
        pytest.importorskip("xacro")
    given = {**os.environ, "SCREWGRAPH_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
