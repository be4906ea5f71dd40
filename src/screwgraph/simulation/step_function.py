"""A time step as a function (q, qd, tau, dt) -> (q, qd): of single states and of batches, without branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.compiler import Argument, Function, Result, compile_expression, compile_graph, without_metadata
from screwgraph.compiler.cache import pack_program
from screwgraph.dynamics.singular import naming_idle_joints
from screwgraph.graph import dynamics_graph
from screwgraph.models.mechanism import Mechanism
from screwgraph.models.mechanism import without_metadata as bare_mechanism
from screwgraph.robot import Robot
from screwgraph.simulation.closed_step import closing_of
from screwgraph.simulation.joint_forces import Forces
from screwgraph.simulation.linearly_implicit import linearly_implicit
from screwgraph.simulation.models import Dynamics, RobotDynamics
from screwgraph.simulation.step_code import SmallSteps
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number
from screwgraph.time import RULES, Rule, stages

IMPLICIT = "semi_implicit"
"""The rule whose steps treat forces of joints implicitly: they need velocities at the end of a step only."""
SOLVES = 4
"""Accelerations a step where forces of joints have kinks: Newton's steps, of which two or three are enough mostly."""
OPEN = 1e-4
"""Closure error (rad, m) at the end of a step from which on the motion counts as diverged."""
FAR = 1e3
"""The same for the motion of a coordinate within a step (rad, m)."""


def step_function(
    dynamics: Dynamics,
    method: str,
    forces: Forces = (),
    limits: Sequence[float] | None = None,
    *,
    is_stiff: bool = False,
) -> Function:
    """Return a time step of an explicit rule; what diverges within it is NaN. Without motors, it takes no tau.

    Args:
        dynamics: the model in motion.
        method: one of `screwgraph.time.RULES` that is explicit.
        forces: along each velocity coordinate of a robot, treated implicitly, in the place of its own damping; by
            "semi_implicit" only.
        is_stiff: whether all forces are taken at the end of a step, to first order; by "semi_implicit" only.
        limits: the largest efforts (N m, N) of all joints; larger ones are cut.
    """
    rule, model = RULES[method], dynamics.model
    code = _accelerations(dynamics, forces)
    (nq,), nv = dynamics.manifold.shape, dynamics.manifold.dim
    motors = len(model.motor_names) if isinstance(model, Mechanism) else nv
    sizes = {"q": nq, "qd": nv, "tau": motors, "dt": 1}
    arguments = tuple(_vector(name, size) for name, size in sizes.items() if size)
    closing, stiff = closing_of(model), linearly_implicit(code) if is_stiff else None

    def expression(q: np.ndarray, qd: np.ndarray, *held: np.ndarray) -> list[Number]:
        space, tau, (dt,) = SmallSteps(dynamics.manifold), held[0] if motors else np.zeros(0), held[-1]
        if limits is not None:
            tau = np.array([_cut(u, most) for u, most in zip(tau, limits, strict=True)], dtype=object)
        force = dynamics.force(tau)

        def solve(at: np.ndarray, velocity: np.ndarray) -> np.ndarray:
            if not forces:
                return code(at, velocity, force) if stiff is None else stiff(at, velocity, force, dt)
            assert isinstance(model, Robot), "forces of joints are a robot's"
            return _implicit(code, model, forces, (at, velocity, force), dt)

        ahead, velocity = _stepped(rule, space, solve, dt, q, qd)
        size = sum(space.turns, start=_size([dt * v for v in velocity], FAR))
        if closing is not None:
            space.turns.clear()
            ahead, velocity, gaps = closing(space, ahead, velocity)
            size = sum(space.turns, start=size + _size(gaps, OPEN))
        sound = size < 1.0  # not so where it is no number
        return [*ahead, *(choose(sound, v, np.nan) for v in velocity)]

    bare = bare_mechanism(model) if isinstance(model, Mechanism) else without_metadata(model)
    question = (bare, pack_program(code.program), rule, forces, limits, is_stiff)
    results = (Result("q", (nq,)), Result("qd", (nv,)))
    return compile_expression("step", question, arguments, expression, results=results)


def _vector(name: str, size: int) -> Argument:
    """Return an argument of any numbers: nothing is believed of them, as that quaternions are unit."""
    return Argument(name, (size,), tuple(f"{name}[{i}]" for i in range(size)))


def _accelerations(dynamics: Dynamics, forces: Forces) -> Function:
    """Return forward dynamics; where there are forces, without damping, and with armatures as a fourth argument."""
    if not forces or not isinstance(dynamics, RobotDynamics):
        return dynamics.function
    robot = undamped(dynamics.model)
    graph = dynamics_graph(robot, parameters=[f"armature:{name}" for name in _driven(robot, forces)])
    with naming_idle_joints(robot, robot.joint_names):
        return compile_graph(graph.given("q", "qd", "tau", "armature"), "qdd")


def undamped(robot: Robot) -> Robot:
    """Return a robot without viscous damping."""
    return replace(robot, joints=tuple(replace(joint, damping=0.0) for joint in robot.joints))


def _driven(robot: Robot, forces: Forces) -> list[str]:
    """Return the joints along which forces act."""
    return [joint.name for joint in robot.joints if any(forces[robot.v_slices[joint.name]])]


def _stepped(
    rule: Rule, space: SmallSteps, solve: Callable[[Any, Any], Any], dt: Number, q: np.ndarray, qd: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    step = stages(rule, space, dt, q, qd)
    _, at, velocity = next(step)
    try:
        while True:
            _, at, velocity = step.send(solve(at, velocity))
    except StopIteration as end:
        return end.value


def _implicit(code: Function, robot: Robot, forces: Forces, given: Any, dt: Number) -> np.ndarray:
    """Return (v' - v) / dt, with v' the velocity at the end at which all forces are: Newton's method on their kinks.

    A force c - D v' is part of the equations of motion: (M + dt D) (v' - v) / dt = force - h + c - D v. So dt D is an
    armature. Linearly implicit Euler's method: Hairer & Wanner (1996), section IV.7; with kinks Alart & Curnier (1991).
    """
    q, qd, force = given
    acting = [i for i, own in enumerate(forces) if own]
    solves = 1 if all(law.is_linear for own in forces for law in own) else SOLVES
    positions, velocity = _positions(robot, q), qd
    for _ in range(solves):
        total, armature = force.copy(), []
        for i in acting:
            tangents = [law.tangent(positions[i], qd[i], velocity[i], dt) for law in forces[i]]
            c, D = (sum(parts[1:], start=parts[0]) for parts in zip(*tangents, strict=True))
            total[i] = total[i] + c - D * qd[i]
            armature.append(dt * D)
        found = code(q, qd, total, np.array(armature, dtype=object))
        velocity = qd + dt * found
    return found


def _positions(robot: Robot, q: np.ndarray) -> list[Number]:
    """Return the position along each velocity coordinate; zero where a joint has several, along which it has none."""
    return [
        q[robot.q_slices[joint.name].start] if joint.type.nq == 1 else 0.0
        for joint in robot.joints
        for _ in range(joint.type.nv)
    ]


def _cut(effort: Number, most: float) -> Number:
    return minimum(maximum(effort, -most), most) if np.isfinite(most) else effort


def _size(values: Sequence[Number], bound: float) -> Number:
    """Return the sum of squares, relative to that of a bound."""
    return sum((value * value for value in values), start=0.0) * (1.0 / bound**2)
