"""`screwgraph simulate` of planar mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from screwgraph.cli.failures import wrong_use
from screwgraph.cli.mechanisms import loaded


@dataclass(frozen=True)
class Graphs:
    """Options of the smoother: kind of coordinates, states in its window, integrator; None where not given."""

    coordinates: str | None
    window: int | None
    integrator: str | None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are given, by name."""
        named = {"coordinates": self.coordinates, "window": self.window, "integrator": self.integrator}
        return {name: value for name, value in named.items() if value is not None}


def simulate_mechanism(
    context: typer.Context,
    source: str,
    output: str,
    motion: tuple[float, float, str],
    graphs: Graphs,
    report: str | None,
    as_json: bool,
) -> None:
    """Simulate a mechanism, save, and say how well it went; `motion`: its length and step (s), the method."""
    from screwgraph import simulate
    from screwgraph.cli.mechanism_report import error_curves, torque_curves, write_mechanism_report
    from screwgraph.cli.motion import print_figures, watched
    from screwgraph.cli.streams import note, print_json, working
    from screwgraph.errors import InputError
    from screwgraph.simulation import check_path, sample_times

    time, dt, method = motion
    if graphs.given and method != "smoother":
        raise wrong_use(context, f"--{next(iter(graphs.given))} goes with the smoother", fix="--method smoother")
    mechanism = loaded(source)
    try:
        check_path(output)
        if report is not None:
            from screwgraph.view import check_page_path

            check_page_path(report)
        sample_times(mechanism, time, dt)
    except InputError as error:
        raise wrong_use(context, error.what, why=error.why, fix=error.fix) from error
    with watched(time) as watch:
        run = simulate(mechanism, None, None, time, dt, method, watch=watch, **graphs.given)
    run.save(output)
    if watch.stopped:
        note(f"interrupted at t = {run.t[-1]:g} s: what was computed so far is kept")
    figures = {
        "robot": mechanism.name,
        "method": method,
        "steps": len(run.t) - 1,
        "time": float(run.t[-1]),
        "wall_time": watch.wall_time,
        "energy": float(run.energy[-1]),
        "energy_drift": run.energy_drift,
        "violation": float(run.violation.max()),
        "interrupted": watch.stopped,
        "output": output,
    }
    if report is not None:
        groups = [("Torques", torque_curves(mechanism, run.tau)), ("Errors", error_curves(run))]
        units = {"method": "", "steps": "", "time": "s", "wall_time": "s", "energy_drift": "J", "violation": "m, rad"}
        summary = [(name.replace("_", " "), figures[name], unit) for name, unit in units.items()]
        with working("drawing"):
            title = f"Simulation of {mechanism.name}"
            write_mechanism_report(mechanism, title, (run.t, run.q, run.qd), groups, summary, report)
    if as_json:
        print_json(figures)
    else:
        print_figures(figures)
