"""Figures of motions over a few instants, by name, for robots and mechanisms; a new one is a line in `OVER_TIME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot
from screwgraph.motion.estimation import (
    Motion,
    PositionPrior,
    Sigmas,
    bayes_network,
    forward_graph,
    get_mechanics,
    inverse_graph,
)
from screwgraph.motion.estimation.readings.trajectory_tables import Reference
from screwgraph.motion.integration_rules import RULES
from screwgraph.optimize import Problem, soft
from screwgraph.ui.draw.problem_graph import draw_network, draw_problem

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

STEPS = 3
"""Instants of a figure."""


def draw_motion_graph(
    model: Model, problem: str = "forward", coordinates: str = "spanning", knowns: bool = False
) -> Drawing:
    """Draw the factor graph of a motion over three instants: unknowns are circles, factors dots.

    The model holds at each instant, the trapezoidal rule joins two. "forward" begins at a known state; "inverse"
    follows a trajectory, and torques are unknown. Blanco-Claraco et al. (2021), Figs 2 to 4.

    Raises:
        InputError: another problem, coordinates that this model does not have, or `knowns`: there are no such nodes.
    """
    if knowns:
        raise InputError("a factor graph over time has no known variables", fix="leave out knowns")
    title = _title(model, problem, coordinates)
    return draw_problem(MOTION_GRAPHS[model.kind](model, problem, coordinates), title)


def draw_bayes_network(
    model: Model, problem: str = "forward", coordinates: str = "spanning", knowns: bool = False
) -> Drawing:
    """Draw the Bayes network of a motion over three instants: Q are forces of motors, known in forward dynamics.

    Blanco-Claraco et al. (2021), Fig. 1.

    Raises:
        InputError: another problem, or coordinates that there are not.
    """
    known = ("Q",) if knowns and _validate_problem(problem) == "forward" else ()
    return draw_network(bayes_network(STEPS, coordinates), known, _title(model, problem, coordinates))


OVER_TIME: Mapping[str, Callable[..., Drawing]] = {"network": draw_motion_graph, "bayes": draw_bayes_network}
"""Each makes a figure of a model, the name of a problem, coordinates, and whether known variables are shown."""


def _validate_problem(problem: str) -> str:
    if problem not in ("forward", "inverse"):
        raise InputError(f"motions over time have no {problem} problem", fix='take "forward" or "inverse"')
    return problem


def _title(model: Model, problem: str, coordinates: str) -> str:
    return f"{model.name}: {_validate_problem(problem)} dynamics, {coordinates} coordinates"


def _of_robot(robot: Robot, problem: str, coordinates: str) -> Problem:
    if coordinates != "spanning":
        raise InputError(
            f"the graph over time of a robot has no {coordinates} coordinates",
            why="its unknowns are positions, velocities and accelerations of all joints",
            fix="leave coordinates out",
        )
    is_inverse = problem == "inverse"
    motion = Motion(get_mechanics(robot), STEPS, RULES["trapezoidal"], tuple(range(robot.nv)) if is_inverse else ())
    q, qd, *_ = motion.states()
    factors = motion.factors(1.0, np.zeros(robot.nv), Sigmas(1.0, (1.0, 1.0, 1.0), np.ones(robot.nv)))
    known = PositionPrior(q.manifold)
    if is_inverse:
        return Problem([*factors, soft(known, q, mean=robot.neutral(), name="trajectory")])
    start = soft(known, q[0], mean=robot.neutral(), name="prior q")
    return Problem([*factors, start, soft(_difference, qd[0], name="prior qd")])


def _difference(v: np.ndarray) -> np.ndarray:
    return v


def _of_mechanism(mechanism: Mechanism, problem: str, coordinates: str) -> Problem:
    zero = np.zeros(mechanism.n)
    if problem == "forward":
        return forward_graph(mechanism, STEPS, 1.0, coordinates, start=(zero, zero))
    chosen = tuple(mechanism.index(name) for name in mechanism.independent_coordinates)
    still = np.zeros((STEPS, len(chosen)))
    wanted = Reference(np.arange(float(STEPS)), chosen, still, still, still, still, np.zeros(len(chosen)))
    return inverse_graph(mechanism, wanted, (zero, zero))


MOTION_GRAPHS: Mapping[str, Callable[[Any, str, str], Problem]] = {"robot": _of_robot, "mechanism": _of_mechanism}
"""By kind of model: of the name of a problem and coordinates, the graph over time."""
