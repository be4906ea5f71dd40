"""Batches shared by threads: machine code holds no lock of Python's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

Shape = tuple[int, ...]

SHARE = 64
"""States from which a thread is worth waking.

Parts are multiples of it, so that blocks of vectors, and with them all digits, are those of one thread.
"""


class ThreadPool:
    """Threads that wait between calls, started when they are needed; a forked process starts its own."""

    def __init__(self) -> None:
        self._started: dict[tuple[int, int], ThreadPoolExecutor] = {}

    def threads(self, count: int) -> ThreadPoolExecutor:
        """Return what runs calls on so many threads; those of another number end."""
        key = (os.getpid(), count)
        if key not in self._started:
            self._started = {key: ThreadPoolExecutor(count)}
        return self._started[key]


def run_on_threads(
    pool: ThreadPool,
    ufunc: np.ufunc,
    arguments: Sequence[Shape],
    results: Sequence[Shape],
    threads: int,
    *values: Any,
    out: tuple[Any, ...] | None = None,
    dtype: str,
    share: int = SHARE,
) -> Any:
    """Call a gufunc on parts of a batch at once; where there are few states, or NumPy would refuse them, on all.

    Core shapes are those of its arguments and results; a thread gets `share` states or blocks at least.
    Arrays that are both argument and result are read before they are written.
    """
    arrays = [np.asarray(value) for value in values]
    cores, kept = [len(shape) for shape in arguments], results
    loop = _loop(arrays, cores)
    axis = int(np.argmax(loop)) if loop else 0
    threads = min(threads, loop[axis] // share if loop else 0)
    targets = [np.empty((*loop, *shape), dtype) for shape in kept] if out is None else list(out)
    fits = all(isinstance(t, np.ndarray) and t.shape == (*loop, *s) for t, s in zip(targets, kept, strict=False))
    if threads < 2 or len(targets) != len(kept) or not fits:
        return ufunc(*arrays, **({} if out is None else {"out": out}), dtype=dtype)
    mixed = any(np.may_share_memory(a, t) for a in arrays for t in targets)
    made = [np.empty(t.shape, dtype) for t in targets] if mixed else targets
    blocks = loop[axis] // share
    edges = [*(share * (blocks * k // threads) for k in range(threads)), loop[axis]]
    back = axis - len(loop)
    calls = []
    for begin, end in pairwise(edges):
        given = [_part(a, core, back, slice(begin, end)) for a, core in zip(arrays, cores, strict=True)]
        into = tuple(_part(t, len(s), back, slice(begin, end)) for t, s in zip(made, kept, strict=True))
        calls.append(partial(copy_context().run, ufunc, *given, out=into, dtype=dtype))
    others = [pool.threads(threads - 1).submit(call) for call in calls[:-1]]
    try:
        calls[-1]()  # this thread takes the last part
    finally:
        wait(others)
    for other in others:
        other.result()
    for target, found in zip(targets, made, strict=True):
        if target is not found:
            np.copyto(target, found, casting="same_kind")
    return targets[0] if len(targets) == 1 else tuple(targets)


def _loop(arrays: Sequence[np.ndarray], cores: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the batch; empty where there is none, which NumPy says better."""
    try:
        return np.broadcast_shapes(*(a.shape[: max(0, a.ndim - core)] for a, core in zip(arrays, cores, strict=True)))
    except ValueError:
        return ()


def _part(array: np.ndarray, core: int, back: int, part: slice) -> np.ndarray:
    """Return the states of a part; `back` is the axis of the batch that is shared, counted from its last one."""
    axis = array.ndim - core + back
    return array if axis < 0 or array.shape[axis] == 1 else array[(*[slice(None)] * axis, part)]
