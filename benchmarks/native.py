"""C and C++ programs: which compiler, which flags, built once for each source, flags and compiler."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from screwgraph.ui.bench import NotMeasuredError

BUILDS = Path(__file__).resolve().parents[1] / "out" / "bench"
FLAGS = ("-O3", "-march=native", "-DNDEBUG")
"""Of everything that is measured, ours and the peers'."""
OURS = ("-ffp-contract=fast", "-fno-math-errno")
"""Besides, of our C99: products and sums fuse, and no function sets errno."""
GENERATED = ("-ffast-math",)
"""Besides, of C code that other programs generate."""
SHARED = ("-shared", "-fPIC", "-nostartfiles")
"""Of libraries that are loaded into this process.

The start files of -ffast-math would round denormal numbers to zero in all of it: scipy's KDTree, for one, overflows.
"""
NEWEST = 30
"""Versions of clang that are looked for, this one first."""


class LateError(NotMeasuredError):
    """Something was not done in time."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} was not done after {seconds:g} s")


@dataclass(frozen=True)
class Compiler:
    """A C and a C++ compiler that belong together."""

    c: str
    cpp: str
    version: str


def find_compiler(wanted: str | None = None) -> Compiler:
    """Return the compiler of that name (clang, clang-19, gcc ...), by default the newest clang, or else gcc.

    Raises:
        NotMeasuredError: there is none.
    """
    clangs = ["clang", *(f"clang-{n}" for n in range(NEWEST, 10, -1))]
    present = [c for c in ([wanted] if wanted else [*clangs, "gcc"]) if shutil.which(c) and shutil.which(_cpp(c))]
    if not present:
        raise NotMeasuredError(f"no C++ compiler {wanted or ''}: install one (on Debian: apt-get install clang)")
    found = [Compiler(c, _cpp(c), _version(c)) for c in present]
    return max(found, key=lambda c: (c.c.startswith("clang"), _number(c.version)))


def _cpp(c: str) -> str:
    return c.replace("clang", "clang++", 1) if c.startswith("clang") else c.replace("gcc", "g++", 1)


def _version(compiler: str) -> str:
    """Return a name and a number; distributions' additions are left out."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    number = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return f"{compiler.split('-')[0]} {number.group() if number else '?'}"


def _number(version: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", version)]


def build(
    compiler: str,
    flags: Sequence[str],
    sources: Sequence[Path],
    text: str = "",
    say: Callable[[str], None] = lambda line: None,
    libraries: Sequence[str] = (),
    patience: float | None = None,
) -> Path:
    """Return what a compiler makes of sources, or of `text` (C); made now unless it is there already.

    What was not done within `patience` (s) is not tried again with as little.

    Raises:
        NotMeasuredError: the compiler refuses, or takes longer (LateError).
    """
    contents = [text, *(p.read_text() for p in sources)]
    named = [compiler, _version(compiler), *flags, *libraries]
    key = hashlib.sha256(repr((named, _processor(), contents)).encode())
    target = BUILDS / key.hexdigest()[:24]
    if target.exists():
        return target
    BUILDS.mkdir(parents=True, exist_ok=True)
    tried = target.with_suffix(".tried")
    if patience is not None and tried.exists() and float(tried.read_text()) >= patience:
        raise LateError(compiler, patience)
    units = [str(p) for p in sources if p.suffix == ".cpp"]
    say(f"{compiler} builds {', '.join(Path(u).name for u in units) or 'generated code'}")
    partial = target.with_suffix(f".{os.getpid()}")
    command = [compiler, *flags, *(units or ["-x", "c", "-"]), "-o", str(partial), *libraries, "-lm"]
    try:
        status, complaints = _run(command, text, patience)
        if status:
            first = next((line for line in complaints.splitlines() if "error" in line), complaints.strip()[-200:])
            raise NotMeasuredError(f"{compiler} refuses: {_without_folders(first)}")
        partial.replace(target)
    except LateError:
        tried.write_text(repr(patience))
        raise
    finally:
        partial.unlink(missing_ok=True)
    return target


def _run(command: Sequence[str], text: str, patience: float | None) -> tuple[int, str]:
    """Return a compiler's status, and what it complained of. Raises LateError."""
    pipe = subprocess.PIPE
    # A session of its own: a compiler that takes too long ends with the programs that it started.
    with subprocess.Popen(
        command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True, start_new_session=True
    ) as running:
        try:
            complaints = running.communicate(text, timeout=patience)[1]
        except subprocess.TimeoutExpired as error:
            os.killpg(running.pid, signal.SIGKILL)
            raise LateError(command[0], error.timeout) from error
        except BaseException:
            os.killpg(running.pid, signal.SIGKILL)
            raise
    return running.returncode, complaints


def _processor() -> str:
    """Code is for this processor: another machine that shares the folder builds its own."""
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name()


def _without_folders(line: str) -> str:
    return re.sub(r"\S*/", "", line)
