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


def run_c_examples(name: str, folder: Path, *flags: str) -> str:
    """Compile a C library with its test in a folder, without warnings, and return what the test prints."""
    compiler, files = found("gcc", "clang", "cc"), ("-I.", f"test/{name}_test.c", f"{name}.c")
    done(compiler, "-std=c99", *WARNINGS, *flags, *files, "-o", "t", "-lm", cwd=folder)
    return done("./t", cwd=folder)


def run_rust_examples(name: str, folder: Path) -> str:
    """Compile a Rust library with its test in a folder, without warnings, and return what the test prints."""
    rust = (found("rustc"), "--edition", "2021", "-D", "warnings")
    done(*rust, "--crate-type", "rlib", "--crate-name", name, "src/lib.rs", cwd=folder)
    done(*rust, "--test", "--extern", f"{name}=lib{name}.rlib", "tests/examples.rs", "-o", "t", cwd=folder)
    return done("./t", cwd=folder)
