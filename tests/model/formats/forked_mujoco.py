"""MuJoCo's compiler in a fork of this process, which has it in memory: 10 ms a file, not the 300 of an interpreter."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import mujoco  # noqa: F401  so that forks have it

from screwgraph.model.formats.mjcf import reader


@contextmanager
def forked() -> Iterator[None]:
    """Start MuJoCo's compiler by fork: the program that screwgraph starts, its arguments and its input are the same."""
    started = SimpleNamespace(**{**vars(subprocess), "run": _run})
    with mock.patch.object(reader, "subprocess", started):
        yield


def _run(command: Sequence[str], *, input: bytes, timeout: float, **_: Any) -> Any:
    """Run `python -P -c PROGRAM ARGUMENTS` in a fork; it ends by itself, or by an alarm."""
    program, arguments = command[3], command[4:]
    folder = Path(arguments[1])
    (folder / "input").write_bytes(input)
    if not (child := os.fork()):
        _become(program, arguments, folder, timeout)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == -14:
        raise subprocess.TimeoutExpired(command, timeout)
    return SimpleNamespace(returncode=status, stderr=(folder / "errors").read_bytes())


def _become(program: str, arguments: Sequence[str], folder: Path, timeout: float) -> None:
    """Run a program as the interpreter would; never return."""
    import signal

    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, timeout)
        errors = os.open(folder / "errors", os.O_WRONLY | os.O_CREAT)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(errors, 2)
        sys.stdin = io.TextIOWrapper(io.BytesIO((folder / "input").read_bytes()), encoding="utf-8")
        sys.argv = ["-c", *arguments]
        exec(program, {"__name__": "__main__"})
        status = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(status)
