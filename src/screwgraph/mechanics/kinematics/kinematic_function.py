"""From an expression of a robot's positions, velocities and accelerations to a compiled function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.compiler import (
    Function,
    Result,
    compile_expression,
    parameter_arguments,
    robot_arguments,
    without_metadata,
)
from screwgraph.graph import Key
from screwgraph.graph.passes import ROBOT_PASSES, rename_links, run_robot_passes
from screwgraph.mechanics.kinematics.first_moments import check_mass
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import GEOMETRY, MASSES, Parameter, checked_parameters, with_numbers
from screwgraph.tape import Number

Expression = Callable[..., Sequence[Number]]
"""Of a robot and vectors q, qd, qdd of numbers of any kind, on a tape for instance."""
FRAMES = ("canonical frames", "elementary transforms")
"""Passes that change the frames of links, and no body."""
BODIES = tuple(ROBOT_PASSES)
"""Passes that keep the mass matrix at all positions, though bodies change."""


def compile_kinematics(
    name: str,
    robot: Robot,
    kinds: Sequence[str],
    expression: Expression,
    shape: tuple[int, ...],
    *,
    asked: object = (),
    passes: Sequence[str] = FRAMES,
    keep: Iterable[str] = (),
    live: Sequence[Parameter] = (),
) -> Function:
    """Return an expression of a robot's coordinates as a function; loops and couplings play no part in it.

    The expression is evaluated for the robot as it is and after passes, and the shorter code is taken. Passes choose
    other frames for links; what has a name is then a frame on them (`Robot.frame`), links in `keep` too.

    Args:
        name: what the function is called.
        robot: a robot, closed or not.
        kinds: its arguments, "q", "qd", "qdd".
        expression: of a robot and one vector an argument.
        shape: of the result.
        asked: what else the expression depends on.
        passes: names of passes that do not change the answer.
        keep: links whose names stay those of their own frames.
        live: parameters that are inputs, the last argument.
    """
    tree = without_loops(robot)
    arguments = robot_arguments(tree, [(kind, [Key(kind, joint.name) for joint in tree.joints]) for kind in kinds])
    arguments = (*arguments, *parameter_arguments(robot, live))
    ways = (("elementary transforms",), tuple(passes))
    expressions = [partial(_of_changed, tree, way, frozenset(keep), tuple(live), expression) for way in ways]
    question = (without_metadata(tree), asked, tuple(live))
    return compile_expression(name, question, arguments, *expressions, results=(Result("result", shape),))


def compile_frame_kinematics(
    name: str,
    robot: Robot,
    kinds: Sequence[str],
    expression: Expression,
    shape: tuple[int, ...],
    *,
    frame: str,
    reference: str,
    parameters: Sequence[str],
) -> Function:
    """Return an expression of the motion of a link or frame, seen from a reference; `parameters` are of geometry.

    Raises InputError: the answer does not depend on a parameter.
    """
    live = checked_parameters(f"{name} does not depend on", GEOMETRY, robot, parameters)
    keep = [frame] if frame in {link.name for link in robot.links} else []
    return compile_kinematics(name, robot, kinds, expression, shape, asked=(frame, reference), keep=keep, live=live)


def compile_mass_kinematics(
    name: str,
    robot: Robot,
    kinds: Sequence[str],
    expression: Expression,
    shape: tuple[int, ...],
    *,
    parameters: Sequence[str],
    payload: str | None,
) -> Function:
    """Return an expression of the mass that moves, and of its motion; `parameters` are of masses and geometry.

    Raises InputError: no link that moves has a mass, or the answer does not depend on a parameter.
    """
    check_mass(robot)
    live = checked_parameters(f"{name} does not depend on", MASSES, robot, parameters, payload)
    return compile_kinematics(name, robot, kinds, expression, shape, live=live)


def _of_changed(
    robot: Robot,
    passes: Sequence[str],
    keep: frozenset[str],
    live: Sequence[Parameter],
    expression: Expression,
    *vectors: Any,
) -> Sequence[Number]:
    if live:
        numbers, vectors = vectors[-1], vectors[:-1]
        robot = with_numbers(robot, live, numbers)
    return expression(run_robot_passes(rename_links(robot, keep), passes), *vectors)


def validate_frame(robot: Robot, name: str) -> str:
    """Return the name of a link or frame. Raises InputError where there is none."""
    if not isinstance(name, str):
        raise InputError(f"expected the name of a frame (str), got {name!r}", fix="give the name of a link or frame")
    return robot.frame(name).name
