"""The 296 files whose instructions Chignoli et al. (2023) count, against a dense KKT system by Pinocchio's reading."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, independent_coordinates
from tests.agreement import assert_agree, interpreted
from tests.mechanics.dynamics.benchmark_files import Gear, Pin, Writer, benchmark_files
from tests.oracle import file_oracle, to_pin_a, to_pin_q, to_pin_v, velocity_map
from tests.suites import record

STATES = 3


class Instant(NamedTuple):
    """M and h of a tree, K and k of its ties (K qdd = k), G of qd = G yd, at one state."""

    M: np.ndarray
    h: np.ndarray
    K: np.ndarray
    k: np.ndarray
    G: np.ndarray

    def forward(self, tau: np.ndarray) -> np.ndarray:
        """Return qdd of M qdd + h = tau + K' lambda, K qdd = k, one dense system."""
        M, K, size = self.M, self.K, len(self.M)
        left = np.block([[M, K.T], [K, np.zeros((len(K), len(K)))]])
        return np.linalg.lstsq(left, np.concatenate([tau - self.h, self.k]), rcond=1e-12)[0][:size]

    def cancelling(self, qdd: np.ndarray) -> float:
        """Return the largest sum of the sizes of all terms in a torque."""
        return float((np.abs(self.G.T) @ (np.abs(self.M) @ np.abs(qdd) + np.abs(self.h))).max())


