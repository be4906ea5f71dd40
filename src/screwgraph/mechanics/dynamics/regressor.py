"""The regressor: inverse dynamics as a matrix times the parameters in which it is linear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import PARAMETERS, CachedCode, Function, Result, make_function
from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING
from screwgraph.mechanics.dynamics.inverse import inverse_dynamics
from screwgraph.model.robot import Robot, check_moves
from screwgraph.model.robot.parameters import LINEAR, checked_parameters
from screwgraph.tape import factor_out, program


@check_arguments
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

    Raises:
        InputError: torques are not linear in a parameter, or as `inverse_dynamics`.
    """
    check_moves(robot)
    names = linear_parameters(robot) if parameters is None else tuple(parameters)
    live = checked_parameters("torques are not linear in", LINEAR, robot, names, payload)
    chosen = coordinates or (INDEPENDENT if robot.is_closed else SPANNING)
    whole = inverse_dynamics(robot, coordinates=chosen, parameters=names, payload=payload)
    slopes = whole.jacobian(PARAMETERS)
    arguments = tuple(a for a in slopes.arguments if a.name != PARAMETERS)
    code = slopes.program

    def make(inputs: Sequence[str]) -> CachedCode:
        tape, values = make_inputs(arguments)
        # Torques are linear in the parameters: slopes are the same at all values of these, 0 for instance.
        outputs = code.on([values.get(name, 0.0) for name in code.input_names])
        return CachedCode(factor_out(program(tape, outputs, inputs)), slopes.ordering)

    labels = [label for parameter in live for label in parameter.labels(robot)]
    rows = whole.results[0].names
    result = Result("result", (len(rows), len(labels)), tuple(f"{row} by {label}" for row in rows for label in labels))
    origin = replace(slopes.origin, analytic=None, vanished=None)
    made = make_function("regressor", ("regressor", pack_program(code)), arguments, make, lambda _: origin, (result,))
    return made.astype(dtype)


def linear_parameters(robot: Robot) -> tuple[str, ...]:
    """Return the names of all parameters of a robot's file in which its joint torques are linear."""
    links = (link.name for link in robot.links[1:] if not _is_joint_frame(robot, link.name))
    joints = (f"{j.name}.{kind}" for kind in ("armature", "damping") for j in robot.joints if getattr(j, kind))
    return (*links, *joints)


def _is_joint_frame(robot: Robot, link: str) -> bool:
    """Whether a link only carries others, without inertia: its parameters are no body's."""
    return robot.link(link).inertia.is_zero and bool(robot.children(link))
