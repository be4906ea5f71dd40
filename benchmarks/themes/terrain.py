"""Many A1s at once on random terrain, with frictions and masses of their own: robot-steps a second of one core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.subjects import SUBJECTS
from benchmarks.tables import Sheet, verdict
from screwgraph.compiler import wait_for_optimised
from screwgraph.model.robot import Robot

MOTIONS, DURATION, KEPT, ROUNDS = 2048, 0.5, 10, 3
ASKED = 2e6
"""Robot-steps a second."""
POSTURE = np.tile([0.0, 0.8, -1.6], 4)
COLUMNS = (
    "ground",
    "double: steps/s",
    "single precision: steps/s",
    "asked",
    "double",
    "single",
    "residual, m/s",
    "lost",
)
NOTES = (
    f"{MOTIONS} A1s, joints on springs of 80 N m/rad, fall 3 cm at up to 0.7 m/s onto the ground; frictions of 0.4 to "
    f"1 and trunks of 4.8 to 7.2 kg, one of each for each motion. CPU time of `sg.rollout` for {DURATION:g} s in steps "
    f"of 1 ms, one state in {KEPT} kept, on one core; the best of {ROUNDS}. Residual: the largest of all steps, in "
    "double precision. Lost: motions that diverge.",
)


@dataclass(frozen=True)
class Terrain:
    """Heights (m) drawn between 0 and `rough` at each `spacing` (m); a plane where they are 0."""

    rough: float
    spacing: float

    def __str__(self) -> str:
        return f"0 to {1e2 * self.rough:g} cm each {1e2 * self.spacing:g} cm" if self.rough else "a plane"


TERRAINS = (Terrain(0.0, 1.0), Terrain(0.03, 0.2), Terrain(0.03, 0.05))


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Roll out; `entries` are of no use here: there is no question."""
    robot = next((subject.load() for subject in SUBJECTS if subject.name == "a1"), None)
    rows = [row(robot, terrain, tools) for terrain in TERRAINS if robot is not None]
    return Sheet("A1s on random terrain", COLUMNS, rows, NOTES)


def row(robot: Robot, terrain: Terrain, tools: Tools) -> list[str]:
    """Measure one terrain."""
    tools.say(f"terrain: {terrain}")
    scene = make_scene(robot, terrain)
    found = {dtype: measure_rollouts(robot, scene, dtype) for dtype in ("float64", "float32")}
    speeds, (_, motions) = [rate for rate, _ in found.values()], found["float64"]
    return [
        str(terrain),
        *(f"{speed:.3g}" for speed in speeds),
        f"{ASKED:.3g}",
        *(verdict(speed >= ASKED) for speed in speeds),
        f"{motions.residual.max():.1e}",
        str(int((motions.diverged >= 0).sum())),
    ]


def make_scene(robot: Robot, terrain: Terrain) -> Mapping[str, Any]:
    """Return the arguments of `sg.rollout`: where robots begin, and what they stand on."""
    rng = np.random.default_rng(0)
    q0, qd0 = np.tile(robot.neutral(), (MOTIONS, 1)), np.zeros((MOTIONS, robot.nv))
    q0[:, :2], q0[:, 2], q0[:, 7:] = rng.uniform(-2.0, 2.0, (MOTIONS, 2)), 0.29 + terrain.rough, POSTURE
    turns = rng.uniform(-np.pi, np.pi, MOTIONS) / 2
    q0[:, 5], q0[:, 6] = np.sin(turns), np.cos(turns)
    qd0[:, 3:5] = rng.uniform(-0.5, 0.5, (MOTIONS, 2))
    points = round(8.0 / terrain.spacing) + 1
    heights = rng.uniform(0.0, terrain.rough, (points, points))
    friction = rng.uniform(0.4, 1.0, MOTIONS)
    joints = [joint.name for joint in robot.joints if joint.type.nv == 1]
    return {
        "q0": q0,
        "qd0": qd0,
        "contacts": [sg.Contact(f"{leg}_foot", 0.02, friction=friction) for leg in ("FR", "FL", "RR", "RL")],
        "ground": sg.HeightMap(heights, (-4.0, -4.0), terrain.spacing) if terrain.rough else sg.Plane(),
        "parameters": {"base.mass": rng.uniform(4.8, 7.2, (MOTIONS, 1))},
        "springs": {name: (80.0, float(rest)) for name, rest in zip(joints, POSTURE, strict=True)},
    }


def measure_rollouts(robot: Robot, scene: Mapping[str, Any], dtype: str) -> tuple[float, Any]:
    """Return robot-steps a second of one core, and the motions."""
    for _ in range(2):
        sg.rollout(robot, time=0.02, every=KEPT, dtype=dtype, **scene)
        wait_for_optimised()
    spent = list[float]()
    for _ in range(ROUNDS):
        begin = process_time()
        motions = sg.rollout(robot, time=DURATION, every=KEPT, dtype=dtype, **scene)
        spent.append(process_time() - begin)
    return MOTIONS * DURATION / 1e-3 / min(spent), motions
