"""Closed chains: the robots of Chignoli et al. (2023), Cassie of five files; states where their loops close."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from examples.chignoli_2023_robots import chain

import screwgraph as sg
from benchmarks.subjects import FOLDER
from screwgraph.model.robot import closed_states, constraint_jacobian
from screwgraph.ui.bench import QUESTIONS, Case, States

FILES = FOLDER.parent
DIFFERENT = 8
"""Closed positions; many more samples are made of them, for finding one takes milliseconds."""
DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Central differences of eighth order."""
STEP = 1e-3
FORWARD = next(question for question in QUESTIONS if question.name == "forward")


@dataclass(frozen=True)
class ClosedSubject:
    """A robot; `least` is how many times faster a call than either of Pinocchio's is asked for."""

    name: str
    load: Callable[[], sg.Robot]
    least: float | None = None


def closed_subjects() -> Iterator[ClosedSubject]:
    """Yield the subjects that are here: files that are absent are left out."""
    yield ClosedSubject("7 four-bars, floating", lambda: chain("four_bar", 7), least=4.0)
    yield ClosedSubject("7 four-bars, fixed", lambda: chain("four_bar", 7, floating=False), least=4.0)
    for name in ("mini_cheetah", "mit_humanoid", "jvrc1_humanoid"):
        yield from _file(name, f"closed_chain/{name}.urdf", "floating")
    # Three of the files hang the pelvis on a slide of their own.
    for name in ("cassie", "cassie_v2"):
        yield from _file(name, f"sdf/{name}.sdf", "floating")
    for name in ("cassie_reduced", "cassie_simple", "cassie_wo_gearbox_spring"):
        yield from _file(name, f"sdf/{name}.sdf", "fixed")


def _file(name: str, place: str, base: str) -> Iterator[ClosedSubject]:
    path = FILES / place
    if path.exists():
        yield ClosedSubject(name, lambda: sg.load(path, base=base, damping=False))


def closed_case(robot: sg.Robot, count: int) -> Case:
    """Return the question for accelerations at states that keep the loops closed, a few of them over and over."""
    rng = np.random.default_rng(0)
    q = np.array(closed_states(robot, DIFFERENT))
    v = [_allowed(robot, at, rng.standard_normal(robot.nv)) for at in q]
    parts = (q, np.array(v), rng.standard_normal((len(q), robot.nv)))
    return Case(robot, FORWARD, States(*(np.resize(x, (count, x.shape[1])) for x in parts)))


def violation(case: Case, qdd: np.ndarray) -> float:
    """Return the largest |K qdd - k| relative to the same state's largest acceleration, over the different states."""
    found = []
    for q, qd, a in zip(case.states.q[:DIFFERENT], case.states.qd[:DIFFERENT], qdd[:DIFFERENT], strict=True):
        residual = constraint_jacobian(case.robot, q) @ a + _rate(case.robot, q, qd)
        found.append(float(np.abs(residual).max() / np.abs(a).max()))
    return max(found)


def _allowed(robot: sg.Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the velocity nearest to v that the constraints allow."""
    K = constraint_jacobian(robot, q)
    return v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v)


def _rate(robot: sg.Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return dK/dt qd, which is -k, by differences along the motion."""
    total = np.zeros(len(constraint_jacobian(robot, q)))
    for i, weight in enumerate(DIFFERENCES, start=1):
        ahead, behind = (constraint_jacobian(robot, robot.manifold.retract(q, s * i * STEP * qd)) @ qd for s in (1, -1))
        total = total + weight * (ahead - behind)
    return total / STEP
