"""C code that other programs generate from Pinocchio's algorithms: built, timed, its answers read back."""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import native
from benchmarks.native import FLAGS, GENERATED, SHARED, Compiler, build
from benchmarks.peers.answers import Answer, answer
from benchmarks.peers.pinocchio_cpp import model_text, output, state_numbers
from benchmarks.peers.timer import timer
from screwgraph.compiler.backends.llvm.machine_code import vector_width
from screwgraph.ui.bench import Budget, Case, PeerResult, Tree, make_depth_first_tree

LINE = 64
"""Bytes of a cache line, to which vectors are aligned."""
STREAMED = 1 << 21
"""Bytes of a batch's results beyond which they are stored past the caches."""


@dataclass(frozen=True, eq=False)
class Code:
    """A function f of C: y are entries of an answer with `size` numbers, at `places` of it, the others are zero."""

    text: str
    places: np.ndarray
    size: int
    way: str

    def answers(self, y: np.ndarray) -> np.ndarray:
        """Return whole answers (N, size)."""
        found = np.zeros((len(y), self.size))
        found[:, self.places] = y
        return found


@dataclass(frozen=True)
class Maker:
    """What builds generated code, and how long (s) each step may take: generating it, and compiling it."""

    compiler: Compiler
    say: Callable[[str], None]
    patience: float

    def generated(self, program: Path, case: Case) -> tuple[Path, str]:
        """Return the file that a program generates from a robot and a question, and what it prints: made once."""
        text, asked = model_text(case.robot, make_depth_first_tree(case.robot)), case.question.name
        key = hashlib.sha256(repr((program.name, text, asked)).encode()).hexdigest()[:24]
        file, printed = native.BUILDS / f"{key}.generated", native.BUILDS / f"{key}.printed"
        if not printed.exists():
            model, partial = native.BUILDS / f"{key}.model", native.BUILDS / f"{key}.{os.getpid()}"
            model.write_text(text)
            try:
                way = output([str(word) for word in (program, model, asked, partial)], self.patience)
                partial.replace(file)
            finally:
                model.unlink(missing_ok=True)
                partial.unlink(missing_ok=True)
            printed.write_text(way.strip())
        return file, printed.read_text()

    def calls(self, code: Code, case: Case, effort: Budget) -> PeerResult:
        """Time f(x, y) over all states; answer at all."""
        bodies, read = _layout(case)
        x = np.ascontiguousarray(state_numbers(case.states, bodies))
        y = np.empty((len(x), len(code.places)))
        function, _kept = self._loaded(code.text, [])
        places = (ctypes.c_void_p * 2)(x.ctypes.data, y.ctypes.data)
        sizes = (ctypes.c_int64 * 2)(x.shape[1], y.shape[1])
        count, seconds = ctypes.c_int64(len(x)), ctypes.c_double(effort.seconds)
        time = timer("time_function", self.compiler, self.say)(function, 1, 2, places, sizes, count, seconds)
        return PeerResult(time, read.ours(code.answers(y), bodies), code.way)

    def blocks(self, code: Code, case: Case, effort: Budget) -> PeerResult:
        """Time a sample of f(x, y, blocks) over a batch, each number of a block's samples side by side."""
        bodies, read = _layout(case)
        width, states = vector_width(), state_numbers(case.states, bodies)
        x = _aligned((effort.batch // width, states.shape[1], width))
        batch = np.resize(states, (effort.batch, states.shape[1]))
        x[:] = np.swapaxes(batch.reshape(x.shape[0], width, -1), 1, 2)
        y = _aligned((x.shape[0], len(code.places), width))
        flags = [f"-DWIDTH={width}", *(["-DSTREAM"] if y.nbytes > STREAMED else [])]
        function, _kept = self._loaded(code.text, flags)
        numbers = (ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), ctypes.c_int64(x.shape[0]))
        time = timer("time_blocks", self.compiler, self.say)(function, *numbers, ctypes.c_double(effort.seconds))
        first = np.swapaxes(y, 1, 2).reshape(effort.batch, -1)[: len(states)]
        return PeerResult(time / effort.batch, read.ours(code.answers(first), bodies), code.way)

    def _loaded(self, text: str, more: list[str]) -> tuple[ctypes.c_void_p, ctypes.CDLL]:
        flags = ["-std=gnu11", *FLAGS, *GENERATED, *SHARED, *more]
        path = build(self.compiler.c, flags, [], text, self.say, patience=self.patience)
        library = ctypes.CDLL(str(path))
        return ctypes.cast(library.f, ctypes.c_void_p), library


def _layout(case: Case) -> tuple[Tree, Answer]:
    return make_depth_first_tree(case.robot), answer(case.question.name)


def _aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros that begin at a cache line."""
    size = int(np.prod(shape))
    memory = np.zeros(size + LINE // 8)
    start = -memory.ctypes.data % LINE // 8
    return memory[start : start + size].reshape(shape)
