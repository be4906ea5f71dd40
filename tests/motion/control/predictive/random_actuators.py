"""Random robots that actuators drive: gears, differentials, tendons over pulleys, cables from point to point, jets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi
import numpy as np
from tests.motion.control.predictive.bodies import Tree
from tests.motion.control.predictive.random_feet import bound_forces, draw_robot
from tests.motion.control.predictive.random_horizons import Drawn, draw_tree, draw_weights
from tests.motion.control.predictive.random_loops import close, complete, draw_chains
from tests.motion.control.predictive.scenes import Bodies
from tests.motion.control.predictive.transcription import Task

import screwgraph as sg
from screwgraph.model.robot import Cable, Coupling, Operation, Position, Thruster, Transmission
from screwgraph.motion.control import HorizonLimits, stack_references, stack_schedule, stack_weights

TREES = (
    ("hinge hinge hinge", "gears"), ("hinge hinge", "tendons"), ("slide slide hinge", "cables"),
    ("hinge hinge", "gear"), ("free hinge", "jets"), ("hinge slide hinge", "sines"), ("hinge hinge hinge", "pulls"),
    ("hinge ball", "cables"),
)  # fmt: skip
"""Joints of trees, and what drives them."""
FEET = ("3p 3p", "3p 3p 3p 3p", "6s 3p 1", "4p 3p", "f 3p 3p 1")
LOOPS = ("planar4 planar4", "tie tie", "planar5", "free tie tie", "space4 tie")
SEED = 9000
"""That of the first horizon."""

Way = Callable[[Any], Any]
"""A displacement, of positions by the names of joints."""


@dataclass(frozen=True, eq=False)
class Pulls:
    """Actuators as formulas: `ways` are displacements of positions of joints, `cables` parts with points."""

    tree: Tree
    ways: tuple[Way, ...] = ()
    cables: tuple[tuple[tuple[int, np.ndarray], ...], ...] = ()
    jets: np.ndarray | None = None

    @property
    def motors(self) -> int:
        return len(self.ways) + len(self.cables) + (0 if self.jets is None else self.jets.shape[1])

    def act(self, q, poses, efforts):
        found, pushes, tree = casadi.SX.zeros(self.tree.nv), [], self.tree
        at = {part.name: q[own] for part, own in zip(tree.parts, tree.q_slices, strict=True)}
        for k, way in enumerate(self.ways):  # of joints of one coordinate: effort times dl/dq
            symbols = {name: casadi.SX.sym(name) for name in at}
            for part, along in zip(tree.parts, tree.v_slices, strict=True):
                arm = casadi.gradient(way(symbols), symbols[part.name])
                if not arm.is_zero():
                    names = [name for name, x in at.items() if x.numel() == 1]
                    values = [symbols[name] for name in names], [at[name] for name in names]
                    found[along] += casadi.substitute(arm, *(casadi.vertcat(*x) for x in values)) * efforts[k]
        for k, cable in enumerate(self.cables, len(self.ways)):  # a tension pulls each end to the other
            for (i, a), (j, b) in pairwise(cable):
                arms = [poses[part][0] @ at if part >= 0 else casadi.SX(at) for part, at in ((i, a), (j, b))]
                places = [arm + (poses[part][1] if part >= 0 else 0.0) for part, arm in zip((i, j), arms, strict=True)]
                along = (places[1] - places[0]) / casadi.norm_2(places[1] - places[0])
                for part, arm, sign in zip((i, j), arms, (1.0, -1.0), strict=True):
                    if part >= 0:
                        pushes.append((part, arm, sign * along * efforts[k], casadi.SX.zeros(3)))
        if self.jets is not None:
            found += self.jets @ efforts[len(self.ways) + len(self.cables) :]
        return found, pushes


def make_gear(name: str, terms: dict[str, float], bounds: tuple[float, float], sine: str = "") -> tuple[Any, Way]:
    """Return an actuator whose displacement is a sum of arms times positions, and the sine of one."""
    bend = Operation("sin", (Position(sine),)) if sine else None
    made = replace(Transmission(Coupling(name, terms, 0.0, bend)), bounds=bounds)

    def way(at: Any) -> Any:
        return sum(arm * at[joint] for joint, arm in terms.items()) + (casadi.sin(at[sine]) if sine else 0.0)

    return made, way


def draw_motors(
    rng: np.random.Generator, kind: str, tree: Tree, scalar: list[int], size: float
) -> tuple[list[Any], Pulls]:
    """Return actuators of a robot whose joints of one coordinate are `scalar`, and the same as formulas.

    `size` is about the largest torque that is needed (N m).
    """
    names, found, ways = [tree.parts[i].name for i in scalar], list[Any](), list[Any]()

    def add(terms: dict[str, float], lower: float, upper: float) -> None:
        made, way = make_gear(f"m{len(found)}", terms, (lower, upper))
        found.append(made)
        ways.append(way)

    def both(gear: float) -> tuple[float, float]:
        most = size / gear * float(rng.uniform(1.0, 3.0))
        return -most, most

    if kind == "gears":  # one each, the last two together
        for name in names[:-2]:
            gear = float(rng.uniform(3.0, 60.0))
            add({name: gear}, *both(gear))
        for sign in (1.0, -1.0):
            gear = float(rng.uniform(3.0, 60.0))
            add({names[-2]: gear, names[-1]: sign * float(rng.uniform(0.5, 1.0)) * gear}, *both(gear))
    elif kind == "gear":
        gear = float(rng.uniform(3.0, 60.0))
        add({names[-1]: -gear}, *both(gear))
    elif kind in ("tendons", "pulls"):  # pull only
        for k in range(2 * len(names)):
            own = {n: float(rng.uniform(0.01, 0.05)) * (1.0 if k % 2 else -1.0) for n in names[: k // 2 + 1]}
            if kind == "pulls":
                own = {n: a * float(rng.choice([1.0, -0.5])) for n, a in own.items()}
            add(own, 0.0 if k % 3 else 1.0, size / 0.02 * float(rng.uniform(2.0, 4.0)))
    elif kind == "sines":
        for i, name in enumerate(names):
            other = names[(i + 1) % len(names)]
            made, way = make_gear(f"m{i}", {name: float(rng.uniform(2.0, 5.0))}, both(2.0), other)
            found.append(made)
            ways.append(way)
    cables = list[Any]()
    if kind == "cables":
        for k in range(2 * tree.nv):
            last = int(rng.integers(len(tree.parts))) if k >= len(tree.parts) else len(tree.parts) - 1
            at, fixed = rng.uniform(-0.2, 0.2, 3), rng.uniform([-1.5, -1.5, -1.0], [1.5, 1.5, 2.0])
            (x, y, z), (a, b, c) = fixed.tolist(), at.tolist()
            points = (("world", (x, y, z)), (f"b{last}", (a, b, c)))
            found.append(Cable(f"m{k}", points, bounds=(0.5, 4.0 * size + 5.0)))
            cables.append(((-1, fixed), (last, at)))
    jets = None
    if kind == "jets":
        jets = np.zeros((tree.nv, 6))
        for k in range(6):
            along = {f"{tree.parts[0].name}[{i}]": float(rng.uniform(-1.0, 1.0)) for i in range(6)}
            found.append(Thruster(f"m{k}", along, bounds=(-2.0 * size, 3.0 * size)))
            jets[:6, k] = list(along.values())
    return found, Pulls(tree, tuple(ways), tuple(cables), jets)


def _limits(rng: np.random.Generator) -> HorizonLimits:
    penalty = tuple(float(x) for x in 10.0 ** rng.uniform([0, 1], [3, 4]))
    speed = float(rng.uniform(1.0, 2.0)) if rng.random() < 0.4 else np.inf
    return HorizonLimits(velocity=speed, lower=-np.inf, upper=np.inf, penalty=(penalty[0], penalty[1]))


def draw_driven(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random tree whose actuators drive it."""
    rng, (kinds, how) = np.random.default_rng(SEED + seed), TREES[seed % len(TREES)]
    tree, text = draw_tree(rng, kinds.split())
    (folder / f"driven{seed}.xml").write_text(text)
    robot = sg.load(folder / f"driven{seed}.xml")
    n, move, dt, N = robot.nv, sg.integrate(robot), float(rng.choice([0.01, 0.02])), int(rng.integers(6, 20))
    q, v = move(robot.neutral(), rng.uniform(-0.5, 0.5, n)), rng.uniform(-0.5, 0.5, n)
    goal = move(q, rng.uniform(-0.4, 0.4, n))
    size = 0.2 + float(np.abs(sg.bias_forces(robot)(q, v)).max())
    scalar = [i for i, part in enumerate(tree.parts) if part.kind in ("hinge", "slide")]
    motors, pulls = draw_motors(rng, how, tree, scalar, size)
    robot, limits = replace(robot, actuators=tuple(motors)), _limits(rng)
    control, m = sg.mpc(robot, dt, N, limits=limits), len(motors)
    weights = draw_weights(rng, n, m)
    weights[2 * n :] *= min(1.0, (size / np.abs([a.bounds for a in motors]).max()) ** 2)
    references = stack_references(control, goal, 0.0, 0.2 * rng.standard_normal(m) * (rng.random() < 0.4))
    low, up = (np.array(side) for side in limits.states(robot))
    least, most = np.array([a.bounds for a in motors]).T
    task = Task(
        Bodies(tree, (), drive=pulls), dt, N, most, low, up, limits.penalty, references, weights, q, v,
        low=np.tile(least, (N, 1)),
    )  # fmt: skip
    return Drawn(robot, control, task, {})


