"""Every robot moves by default: 1 s from rest and from random velocities, and energy is accounted for."""

import re
from pathlib import Path
from time import process_time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, closed_states
from tests.robots import closed_chains, robot_file, robot_files, urdfs
from tests.suites import record

BOUND = 1e-5
"""Energy balance residual relative to the energy that moves: "auto" allows 1e-6 in each of ten chunks of 0.1 s."""
SHORT = frozenset({"a1", "double_pendulum", "finger_edu", "go2", "kinova", "so101", "ur5_robot", "xarm7", "six_bar"})
"""What every run simulates; `make suite` simulates all."""
HELD = {"cassie": ("left-knee-shin-joint", "right-knee-shin-joint")}
"""Joints that stand still, by robot: loops hold them at a double root of closure, and no spring that is modelled."""
NO_MOTION = "singular position|has no joint that moves|moves almost nothing that has inertia|has no inertia along it"


def robots() -> list:
    """Return test parameters: every file that loads, and the built-in robots."""
    files = [Path(p.values[0]) for p in urdfs()] + robot_files(".sdf") + robot_files(".xml") + closed_chains()
    named = {f"{path.parent.parent.name}-{path.stem}": (path.stem, path) for path in files}
    named |= {name: (name, name) for name in sg.zoo_names()}
    marks = {key: () if stem in SHORT else (pytest.mark.suite,) for key, (stem, _) in named.items()}
    return [pytest.param(path, id=key, marks=marks[key]) for key, (_, path) in named.items()]


def load(path: str | Path) -> Robot:
    """Return a robot as the doubt about its motion advises."""
    return sg.load(path, lock=HELD.get(Path(path).stem, ()))


def start(robot: Robot, is_moving: bool) -> tuple[np.ndarray | None, np.ndarray | None]:
    if not is_moving:
        return None, None
    rng = np.random.default_rng(1)
    if not robot.is_closed:
        return robot.random(rng), rng.normal(size=robot.nv)
    (q,) = closed_states(robot, 1, seed=2)  # neutral positions are often singular
    return q, robot.complete_velocity(q, rng.normal(size=robot.mobility.freedom))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("is_moving", [False, True], ids=["from rest", "from random velocity"])
@pytest.mark.parametrize("path", robots())
def test_it_moves_and_keeps_its_energy(path, is_moving):
    robot = load(path)
    case = {"robot": Path(path).stem, "nv": robot.nv, "start": "random" if is_moving else "rest"}
    begun = process_time()
    try:
        run = sg.simulate(robot, *start(robot, is_moving), time=1.0)
    except sg.ScrewgraphError as error:  # no joints, or a chain of massless links
        why = re.search(NO_MOTION, str(error))
        if why is None:
            raise
        record("simulate", **case, residual=f"refused: {why[0]}")
        return
    seconds = process_time() - begun
    moved = np.ptp(run.energy) + np.ptp(run.work) + kinetic(robot, run).max()
    record("simulate", **case, residual=run.energy_drift / (moved or 1.0), seconds=seconds)
    assert run.energy_drift <= BOUND * moved + 1e-12 * np.abs(run.energy).max()
    assert len(run.t) == 1001


def kinetic(robot: Robot, run: sg.Trajectory) -> np.ndarray:
    return run.energy - sg.potential_energy(robot)(run.q)


@pytest.mark.suite
def test_a_double_root_of_closure_is_doubted_and_the_joints_to_lock_are_named():
    robot = sg.load(robot_file("cassie.sdf"))
    with pytest.warns(RuntimeWarning, match="first order only") as told:
        sg.simulate(robot, time=0.1)
    for joint in HELD["cassie"]:
        assert f"'{joint}': " in str(told[0].message)
