"""Random trees of bodies, and horizons of them: joints of all kinds, limits, goals, costs and intervals are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.motion.control.predictive.bodies import Part, Tree
from tests.motion.control.predictive.scenes import Bodies
from tests.motion.control.predictive.transcription import Task, solve

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, PredictedMotion, converge, stack_references

KINDS = (
    "hinge hinge hinge", "slide hinge", "hinge ball", "free hinge hinge", "ball hinge", "hinge slide hinge hinge",
    "free ball", "hinge hinge hinge hinge hinge", "slide slide hinge", "hinge hinge", "ball ball",
    "free hinge slide hinge",
)  # fmt: skip
"""Joints of trees."""
SEED = 1000
"""That of the first horizon."""


class Drawn(NamedTuple):
    """A controller of a model, the same horizon in numbers, and arguments that only some controllers have.

    `close` returns from states (N + 1, nq + nv) what follows from them, (N + 1, closing).
    """

    robot: Any
    control: sg.Function
    task: Task
    more: dict[str, Any]
    close: Callable[[np.ndarray], np.ndarray] | None = None


def draw_turn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a rotation matrix, and its quaternion (x, y, z, w)."""
    q = rng.standard_normal(4)
    x, y, z, w = q = q / np.linalg.norm(q)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K, q


def draw_limits(rng: np.random.Generator, most: np.ndarray) -> tuple[HorizonLimits, np.ndarray]:
    """Return limits of efforts (n,), maybe of velocities, none of positions; and the largest velocities (n,)."""
    speed = rng.uniform(0.5, 2.0, len(most)) if rng.random() < 0.4 else np.inf
    penalty = tuple(10.0 ** rng.uniform([0, 1], [3, 4]))
    limits = HorizonLimits(effort=most, velocity=speed, lower=-np.inf, upper=np.inf, penalty=penalty)
    return limits, np.broadcast_to(speed, len(most))


def draw_weights(rng: np.random.Generator, n: int, inputs: int) -> np.ndarray:
    """Return weights of n positions, n velocities, and of inputs."""
    sizes = ((-1.0, 1.5, n), (-2.0, 0.0, n), (-4.0, -1.5, inputs))
    return np.concatenate([10.0 ** rng.uniform(*size) for size in sizes])


def draw_part(rng: np.random.Generator, i: int, kind: str, parent: int) -> tuple[Part, np.ndarray]:
    """Return a part, maybe with an armature and a damper, and the quaternion of its place."""
    (R, q), p, axis = draw_turn(rng), rng.uniform(-0.3, 0.3, 3), rng.standard_normal(3)
    if kind == "free":
        R, q, p = np.eye(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3)
    mass, U = rng.uniform(0.3, 3.0), draw_turn(rng)[0]
    m = rng.uniform(0.05, 0.2, 3) ** 2 * mass / 3.0
    inertia = U @ np.diag(m.sum() - m) @ U.T
    own = rng.uniform(0.0, [0.05, 0.5]) * (rng.random(2) < 0.5) * (kind in ("hinge", "slide"))
    com = rng.uniform(-0.15, 0.15, 3)
    return Part(f"j{i}", kind, parent, (R, p), axis / np.linalg.norm(axis), mass, com, inertia, *own), q


def draw_tree(rng: np.random.Generator, kinds: Sequence[str]) -> tuple[Tree, str]:
    """Return a tree and its MJCF."""
    parts, turns = list[Part](), list[np.ndarray]()
    for i, kind in enumerate(kinds):
        parent = i - 1
        while parent > 0 and rng.random() > 0.7 and parts[parent].parent >= 0:
            parent = parts[parent].parent
        part, turn = draw_part(rng, i, kind, parent)
        parts.append(part)
        turns.append(turn)
    tree = Tree(tuple(parts), np.array([0.0, 0.0, -9.81]))
    return tree, write_mjcf(tree, turns)


