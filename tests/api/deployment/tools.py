"""Compilers and build tools that may be here, and running them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror")


def found(*names: str) -> str:
    """Return the first of some programs that is here; skip the test where none is."""
    for name in names:
        if shutil.which(name):
            return name
    pytest.skip(f"there is no {' or '.join(names)} here")


def done(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    full = [str(part) for part in command]
    run = subprocess.run(full, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return run.stdout


def eigen() -> Path:
    """Return a folder of Eigen's headers; skip the test where there is none."""
    casadi = importlib.util.find_spec("casadi")
    own = [Path(str(casadi.origin)).parent / "include" / "eigen3"] if casadi else []
    for folder in [Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3"), *own]:
        if (folder / "Eigen" / "Core").exists():
            return folder
    pytest.skip("there is no Eigen here")


def zig() -> list[str]:
    """Return the command of Zig's compiler; skip the test where it is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("there is no ziglang here")
    return [sys.executable, "-m", "ziglang"]


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write files of code below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
