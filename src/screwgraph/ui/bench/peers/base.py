"""What every peer offers, so that tables need not know which one it is."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot
from screwgraph.ui.bench.benchmark_query import BenchmarkQuery, States
from screwgraph.ui.bench.measure import Budget

CHECKED = 32
"""Peers that are called from Python answer at this many states."""


class NotMeasuredError(Exception):
    """A peer that is not here, or that cannot answer: one line why."""


@dataclass(frozen=True, eq=False)
class Case:
    """Benchmark case: a question about a robot, at given states."""

    robot: Robot
    question: BenchmarkQuery
    states: States


@dataclass(frozen=True, eq=False)
class PeerResult:
    """CPU time (ns) of a call, the peer's answers at the first states in our conventions, and its name for the way."""

    __repr__ = one_line

    nanoseconds: float
    answers: np.ndarray
    way: str


class Peer(Protocol):
    """Another library."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    def version(self) -> str:
        """Return name and version in one line. Raises NotMeasuredError if it is not here."""
        ...

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Return time and answers. Raises NotMeasuredError if it is not here or cannot answer."""
        ...


def import_peer(module: str, package: str) -> Any:
    """Import a peer's module, or say which package to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NotMeasuredError(f"{package} is not installed (pip install {package})") from error
