"""Forces along a robot's coordinates that act with the velocity at the end of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.compiler import Function, compile_graph
from screwgraph.compiler.cache import pack_program
from screwgraph.graph import dynamics_graph
from screwgraph.mechanics.dynamics.mass_matrix import name_idle_joints
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter
from screwgraph.motion.simulation.joint_forces import FORCES, Forces, JointForce, KinkedForce
from screwgraph.motion.simulation.step_law import StepLaw, as_arguments
from screwgraph.tape import Number

SOLVES = 4
"""Accelerations a step where forces of joints have kinks: Newton's steps, of which two or three are enough mostly."""


def make_implicit_forces(
    robot: Robot, forces_at: Callable[[Mapping[Parameter, Any]], Forces], live: Sequence[Parameter] = ()
) -> StepLaw:
    """Return (v' - v) / dt, with v' the velocity at the end of a step at which all forces are; damping is one of them.

    A force c - D v' is part of the equations of motion: (M + dt D) (v' - v) / dt = force - h + c - D v. So dt D is an
    armature. Linearly implicit Euler's method: Hairer & Wanner (1996), section IV.7; Newton's method for forces with
    kinks: Alart & Curnier (1991). The last solution is by dampers, so that where three steps have not ended, no force
    brings energy.

    Args:
        robot: the robot of the file.
        forces_at: the forces along joints at values of some parameters, numbers of any kind.
        live: parameters that are inputs.

    Raises:
        EliminationError: a joint moves nothing that has inertia.
    """
    some = forces_at(examples(robot, live))
    acting = [joint for joint in robot.joints if any(some[robot.v_slices[joint.name]])]
    own = tuple(p for p in live if p.kind not in FORCES)
    rotors = {p.part for p in own if p.kind == "armature"}
    names = [*(p.name for p in own), *(f"{joint.name}.armature" for joint in acting if joint.name not in rotors)]
    code = _with_inputs(robot, names, next((p.part for p in own if p.kind == "payload"), None))
    solves = SOLVES if any(isinstance(law, KinkedForce) for one in some for law in one) else 1
    ends = np.cumsum([len(p.nominal(robot)) for p in live])

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> Any:
        given = dict(zip(live, np.split(values, ends[:-1]), strict=True)) if live else {}
        forces, inputs = forces_at(given), {p.name: list(given[p]) for p in own}
        for joint in acting:
            inputs.setdefault(f"{joint.name}.armature", [joint.armature] * joint.type.nv)
        positions, velocity, found = _positions(robot, q), qd, qd
        at = {i: [qd[i]] * len(one) for i, one in enumerate(forces)}
        for k in range(solves):
            total, numbers = force.copy(), {name: list(vector) for name, vector in inputs.items()}
            added = np.zeros(robot.nv, dtype=object)
            for joint in acting:
                for n, i in enumerate(range(robot.nv)[robot.v_slices[joint.name]]):
                    here = (positions[i], qd[i])
                    if k and k == solves - 1:
                        pairs = zip(forces[i], at[i], strict=True)
                        parts = [_safe(law, *here, v, velocity[i], dt) for law, v in pairs]
                    else:
                        at[i] = [_onward(law, v, velocity[i]) for law, v in zip(forces[i], at[i], strict=True)]
                        parts = [law.tangent(*here, v, dt) for law, v in zip(forces[i], at[i], strict=True)]
                    c, D = (sum(all_of[1:], start=all_of[0]) for all_of in zip(*parts, strict=True))
                    total[i] = total[i] + c - D * qd[i]
                    added[i] = dt * D
                    numbers[f"{joint.name}.armature"][n] = numbers[f"{joint.name}.armature"][n] + dt * D
                at_joint = robot.v_slices[joint.name]
                turned = joint.turned_momentum(qd[at_joint], added[at_joint] * qd[at_joint])
                total[at_joint] = total[at_joint] + turned
            found = code(
                q, qd, total, *as_arguments(np.array([x for name in names for x in numbers[name]], dtype=object))
            )
            velocity = qd + dt * found
        return found

    return StepLaw((pack_program(code.program), some, tuple(live)), accelerations)


def examples(robot: Robot, live: Sequence[Parameter]) -> Mapping[Parameter, Any]:
    """Return values of parameters, none of them zero, which tell along which joints forces act."""
    rng = np.random.default_rng(0)
    return {parameter: parameter.near(robot, rng) for parameter in live}


def _onward(law: JointForce, v: Number, found: Number) -> Number:
    return law.onward(v, found) if isinstance(law, KinkedForce) else found


def _safe(law: JointForce, q: Number, qd: Number, v: Number, found: Number, dt: Number) -> tuple[Number, Number]:
    return law.safe(q, qd, v, found, dt) if isinstance(law, KinkedForce) else law.tangent(q, qd, found, dt)


def _with_inputs(robot: Robot, names: Sequence[str], payload: str | None) -> Function:
    """Return forward dynamics without damping: q, qd, tau, and the parameters of some names."""
    joints = tuple(replace(joint, damping=0.0) for joint in robot.joints)
    undamped = replace(robot, joints=joints)
    with name_idle_joints(undamped, undamped.joint_names):
        graph = dynamics_graph(undamped, parameters=names, payload=payload)
        return compile_graph(graph.given("q", "qd", "tau", *(["parameter"] if names else [])), "qdd")


def _positions(robot: Robot, q: np.ndarray) -> list[Number]:
    """Return the position along each velocity coordinate; zero where a joint has several, along which it has none."""
    return [
        q[robot.q_slices[joint.name].start] if joint.type.nq == 1 else 0.0
        for joint in robot.joints
        for _ in range(joint.type.nv)
    ]
