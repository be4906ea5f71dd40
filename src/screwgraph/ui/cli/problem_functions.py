"""The three problems, as functions of (q, qd, given, external_wrenches)."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph import forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.compiler import Function, Order
from screwgraph.model import Model
from screwgraph.ui.cli.console import make_usage_error, show_progress

GIVEN = {"inverse": "qdd", "forward": "tau", "hybrid": "given"}
"""How each problem's third argument is called."""
EFFORT = "effort"
"""The same of forward dynamics under efforts of actuators."""


def name_third_argument(problem: str, actuators: bool) -> str:
    """Return how a problem's third argument is called."""
    return EFFORT if actuators and problem == "forward" else GIVEN[problem]


def check_accelerations(problem: str, accelerations: Sequence[str]) -> None:
    """Check that --accelerations is given where it is needed, and only there; raise a usage error else."""
    if problem == "hybrid" and not accelerations:
        why = "it names the joints with given qdd; the others have given tau"
        raise make_usage_error("--problem hybrid needs --accelerations", why=why, fix="--accelerations JOINT")
    if problem != "hybrid" and accelerations:
        raise make_usage_error(f"--accelerations cannot be used with --problem {problem}", fix="use --problem hybrid")


def check_actuated(problem: str, actuated: Sequence[str] | None) -> None:
    """Check that --actuated is given for inverse dynamics only; raise a usage error else."""
    if actuated is not None and problem != "inverse":
        why = "torques are given in these problems; use zero for passive joints"
        raise make_usage_error(
            f"--actuated cannot be used with --problem {problem}", why=why, fix="use --problem inverse"
        )


def check_efforts(problem: str, actuators: bool, model: Model) -> None:
    """Check that --actuators is given for robots, for inverse or forward dynamics; raise a usage error else."""
    if actuators and not model.has_frames:
        why = "motors act on the angles of planar mechanisms"
        raise make_usage_error("--actuators goes with robots", why=why)
    if actuators and problem == "hybrid":
        what, why = (
            "--actuators cannot be used with --problem hybrid",
            "which efforts are given would not say which accelerations are",
        )
        raise make_usage_error(what, why=why, fix="use --problem inverse or forward")


def check_effort_limits(problem: str, actuators: bool, limits: bool) -> None:
    """Check that --effort-limits is given for inverse dynamics of actuators; raise a usage error else."""
    if limits and not (actuators and problem == "inverse"):
        raise make_usage_error(
            "--effort-limits goes with --problem inverse and --actuators", why="bounds are those of actuators"
        )


def compile_problem_function(
    robot: Model,
    problem: str,
    accelerations: Sequence[str],
    ordering: Order,
    frames: Sequence[str] = (),
    actuated: Sequence[str] | None = None,
    actuators: bool = False,
    parameters: Sequence[str] = (),
    payload: str | None = None,
    effort_limits: bool = False,
) -> Function:
    """Return the function that answers a problem; raises what `inverse_dynamics` and its siblings do."""
    common = {"ordering": ordering, "external_wrenches": frames, "parameters": parameters, "payload": payload}
    with show_progress(f"eliminating the {problem} problem of {robot.name}"):
        if problem == "inverse":
            own = {"actuated": actuated, "actuators": actuators, "effort_limits": effort_limits}
            return inverse_dynamics(robot, **own, **common)
        if problem == "forward":
            return forward_dynamics(robot, actuators=actuators, **common)
        return hybrid_dynamics(robot, accelerations, **common)
