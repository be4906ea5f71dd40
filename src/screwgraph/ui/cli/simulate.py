"""`screwgraph simulate`: a robot's motion over time, as a table."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph import Robot
from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind, Problem
from screwgraph.ui.cli.outputs import Paths, Plots, Report, parse_places, validate_outputs, write_plots
from screwgraph.ui.cli.usage_errors import as_usage_error, make_usage_error

if TYPE_CHECKING:
    import numpy as np


class MethodName(StrEnum):
    """How motions are integrated; "auto", or a key of `screwgraph.motion.simulation.METHODS`."""

    auto = "auto"
    rk4 = "rk4"
    dop853 = "dop853"
    radau5 = "radau5"
    semi_implicit = "semi_implicit"
    trapezoidal = "trapezoidal"
    radau = "radau"
    smoother = "smoother"


class CoordinateKind(StrEnum):
    """Which coordinates the smoother's graph has."""

    spanning = "spanning"
    independent = "independent"


def _seconds(value: float) -> float:
    if not 0.0 < value < float("inf"):
        raise typer.BadParameter(f"{value!r} is not a positive, finite number of seconds")
    return value


Time = Annotated[
    float, typer.Option("--time", metavar="S", callback=_seconds, help="Duration of the motion, a multiple of dt.")
]
Dt = Annotated[float, typer.Option("--dt", metavar="S", callback=_seconds, help="Time step of the states.")]
Kind = Annotated[MethodName, typer.Option("--method", help="Integration method.")]
StateFile = Annotated[
    str | None,
    typer.Option("--state", metavar="FILE", help="A JSON file with the initial state and constant torques."),
]
Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Output file: .csv or .npz; or a folder for table, report and plots."
    ),
]

Coordinates = Annotated[
    CoordinateKind | None, typer.Option("--coordinates", help="Coordinates of the factor graph (smoother only).")
]
Window = Annotated[
    int | None, typer.Option("--window", metavar="N", min=2, max=100, help="States in the window (smoother only).")
]
Integrator = Annotated[
    str | None,
    typer.Option(
        "--integrator",
        metavar="NAME",
        help="Integration rule (smoother only): euler, trapezoidal, hermite_simpson, ...",
    ),
]
Friction = Annotated[bool, typer.Option("--friction", help="Joints have the Coulomb friction of the file.")]
Stops = Annotated[
    bool, typer.Option("--stops", help="Joints stop at the position limits of the file, without bouncing.")
]
EffortLimits = Annotated[
    bool, typer.Option("--effort-limits", help="Torques and forces are cut to the effort limits of the file.")
]

HELP = """Simulate a robot or a planar mechanism and write its motion.

\b
auto:          rk4 while it is stable and keeps the energy balance, an adaptive method where not;
rk4:           Runge-Kutta of order 4;
dop853:        adaptive, of order 8, states at dt by interpolation;
radau5:        adaptive, implicit, of order 5, L-stable: for stiff motions;
semi_implicit: Euler's method, of order 1, energy does not drift in the mean;
trapezoidal:   implicit, of order 2, for stiff motions;
radau:         implicit, of order 3, L-stable: stiff motions decay;
smoother:      the factor graph over a sliding window of states.

\b
Example:
  screwgraph simulate rrr --time 2 --dt 1e-3 -o rrr.csv
  screwgraph simulate a1 --base floating --time 1 --method dop853 -o a1.npz
  screwgraph simulate five_bar --time 2 -o five_bar.npz --report five_bar.html
  screwgraph simulate four_bar --time 3 -o four_bar.npz --report four_bar.html --paths P2,coupler:1:0.5
  screwgraph simulate four_bar_angle --method smoother --window 3 -o four_bar.csv --plot pictures
  screwgraph simulate panda.urdf --state state.json -o panda.csv
with a state.json like
  {"q": {"joint1": 0.5}, "qd": {"joint2": 1}, "tau": {"joint1": 2}}
With --friction or --stops, auto stands for semi_implicit steps, by which these act; without --stops, joints that
leave the range of the file are named.
With --actuators, "effort": {"motor": 2} of actuators replaces "tau"; the table has the joint torques that it causes.

The table has the columns t, q, qd, qdd, tau, energy, work of torques less losses by damping, and violation, the
largest loop-closure error, in SI units. Without a state, the robot falls from its neutral position. Ctrl-C ends the
motion early; the states computed so far are written.
"""


