"""The three problems, as functions of (q, qd, given, external_wrenches)."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from screwgraph import Mechanism, Robot, forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.cli.failures import wrong_use
from screwgraph.cli.options import Problem
from screwgraph.cli.streams import working
from screwgraph.compiler import Function, Order

GIVEN = {Problem.inverse: "qdd", Problem.forward: "tau", Problem.hybrid: "given"}
"""How each problem's third argument is called."""


def check_accelerations(context: typer.Context, problem: Problem, accelerations: Sequence[str]) -> None:
    """Check that --accelerations is given where it is needed, and only there; raise a usage error else."""
    if problem is Problem.hybrid and not accelerations:
        raise wrong_use(
            context,
            "--problem hybrid needs --accelerations",
            why="it names the joints with given qdd; the others have given tau",
            fix="--accelerations JOINT",
        )
    if problem is not Problem.hybrid and accelerations:
        raise wrong_use(
            context, f"--accelerations cannot be used with --problem {problem.value}", fix="use --problem hybrid"
        )


def check_actuated(context: typer.Context, problem: Problem, actuated: Sequence[str] | None) -> None:
    """Check that --actuated is given for inverse dynamics only; raise a usage error else."""
    if actuated is not None and problem is not Problem.inverse:
        raise wrong_use(
            context,
            f"--actuated cannot be used with --problem {problem.value}",
            why="torques are given in these problems; use zero for passive joints",
            fix="use --problem inverse",
        )


def compiled(
    robot: Robot | Mechanism,
    problem: Problem,
    accelerations: Sequence[str],
    ordering: Order,
    frames: Sequence[str] = (),
    actuated: Sequence[str] | None = None,
) -> Function:
    """Return the function that answers a problem; raises what `inverse_dynamics` and its siblings do."""
    with working(f"eliminating the {problem.value} problem of {robot.name}"):
        if problem is Problem.inverse:
            return inverse_dynamics(robot, ordering=ordering, external_wrenches=frames, actuated=actuated)
        if problem is Problem.forward:
            return forward_dynamics(robot, ordering=ordering, external_wrenches=frames)
        return hybrid_dynamics(robot, accelerations, ordering=ordering, external_wrenches=frames)
