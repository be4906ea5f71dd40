"""`screwgraph simulate`: a robot's motion over time, as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import typer

from screwgraph import InputError, Robot
from screwgraph import simulate as run
from screwgraph.motion.control import load_controller
from screwgraph.motion.control.range_doubts import doubt_angles
from screwgraph.motion.simulation import AUTO, METHODS, check_places, read_driven_table, sample_times
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, make_usage_error, print_json, print_note
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import SPRINGS, Flag, parse_springs
from screwgraph.ui.cli.outputs import (
    group_motion_panels,
    parse_places,
    validate_outputs,
    write_plots,
    write_report,
)
from screwgraph.ui.cli.problem_functions import EFFORT, check_efforts
from screwgraph.ui.cli.simulation_progress import print_summary, summarise_motion, watch_simulation
from screwgraph.ui.cli.state_file import read_pushed_start

SMOOTHER = "smoother"
LAWS = "friction stops effort_limits"
GRAPH = "coordinates window integrator"
"""Arguments that go with the smoother."""


def _check_seconds(value: float) -> float:
    if not 0.0 < value < float("inf"):
        raise typer.BadParameter(f"{value!r} is not a positive, finite number of seconds")
    return value


FLAGS = {
    "state": Flag("A JSON file with the initial state, constant torques and external wrenches.", "FILE"),
    "contacts": Flag("A YAML file of contacts with the ground, or collisions: those of the model's file.", "FILE"),
    "springs": Flag(SPRINGS, "JOINT:K,..."),
    "controller": Flag("A YAML file of tasks, contacts and limits: a controller gives the torques.", "FILE"),
    "driven": Flag("A table of times t and of coordinates (m, rad) that follow it, as splines of degree 5.", "FILE"),
    "time": Flag(metavar="S", check=_check_seconds),
    "dt": Flag(metavar="S", check=_check_seconds),
    "method": Flag("Integration method.", choices=(AUTO, *METHODS, SMOOTHER)),
    "coordinates": Flag(choices=("spanning", "independent")),
    "window": Flag(metavar="N", min=2, max=100),
    "integrator": Flag(metavar="NAME"),
}

HELP = """\b
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
  screwgraph simulate slider_crank --driven crank.csv --time 1 --dt 1e-2 -o slider_crank.csv
  screwgraph simulate four_bar_angle --method smoother --window 3 -o four_bar.csv --plot pictures
  screwgraph simulate panda.urdf --state state.json -o panda.csv
with a state.json like
  {"q": {"joint1": 0.5}, "qd": {"joint2": 1}, "tau": {"joint1": 2}, "external_wrenches": {"tool": [0, 0, 0, 5, 0, 0]}}
where wrenches are moment (N m) and force (N) on links or frames, in the axes of these.
With --friction, --stops or --springs, auto stands for semi_implicit steps, by which these act; without --stops,
joints that leave the range of the file are named.
With --contacts, a file like
  contacts: [{frame: FR_foot, radius: 0.02, friction: 0.6}, {frame: FL_foot, radius: 0.02}]
  ground: {normal: [0, 0.1, 1]}
says where the robot touches the ground: a plane, steps: {at, heights}, or height_map: {file: hills.npz}.
Steps of semi_implicit obey Signorini's and Coulomb's laws. --contacts collisions takes the shapes of a robot's file, or
contacts: and ground: of a mechanism's, whose driven coordinates go on following their functions.
With --controller, a file as of `screwgraph controller` gives the torques: references of its tasks stay what they are
where the motion begins, without a state at joints within their ranges. Errors of tasks, active rows and margins are
printed.
With --driven, a table like t,theta: motors of mechanisms, or joints, follow its columns; tau has what that takes.
With --actuators, "effort": {"motor": 2} of actuators replaces "tau"; the table has the joint torques that it causes.

