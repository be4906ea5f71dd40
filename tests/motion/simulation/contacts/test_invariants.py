"""Robots that fall, are pushed and slip: cones, complementarity, dissipation and energy of each of a million steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian
from screwgraph.motion.simulation.contacts.middle_state import compile_middle_state
from screwgraph.spatial import quaternions
from tests.motion.simulation.contacts.bodies import free_body
from tests.robots import robot_file
from tests.suites import in_suites, record

DT, G, MU = 1e-3, 9.81, 0.6
SOFT = 1.0 / (DT * 2e3)
"""What a contact of 1e6 N/m and 1e3 N s/m yields to its normal impulse (m/s by N s); 2e3 is h k + d."""
PUSH_OUT, SLIPS, PRESSES, STEP = 0.5, 1e-5, 1e-4, 2e-4
SOLVED = 1e-9
"""Residual (m/s) of a step that is solved; of others it is reported."""
BALL = 0.02
LIGHT = 1e-12
"""Force (N) with which a foot does not press."""


@dataclass(frozen=True, eq=False)
class Case:
    """A robot, its contacts, a position whose joints motors hold by k and d, and how far it falls at most (m)."""

    robot: sg.Robot
    contacts: list[sg.Contact]
    posture: np.ndarray
    gains: tuple[float, float] = (0.0, 0.0)
    drop: float = 0.05


def tumbling_box() -> Case:
    corners = [(x, y, z) for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
    robot = free_body(1.0, 0.01 / 6.0)
    return Case(robot, [sg.Contact("body", friction=MU, at=at) for at in corners], robot.neutral(), drop=0.2)


def a1() -> Case:
    robot = sg.load("a1", base="floating")
    q = robot.neutral()
    q[7:] = np.tile([0.0, 0.8, -1.6], 4)
    feet = [sg.Contact(f"{leg}_foot", BALL, friction=MU) for leg in ("FR", "FL", "RR", "RL")]
    return Case(robot, feet, q, (40.0, 1.0))


def mini_cheetah() -> Case:
    robot = sg.load(robot_file("mini_cheetah.urdf"), base="floating")
    feet = [sg.Contact(f"{leg}_knee_link", BALL, friction=MU, at=(0.0, 0.0, -0.18)) for leg in ("FR", "FL", "HR", "HL")]
    q = robot.neutral()
    for leg in ("FR", "FL", "HR", "HL"):
        q[robot.q_slices[f"{leg}_abad_to_hip_j"]], q[robot.q_slices[f"{leg}_hip_to_knee_j"]] = -0.8, 1.6
    return Case(robot, feet, robot.close_loops(q), (10.0, 0.3))


def g1() -> Case:
    robot = sg.load(robot_file("g1_29dof_rev_1_0.urdf"), base="floating")
    places = [(-0.05, y, -0.03) for y in (-0.025, 0.025)] + [(0.12, y, -0.03) for y in (-0.03, 0.03)]
    feet = [sg.Contact(f"{s}_ankle_roll_link", friction=MU, at=at) for s in ("left", "right") for at in places]
    return Case(robot, feet, robot.neutral(), (60.0, 1.0))


CASES: dict[str, Callable[[], Case]] = {"box": tumbling_box, "A1": a1, "mini cheetah": mini_cheetah, "G1": g1}


class Contacts:
    """Velocities of points that touch, and their rates, of many states at once.

    Several points of one link are where the ground is, and swing as their centre of pressure does.
    """

    def __init__(self, case: Case) -> None:
        self.robot, self.contacts = case.robot, case.contacts
        frames = {contact.frame for contact in case.contacts}
        self.jacobians = {f: sg.frame_jacobian(self.robot, f, reference="local_world_aligned") for f in frames}
        self.poses = {f: sg.forward_kinematics(self.robot, f) for f in frames}
        self.middle = compile_middle_state(self.robot)
        own = {f: [k for k, c in enumerate(case.contacts) if c.frame == f] for f in frames}
        self.soles = [ks for ks in own.values() if len(ks) > 1]

    def twists(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return twists (B, k, 6) of links of contacts at their origins, in the axes of the ground."""
        found = {f: np.einsum("bij,bj->bi", np.asarray(J(q)), qd) for f, J in self.jacobians.items()}
        return np.stack([found[c.frame] for c in self.contacts], axis=1)

    def arms(self, q: np.ndarray) -> np.ndarray:
        """Return arms (B, k, 3) from origins of links to points, or centres of balls."""
        turns = {f: np.asarray(pose(q))[:, :3, :3] for f, pose in self.poses.items()}
        return np.stack([turns[c.frame] @ np.array(c.at) for c in self.contacts], axis=1)

    def touching(self, q: np.ndarray) -> np.ndarray:
        """Return arms (B, k, 3) from origins of links to what touches."""
        arms, heights = self.arms(q), self.heights(q)
        for k, contact in enumerate(self.contacts):
            arms[:, k, 2] -= contact.radius
        for k in (k for own in self.soles for k in own):
            arms[:, k, 2] -= heights[:, k]
        return arms

    def velocities(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return velocities (B, k, 3) of what touches."""
        V = self.twists(q, qd)
        return V[..., 3:] + np.cross(V[..., :3], self.touching(q))

    def heights(self, q: np.ndarray) -> np.ndarray:
        """Return heights (B, k) of lowest points."""
        poses = {f: np.asarray(pose(q)) for f, pose in self.poses.items()}
        return np.stack([(poses[c.frame] @ [*c.at, 1.0])[:, 2] - c.radius for c in self.contacts], axis=1)

    def slip_rates(self, q: np.ndarray, qd: np.ndarray, loads: np.ndarray) -> np.ndarray:
        """Return rates (B, k, 3) of `velocities` while qd stays, by differences of order 4 along the motion.

        `loads` (B, k) are the normal forces of the step before.
        """
        loads = np.maximum(loads, 0.0)

        def twists(time: float) -> np.ndarray:
            return self.twists(*self.middle(q, qd, np.full((len(q), 1), -2.0 * time)))

        near, far = (twists(s) - twists(-s) for s in (STEP, 2.0 * STEP))
        rates, omega = (8.0 * near - far) / (12.0 * STEP), self.twists(q, qd)[..., :3]
        inward = np.cross(omega, np.cross(omega, self.arms(q)))
        arrives = self.heights(q) + DT * self.velocities(q, qd)[..., 2] < 0.0
        for own in self.soles:
            weights = np.where(loads[:, own].sum(axis=1, keepdims=True) > LIGHT, loads[:, own], arrives[:, own])
            total = weights.sum(axis=1, keepdims=True)
            mean = np.einsum("bk,bki->bi", weights, inward[:, own]) / np.where(total > 0.0, total, 1.0)
            along = np.where(total[..., None] > 0.0, mean[:, None, :2], inward[:, own, :2])
            inward[:, own, :2] = along
        return rates[..., 3:] + np.cross(rates[..., :3], self.touching(q)) + inward


def start_axes(q: np.ndarray, after: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return velocities (B, nv) after a step in the axes that bases had before it."""
    R, R_after = (np.array([quaternions.to_rotation(x) for x in state[:, 3:7]]) for state in (q, after))
    found = qd.copy()
    found[:, 3:6] = np.einsum("bji,bjk,bk->bi", R, R_after, qd[:, 3:6])
    return found


def worst_of_steps(case: Case, motions: int, steps: int) -> dict[str, float]:
    """Return the largest parts by which laws were not obeyed, over all steps of all motions."""
    rng, robot, places = np.random.default_rng(0), case.robot, Contacts(case)
    q, qd = np.tile(case.posture, (motions, 1)), rng.normal(size=(motions, robot.nv))
    tilt = 0.3 * rng.normal(size=(motions, 3)) if case.gains[0] else 3.0 * rng.normal(size=(motions, 3))
    size = np.linalg.norm(tilt, axis=1, keepdims=True)
    q[:, 3:7] = np.concatenate([np.sin(size / 2) * tilt / size, np.cos(size / 2)], axis=1)
    if robot.is_closed:
        qd = np.array([_allowed(robot, a, b) for a, b in zip(q, qd, strict=True)])
    q[:, 2] -= places.heights(q).min(axis=1) - rng.uniform(0.0, case.drop, motions)
    simulator = sg.Simulator(robot, DT, q, qd, contacts=case.contacts)
    mass, centre = sg.mass_matrix(robot), sg.center_of_mass(robot)

    def energy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return robot.mass * G * np.asarray(centre(q))[:, 2] + 0.5 * np.einsum(
            "bi,bij,bj->b", qd, np.asarray(mass(q)), qd
        )

    driven = np.array(
        [robot.v_slices[j.name].start for j in robot.joints if j.type.nv == 1 and "rotor" not in j.name], dtype=int
    )
    first, work, (k, d) = None, np.zeros(motions), case.gains
    worst, loads = dict[str, float](), np.zeros((motions, len(case.contacts)))
    for _ in range(steps):
        tau = np.zeros((motions, robot.nv))
        noise = 0.1 * k * rng.normal(size=(motions, len(driven)))
        tau[:, driven] = k * (case.posture[driven + 1] - q[:, driven + 1]) - d * qd[:, driven] + noise
        simulator.step(tau)
        after, F, gaps = simulator.q.copy(), simulator.forces, simulator.gaps
        moved = start_axes(q, after, simulator.qd)
        u = places.velocities(q, moved) + 0.5 * DT * places.slip_rates(q, qd, loads)
        x, deep = DT * F, np.maximum(-gaps * 500.0, 0.0)
        soft = SOFT * np.where(deep > PUSH_OUT, PUSH_OUT / np.maximum(deep, PUSH_OUT), 1.0)
        opening = u[..., 2] + soft * x[..., 2] + np.where(gaps > 0.0, gaps / DT, np.maximum(gaps * 500.0, -PUSH_OUT))
        rubs, slips = np.linalg.norm(x[..., :2], axis=2), np.linalg.norm(u[..., :2], axis=2)
        power = np.einsum("bki,bki->bk", x[..., :2], u[..., :2])
        is_slipping = (x[..., 2] > PRESSES) & (slips > SLIPS)
        against = np.where(is_slipping, 1.0 + power / np.maximum(rubs * slips, 1e-30), np.maximum(power, 0.0))
        now = energy(*places.middle(after, simulator.qd, np.full((motions, 1), DT)))
        if first is None:  # energies are those of middles of steps, the first one's, too
            first = now
        else:
            work += DT * np.einsum("bi,bi->b", tau, 0.5 * (qd + moved))
        gain = (now - first - work) / np.maximum(np.abs(first), robot.mass * G * case.drop)
        solved = simulator.residual <= SOLVED
        found = {
            "cone": (rubs - MU * x[..., 2] * (1 + 1e-9))[solved],
            "complementarity": x[solved, :, 2] * np.abs(opening[solved]),
            "opening": np.maximum(-opening, -x[..., 2])[solved],
            "slipping": against[solved],
            "gain": gain,
            "residual": simulator.residual,
        }
        worst |= {name: max(worst.get(name, 0.0), float(values.max(initial=0.0))) for name, values in found.items()}
        worst["unsolved"] = worst.get("unsolved", 0.0) + float((~solved).sum()) / (motions * steps)
        q, qd, loads = after, simulator.qd.copy(), F[..., 2].copy()
    return worst


def _allowed(robot: sg.Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the velocity nearest to one that couplings allow."""
    K = constraint_jacobian(robot, q)
    return qd - np.linalg.pinv(K) @ (K @ qd)


@pytest.mark.parametrize(
    ("name", "motions", "steps"), [("box", 10, 300), *(in_suites(name, 1000, 1000) for name in CASES)]
)
def test_every_step_obeys_every_law(name, motions, steps):
    worst = worst_of_steps(CASES[name](), motions, steps)
    record("invariants", robot=name, steps=motions * steps, **{key: f"{value:.0e}" for key, value in worst.items()})
    for law in ("cone", "complementarity", "opening"):
        assert worst[law] < 1e-9, law
    assert worst["slipping"] < 1e-6
    assert worst["unsolved"] < 1e-2
    assert worst["gain"] < 1e-3
