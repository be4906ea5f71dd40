"""Our own functions without Python around them: C99 source, and the machine code that LLVM made."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.native import FLAGS, OURS, SHARED, Compiler, build
from benchmarks.peers.timer import timer
from screwgraph.compiler import Function
from screwgraph.ui.bench import Budget, NotMeasuredError, PeerResult, States


@dataclass(frozen=True)
class OursInC:
    """Times functions by their address, in the loop that times the peer, too."""

    compiler: Compiler
    say: Callable[[str], None]
    patience: float | None = None
    """Seconds that a build may take."""

    def c_code(self, functions: Sequence[Function], states: States, effort: Budget) -> PeerResult:
        """Return time and answers of `c_source()`; sums, where there are several functions."""
        return _joined([self._timed(f, states, effort, "C99", self._c_function(f)) for f in functions])

    def machine_code(self, functions: Sequence[Function], states: States, effort: Budget) -> PeerResult:
        """Return time and answers of the gufunc's inner loop, one sample a call.

        Raises:
            NotMeasuredError: the loop cannot be reached.
        """
        return _joined([self._timed(f, states, effort, "LLVM", _loop(f)) for f in functions])

    def _c_function(self, f: Function) -> tuple[str, int, object]:
        flags = ["-std=c99", *FLAGS, *OURS, *SHARED]
        library = ctypes.CDLL(str(build(self.compiler.c, flags, [], f.c_source(), self.say, patience=self.patience)))
        return "time_function", _address(getattr(library, f.name)), library

    def _timed(
        self, f: Function, states: States, effort: Budget, way: str, code: tuple[str, int, object]
    ) -> PeerResult:
        name, address, _kept_alive = code
        time = timer(name, self.compiler, self.say)
        count, arguments = len(states.q), states.arguments(f)
        results = [np.empty((count, *result.shape)) for result in f.results]
        arrays = [*(np.ascontiguousarray(a) for a in arguments), *results]
        places = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        sizes = (ctypes.c_int64 * len(arrays))(*(int(np.prod(a.shape[1:])) for a in arrays))
        numbers = [ctypes.c_void_p(address), len(arguments), len(arrays), places, sizes, ctypes.c_int64(count)]
        numbers.append(ctypes.c_double(effort.seconds))
        if name == "time_loop":
            numbers += _dimensions_and_steps(arrays)
        return PeerResult(time(*numbers), _side_by_side(results), way)


def _joined(parts: Sequence[PeerResult]) -> PeerResult:
    return PeerResult(sum(p.nanoseconds for p in parts), _side_by_side([p.answers for p in parts]), parts[0].way)


def _side_by_side(answers: Sequence[np.ndarray]) -> np.ndarray:
    return answers[0] if len(answers) == 1 else np.concatenate(answers, axis=-1)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _loop(f: Function) -> tuple[str, int, object]:
    """Return the inner loop that NumPy calls with one state."""
    code = getattr(f.single, "kept_alive", (None,))[0]
    address = getattr(code, "address", None)
    if not isinstance(address, int):
        raise NotMeasuredError("the address of the machine code is not known")
    return "time_loop", address, code


def _dimensions_and_steps(arrays: Sequence[np.ndarray]) -> list[object]:
    """Return what NumPy passes for one sample: sizes of the loop and cores; steps of the loop, then of the cores."""
    cores = [size for a in arrays for size in a.shape[1:]]
    steps = [*(a.strides[0] for a in arrays), *(s for a in arrays for s in a.strides[1:])]
    dimensions = [1, *cores]
    return [(ctypes.c_int64 * len(dimensions))(*dimensions), (ctypes.c_int64 * len(steps))(*steps)]
