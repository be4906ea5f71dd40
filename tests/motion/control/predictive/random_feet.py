"""Random robots on feet, and horizons of them: legs, redundant ones too, points, balls, soles, edges, schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi
import numpy as np
from tests.motion.control.predictive.bodies import Part, Tree
from tests.motion.control.predictive.random_horizons import Drawn, draw_part, draw_turn, write_mjcf
from tests.motion.control.predictive.scenes import Bodies, Foot
from tests.motion.control.predictive.transcription import Task

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, Sole, stack_references, stack_schedule, stack_weights

KINDS = (
    "3p", "3p 3p", "1 3p 3p", "6s", "4p", "3p 3p 3p", "6s 3p 1", "5e", "t 3p 3p", "3p 3p 3p 3p", "f 4p", "2 3p 4p",
    "t 6s 6s", "7s", "f 3p 1",
)  # fmt: skip
"""Limbs: joints and whether they end in a point, a sole or an edge; t: a torso between base and limbs; f: no base."""
SEED = 3000
"""That of the first horizon."""


def draw_robot(rng: np.random.Generator, kinds: str) -> tuple[Tree, list[Foot], list[Any], str]:
    """Return a tree, its feet, the same as contacts, and its MJCF."""
    parts, turns, limbs = list[Part](), list[np.ndarray](), kinds.split()

    def add(kind: str, parent: int) -> int:
        part, turn = draw_part(rng, len(parts), kind, parent)
        parts.append(part)
        turns.append(turn)
        return len(parts) - 1

    root = -1 if "f" in limbs else add("free", -1)
    root = add("hinge", root) if "t" in limbs else root
    feet, contacts = list[Foot](), list[Any]()
    for limb in (x for x in limbs if x not in "ft"):
        last, leg = root, list[int]()
        for _ in range(int(limb[0])):
            last = add("slide" if rng.random() < 0.1 else "hinge", last)
            leg.append(last)
        if limb[1:]:
            at, friction = rng.uniform(-0.2, 0.2, 3), float(rng.uniform(0.3, 1.0))
            foot, contact = draw_foot(rng, limb[1], last, at, friction, tuple(leg))
            feet.append(foot)
            contacts.append(contact)
    tree = Tree(tuple(parts), np.array([0.0, 0.0, -9.81]))
    return tree, feet, contacts, write_mjcf(tree, turns)


def draw_foot(
    rng: np.random.Generator, kind: str, part: int, at: np.ndarray, friction: float, leg: tuple[int, ...]
) -> tuple[Foot, Any]:
    """Return a foot and the same as a contact."""
    place = (float(at[0]), float(at[1]), float(at[2]))
    if kind == "p":
        radius = float(rng.uniform(0.0, 0.05) * (rng.random() < 0.5))
        return Foot(part, at, friction, leg, radius), sg.Contact(f"b{part}", radius, friction=friction, at=place)
    R, half = draw_turn(rng)[0], (float(rng.uniform(0.03, 0.1)), float(rng.uniform(0.02, 0.05)) * (kind == "s"))
    x, z = ((float(a[0]), float(a[1]), float(a[2])) for a in (R[0], R[2]))
    return (
        Foot(part, at, friction, leg, 0.0, R, half),
        Sole(f"b{part}", 2.0 * half[0], 2.0 * half[1], place, x, z, friction=friction),
    )


def draw_standing(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random robot on feet."""
    rng = np.random.default_rng(SEED + seed)
    tree, feet, contacts, text = draw_robot(rng, KINDS[seed % len(KINDS)])
    path = folder / f"feet{seed}.xml"
    path.write_text(text)
    robot = sg.load(path)
    n, move, dt, N = robot.nv, sg.integrate(robot), float(rng.choice([0.01, 0.02, 0.03])), int(rng.integers(4, 14))
    driven = [i for i in range(n) if not (tree.parts[0].kind == "free" and i < 6)]
    q, v = move(robot.neutral(), rng.uniform(-0.6, 0.6, n)), rng.uniform(-0.3, 0.3, n)
    goal = move(q, rng.uniform(-0.2, 0.2, n))
    weight = robot.mass * 9.81
    most = np.full(n, np.inf)
    if rng.random() < 0.5:
        most[driven] = weight * 0.2 * rng.uniform(0.3, 2.0, len(driven))
    speed, penalty = (
        rng.uniform(1.0, 3.0, n) if rng.random() < 0.3 else np.inf,
        tuple(10.0 ** rng.uniform([0, 1], [2, 3])),
    )
    limits = HorizonLimits(
        effort=most,
        velocity=speed,
        lower=-np.inf,
        upper=np.inf,
        penalty=penalty,
        force=float(weight * rng.uniform(1.0, 3.0)),
    )
    normal = np.append(rng.uniform(-0.3, 0.3, 2), 1.0)
    normal /= np.linalg.norm(normal)
    ground = sg.Plane(tuple(map(float, normal))) if rng.random() < 0.4 else sg.Plane()
    drag = float(rng.uniform(0.0, 0.5 / dt))
    options, more, frame = dict[str, Any](), dict[str, Any](), None
    if rng.random() < 0.25:
        part = int(rng.integers(len(tree.parts)))
        options["frames"], frame = [f"b{part}"], (part, np.eye(3), np.zeros(3))
        more["frames"] = np.tile(sg.forward_kinematics(robot, f"b{part}")(goal), (N + 1, 1, 1))[:, None]
        more["frame_weights"] = 10.0 ** rng.uniform([-1] * 3 + [0] * 3, [1] * 3 + [2] * 3)[None]
    if rng.random() < 0.3:
        options["rate"], more["first"] = 4.0 / dt, float(rng.uniform(0.2, 1.0) * dt)
    control = sg.mpc(robot, dt, N, contacts=contacts, ground=ground, drag=drag, limits=limits, **options)
    forces = sum(foot.size for foot in feet)
    position, velocity = 10.0 ** rng.uniform(0.0, 2.0, n), 10.0 ** rng.uniform(-2.0, 0.5, n)
    price = 10.0 ** rng.uniform(-5.0, -3.0, len(driven))
    weights = stack_weights(
        robot, position=position, velocity=velocity, force=price, acceleration=float(10.0 ** rng.uniform(-5.0, -3.0))
    )
    on = np.ones((N, len(feet)))
    for c in range(len(feet)):
        if rng.random() < 0.7:
            a, b = sorted(rng.integers(0, N + 1, 2))
            on[a:b, c] = 0.0
    efforts = np.zeros(len(driven))
    if on.all() and rng.random() < 0.5:
        efforts[:forces] = 0.05 * weight * rng.standard_normal(forces)
    references = stack_references(control, goal, rng.uniform(-0.2, 0.2, n) * (rng.random() < 0.3), efforts)
    more["contacts"] = stack_schedule(control, contacts, on)
    low, up = (np.array(side) for side in limits.states(robot))
    axes = np.asarray(ground.touch(np.zeros(3))[1])
    scene = Bodies(tree, driven, feet=tuple(feet), ground=axes, drag=drag, most=most[driven])
    least, largest = bound_forces(feet, on, float(limits.force or 0.0), len(driven))
    goals, own = more.get("frames"), more.get("frame_weights")
    task = Task(
        scene, dt, N, largest, low, up, limits.penalty, references, weights, q, v, None, more.get("first"), frame,
        None if goals is None else goals[:, 0], np.zeros(6) if own is None else own[0], least, on,
    )  # fmt: skip
    return Drawn(robot, control, task, more)