def simulate(
    context: typer.Context,
    robot: options.RobotName,
    output: Output,
    time: Time = 5.0,
    dt: Dt = 1e-3,
    method: Kind = MethodName.auto,
    state: StateFile = None,
    actuators: options.Actuators = False,
    report: Report = None,
    plot: Plots = None,
    paths: Paths = None,
    coordinates: Coordinates = None,
    window: Window = None,
    integrator: Integrator = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    friction: Friction = False,
    stops: Stops = False,
    effort_limits: EffortLimits = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    as_json: options.AsJson = False,
) -> None:
    """Simulate, save, and say how well it went."""
    from screwgraph import simulate as run
    from screwgraph.model.load import is_mechanism
    from screwgraph.motion.simulation import check_places, sample_times
    from screwgraph.ui.cli.console import print_json, print_note
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options
    from screwgraph.ui.cli.motion_report import group_motion_panels, write_report
    from screwgraph.ui.cli.problem_functions import EFFORT, check_efforts
    from screwgraph.ui.cli.simulation_progress import print_summary, summarise_motion, watch_simulation
    from screwgraph.ui.cli.state_file import read_start

    listed = {"coordinates": coordinates, "window": window, "integrator": integrator}
    graphs: dict[str, Any] = {name: value for name, value in listed.items() if value is not None}
    laws = {"friction": friction, "stops": stops, "effort_limits": effort_limits}
    q0, qd0, tau = None, None, None
    if is_mechanism(robot):
        refuse_robot_options(
            context, lock, independent, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
        if state is not None:
            raise make_usage_error(
                context, "--state goes with robots", why="a mechanism's file says how the motion begins"
            )
    if graphs and method is not MethodName.smoother:
        raise make_usage_error(context, f"--{next(iter(graphs))} goes with the smoother", fix="--method smoother")
    if is_mechanism(robot):
        model = load_mechanism_with_values(robot)
        check_efforts(context, Problem.forward, actuators, model)
    else:
        model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
        if actuators and state is None:
            raise make_usage_error(context, "--actuators needs --state", why="its file gives their efforts")
        if state is not None:
            q0, qd0, tau = read_start(state, model, EFFORT if actuators else "tau")
        if actuators and tau is not None:
            tau = _convert_efforts(model, tau)
    with as_usage_error(context):
        output, report, plot = validate_outputs(output, report, plot)
        curves = check_places(model, parse_places(paths))
        sample_times(model, time, dt)
    with watch_simulation(time) as watch:
        motion = run(model, q0, qd0, time, dt, method.value, tau, **laws, watch=watch, **graphs)
    motion.save(output)
    options.print_warnings(model)
    for doubt in motion.doubts[len(motion.warnings) :]:  # warnings have been shown
        print_note(f"warning: {doubt}")
    if watch.stopped:
        print_note(f"interrupted at t = {motion.t[-1]:g} s: the results so far are kept")
    summary, groups = summarise_motion(model.name, motion, watch, output), group_motion_panels(motion)
    if report is not None:
        write_report(motion, groups, summary, report, "Simulation", curves=curves)
    summary |= write_plots(motion.t, groups, plot, motion, curves)
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)


def _convert_efforts(robot: Robot, efforts: np.ndarray) -> np.ndarray | Callable[..., np.ndarray]:
    """Return the joint torques that constant efforts cause: constant where lever arms are, else a function of t, q, qd.

    Raises:
        InputError: the robot has no actuators.
    """
    from screwgraph import InputError
    from screwgraph.model.robot import Thruster, Transmission

    if not robot.actuators:
        raise InputError(f"robot {robot.name!r} has no actuators", fix="add `actuators:` to its YAML file")
    linear = [
        isinstance(a, Thruster) or (isinstance(a, Transmission) and a.displacement.is_linear) for a in robot.actuators
    ]
    if all(linear):
        return robot.actuation_matrix(robot.neutral()) @ efforts
    return lambda t, q, qd: robot.actuation_matrix(q) @ efforts
