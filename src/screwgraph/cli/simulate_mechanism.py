"""`screwgraph simulate` of planar mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from screwgraph.cli.failures import usage, wrong_use
from screwgraph.cli.mechanisms import loaded
from screwgraph.cli.outputs import check_outputs, write_plots


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
    plots: str | None,
    as_json: bool,
) -> None:
    """Simulate a mechanism, save, and say how well it went; `motion`: its length and step (s), the method."""
    from screwgraph import simulate
    from screwgraph.cli.mechanism_report import run_groups, write_mechanism_report
    from screwgraph.cli.motion import as_figures, print_figures, watched
    from screwgraph.cli.streams import note, print_json, working
    from screwgraph.simulation import sample_times

    time, dt, method = motion
    if graphs.given and method != "smoother":
        raise wrong_use(context, f"--{next(iter(graphs.given))} goes with the smoother", fix="--method smoother")
    mechanism = loaded(source)
    with usage(context):
        check_outputs(output, report, plots)
        sample_times(mechanism, time, dt)
    with watched(time) as watch:
        run = simulate(mechanism, None, None, time, dt, method, watch=watch, **graphs.given)
    run.save(output)
    if watch.stopped:
        note(f"interrupted at t = {run.t[-1]:g} s: the results so far are kept")
    figures = as_figures(mechanism.name, run, watch, output)
    groups = run_groups(run)
    if report is not None:
        units = {"method": "", "steps": "", "time": "s", "wall_time": "s", "energy_drift": "J", "violation": "m, rad"}
        summary = [(name.replace("_", " "), figures[name], unit) for name, unit in units.items()]
        with working("drawing"):
            title = f"Simulation of {mechanism.name}"
            write_mechanism_report(mechanism, title, (run.t, run.q), groups, summary, report)
    figures |= write_plots(run.t, groups, plots)
    if as_json:
        print_json(figures)
    else:
        print_figures(figures)