def bound_forces(feet: list[Foot], on: np.ndarray, most: float, motors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return bounds (N, forces + motors) of forces of feet that are on; efforts have none."""
    low, up = list[np.ndarray](), list[np.ndarray]()
    for c, foot in enumerate(feet):
        normal = np.eye(foot.size)[0 if foot.axes is None else foot.size - 1]
        is_on = on[:, c, None] > 0.5
        low.append(np.where(is_on, np.where(normal > 0.5, 0.0, -most), -np.inf))
        up.append(np.where(is_on, most * np.ones(foot.size), np.inf))
    none = np.full((len(on), motors), np.inf)
    return np.hstack([*low, -none]), np.hstack([*up, none])


def bend_legs(drawn: Drawn, states: np.ndarray) -> float:
    """Return the least volume of a leg's Jacobian at states where its foot is on, of a large one at random positions.

    Below 0.02 feet are held by damped least squares.
    """
    scene: Any = drawn.task.scene
    robot, rng, found = drawn.robot, np.random.default_rng(0), np.inf
    positions = [sg.integrate(robot)(robot.neutral(), rng.uniform(-2.0, 2.0, robot.nv)) for _ in range(100)]
    assert drawn.task.on is not None
    for c, foot in enumerate(scene.feet):
        J = scene.find_slopes(foot)

        def size(q: Any, J: casadi.Function = J) -> float:
            rows = np.array(J(q))
            return float(np.sqrt(max(np.linalg.det(rows @ rows.T), 0.0)))

        usual = np.quantile([size(q) for q in positions], 0.9)
        sizes = [size(q) for q, on in zip(states[:, : robot.nq], drawn.task.on[:, c], strict=False) if on]
        found = min([found, *(x / usual for x in sizes)])
    return found
