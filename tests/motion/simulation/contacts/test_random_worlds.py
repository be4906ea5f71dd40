"""Random worlds of boxes, balls and capsules on slopes: no energy from nowhere, no depth, rest where there is rest."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, Capsule, Robot, Sphere, world
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.contacts.bodies import free_body, free_brick
from tests.suites import in_suites, record

G, TIME = 9.81, 1.5
SLOPE, FRICTION = 0.3, 0.6
"""Largest tangent of slopes, and friction: what lies does not slide."""
HALF, RADIUS, LENGTH = 0.05, 0.05, 0.12
"""Half the side of a box, and radii of balls and capsules and the length of these (m)."""
CORNERS = [(x, y, z) for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (-HALF, HALF)]
ENDS = ((0.0, 0.0, -LENGTH / 2), (0.0, 0.0, LENGTH / 2))
STILL = 1e-6
"""Velocity (m/s, rad/s) of what is at rest."""
SOLVED = 1e-6


@dataclass(frozen=True, eq=False)
class Heap:
    """Free bodies, what of them touches, and where they are dropped: places of their origins above a slope (m)."""

    robot: Robot
    contacts: Sequence[sg.Contact]
    places: Sequence[tuple[float, float, float]]
    turned: float = 3.0
    """How far bodies are turned at random (rad)."""
    gain: float = 1e-9
    """Energy that they may gain, relative to their weight times 0.05 m: bricks that tumble keep theirs to some 1e-8."""


def touching(
    name: str, at: Sequence[tuple[float, float, float]], radius: float = 0.0, against=None
) -> list[sg.Contact]:
    return [sg.Contact(f"{name}/body", radius, friction=FRICTION, at=p, against=against) for p in at]


SIDES, WEIGHTS = (0.2, 0.14, 0.08), (1.0, 2.0, 0.5)
"""Sides of cubes of a stack (m), each on a larger one, so that its corners hold it, and masses (kg)."""


def stack() -> Heap:
    """Three boxes on one another, the smallest above."""
    names, places = ("a", "b", "c"), list[tuple[float, float, float]]()
    below, contacts, height = None, list[sg.Contact](), 0.0
    for i, (name, side) in enumerate(zip(names, SIDES, strict=True)):
        feet = [(x, y, -side / 2) for x in (-side / 2, side / 2) for y in (-side / 2, side / 2)]
        contacts += touching(name, feet, 0.0, below)
        below = sg.OtherBody(f"{name}/body", Box((side, side, side)))
        places.append((0.004 * i, -0.003 * i, height + 0.5 * side + 0.002 * (i + 1)))
        height += side
    boxes = {n: free_body(m, m * d**2 / 6) for n, m, d in zip(names, WEIGHTS, SIDES, strict=True)}
    return Heap(world(boxes), contacts, places, turned=0.0)


def balls() -> Heap:
    """Three balls and a capsule."""
    names = ("a", "b", "c")
    bodies = {name: free_body(m, 0.4 * m * RADIUS**2) for name, m in zip(names, (1.0, 0.3, 2.0), strict=True)}
    contacts = [c for name in names for c in touching(name, [(0.0, 0.0, 0.0)], RADIUS)]
    ball, capsule = Sphere(RADIUS), Capsule(RADIUS, LENGTH)
    for a, b in combinations(names, 2):
        contacts += touching(a, [(0.0, 0.0, 0.0)], RADIUS, sg.OtherBody(f"{b}/body", ball))
    contacts += touching("d", ENDS, RADIUS)
    for name in names:
        contacts += touching(name, [(0.0, 0.0, 0.0)], RADIUS, sg.OtherBody("d/body", capsule))
    places = [(0.0, 0.0, 0.1), (0.06, 0.02, 0.22), (-0.03, 0.05, 0.34), (0.02, -0.03, 0.5)]
    return Heap(world(bodies | {"d": free_body(1.0, 0.003)}), contacts, places)


def mixed() -> Heap:
    """A ball and a capsule that fall on a box."""
    box = sg.OtherBody("box/body", Box((0.1, 0.1, 0.1)))
    contacts = [*touching("box", CORNERS), *touching("ball", [(0.0, 0.0, 0.0)], RADIUS)]
    contacts += [*touching("ball", [(0.0, 0.0, 0.0)], RADIUS, box), *touching("rod", ENDS, RADIUS)]
    contacts += touching("rod", ENDS, RADIUS, box)
    bodies = {"box": free_body(2.0, 0.02 / 6), "ball": free_body(0.5, 0.0005), "rod": free_body(1.0, 0.003)}
    return Heap(world(bodies), contacts, [(0.0, 0.0, 0.12), (0.01, 0.02, 0.3), (0.03, -0.01, 0.45)])


def bricks() -> Heap:
    """A cube and a brick that fall on it: edges cross, corners of both meet faces."""
    robots, contacts, sizes = {}, list[sg.Contact](), {"a": (0.1, 0.1, 0.1), "b": (0.16, 0.06, 0.1)}
    for name, mass in (("a", 1.0), ("b", 2.0)):
        robots[name] = free_brick(mass, sizes[name])
        contacts.append(sg.Contact(f"{name}/body", friction=FRICTION, shape=Box(sizes[name])))
    below = sg.OtherBody("a/body", Box(sizes["a"]))
    contacts.append(sg.Contact("b/body", friction=FRICTION, shape=Box(sizes["b"]), against=below))
    return Heap(world(robots), contacts, [(0.0, 0.0, 0.12), (0.01, 0.02, 0.3)], gain=1e-6)


def shifted_stack() -> Heap:
    """Three equal cubes, each shifted by a third on the one below: no corner of one is above all of the other."""
    names, side, weights = ("a", "b", "c"), 2.0 * HALF, (1.0, 2.0, 0.5)
    box, contacts = Box((side, side, side)), touching("a", [c for c in CORNERS if c[2] < 0.0])
    for low, high in pairwise(names):
        below = sg.OtherBody(f"{low}/body", box)
        contacts.append(sg.Contact(f"{high}/body", friction=FRICTION, shape=box, against=below))
    places = [(0.02 * (i % 2), -0.015 * i, side * (i + 0.5) + 0.002 * (i + 1)) for i in range(3)]
    boxes = {name: free_body(m, m * side**2 / 6) for name, m in zip(names, weights, strict=True)}
    return Heap(world(boxes), contacts, places, turned=0.0)


HEAPS: dict[str, Callable[[], Heap]] = {
    "stack of boxes": stack,
    "stack of equal boxes, shifted": shifted_stack,
    "two bricks": bricks,
    "balls, a capsule": balls,
    "box, ball, capsule": mixed,
}


def drop_heaps(heap: Heap, dt: float, count: int) -> tuple[sg.Simulator, dict[str, float], np.ndarray]:
    """Let heaps fall on slopes of their own; return the simulator, what was seen, and normals of slopes (B, 3)."""
    rng, robot, bodies = np.random.default_rng(1), heap.robot, len(heap.places)
    normals = np.column_stack([rng.uniform(-SLOPE, SLOPE, (count, 2)) / np.sqrt(2), np.ones(count)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    q0, qd0 = np.zeros((count, 7 * bodies)), np.zeros((count, 6 * bodies))
    for k, place in enumerate(heap.places):
        for i, n in enumerate(normals):
            up = np.array([-n[1], n[0], 0.0, 1.0 + n[2]])  # turns z to the normal
            up /= np.linalg.norm(up)
            tumbled = rng.normal(size=4) if heap.turned else up
            q0[i, 7 * k : 7 * k + 3] = _turn(up, np.array(place))
            q0[i, 7 * k + 3 : 7 * k + 7] = tumbled / np.linalg.norm(tumbled)
        qd0[:, 6 * k : 6 * k + 6] = heap.turned * rng.normal(size=(count, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    simulator = sg.Simulator(robot, dt, q0, qd0, contacts=heap.contacts, ground=sg.Plane(normals))
    mass, centre, middle = sg.mass_matrix(robot), sg.center_of_mass(robot), compile_middle_state(robot)
    first, seen = None, {"gain": 0.0, "depth_mm": 0.0, "residual": 0.0, "unsolved": 0.0}
    steps = round(TIME / dt)
    for _ in range(steps):
        simulator.step()
        q, qd = middle(simulator.q, simulator.qd, [dt])
        M = np.asarray(mass(q))
        energy = robot.mass * G * np.asarray(centre(q))[:, 2] + 0.5 * np.einsum("bi,bij,bj->b", qd, M, qd)
        first = energy if first is None else first
        found = {
            "gain": float(((energy - first) / (robot.mass * G * HALF)).max()),
            "depth_mm": -1e3 * float(simulator.gaps.min()),
            "residual": float(simulator.residual.max()),
        }
        seen |= {name: max(seen[name], value) for name, value in found.items()}
        seen["unsolved"] += float((simulator.residual > SOLVED).mean()) / steps
    return simulator, seen, normals


def rest_by_mujoco(heap: Heap, normal: np.ndarray, time: float) -> np.ndarray:
    """Return places (3, 3) of a stack on a slope at rest, by MuJoCo, gravity turned in the place of the slope."""
    gravity = " ".join(str(x) for x in G * normal * [1.0, 1.0, -1.0])
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{d / 2} {d / 2} {d / 2}" mass="{m}"/></body>'
        for (x, y, z), d, m in zip(heap.places, SIDES, WEIGHTS, strict=True)
    )
    text = (
        f'<mujoco><option timestep="0.001" gravity="{gravity}" cone="elliptic" '
        f'noslip_iterations="20"/><default><geom friction="{FRICTION} 0 0" solref="0.004 1"/></default><worldbody>'
        f'<geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for _ in range(round(time / 1e-3)):
        mujoco.mj_step(model, data)
    return data.qpos.reshape(3, 7)[:, :3]


def _turn(quaternion: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return p, turned."""
    v, w = quaternion[:3], quaternion[3]
    return p + 2.0 * np.cross(v, np.cross(v, p) + w * p)


