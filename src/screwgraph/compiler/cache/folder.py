"""Where the cache is, and whether the folder is trustworthy: machine code from it will be run."""

from __future__ import annotations

import os
from pathlib import Path

SWITCH = "SCREWGRAPH_CACHE"
FOLDER = "SCREWGRAPH_CACHE_DIR"
OFF = ("0", "off", "no", "false")
WRITABLE_BY_OTHERS = 0o022


def cache_folder() -> Path | None:
    """Return the folder that the environment, else the platform, names; None where the cache is switched off."""
    if os.environ.get(SWITCH, "").strip().lower() in OFF:
        return None
    chosen = os.environ.get(FOLDER)
    if chosen:
        return Path(os.path.expanduser(chosen))
    from platformdirs import user_cache_path  # here, because most of the 10 ms of a cached function would be its import

    folder = user_cache_path("screwgraph", appauthor=False)
    return folder if folder.is_absolute() else None  # a user without a home


def find_distrust(status: os.stat_result) -> str:
    """Return why a file or folder is not trustworthy; empty if it is.

    On Windows, a user's folders are closed to others by where they are.
    """
    if os.name == "nt":
        return ""
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users may write to it" if status.st_mode & WRITABLE_BY_OTHERS else ""