def draw_driven_feet(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random robot on feet, whose joints gears and differentials drive."""
    rng, kinds = np.random.default_rng(SEED + seed), FEET[seed % len(FEET)]
    tree, feet, contacts, text = draw_robot(rng, kinds)
    (folder / f"driven_feet{seed}.xml").write_text(text)
    robot = sg.load(folder / f"driven_feet{seed}.xml")
    n, move, dt, N = robot.nv, sg.integrate(robot), 0.02, int(rng.integers(4, 10))
    q, v = move(robot.neutral(), rng.uniform(-0.6, 0.6, n)), rng.uniform(-0.3, 0.3, n)
    goal, weight = move(q, rng.uniform(-0.2, 0.2, n)), robot.mass * 9.81
    scalar = [i for i, part in enumerate(tree.parts) if part.kind != "free"]
    motors, ways = list[Any](), list[Way]()
    for k, i in enumerate(scalar):  # each joint has a motor, which moves the next one, too, by a belt or a rod
        own, after = tree.parts[i].name, [j for j in scalar if tree.parts[j].parent == i]
        gear, most = float(rng.uniform(2.0, 20.0)), float(weight * rng.uniform(0.05, 0.4))
        bounds = (-most / gear, most / gear)
        other = tree.parts[after[0]].name if after else ""
        is_bent = bool(other) and rng.random() < 0.5
        terms = {own: gear, other: 0.5 * gear} if other and not is_bent else {own: gear}
        made, way = make_gear(f"m{k}", terms, bounds, other * is_bent)
        motors.append(made)
        ways.append(way)
    order = rng.permutation(len(motors))
    motors, pulls = [motors[i] for i in order], Pulls(tree, tuple(ways[i] for i in order))
    robot = replace(robot, actuators=tuple(motors))
    limits = replace(_limits(rng), force=float(weight * rng.uniform(1.0, 3.0)))
    drag = float(rng.uniform(0.0, 0.5 / dt))
    control = sg.mpc(robot, dt, N, contacts=contacts, drag=drag, limits=limits)
    weights = stack_weights(
        robot,
        position=10.0 ** rng.uniform(0.0, 2.0, n),
        velocity=10.0 ** rng.uniform(-2.0, 0.5, n),
        force=10.0 ** rng.uniform(-5.0, -3.0, len(motors)),
        acceleration=float(10.0 ** rng.uniform(-5.0, -3.0)),
    )
    on = np.ones((N, len(feet)))
    on[rng.integers(0, N) :, 0] = 0.0
    references = stack_references(control, goal)
    low, up = (np.array(side) for side in limits.states(robot))
    most = np.array([a.bounds[1] for a in motors])
    axes = np.asarray(sg.Plane().touch(np.zeros(3))[1])
    scene = Bodies(tree, (), feet=tuple(feet), ground=axes, drag=drag, most=most, drive=pulls)
    least, largest = bound_forces(feet, on, float(limits.force or 0.0), len(motors))
    task = Task(
        scene, dt, N, largest, low, up, limits.penalty, references, weights, q, v, low=least, on=on
    )  # fmt: skip
    return Drawn(robot, control, task, {"contacts": stack_schedule(control, contacts, on)})


def draw_driven_loops(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random closed chain, whose actuators are on dependent joints, too."""
    rng, kinds = np.random.default_rng(SEED + seed), LOOPS[seed % len(LOOPS)]
    chains = draw_chains(rng, kinds)
    (folder / f"driven_loops{seed}.xml").write_text(chains.text)
    robot = sg.load(folder / f"driven_loops{seed}.xml")
    names = [name for name in robot.joint_names if name in robot.independent_joints]
    own = [int(name[1:]) for name in names]
    states = Bodies(chains.tree, (), own).states
    n, dt, N = states.nv, 0.02, int(rng.integers(5, 12))
    y = np.concatenate([robot.neutral()[robot.q_slices[name]] for name in names])
    free = [i for i, place in enumerate(Bodies(chains.tree, (), own).places) if states.v_slices[0].stop == 6 and i < 6]
    goal, size = y.copy(), 0.1
    at = [Bodies(chains.tree, (), own).places[i] for i in range(n) if i not in free]
    while True:
        goal = y.copy()
        goal[at] += rng.uniform(-size, size, len(at))
        try:
            close(robot, names, goal)
            break
        except sg.InputError:
            size *= 0.5
    scalar = [i for i, part in enumerate(chains.tree.parts) if part.kind in ("hinge", "slide")]
    holding, motors, ways = 9.81 * robot.mass * 0.3, list[Any](), list[Any]()
    for k in range(len(at) + 1):
        joints = rng.choice(scalar, min(2, len(scalar)), replace=False)
        terms = {chains.tree.parts[i].name: float(rng.uniform(1.0, 4.0)) for i in joints}
        made, way = make_gear(f"m{k}", terms, (-holding, 2.0 * holding))
        motors.append(made)
        ways.append(way)
    robot, limits = replace(robot, actuators=tuple(motors)), _limits(rng)
    control, m = sg.mpc(robot, dt, N, limits=limits), len(motors)
    weights, v = draw_weights(rng, n, m), rng.uniform(-0.3, 0.3, n)
    references = stack_references(control, goal)
    scene = Bodies(
        chains.tree, (), own, tuple(chains.ties), tuple(chains.closings), drive=Pulls(chains.tree, tuple(ways))
    )
    speed = float(np.asarray(limits.velocity))
    low, up = (np.concatenate([sign * np.full(n, np.inf), sign * np.full(n, speed)]) for sign in (-1.0, 1.0))
    least, most = np.array([a.bounds for a in motors]).T
    task = Task(
        scene, dt, N, most, low, up, limits.penalty, references, weights, y, v, low=np.tile(least, (N, 1))
    )  # fmt: skip
    others = [chains.tree.parts[i].name for i in scene.others]
    return Drawn(robot, control, task, {}, lambda found: complete(robot, names, others, states.nq, found))
