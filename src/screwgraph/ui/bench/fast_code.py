"""Fast code from the first call on: what is timed is no draft."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from screwgraph.compiler import DRAFT_VARIABLE


@contextmanager
def fast_code() -> Iterator[None]:
    """Let LLVM make fast code at once for a while, also in processes that are started then."""
    before = os.environ.get(DRAFT_VARIABLE)
    os.environ[DRAFT_VARIABLE] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[DRAFT_VARIABLE]
        else:
            os.environ[DRAFT_VARIABLE] = before
