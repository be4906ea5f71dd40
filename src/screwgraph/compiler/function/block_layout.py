"""Functions of batches in blocks of samples, which vectors read and write as they are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from numpy.lib.stride_tricks import as_strided

from screwgraph.base.argument_checks import check_arguments, validate_count
from screwgraph.base.errors import InputError
from screwgraph.compiler.argument_domains import argument_domains, check_domains
from screwgraph.compiler.backends.llvm import LINE, CompiledBlocks, compile_blocks, streaming_threshold
from screwgraph.compiler.derivatives.derivative_code import batch_code
from screwgraph.compiler.function.singular_fallback import resolve_singular
from screwgraph.compiler.function.threads import SHARE, ThreadPool, run_on_threads
from screwgraph.compiler.signature import REAL_KINDS, check_count, format_arguments
from screwgraph.tape import Code

if TYPE_CHECKING:
    from screwgraph.compiler.function.function import Function

Shape = tuple[int, ...]
_NOTHING = nullcontext()
BELOW = 2
"""How far below its caller a call warns, as `warnings.warn` counts."""


@dataclass(frozen=True, eq=False)
class BlockedFunction:
    """A function of batches in blocks: arrays `(blocks, *shape, samples)`, each number of a block's samples together.

    A block has 8 `samples` of float64, 16 of float32: a line of the caches for each number. `blocks` makes such arrays
    of rows `(N, *shape)`, `rows` makes rows of them, `empty` arrays for `out=`. The last block is filled up.
    """

    function: Function

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function; machine code is made again, or found in the cache."""
        return BlockedFunction, (self.function,)

    def __repr__(self) -> str:
        f = self.function
        results = format_arguments(f.results).removeprefix("result: ")
        return f"<{f.name} in blocks of {self.samples} ({format_arguments(f.arguments)}) -> {results}, {f.dtype}>"

    @cached_property
    def samples(self) -> int:
        """How many samples a block holds."""
        return LINE // np.dtype(self.function.dtype).itemsize

    @check_arguments
    def blocks(self, rows: Float[np.ndarray, "N ..."]) -> Float[np.ndarray, "blocks ..."]:
        """Return samples `(N, *shape)` in blocks `(ceil(N / samples), *shape, samples)`; the last one fills up.

        Raises:
            InputError: there is no axis of samples.
        """
        if not rows.ndim:
            raise InputError("a batch has an axis of samples", fix="give an array (N, ...)")
        count, size = len(rows), self.samples
        found = _empty((-(-count // size), *rows.shape[1:], size), self.function.dtype)
        whole = count // size
        found[:whole] = np.moveaxis(rows[: whole * size].reshape(whole, size, *rows.shape[1:]), 1, -1)
        if count % size:
            rest = rows[whole * size :]
            found[-1, ..., : len(rest)] = np.moveaxis(rest, 0, -1)
            found[-1, ..., len(rest) :] = rest[-1, ..., None]
        return found

    @check_arguments
    def rows(
        self, blocks: Float[np.ndarray, "blocks ... samples"], count: int | None = None
    ) -> Float[np.ndarray, "N ..."]:
        """Return the first `count` samples (by default all) of an array in blocks as rows `(count, *shape)`.

        Raises:
            InputError: it is not in blocks, or has fewer samples.
        """
        if blocks.ndim < 2 or blocks.shape[-1] != self.samples:
            raise InputError(
                f"an array {blocks.shape} is not in blocks", why=f"its last axis has not {self.samples} samples"
            )
        total = len(blocks) * self.samples
        if count is not None and not 0 <= count <= total:
            raise InputError(f"{count} samples were asked for, {total} are there")
        return np.moveaxis(blocks, -1, 1).reshape(total, *blocks.shape[1:-1])[:count]

    def empty(self, count: int) -> Any:
        """Return arrays for the results of so many samples, uninitialised, to be given as `out=`.

        Results are parts of one array, so that code writes them where they stay.
        """
        blocks = -(-validate_count("count", count) // self.samples)
        whole = _empty((blocks, *self._whole), self._dtype)
        return whole if len(self._result_shapes) == 1 else self._parts(whole)

    def __call__(self, *values: Any, out: Any = None, threads: int = 1) -> Any:
        """Evaluate blocks `(..., *shape, samples)` that broadcast, which threads share.

        `out=` of `empty` is written where it stays, other arrays by a copy. NaN, warnings, and states at which a pivot
        vanishes, are as of the function.

        Raises:
            InputError: wrong number, shape or type of arguments or of `out=`, numbers outside of their domains.
        """
        f, several = self.function, len(self._result_shapes) > 1
        whole: Any = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if out is None or several:
            whole = self._target(out, values)
        code = self._past if getattr(whole, "nbytes", 0) > streaming_threshold() else self._near
        counted, strided = code.outside.value, code.strided.value
        call: Any = code.ufunc
        if threads != 1:
            shapes, threads = (self._cores, [self._whole]), validate_count("threads", threads)
            call = partial(run_on_threads, self._pool, call, *shapes, threads, share=SHARE // self.samples)
        try:
            with np.errstate(invalid="ignore", divide="ignore") if self._code.guarded else _NOTHING:
                call(*values, out=(whole,), dtype=f.dtype)
        except (TypeError, ValueError) as error:
            raise self._explain_error(values, out, error) from None
        if code.strided.value != strided:  # numbers of a block are not neighbours
            values, made = tuple(np.array(x, f.dtype, order="C") for x in values), _empty(whole.shape, f.dtype)
            call(*values, out=(made,), dtype=f.dtype)
            np.copyto(whole, made, casting="same_kind")
        if code.outside.value != counted:  # in this call, or in one of another thread
            given = self._by_samples(values, self._cores)
            check_domains(f.name, f.arguments, argument_domains(f.arguments), given)
        found = self._parts(whole) if several else whole
        if self._code.guarded:
            every = self._by_samples(found if isinstance(found, tuple) else (found,), self._result_shapes)
            given = self._by_samples(values, self._cores)
            resolve_singular(tuple(every), given, (f.name, f.arguments, f.results), f.origin.vanished, BELOW)
        if out is None or not several:
            return found if out is None else out
        for array, value in zip(out, found, strict=True):
            if _place(array) != _place(value):
                np.copyto(array, value, casting="same_kind")
        return out

    @cached_property
    def _cores(self) -> tuple[Shape, ...]:
        """The shapes of arguments, but for blocks."""
        return tuple((*a.shape, self.samples) for a in self.function.arguments)

    @cached_property
    def _result_shapes(self) -> tuple[Shape, ...]:
        """The shapes of results, but for blocks."""
        return tuple((*r.shape, self.samples) for r in self.function.results)

    @cached_property
    def _whole(self) -> Shape:
        """The shape of what code writes, but for blocks: the result, or the numbers of all."""
        return (
            self._result_shapes[0]
            if len(self._result_shapes) == 1
            else (sum(map(prod, self._result_shapes)) // self.samples, self.samples)
        )

    @cached_property
    def _dtype(self) -> np.dtype:
        return np.dtype(self.function.dtype)

    @cached_property
    def _code(self) -> Code:
        return batch_code(self.function.body)

    @cached_property
    def _near(self) -> CompiledBlocks:
        return self._compile_blocks(past=False)

    @cached_property
    def _past(self) -> CompiledBlocks:
        """The code for results that are larger than the caches."""
        return self._compile_blocks(past=True)

    def _compile_blocks(self, *, past: bool) -> CompiledBlocks:
        f = self.function
        shapes, results = [(a.shape, a.names) for a in f.arguments], [r.shape for r in f.results]
        domains = argument_domains(f.arguments)
        return compile_blocks(f"{f.name}_blocked", self._code, shapes, results, f.dtype, domains, past=past)

    @cached_property
    def _pool(self) -> ThreadPool:
        return ThreadPool()

    def _target(self, out: Any, values: Sequence[Any]) -> np.ndarray:
        """Return the array that code writes to: one of all results where they are parts of it, else a new one."""
        loop = self._loop(values)
        size = (*loop, *self._whole)
        if out is None:
            return _empty(size, self._dtype)
        shapes = [(*loop, *kept) for kept in self._result_shapes]
        if not isinstance(out, tuple) or [getattr(array, "shape", None) for array in out] != shapes:
            raise self._unfit()
        rest = self._whole[-1] * self._dtype.itemsize
        whole = as_strided(out[0], size, (*out[0].strides[: len(loop)], rest, self._dtype.itemsize))
        parts = zip(out, self._parts(whole), strict=True)
        fits = all(_place(a) == _place(b) and a.dtype == self._dtype and a.flags.writeable for a, b in parts)
        return whole if fits else _empty(size, self._dtype)

    def _loop(self, values: Sequence[Any]) -> Shape:
        """Return the shape of all blocks together."""
        f, cores = self.function, self._cores
        check_count(f.name, f.arguments, values)
        loops = []
        for value, argument, core in zip(values, f.arguments, cores, strict=True):
            try:
                array = np.asarray(value)
            except (TypeError, ValueError):
                array = np.array(None)
            if array.dtype.kind not in REAL_KINDS:
                raise InputError(f"{f.name}: {argument.name} is not an array of real numbers")
            if array.shape[max(0, array.ndim - len(core)) :] != core:
                expected = ", ".join(map(str, ("...", *core)))
                raise InputError(
                    f"{f.name}: {argument.name} has the shape {array.shape}, expected ({expected})",
                    fix="`blocks` of the blocked function makes such an array of rows (N, ...)",
                )
            loops.append(array.shape[: array.ndim - len(core)])
        try:
            return np.broadcast_shapes(*loops)
        except ValueError:
            listed = ", ".join(f"{a.name} {loop}" for a, loop in zip(f.arguments, loops, strict=True))
            raise InputError(f"{f.name}: the blocks do not broadcast, {listed}") from None

    def _unfit(self) -> InputError:
        shapes = " and ".join(f"(..., {', '.join(map(str, kept))})" for kept in self._result_shapes)
        fix = "`empty` of the blocked function makes what N samples need"
        return InputError(f"{self.function.name}: out= is not of the shape {shapes}", fix=fix)

    def _explain_error(self, values: Sequence[Any], out: Any, error: Exception) -> InputError:
        """Return an InputError that says what NumPy did not like."""
        try:
            loop = self._loop(values)
        except InputError as found:
            return found
        arrays = out if isinstance(out, tuple) else (out,)
        if out is not None and [np.shape(array) for array in arrays] != [
            (*loop, *kept) for kept in self._result_shapes
        ]:
            return self._unfit()
        return InputError(f"{self.function.name} cannot be called so", why=str(error))

    def _by_samples(self, arrays: Sequence[Any], cores: Sequence[Shape]) -> list[np.ndarray]:
        """Return arrays (..., samples, *shape) of the same memory."""
        return [np.moveaxis(np.asarray(x), -1, np.ndim(x) - len(core)) for x, core in zip(arrays, cores, strict=True)]

    def _parts(self, whole: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return each of several results as a part of the array of all numbers."""
        found, start = [], 0
        for kept in self._result_shapes:
            end = start + prod(kept) // self.samples
            found.append(whole[..., start:end, :].reshape(*whole.shape[:-2], *kept))
            start = end
        return tuple(found)


def _empty(shape: Shape, dtype: Any) -> np.ndarray:
    """Return an array that begins at a line of the caches."""
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def _place(array: np.ndarray) -> tuple[int, Shape]:
    return array.ctypes.data, array.strides
