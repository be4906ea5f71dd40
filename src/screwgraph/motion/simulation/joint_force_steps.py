"""Motions with friction and stops of joints: steps of a `Simulator`, and the work that these forces do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.dynamics import inverse_dynamics, mass_matrix
from screwgraph.model.robot import Robot, without_loops
from screwgraph.motion.simulation.contacts import ContactRecord
from screwgraph.motion.simulation.external_wrenches import ExternalWrenches
from screwgraph.motion.simulation.joint_forces import Forces, KinkedForce, checked_springs, joint_forces
from screwgraph.motion.simulation.methods import AUTO, MotionState
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.simulator import Simulator
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_rules import IMPLICIT, only_implicit
from screwgraph.motion.simulation.sticking_friction import friction_power, without_friction
from screwgraph.motion.simulation.system import Dynamics, Efforts, System

States = Float[np.ndarray, "N n"]


def joint_options(dynamics: Dynamics, method: str, options: StepOptions) -> StepOptions | None:
    """Return the options of steps by which friction, stops, springs and contacts act; None where none is asked for.

    Raises:
        InputError: the model has none of them, or the method does not treat them.
    """
    dynamics.check_options(options)
    acting = [name for name in options.chosen if name != "effort_limits"]
    if acting and method not in (AUTO, IMPLICIT):
        raise only_implicit(acting, method)
    return options if acting else None


def cut_to_limits(dynamics: Dynamics, torques: Float[np.ndarray, " m"] | Efforts) -> Float[np.ndarray, " m"] | Efforts:
    """Return torques cut to the effort limits of a model."""
    most = dynamics.model.effort_limits
    if not callable(torques):
        return np.clip(torques, -most, most)
    return lambda t, q, qd: np.clip(torques(t, q, qd), -most, most)


def steps_of(
    options: StepOptions,
    robot: Robot,
    system: System,
    start: MotionState,
    times: np.ndarray,
    record: ContactRecord,
    wrenches: ExternalWrenches | None = None,
) -> Iterator[MotionState]:
    """Return the states of a simulator whose torques and wrenches are held over each step; one for each time.

    Its code is made at once. What contacts do in each step is added to `record`.
    """
    simulator = Simulator(
        robot,
        float(times[1]),
        start.q,
        start.qd,
        method=options.method,
        friction=options.friction,
        stops=options.stops,
        effort_limits=options.effort_limits,
        springs=options.springs,
        contacts=options.contacts,
        ground=options.ground if options.contacts else None,
        external_wrenches=options.external_wrenches,
    )
    _ = simulator.function.single  # makes machine code now, so that its time is not the first step's

    def take_steps() -> Iterator[MotionState]:
        for t in times.tolist():
            held = system.torques_at(np.array([t]), simulator.q[None], simulator.qd[None])[0]
            simulator.step(held, external_wrenches=wrenches and wrenches.by_name(t, simulator.q, simulator.qd))
            if options.contacts:
                record.add(simulator.forces, simulator.gaps, float(simulator.residual))
            yield MotionState(simulator.q, simulator.qd)

    return take_steps()


def work_of(
    options: StepOptions, dynamics: Dynamics, t: np.ndarray, q: States, qd: States, tau: States
) -> Float[np.ndarray, " N-1"]:
    """Return the work (J) in each step of torques, friction and stops, less that of dampers."""
    return WORKS[dynamics.model.kind](options, dynamics, t, q, qd, tau)


def _mechanism_work(
    options: StepOptions, dynamics: Dynamics, t: np.ndarray, q: States, qd: States, tau: States
) -> Float[np.ndarray, " N-1"]:
    """Return what energy changes by, as far as torques, forces and dampers say, and friction and contacts allow.

    Friction takes up to dt F |w|, w the mean rate of a damper over the step, and gives nothing.
    """
    mechanism: Any = dynamics.model
    dt = np.diff(t)
    acting, mean = dynamics_of(without_friction(mechanism)), (qd[:-1] + qd[1:]) / 2.0
    kinetic, potential, _ = acting.energy(q, qd, tau)
    other = dt * acting.power(q[:-1], mean, tau[:-1])  # efforts are held over a step
    most = dt * friction_power(mechanism, (q[:-1] + q[1:]) / 2.0, mean)
    if options.contacts:
        most = np.full(len(most), np.inf)  # ground that stands takes energy, and gives none
    return other + np.clip(np.diff(kinetic + potential) - other, -most, 0.0)


def _robot_work(
    options: StepOptions, dynamics: Dynamics, t: np.ndarray, q: States, qd: States, tau: States
) -> Float[np.ndarray, " N-1"]:
    """Return the work (J) in each step of torques, springs, friction and stops of joints, less that of dampers.

    The force of friction and stops is what the equations of motion leave over, as far as their laws allow it: what is
    more is an error of the steps, and stays in the energy balance. Over a step dt, a force F that acts on v and leaves
    v' does the work dt F (v + v') / 2, of impacts, too.
    """
    robot: Any = dynamics.model
    dt = np.diff(t)[:, None]
    damping = np.concatenate([np.zeros(0), *(np.full(j.type.nv, j.damping) for j in robot.joints)])
    now, ahead = qd[:-1], qd[1:]
    mean = (now + ahead) / 2.0
    bare = without_loops(replace(robot, joints=tuple(replace(j, damping=0.0) for j in robot.joints)))
    known = tau[:-1] - damping * ahead + _spring_forces(robot, options, q, qd, dt)
    left = ((inverse_dynamics(bare).few(q[:-1], now, (ahead - now) / dt) - known) * mean).sum(axis=1)
    acting = robot if options.friction else replace(robot, joints=tuple(replace(j, friction=0.0) for j in robot.joints))
    kinds = ["friction", *(["stops"] if options.stops else [])]
    low, high = _powers(joint_forces(acting, kinds, {}, np.zeros(robot.nv)), robot, q[1:], ahead, mean)
    if options.contacts:
        low = np.full(len(low), -np.inf)  # ground that stands takes energy, and gives none
    return dt[:, 0] * ((known * mean).sum(axis=1) + np.clip(left, low, high))


def _spring_forces(
    robot: Any, options: StepOptions, q: States, qd: States, dt: Float[np.ndarray, "N-1 1"]
) -> Float[np.ndarray, "N-1 nv"]:
    """Return the forces of springs along joints over each step: of steps with contacts those at its end."""
    found, springs = np.zeros((len(q) - 1, robot.nv)), checked_springs(robot, options.springs)
    if not springs:
        return found
    inertias = np.diag(mass_matrix(without_loops(robot))(robot.neutral()))
    for i, laws in enumerate(joint_forces(robot, (), springs, np.zeros(robot.nv) if options.contacts else inertias)):
        at = next((robot.q_slices[j.name].start for j in robot.joints if robot.v_slices[j.name].start == i), 0)
        for law in laws:
            force, D = law.tangent(q[:-1, at], qd[:-1, i], qd[1:, i], float(dt[0, 0]))
            found[:, i] += force - D * qd[1:, i]
    return found


WORKS = {"robot": _robot_work, "mechanism": _mechanism_work}
"""Work in steps by kind of model."""


def _powers(
    forces: Forces, robot: Robot, q: States, qd: States, mean: States
) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, " N"]]:
    """Return the least and the largest power (W) that forces may have at the ends of steps."""
    low, high = np.zeros(len(q)), np.zeros(len(q))
    for joint in robot.joints:
        for i in range(robot.nv)[robot.v_slices[joint.name]]:
            position = q[:, robot.q_slices[joint.name].start]
            for law in forces[i]:
                if isinstance(law, KinkedForce):
                    ends = [np.where(mean[:, i] == 0.0, 0.0, F * mean[:, i]) for F in law.bounds(position, qd[:, i])]
                    low, high = low + np.minimum(*ends), high + np.maximum(*ends)
    return low, high
