"""Where C++ headers are: what packages of the index bring, and the system's folders."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from screwgraph.ui.bench import NotMeasuredError

SYSTEM = (Path("/usr/include"), Path("/usr/local/include"), Path("/opt/homebrew/include"))
CMEEL = Path("cmeel.prefix") / "include"
"""Where packages built with cmeel put their headers, in a folder of Python's path."""


def include_folder(header: str, fix: str, below: Sequence[str] = ("",)) -> Path:
    """Return the folder to include, which has a header; `below` are places of it in the folders that are searched.

    Raises:
        NotMeasuredError: it is nowhere.
    """
    folders = [Path(entry) / CMEEL for entry in sys.path if entry] + list(SYSTEM)
    for folder in folders:
        for place in below:
            if (folder / place / header).exists():
                return folder / place
    raise NotMeasuredError(f"the header {header} is not here: {fix}")
