"""Scenes with sliders, as pages: where bodies are, and by how much loops are open, as programs of coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.model.mechanism.equations import residual
from screwgraph.model.robot import Robot, constraint_residual, link_poses
from screwgraph.spatial import Array
from screwgraph.tape import Program, Tape, program
from screwgraph.ui.view.mechanisms import mechanism_scene
from screwgraph.ui.view.robots import lowest_height, robot_scene
from screwgraph.ui.view.scene import Posing, Scene
from screwgraph.ui.view.sliders import make_sliders, mechanism_size, mechanism_sliders, rest_position


def posable_robot_scene(robot: Robot) -> Scene:
    """Return a robot near its neutral position, with sliders for its independent coordinates.

    Raises:
        InputError: loops do not close.
    """
    rest = rest_position(robot)
    sliders = make_sliders(robot, rest)
    chosen = [slider.coordinate for slider in sliders]
    start = np.asarray(robot.manifold.difference(robot.neutral(), rest), dtype=float)
    start[chosen] = [slider.initial for slider in sliders]
    q = robot.manifold.retract(robot.neutral(), start)

    def placement(x: Array) -> list[Any]:
        poses = link_poses(robot, robot.manifold.retract(robot.neutral(), x))
        return [entry for link in robot.links for entry in poses[link.name][:3].ravel().tolist()]

    def closure(x: Array) -> list[Any]:
        return list(constraint_residual(robot, robot.manifold.retract(robot.neutral(), x))) if robot.is_closed else []

    dependent = tuple(i for i in range(robot.nv) if i not in chosen) if robot.is_closed else ()
    programs = _record(placement, robot.nv), _record(closure, robot.nv)
    posing = Posing(sliders, start, dependent, *programs, tuple(range(len(robot.links))))
    scene = robot_scene(robot, np.zeros(1), q[None])
    # A floating base stands at zero: the ground is below its feet, not at its middle.
    return replace(
        scene, posing=posing, ground=min(scene.ground or 0.0, lowest_height(scene.bodies, np.array(scene.up)))
    )


def posable_mechanism_scene(mechanism: Mechanism) -> Scene:
    """Return a mechanism as it is assembled, with sliders for its independent coordinates."""
    n, home = mechanism.n, mechanism.home
    sliders = mechanism_sliders(mechanism)
    # Poses and points are affine in natural coordinates: their slopes are differences of any size.
    size = mechanism_size(mechanism)
    states = np.vstack([home, home + size * np.eye(n)])
    scene = mechanism_scene(mechanism, np.arange(n + 1.0), states)
    moving = [i for i, trail in enumerate((*scene.lines, *scene.points)) if np.ndim(trail.points) == 3]
    every = (*scene.lines, *scene.points)
    poses = [_make_affine(mechanism, i, states, body.poses) for i, body in enumerate(scene.bodies)]
    numbers = [T[:, :3].reshape(n + 1, 12) for T in poses]
    values = np.hstack([*numbers, *(np.asarray(every[i].points).reshape(n + 1, -1) for i in moving)])
    slopes = (values[1:] - values[0]) / size

    def placement(q: Array) -> list[Any]:
        return [_sum(first, q - home, row) for first, row in zip(values[0], slopes.T, strict=True)]

    chosen = {slider.coordinate for slider in sliders}
    posing = Posing(
        sliders,
        home,
        tuple(i for i in range(n) if i not in chosen),
        _record(placement, n),
        _record(lambda q: residual(mechanism, q), n),
        tuple(range(len(scene.bodies))),
        tuple(moving),
    )
    return replace(mechanism_scene(mechanism, np.zeros(1), home[None]), posing=posing)


def _make_affine(mechanism: Mechanism, number: int, states: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """Return poses of a body that are affine in coordinates: of a rod in space, axes beside its line stay at home's.

    A page makes axes orthonormal, the first of them first; a rod may turn about itself.
    """
    body = mechanism.bodies[number]
    if mechanism.dimension < 3 or not body.is_rod:
        return poses
    way, found = mechanism.way(states, body.lines[0]), poses.copy()
    found[:, :3, 0] = way / np.linalg.norm(way[0])
    found[:, :3, 1:3] = poses[0, :3, 1:3]
    return found


def _sum(constant: float, x: Array, slopes: Float[np.ndarray, " n"]) -> Any:
    """Return a constant and products that do not vanish."""
    total: Any = float(constant)
    for i in np.flatnonzero(np.abs(slopes) > 1e-12):
        total = total + float(slopes[i]) * x[i]
    return total


def _record(expression: Any, size: int) -> Program:
    """Return the program of an expression of x (size,)."""
    tape = Tape("form")
    return program(tape, expression(tape.inputs("x", (size,))), tape.input_names)
