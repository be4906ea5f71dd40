"""Random closed chains, and horizons of them: planar linkages, loops in space, joints that follow others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import casadi
import numpy as np
from tests.motion.control.predictive.bodies import Part, Tree
from tests.motion.control.predictive.random_horizons import (
    Drawn,
    draw_limits,
    draw_part,
    draw_turn,
    draw_weights,
    write_mjcf,
)
from tests.motion.control.predictive.scenes import Bodies, Closing, Tie
from tests.motion.control.predictive.transcription import Task

import screwgraph as sg
from screwgraph.motion.control import stack_references

KINDS = (
    "planar4", "tie", "planar5", "space4", "tie tie", "free planar4", "planar4 planar4", "space5", "free tie",
    "tie planar4", "slider", "free space4 tie",
)  # fmt: skip
"""What branches there are."""
SEED = 5000
"""That of the first horizon."""


class Chains(NamedTuple):
    """A tree, its ties and loops, and its MJCF."""

    tree: Tree
    ties: list[Tie]
    closings: list[Closing]
    text: str


def draw_chains(rng: np.random.Generator, kinds: str) -> Chains:
    """Return a tree with loops and ties, all of which are closed where joints are zero."""
    parts, turns, ties, closings, more = list[Part](), list[np.ndarray](), list[Tie](), list[Closing](), ""

    def add(kind: str, parent: int, **given: Any) -> int:
        part, q = draw_part(rng, len(parts), kind, parent)
        parts.append(replace(part, **given))
        turns.append(np.array([0.0, 0.0, 0.0, 1.0]) if "place" in given else q)
        return len(parts) - 1

    root = -1
    for kind in kinds.split():
        if kind == "free":
            root = add("free", -1)
        elif kind == "tie":
            one = add("hinge", root)
            two = add(str(rng.choice(["hinge", "slide"])), one if rng.random() < 0.5 else root)
            powers = [float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-2.0, 2.0)), float(rng.uniform(-0.5, 0.5))]
            powers = powers if rng.random() < 0.5 else powers[:2]
            ties.append(Tie(two, one, powers))
            given = " ".join(map(repr, [*powers, *[0.0] * (5 - len(powers))]))
            more += f'<joint joint1="j{two}" joint2="j{one}" polycoef="{given}"/>'
        else:
            last, turn = root, draw_turn(rng)[0]
            is_planar = not kind.startswith("space")
            for k in range(3 if kind == "slider" else int(kind[-1]) - is_planar):
                if not is_planar:
                    last = add("hinge", last)
                else:  # about one axis; links of about a foot, which turn by about a right angle
                    angle = 0.3 + 1.5 * k + rng.uniform(-0.4, 0.4)
                    p = (0.3 + rng.uniform(-0.08, 0.08)) * (turn @ [np.cos(angle), np.sin(angle), 0.0])
                    slides = kind == "slider" and k == 2
                    axis = turn @ ([np.cos(0.4), np.sin(0.4), 0.0] if slides else [0.0, 0.0, 1.0])
                    last = add("slide" if slides else "hinge", last if k else root, place=(np.eye(3), p), axis=axis)
            at = rng.uniform(-0.3, 0.3, 3)
            if is_planar:
                at = 0.3 * turn @ [np.cos(5.4), np.sin(5.4), 0.0]
            way, i = at, last
            while i != root:
                R, p = parts[i].place
                way, i = p + R @ way, parts[i].parent
            ways = turn[:, :2].T if is_planar else np.eye(3)
            closings.append(Closing(((root, way), (last, at)), ways))
            first = "world" if root < 0 else f"b{root}"
            more += f'<connect body1="{first}" body2="b{last}" anchor="{" ".join(map(repr, map(float, way)))}"/>'
    tree = Tree(tuple(parts), np.array([0.0, 0.0, -9.81]))
    return Chains(tree, ties, closings, write_mjcf(tree, turns, f"<equality>{more}</equality>"))


def draw_linked(seed: int, folder: Path) -> Drawn:
    """Return a horizon of a random closed chain."""
    rng, kinds = np.random.default_rng(SEED + seed), KINDS[seed % len(KINDS)]
    chains = draw_chains(rng, kinds)
    path = folder / f"loops{seed}.xml"
    path.write_text(chains.text)
    robot = sg.load(path)
    names = [name for name in robot.joint_names if name in robot.independent_joints]
    own = [int(name[1:]) for name in names]
    states = Bodies(chains.tree, (), own).states
    n, dt, N = states.nv, float(rng.choice([0.01, 0.02])), int(rng.integers(5, 15))
    driven = [i for k, own_v in enumerate(states.v_slices) for i in range(n)[own_v] if states.parts[k].kind != "free"]
    y = np.concatenate([robot.neutral()[robot.q_slices[name]] for name in names])

    given = casadi.SX.sym("z", states.nq), casadi.SX.sym("d", n)
    advance = casadi.Function("advance", given, [states.advance(*given)])

    def move(z: Any, d: Any) -> np.ndarray:
        return np.ravel(advance(z, d))

    start, size = y, 0.15
    while True:
        y, goal = (move(start, rng.uniform(-size, size, n)) for _ in range(2))
        try:
            _, q = close(robot, names, y), close(robot, names, goal)
            break
        except sg.InputError:
            size *= 0.5
    v = rng.uniform(-0.4, 0.4, n)
    holding = 9.81 * robot.mass * 0.2
    most = np.full(n, np.inf)
    most[driven] = holding * rng.uniform(0.5, 2.0, len(driven)) * rng.choice([1.0, 4.0])
    limits, speed = draw_limits(rng, most)
    options, more, frame = dict[str, Any](), dict[str, Any](), None
    if rng.random() < 0.4:
        part = int(rng.integers(len(chains.tree.parts)))
        options["frames"], frame = [f"b{part}"], (part, np.eye(3), np.zeros(3))
        more["frames"] = np.tile(sg.forward_kinematics(robot, f"b{part}")(q), (N + 1, 1, 1))[:, None]
        more["frame_weights"] = 10.0 ** rng.uniform([-1] * 3 + [0] * 3, [1] * 3 + [2] * 3)[None]
    if rng.random() < 0.3:
        options["rate"], more["first"] = 4.0 / dt, float(rng.uniform(0.2, 1.0) * dt)
    actuated = [name for name, part in zip(names, states.parts, strict=True) if part.kind != "free"]
    control = sg.mpc(robot, dt, N, actuated=actuated, limits=limits, **options)
    weights = draw_weights(rng, n, len(driven))
    references = stack_references(control, goal, rng.uniform(-0.2, 0.2, n) * (rng.random() < 0.3))
    scene = Bodies(chains.tree, driven, own, tuple(chains.ties), tuple(chains.closings))
    low, up = (
        np.concatenate([-np.full(n, np.inf), -speed]),
        np.append(np.full(n, np.inf), speed),
    )
    goals, own_w = more.get("frames"), more.get("frame_weights")
    task = Task(
        scene, dt, N, most[driven], low, up, limits.penalty, references, weights, y, v, None, more.get("first"),
        frame, None if goals is None else goals[:, 0], np.zeros(6) if own_w is None else own_w[0],
    )  # fmt: skip
    others = [chains.tree.parts[i].name for i in scene.others]
    return Drawn(robot, control, task, more, lambda found: complete(robot, names, others, states.nq, found))


def close(robot: sg.Robot, names: list[str], y: Any) -> np.ndarray:
    """Return the position (nq,) of all joints, near the neutral one."""
    q, first = robot.neutral(), 0
    for name in names:
        own = robot.q_slices[name]
        size = own.stop - own.start
        q[own] = y[first : first + size]
        first += size
    return robot.close_loops(q, names)


def complete(robot: sg.Robot, names: list[str], others: list[str], nq: int, states: np.ndarray) -> np.ndarray:
    """Return positions and velocities of joints that follow (N + 1, closing)."""
    found = list[list[Any]]()
    for state in states:
        q = close(robot, names, state[:nq])
        qd = robot.complete_velocity(q, state[nq:])
        found.append([*(q[robot.q_slices[x].start] for x in others), *(qd[robot.v_slices[x].start] for x in others)])
    return np.array(found)