def write_mjcf(tree: Tree, turns: list[np.ndarray], more: str = "") -> str:
    """Return a tree, and what else there is, as MuJoCo reads it."""

    def numbers(*values: Any) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(values))

    def write_bodies(parent: int) -> str:
        return "".join(write_body(i) for i, part in enumerate(tree.parts) if part.parent == parent)

    def write_body(i: int) -> str:
        part, (x, y, z, w) = tree.parts[i], turns[i]
        scalar = f'axis="{numbers(part.axis)}" armature="{float(part.armature)}" damping="{float(part.damping)}"'
        joint = f'<joint name="{part.name}" type="{part.kind}" {scalar * (part.kind in ("hinge", "slide"))}/>'
        joint = f'<freejoint name="{part.name}"/>' if part.kind == "free" else joint
        six = numbers(part.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        inertial = f'<inertial pos="{numbers(part.com)}" mass="{part.mass}" fullinertia="{six}"/>'
        place = f'pos="{numbers(part.place[1])}" quat="{numbers(w, x, y, z)}"'
        return f'<body name="b{i}" {place}>{inertial}{joint}{write_bodies(i)}</body>'

    return f'<mujoco><compiler angle="radian"/><worldbody>{write_bodies(-1)}</worldbody>{more}</mujoco>'


def draw_horizon(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random tree; its limits may be such that they cannot be kept."""
    rng, kinds = np.random.default_rng(SEED + seed), KINDS[seed % len(KINDS)].split()
    tree, text = draw_tree(rng, kinds)
    path = folder / f"tree{seed}.xml"
    path.write_text(text)
    robot = sg.load(path)
    n, move, dt, N = robot.nv, sg.integrate(robot), float(rng.choice([0.01, 0.02, 0.03])), int(rng.integers(6, 25))
    names = [joint.name for joint in robot.joints if joint.type.nv != 6]
    if rng.random() < 0.35 and len(names) > 1:
        names.pop(rng.integers(len(names)))
    driven = [i for name in names for i in range(n)[robot.v_slices[name]]]
    q, v = move(robot.neutral(), rng.uniform(-0.8, 0.8, n)), rng.uniform(-0.5, 0.5, n)
    goal = move(q, rng.uniform(-0.6, 0.6, n) * rng.choice([1.0, 1.0, 1.0, 3.0]))
    holding = float(np.abs(sg.bias_forces(robot)(q, v)).max())
    most = np.full(n, np.inf)
    most[driven] = 0.2 + holding * rng.uniform(0.6, 1.5, len(driven)) * rng.choice([1.0, 4.0])
    lower, upper, which = np.full(n, -np.inf), np.full(n, np.inf), rng.random()
    for part, own, at in zip(tree.parts, tree.v_slices, tree.q_slices, strict=True):
        if part.kind in ("hinge", "slide") and 0.3 < which < 0.7:
            half = rng.uniform(0.1, 0.5)
            lower[own] = q[at] - half * rng.uniform(-0.2, 1.0)
            upper[own] = lower[own] + 2.0 * half
    speed, penalty = rng.uniform(0.5, 2.0, n) if which < 0.4 else np.inf, tuple(10.0 ** rng.uniform([0, 1], [3, 4]))
    limits = HorizonLimits(effort=most, velocity=speed, lower=lower, upper=upper, penalty=penalty)
    sizes = ((-1.0, 1.5, n), (-2.0, 0.0, n), (-4.0, -1.5, len(driven)))
    weights = np.concatenate([10.0 ** rng.uniform(*size) for size in sizes])
    options, more, frame, which = dict[str, Any](), dict[str, Any](), None, rng.random()
    path_q = np.tile(goal, (N + 1, 1))
    if rng.random() < 0.3:
        path_q = np.array([move(q, k / N * sg.difference(robot)(q, goal)) for k in range(N + 1)])
    is_vector = all(kind in ("hinge", "slide") for kind in kinds)
    if which < 0.35:
        part = int(rng.integers(len(kinds)))
        options["frames"], frame = [f"b{part}"], (part, np.eye(3), np.zeros(3))
        more["frames"] = sg.forward_kinematics(robot, f"b{part}")(path_q)[:, None]
        more["frame_weights"] = 10.0 ** rng.uniform([-1] * 3 + [0] * 3, [1] * 3 + [2] * 3)[None]
    elif which < 0.6 and is_vector:
        options["terminal"], L = "riccati", rng.standard_normal((2 * n, 2 * n))
        more["terminal"] = 0.1 * L @ L.T
    elif rng.random() < 0.4:
        options["rate"], more["first"] = 4.0 / dt, float(rng.uniform(0.2, 1.0) * dt)
    control = sg.mpc(robot, dt, N, actuated=names, limits=limits, **options)
    velocity, effort = (rng.uniform(-0.3, 0.3, k) * (rng.random() < 0.3) for k in (n, len(driven)))
    references = stack_references(control, path_q, velocity, effort)
    low, up = (np.array(side) for side in limits.states(robot))
    goals, own = more.get("frames"), more.get("frame_weights")
    task = Task(
        Bodies(tree, driven), dt, N, most[driven], low, up, limits.penalty, references, weights, q, v,
        more.get("terminal"), more.get("first"), frame,
        None if goals is None else goals[:, 0], np.zeros(6) if own is None else own[0],
    )  # fmt: skip
    return Drawn(robot, control, task, more)


def settle(drawn: Drawn) -> PredictedMotion:
    """Return the motion to which a controller converges."""
    task = drawn.task
    return converge(drawn.control, task.q, task.v, task.references, task.weights, **drawn.more)


def compare(drawn: Drawn, found: PredictedMotion) -> tuple[float, float]:
    """Return how far a motion is from the optimum that IPOPT finds from it: the cost, relative; the first effort.

    Costs below 0.01 are compared as if they were that: IPOPT stops at 1e-11.
    """
    task, inputs = drawn.task, found.efforts if found.forces is None else np.hstack([found.forces, found.efforts])
    closed = None if drawn.close is None else drawn.close(found.states)
    cost, _, inputs, is_solved = solve(task, found.states, inputs, closed)
    assert is_solved
    most = np.broadcast_to(task.most, inputs.shape)[0, -found.tau.size :]
    units = np.where(np.isfinite(most), most, max(float(np.abs(found.tau).max()), 1.0))
    apart = np.abs((found.tau - inputs[0, -found.tau.size :]) / units).max()
    return float((found.solution[1] - cost) / max(cost, 0.01)), float(apart)