class FileOracle:
    """M and h by Pinocchio from the file, K from the places and ratios that the file's ties name."""

    def __init__(self, robot: Robot, path: Path, ties: list[Gear | Pin]) -> None:
        self.robot, self.tree = robot, file_oracle(robot, path)
        self.gears = [self._gear(tie) for tie in ties if isinstance(tie, Gear)]
        self.pins = [self._pin(tie) for tie in ties if isinstance(tie, Pin)]
        self.data = self.tree.model.createData()

    def gap(self, q: np.ndarray) -> float:
        """Return how far pins and gears are from closed (m, rad)."""
        model, at = self.tree.model, to_pin_q(self.robot, q, self.tree.model)
        pin.framesForwardKinematics(model, self.data, at)
        errors = [row @ at[model.nq - model.nv :] for row in self.gears]  # after the base, positions are as velocities
        errors += [np.abs(self.data.oMf[a].translation - self.data.oMf[b].translation).max() for a, b in self.pins]
        return float(np.abs(errors).max(initial=0.0))

    def constraints(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return K in our coordinates, and k = -dK/dt qd."""
        robot, model, data, world = self.robot, self.tree.model, self.data, pin.LOCAL_WORLD_ALIGNED
        q_pin, qd_pin = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model)
        pin.forwardKinematics(model, data, q_pin, qd_pin, to_pin_a(robot, q, qd, np.zeros(robot.nv), model))
        pin.computeJointJacobians(model, data, q_pin)
        pin.updateFramePlacements(model, data)
        rows = [np.zeros((0, model.nv)), *(row[None] for row in self.gears)]
        k = [np.zeros(len(self.gears))]
        for pair in self.pins:
            first, second = (pin.getFrameJacobian(model, data, frame, world)[:3] for frame in pair)
            ahead, behind = (pin.getFrameClassicalAcceleration(model, data, frame, world).linear for frame in pair)
            rows.append(first - second)
            k.append(behind - ahead)
        return np.concatenate(rows) @ velocity_map(robot, q, model), np.concatenate(k)

    def at(self, q: np.ndarray, qd: np.ndarray) -> Instant:
        """Return the equations of a state."""
        K, k = self.constraints(q, qd)
        N = null_space(K, self.robot.nv - len(independent_coordinates(self.robot))) if len(K) else np.eye(self.robot.nv)
        G = N @ np.linalg.inv(N[independent_coordinates(self.robot)]) if len(K) else N
        return Instant(self.tree.mass_matrix(q), self.tree.bias_forces(q, qd), K, k, G)

    def _gear(self, gear: Gear) -> np.ndarray:
        model, ways = self.tree.model, list[list[int]]()
        for link in (gear.predecessor, gear.successor):
            joint, way = model.frames[model.getBodyId(link)].parentJoint, list[int]()
            while joint:
                way.append(joint)
                joint = model.parents[joint]
            ways.append(way)
        row = np.zeros(model.nv)
        for way, other, sign in ((*ways, -gear.ratio), (*ways[::-1], 1.0)):
            row[[model.joints[joint].idx_v for joint in way if joint not in other]] = sign
        return row

    def _pin(self, hinge: Pin) -> tuple[int, int]:
        ends = (hinge.predecessor, hinge.place), (hinge.successor, hinge.other_place)
        return self._frame(*ends[0]), self._frame(*ends[1])

    def _frame(self, link: str, place: tuple[float, float, float]) -> int:
        model = self.tree.model
        body = model.frames[model.getBodyId(link)]
        at = body.placement * pin.SE3(np.eye(3), np.array(place))
        return model.addFrame(pin.Frame(f"{model.nframes}", body.parentJoint, at, pin.OP_FRAME))


def null_space(K: np.ndarray, rank: int) -> np.ndarray:
    """Return a basis of what K maps to zero, as columns."""
    return np.linalg.svd(K)[2][rank:].T


def closed_position(robot: Robot, written: Writer, rng: np.random.Generator) -> np.ndarray:
    """Return a closed position; pins are closed from near where equal bars on both of their sides are parallel."""
    q, angle = robot.random(rng), rng.uniform(0.3, 1.2)
    if robot.loops:
        for name, shape in written.shapes.items():
            q[robot.q_slices[name]] = shape * angle + 0.05 * rng.standard_normal()
    return robot.close_loops(q) if robot.is_closed else q


def cases() -> list:
    """Return test parameters: each file with its kind; large ones have the mark of long suites."""
    short = {file: (file.first <= 2 and file.second <= 2) or file.first == 5 for file in benchmark_files()}
    return [
        pytest.param(file.kind, file, id=str(file), marks=() if of_test else (pytest.mark.suite,))
        for file, of_test in short.items()
    ]


@pytest.mark.parametrize(("kind", "file"), cases())
@pytest.mark.sampled(8)
def test_files_of_the_benchmark_move_as_a_dense_kkt_system_says(kind, file, tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
    path, written, rng = tmp_path / f"{file}.urdf", file.write(), np.random.default_rng(0)
    path.write_text(file.text, encoding="utf-8")
    robot = sg.load(path)
    oracle, at = FileOracle(robot, path, written.ties), independent_coordinates(robot)
    q = np.array([closed_position(robot, written, rng) for _ in range(STATES)])
    assert max(map(oracle.gap, q)) < 1e-9
    qd, tau = np.zeros((STATES, robot.nv)), np.zeros((STATES, robot.nv))
    tau[:, at] = rng.standard_normal((STATES, len(at)))
    for i, rate in enumerate(rng.standard_normal((STATES, len(at)))):
        qd[i] = oracle.at(q[i], qd[i]).G @ rate
    known = [oracle.at(*state) for state in zip(q, qd, strict=True)]
    qdd = np.array([instant.forward(u) for instant, u in zip(known, tau, strict=True)])
    order = file.ordering
    found = interpreted(sg.forward_dynamics(robot, ordering=order), q, qd, tau)
    assert_agree(found, qdd)
    torques = interpreted(sg.inverse_dynamics(robot, ordering=order), q, qd, qdd)[:, at]
    for torque, right, instant, motion in zip(torques, tau[:, at], known, qdd, strict=True):
        # Beside dead points large forces cancel: of these, the KKT system's accelerations give eleven digits.
        assert np.abs(torque - right).max() <= 1e-9 * np.abs(right).max() + 1e-11 * instant.cancelling(motion)
    M = interpreted(sg.mass_matrix(robot, coordinates="independent" if robot.is_closed else "spanning"), q)
    reduced = np.array([instant.G.T @ instant.M @ instant.G for instant in known])
    assert_agree(M, reduced)
    cancelling = [instant.cancelling(motion) for instant, motion in zip(known, qdd, strict=True)]
    record(
        "chains",
        kind=("approximate " if file.approximate else "") + file.kind,
        joints=robot.nv,
        independent=len(at),
        forward=float(np.abs(found - qdd).max() / np.abs(qdd).max()),
        inverse=float((np.abs(torques - tau[:, at]).max(axis=1) / np.array(cancelling)).max()),
        mass=float(np.abs(M - reduced).max() / np.abs(reduced).max()),
    )