The table has the columns t, q, qd, qdd, tau, wrenches and points (m) and forces (N) of contacts where there are any,
energy, work of torques less losses by damping, and violation, the largest loop-closure error, in SI units. Without a
state, the robot falls from its neutral position, with contacts raised until none is within the ground. Ctrl-C ends the
motion early; the states computed so far are written.
"""


def simulate(
    source: ModelSource,
    asked: Mapping[str, Any],
    output: str,
    state: str | None = None,
    driven: str | None = None,
    contacts: str | None = None,
    springs: str | None = None,
    controller: str | None = None,
    actuators: bool = False,
    report: str | None = None,
    plot: str | None = None,
    paths: str | None = None,
    json: bool = False,
) -> None:
    """Simulate, save, and say how well it went."""
    wrenches: dict[str, Any] = {}
    q0, qd0, tau, graph = None, None, None, next((name for name in GRAPH.split() if name in asked), None)
    if source.is_mechanism and state is not None:
        raise make_usage_error("--state goes with robots", why="a mechanism's file says how the motion begins")
    if graph and asked["method"] != SMOOTHER:
        raise make_usage_error(f"--{graph} goes with the smoother", fix="--method smoother")
    model: Any = source.load()
    check_efforts("forward", actuators, model)
    if actuators and state is None:
        raise make_usage_error("--actuators needs --state", why="its file gives their efforts")
    if state is not None:
        begun = read_pushed_start(state, model, EFFORT if actuators else "tau")
        q0, qd0, tau = begun.q, begun.qd, begun.given
        wrenches = dict(zip(begun.frames, begun.wrenches, strict=True))
        tau = _convert_efforts(model, tau) if actuators else tau
    loop, doubts = None, list[str]()
    if state is not None and q0 is not None:
        angles = range(model.nq), q0.tolist(), [state] * model.nq
        doubts += doubt_angles(model, "q", *angles, "multiply degrees by pi/180")
    if controller is not None:
        said = load_controller(controller, model)
        loop, doubts = said.make_loop(model, q0).raised(), [*doubts, *said.warnings]
    if loop is not None and actuators:
        raise make_usage_error("--actuators and --controller both give torques", fix="leave one out")
    if loop is not None and isinstance(tau, np.ndarray) and tau.any():
        raise make_usage_error("--state gives torques, and so does --controller", fix="leave one out")
    followed = None if driven is None else read_driven_table(model, driven, asked["time"])
    with as_usage_error():
        output, report, plot = validate_outputs(output, report, plot)
        curves = check_places(model, parse_places(paths))
        sample_times(model, asked["time"], asked["dt"])
    with watch_simulation(asked["time"]) as watch:
        motion = run(
            model,
            q0,
            qd0,
            tau=tau if loop is None else None,
            driven=followed,
            contacts=contacts or (),
            springs=parse_springs(springs) or None,
            external_wrenches=wrenches or None,
            controller=loop,
            watch=watch,
            **asked,
        )
    motion.save(output)
    print_warnings(model, doubts)
    for doubt in motion.doubts[len(motion.warnings) :]:  # warnings have been shown
        print_note(f"warning: {doubt}")
    if watch.stopped:
        print_note(f"interrupted at t = {motion.t[-1]:g} s: the results so far are kept")
    summary, groups = summarise_motion(model.name, motion, watch, output), group_motion_panels(motion)
    if report is not None:
        write_report(motion, groups, summary, report, "Simulation", curves=curves)
    summary |= write_plots(motion.t, groups, plot, motion, curves)
    if loop is not None:
        summary["control"] = str(loop.report(motion)).splitlines()
    if json:
        print_json(summary)
    else:
        print_summary(summary)
        for line in summary.get("control", ()):
            typer.echo(line)


def _convert_efforts(robot: Robot, efforts: np.ndarray) -> np.ndarray | Callable[..., np.ndarray]:
    """Return the joint torques that constant efforts cause: constant where lever arms are, else a function of t, q, qd.

    Raises:
        InputError: the robot has no actuators.
    """
    if not robot.actuators:
        raise InputError(f"robot {robot.name!r} has no actuators", fix="add `actuators:` to its YAML file")
    if all(actuator.has_constant_arms for actuator in robot.actuators):
        return robot.actuation_torques(robot.neutral(), efforts)
    return lambda t, q, qd: robot.actuation_torques(q, efforts)


COMMAND = Command(simulate, HELP, FLAGS, model=ROBOT, query=run, takes=f"time dt method {GRAPH} {LAWS}")
