"""An object cache of its own, so that compile times are cold when they claim to be."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

CACHE = {"SCREWGRAPH_CACHE": "on"}
"""What the environment says besides the folder."""
FOLDER = "SCREWGRAPH_CACHE_DIR"


@contextmanager
def fresh_cache() -> Iterator[dict[str, str]]:
    """Keep compiled code in an empty folder for a while; yields what the environment of other processes has to say."""
    with tempfile.TemporaryDirectory(prefix="screwgraph-bench-") as folder:
        said = {**CACHE, FOLDER: folder}
        before = {name: os.environ.get(name) for name in said}
        os.environ.update(said)
        try:
            yield said
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
