"""The regressor: inverse dynamics as a matrix times the parameters in which it is linear."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING
from screwgraph.mechanics.dynamics.inverse import inverse_dynamics
from screwgraph.mechanics.dynamics.mechanism_regressor import ANSWERS
from screwgraph.mechanics.dynamics.parameter_slopes import fix_parameters
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, check_moves
from screwgraph.model.robot.parameters import LINEAR, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def regressor(
    robot: Robot,
    *,
    parameters: Sequence[str] | None = None,
    payload: str | None = None,
    coordinates: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return Y(q, qd, qdd) with tau = Y pi: the derivatives (..., nv, k) of inverse dynamics by its parameters.

    Arrays are (..., nq), (..., nv), (..., nv). pi are the robot's inertial parameters link by link, then the armatures
    and dampings that its file has (`linear_parameters`), or `parameters` as for `inverse_dynamics`, in which it is
    linear: inertias or masses alone, a payload, armatures, dampings, levels of friction. `coordinates` are those of
    `inverse_dynamics`, "independent" by default where loops or couplings tie joints: tau and Y are then those of the
    independent joints.
    Columns of parameters that no motion shows vanish or depend on others: `base_parameters`.
    Atkeson, An & Hollerbach (1986).

    Of planar mechanisms pi are, body by body, the mass m, m times the centre of mass (mx, my) in the body's frame and
    the moment of inertia I0 about its first point, then stiffnesses and dampings; tau are the motors' torques.
    `parameters` are names of bodies, or "damping:NAME", "stiffness:NAME" and "friction:NAME".

    Raises:
        InputError: torques are not linear in a parameter, or as `inverse_dynamics`.
    """
    check_moves(robot)
    names = linear_parameters(robot) if parameters is None else tuple(parameters)
    live = checked_parameters("torques are not linear in", LINEAR, robot, names, payload)
    chosen = coordinates or (INDEPENDENT if robot.is_closed else SPANNING)
    whole = inverse_dynamics(robot, coordinates=chosen, parameters=names, payload=payload)
    labels = [label for parameter in live for label in parameter.labels(robot)]
    # Torques are linear in the parameters: slopes are the same at all values of these, 0 for instance.
    return fix_parameters(whole, labels, {}).astype(dtype)


def linear_parameters(robot: Robot) -> tuple[str, ...]:
    """Return the names of all parameters of a robot's file in which its joint torques are linear."""
    links = (link.name for link in robot.links[1:] if not _is_joint_frame(robot, link.name))
    joints = (f"{j.name}.{kind}" for kind in ("armature", "damping") for j in robot.joints if getattr(j, kind))
    return (*links, *joints)


def _is_joint_frame(robot: Robot, link: str) -> bool:
    """Whether a link only carries others, without inertia: its parameters are no body's."""
    return robot.link(link).inertia.is_zero and bool(robot.children(link))
