"""Closed chains: gaps as expressions, and the factors that keep them closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.errors import InputError
from screwgraph.optimize import Factors, Variables, Vector, equality
from screwgraph.plan.mechanics import Mechanics, Template
from screwgraph.plan.steps import Steps
from screwgraph.robot import JointType, Loop
from screwgraph.robot.joints import Fixed, Prismatic, Revolute, Spherical
from screwgraph.spatial import Array, atan2, inverse, rotation, translation

SETTLING = 0.2
"""How fast gaps that collocation leaves are closed again, per step."""


def loop_forces(steps: Steps) -> Variables | None:
    """Return the family of multipliers that keep loops and couplings closed, one for each sample; None for trees."""
    robot = steps.mechanics.robot
    return Variables("loops", Vector(robot.mobility.rank), len(steps.points)) if robot.is_closed else None


def gaps(mechanics: Mechanics, q: Array) -> Array:
    """Return by how much loops and couplings gape, a column of the independent rows, on CasADi scalars.

    Raises:
        InputError: a loop joint of a type for which there is no expression.
    """
    import casadi as ca

    robot = mechanics.robot
    found = [g for loop in robot.loops for g in ca.vertsplit(_gap(mechanics, loop, q))]
    for coupling in robot.couplings:
        found.append(ca.SX(coupling(ca.vertcat(*(q[robot.q_slices[joint]] for joint in coupling.joints)))))
    return ca.vertcat(*(found[i] for i in robot.mobility.kept))


def pulled(mechanics: Mechanics, q: Array, forces: Array) -> Array:
    """Return the efforts K' forces of multipliers, a column (nv,), on CasADi scalars."""
    import casadi as ca

    d = ca.SX.sym("d", mechanics.robot.nv)
    along = ca.gradient(ca.dot(forces, gaps(mechanics, mechanics.positions.near(q, d))), d)
    return ca.substitute(along, d, ca.SX.zeros(mechanics.robot.nv))


@dataclass(frozen=True)
class StabilisedClosure:
    """Gaps g at one time: g'' + 2 a g' + a^2 g, a = rate / h, vanishes with motions whose gaps close, and stay closed.

    Collocation of accelerations alone would let gaps grow; positions and accelerations together would be too much.
    """

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, qdd: Any, *, h: Any, rate: float = SETTLING) -> Any:
        """Return that, one entry for each independent row."""
        import casadi as ca

        t = ca.SX.sym("t")
        g = gaps(self.mechanics, self.mechanics.positions.near(q, t * qd + 0.5 * t * t * qdd))
        first = ca.jacobian(g, t)
        a, zero = rate / h, ca.SX(0.0)
        return ca.substitute(ca.jacobian(first, t) + 2.0 * a * first + a * a * g, t, zero)


@dataclass(frozen=True)
class Gaps:
    """The gaps themselves."""

    mechanics: Mechanics

    def __call__(self, q: Any) -> Any:
        """Return them, one entry for each independent row."""
        return gaps(self.mechanics, q)


def loop_factors(steps: Steps, *, has_accelerations: bool) -> list[Factors]:
    """Return the factors that keep a robot's loops closed: none for a tree."""
    if not steps.mechanics.robot.is_closed:
        return []
    if not has_accelerations:
        return [equality(Gaps(steps.mechanics), steps.q[steps.free_points], name="loops")]
    parts = np.array([p.steps * steps.per_step for p in steps.phases])[steps.phase_of_sample]
    unknowns = (steps.q[steps.points], steps.qd[steps.points], steps.qdd)
    template: Template = StabilisedClosure(steps.mechanics)
    made, arguments, timing = steps.timed(template, *unknowns, phases=steps.phase_of_sample, scale=1.0 / parts)
    return [equality(made, *arguments, name="loops", **timing)]


def _gap(mechanics: Mechanics, loop: Loop, q: Array) -> Array:
    import casadi as ca

    ends = [(loop.predecessor, loop.T_pf), (loop.successor, loop.T_sf)]
    p, s = (ca.mtimes(mechanics.pose_of(link)(q), ca.SX(T)) for link, T in ends)
    T = ca.mtimes(inverse(p), s)
    x = _nearest(loop, T)
    error = ca.mtimes(inverse(loop.type.transform(x)), T)
    R = rotation(error)
    turn = [0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])]
    W = np.asarray(loop.type.constraint_wrenches(loop.type.neutral()), dtype=float)
    return ca.mtimes(ca.SX(W.T), ca.vertcat(*turn, translation(error)))


def _nearest(loop: Loop, T: Array) -> Any:
    """Return the position of a loop joint that comes nearest to a pose, on CasADi scalars."""
    import casadi as ca

    joint: JointType = loop.type
    if isinstance(joint, Fixed | Spherical):
        return joint.neutral()
    if isinstance(joint, Prismatic):
        return [ca.dot(ca.SX(np.array(joint.axis)), translation(T)) + float(joint.neutral()[0])]
    if isinstance(joint, Revolute):
        a, R = np.array(joint.axis), rotation(T)
        sine = ca.dot(ca.SX(a), ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
        along = ca.dot(ca.SX(a), ca.mtimes(R, ca.SX(a)))
        return [atan2(sine, ca.trace(R) - along) + float(joint.neutral()[0])]
    raise InputError(
        f"loop {loop.name!r} is closed by a joint of type {type(joint).__name__.lower()}",
        why="plans support loops closed by revolute, prismatic, spherical and fixed joints",
    )
