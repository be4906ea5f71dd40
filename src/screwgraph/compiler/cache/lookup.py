"""Make something, or find it as it was made before."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TypeVar

from screwgraph.compiler.cache.fingerprint import fingerprint
from screwgraph.compiler.cache.source_digest import digest_sources
from screwgraph.compiler.cache.store import open_store

T = TypeVar("T")


def get_or_make(
    kind: str,
    question: object,
    make: Callable[[], T],
    pack: Callable[[T], bytes],
    unpack: Callable[[bytes], T],
    *,
    improve: Callable[[T], T] = lambda found: found,
    anew: bool = False,
) -> T:
    """Return the answer to a question from the cache, else make it and keep it there.

    Args:
        kind: one of `KINDS`.
        question: everything that the answer depends on, besides this package's sources.
        make: makes the answer; what it raises goes through, and nothing is kept.
        pack: turns an answer into bytes.
        unpack: turns these back.
        improve: returns what takes the place of an answer that was found, or just that.
        anew: make the answer even if there is one, and keep it instead.
    """
    store = open_store()
    key = None if store is None else _key(question)
    if store is None or key is None:
        with pause_collector():
            return make()
    found = None if anew else store.read(kind, key)
    known = None if found is None else unpack(found)
    with pause_collector():
        made = make() if known is None else improve(known)
        if made is not known and digest_sources(look_again=True) is not None:
            store.write(kind, key, pack(made))
    return made


def look_up(kind: str, question: object, unpack: Callable[[bytes], T]) -> T | None:
    """Return the answer to a question from the cache; None where it is not there."""
    store = open_store()
    key = None if store is None else _key(question)
    found = None if store is None or key is None else store.read(kind, key)
    return None if found is None else unpack(found)


def _key(question: object) -> str | None:
    told, code = fingerprint(question), digest_sources()
    return None if told is None or code is None else sha256(code + told).hexdigest()


# Python's collector of cycles, held while code is made: it looks at millions of scalars again and again.


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
