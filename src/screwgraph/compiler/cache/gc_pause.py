"""Python's collector of cycles, held while code is made: it looks at millions of scalars again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collector() -> Iterator[None]:
    """Collect no cycles for a while, which is a tenth of the making of code, and a quarter of that of long chains.

    What has no reference is freed as always. Where the collector is off already, nothing changes.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
