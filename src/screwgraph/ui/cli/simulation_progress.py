"""Progress of a simulation, and numbers that say how well it went."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

import typer

from screwgraph import Trajectory
from screwgraph.base import progress_report
from screwgraph.base.progress_report import ProgressReport, print_lines
from screwgraph.ui.cli.console import show_progress

SHORT = 1.0
"""Simulations of less than this (s) show no bar."""


class SimulationWatch:
    """Sees a simulation go by: shows it where it takes its time, and ends it after Ctrl-C."""

    def __init__(self, time: float, stack: ExitStack, what: str = "simulating", unit: str = "s") -> None:
        self.stopped, self.wall_time, self._is_terminal = False, 0.0, sys.stderr.isatty()
        self._time, self._stack, self._began, self._bar = time, stack, 0.0, None
        self._what, self._unit, self._print = what, unit, print_lines(progress_report.PIPED_SECONDS)

    def __call__(self, t: float) -> bool:
        """Look at the time that the motion has reached (s); true if it is to end."""
        if t == 0.0 and not self._began:
            self._begin()
        self.wall_time = perf_counter() - self._began
        if self._bar is None and self.wall_time > SHORT and self._is_terminal:
            self._bar = self._stack.enter_context(_bar(self._unit))
            self._bar.add_task(self._what, total=self._time)
        if not self._is_terminal:
            self._print(ProgressReport(f"{self._what}: {t:.3g} {self._unit} of {self._time:g} {self._unit}"))
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=t)
        return self.stopped

    def _begin(self) -> None:
        """Code is made: from here on, Ctrl-C ends the motion and not the program."""
        self._stack.close()
        before = signal.signal(signal.SIGINT, self._stop)
        self._stack.callback(signal.signal, signal.SIGINT, before)
        self._began = perf_counter()

    def _stop(self, *_: object) -> None:
        self.stopped = True


@contextmanager
def watch_simulation(time: float, what: str = "simulating", unit: str = "s") -> Iterator[SimulationWatch]:
    """Watch a simulation of so many seconds, or other units, from the making of its code on."""
    with ExitStack() as stack:
        stack.enter_context(show_progress("making code"))
        yield SimulationWatch(time, stack, what, unit)


def _bar(unit: str) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn(f"{{task.completed:.3g}} {unit}"))
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True, markup=False, emoji=False))


def summarise_motion(name: str, motion: Trajectory, watch: SimulationWatch, output: str) -> dict[str, Any]:
    """Return what there is to say about a simulation of a robot or mechanism, in values that JSON has."""
    return {
        "robot": name,
        "method": motion.method,
        "steps": len(motion.t) - 1,
        "time": float(motion.t[-1]),
        "wall_time": watch.wall_time,
        "energy": float(motion.energy[-1]),
        "energy_drift": motion.energy_drift,
        "violation": float(motion.violation.max()),
        "doubts": list(motion.doubts),
        "interrupted": watch.stopped,
        "output": output,
    }


def print_summary(summary: Mapping[str, Any]) -> None:
    """Print them in a few lines."""
    speed = summary["time"] / summary["wall_time"] if summary["wall_time"] else 0.0
    typer.echo(
        f"{summary['output']}: {summary['robot']}, {summary['steps']} steps by {summary['method']}, "
        f"{summary['time']:g} s in {summary['wall_time']:.3g} s ({speed:.3g} times real time)"
    )
    typer.echo(f"energy drift {summary['energy_drift']:.3g} J, loop-closure error {summary['violation']:.3g}")
