"""Running the blocks of a page in a folder, as its reader would."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

from screwgraph.base.errors import ModelError
from screwgraph.ui.cli import run as run_screwgraph
from tests.docs.pages import LONG, ROOT, Block, blocks
from tests.docs.recipes import HEADER, extended, recipes

COMMAND = re.compile(r"^\$ (?P<command>.*?)\s*(?:#\s*exit status (?P<status>\d+))?$")
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
TIME_LIMIT = 300.0


class PageError(AssertionError):
    """A page says what is not so."""


class MissingToolError(Exception):
    """A page uses a program or an extra that is not on this machine."""


def run_page(page: Path, folder: Path, *, long: bool = False) -> None:
    """Run the blocks of a page in a folder, and check what they print; those of recipes, with what they add.

    Raises:
        PageError: something else was printed, or a command ended in another way than the page says.
        MissingToolError: a command is not installed here.
    """
    if recipes(page):
        run_alone(page, folder, long=long)
    else:
        run_blocks(page, folder, long=long)


def run_alone(page: Path, folder: Path, *, long: bool = False, tests: tuple[str, ...] = ()) -> None:
    """Run a page in a process that imports the package with the page's recipes, or tests there. Raises PageError."""
    with tempfile.TemporaryDirectory() as made:
        code = f"from pathlib import Path; from tests.docs.running import run_blocks; run_blocks(Path({str(page)!r}), "
        code += f"Path({str(folder)!r}), long={long})"
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        found = [str(extended(page, Path(made))), str(ROOT), os.environ.get("PYTHONPATH", "")]
        done = subprocess.run(
            [sys.executable, *(pytest if tests else ["-c", code])],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(found)},
        )
    if done.returncode:
        raise PageError(done.stdout)


def run_blocks(page: Path, folder: Path, *, long: bool = False) -> None:
    """Run the blocks of a page in this process, those of recipes left out. Raises as `run_page` does."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder), mpl.rc_context({"backend": "Agg", "svg.hashsalt": "screwgraph"}):
        for block in blocks(page):
            if block.is_long and not long:
                continue
            if block.file is not None:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "python" and not HEADER.match(block.text):
                _run_python(page, block, namespace)
            elif block.language == "console":
                _run_console(page, block)


def _run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("screwgraph"):
            raise
        raise MissingToolError(str(error)) from error
    except ModelError as error:
        if "is not installed" in str(error):
            raise MissingToolError(str(error)) from error
        raise
    if block.output is not None:
        _compare(f"{page.name}:{block.line}", block.output, printed.getvalue())


def _run_console(page: Path, block: Block) -> None:
    lines = [line for line in block.text.splitlines() if not line.startswith(LONG)]
    starts = [i for i, line in enumerate(lines) if COMMAND.match(line)]
    if not starts or starts[0] != 0:
        raise PageError(f"{page.name}:{block.line}: a console block begins with `$ `")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        place = f"{page.name}:{block.line + start}"
        found = COMMAND.match(lines[start])
        assert found is not None
        program, *arguments = shlex.split(found["command"], comments=True)
        if program not in PROGRAMS:
            raise PageError(f"{place}: {program!r} is not a program that pages may call: {', '.join(PROGRAMS)}")
        status, printed = PROGRAMS[program](arguments)
        if status != int(found["status"] or 0):
            raise PageError(f"{place}: exit status {status}\n{printed}")
        if end > start + 1:
            _compare(place, "\n".join(lines[start + 1 : end]) + "\n", printed)


def _compare(place: str, expected: str, printed: str) -> None:
    if not doctest.OutputChecker().check_output(expected, printed, LOOSE):
        raise PageError(f"{place}: the page shows\n{expected}\nbut this was printed:\n{printed}")


def _screwgraph(arguments: list[str]) -> tuple[int, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = run_screwgraph(arguments)
    return status, printed.getvalue()


def _python(arguments: list[str]) -> tuple[int, str]:
    """Run a script of the page, or of this repository."""
    script, *rest = arguments
    return _process([sys.executable, script if Path(script).exists() else str(ROOT / script), *rest])


def _compiler(name: str, language: str) -> Callable[[list[str]], tuple[int, str]]:
    def compiled(arguments: list[str]) -> tuple[int, str]:
        program = shutil.which(name)
        if program is None:
            raise MissingToolError(f"there is no {language} compiler here")
        return _process([program, *arguments])

    return compiled


def _here(arguments: list[str]) -> tuple[int, str]:
    program, *rest = arguments
    return _process([f"./{program}", *rest])


def _process(command: list[str]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT, env=environment
    )
    return done.returncode, done.stdout


PROGRAMS: dict[str, Callable[[list[str]], tuple[int, str]]] = {
    "screwgraph": _screwgraph,
    "python": _python,
    "cc": _compiler("cc", "C"),
    "c++": _compiler("c++", "C++"),
    "./robot": lambda arguments: _here(["robot", *arguments]),
}
"""What commands of console blocks may begin with."""
