"""The three problems, as functions of (q, qd, given, external_wrenches)."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from screwgraph import Mechanism, Robot, forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.compiler import Function, Order
from screwgraph.ui.cli.console import show_progress
from screwgraph.ui.cli.options import Problem
from screwgraph.ui.cli.usage_errors import make_usage_error

GIVEN = {Problem.inverse: "qdd", Problem.forward: "tau", Problem.hybrid: "given"}
"""How each problem's third argument is called."""
EFFORT = "effort"
"""The same of forward dynamics under efforts of actuators."""


def name_third_argument(problem: Problem, actuators: bool) -> str:
    """Return how a problem's third argument is called."""
    return EFFORT if actuators and problem is Problem.forward else GIVEN[problem]


def check_accelerations(context: typer.Context, problem: Problem, accelerations: Sequence[str]) -> None:
    """Check that --accelerations is given where it is needed, and only there; raise a usage error else."""
    if problem is Problem.hybrid and not accelerations:
        raise make_usage_error(
            context,
            "--problem hybrid needs --accelerations",
            why="it names the joints with given qdd; the others have given tau",
            fix="--accelerations JOINT",
        )
    if problem is not Problem.hybrid and accelerations:
        raise make_usage_error(
            context, f"--accelerations cannot be used with --problem {problem.value}", fix="use --problem hybrid"
        )


def check_actuated(context: typer.Context, problem: Problem, actuated: Sequence[str] | None) -> None:
    """Check that --actuated is given for inverse dynamics only; raise a usage error else."""
    if actuated is not None and problem is not Problem.inverse:
        raise make_usage_error(
            context,
            f"--actuated cannot be used with --problem {problem.value}",
            why="torques are given in these problems; use zero for passive joints",
            fix="use --problem inverse",
        )


def check_efforts(context: typer.Context, problem: Problem, actuators: bool, model: Robot | Mechanism) -> None:
    """Check that --actuators is given for robots, for inverse or forward dynamics; raise a usage error else."""
    if actuators and isinstance(model, Mechanism):
        raise make_usage_error(
            context, "--actuators goes with robots", why="motors act on the angles of planar mechanisms"
        )
    if actuators and problem is Problem.hybrid:
        raise make_usage_error(
            context,
            "--actuators cannot be used with --problem hybrid",
            why="which efforts are given would not say which accelerations are",
            fix="use --problem inverse or forward",
        )


def compile_problem_function(
    robot: Robot | Mechanism,
    problem: Problem,
    accelerations: Sequence[str],
    ordering: Order,
    frames: Sequence[str] = (),
    actuated: Sequence[str] | None = None,
    actuators: bool = False,
    parameters: Sequence[str] = (),
    payload: str | None = None,
) -> Function:
    """Return the function that answers a problem; raises what `inverse_dynamics` and its siblings do."""
    common = {"ordering": ordering, "external_wrenches": frames, "parameters": parameters, "payload": payload}
    with show_progress(f"eliminating the {problem.value} problem of {robot.name}"):
        if problem is Problem.inverse:
            return inverse_dynamics(robot, actuated=actuated, actuators=actuators, **common)
        if problem is Problem.forward:
            return forward_dynamics(robot, actuators=actuators, **common)
        return hybrid_dynamics(robot, accelerations, **common)