@pytest.mark.parametrize(
    ("name", "dt", "count"),
    [("balls, a capsule", 2e-3, 3), *(in_suites(name, dt, 10) for name in HEAPS for dt in (1e-3, 2e-3))],
)
def test_heaps_lose_energy_and_are_solved(name, dt, count):
    heap = HEAPS[name]()
    simulator, seen, normals = drop_heaps(heap, dt, count)
    cells = {key: f"{value:.0e}" for key, value in seen.items()}
    rests = np.abs(simulator.qd).max(axis=1) < STILL
    cells["at_rest"], cells["from_mujoco_mm"] = f"{rests.mean():.1f}", ""
    if name == "stack of boxes":
        off = largest_offset(simulator.q, normals)
        cells["from_mujoco_mm"] = f"{1e3 * off:.2f}"
        assert rests.all()
        assert off < 5e-4
    record("worlds", world=name, worlds=count, step_ms=f"{1e3 * dt:g}", **cells)
    if name in ("stack of equal boxes, shifted", "two bricks"):
        assert rests.all()
    assert seen["gain"] < heap.gain
    assert seen["depth_mm"] < 2.0
    assert seen["unsolved"] < 1e-3


def largest_offset(q: np.ndarray, normals: np.ndarray) -> float:
    """Return how far (m) boxes of stacks are from where MuJoCo's are, in the axes of slopes."""
    heap, found = stack(), 0.0
    for own, n in zip(q, normals, strict=True):
        down = np.array([n[1], -n[0], 0.0, 1.0 + n[2]])
        down /= np.linalg.norm(down)
        places = np.array([_turn(down, p) for p in own.reshape(3, 7)[:, :3]])
        found = max(found, float(np.linalg.norm(places - rest_by_mujoco(heap, n, TIME), axis=1).max()))
    return found
