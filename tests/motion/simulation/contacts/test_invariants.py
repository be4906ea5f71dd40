"""Robots that fall, are pushed and slip: cones, complementarity, dissipation and energy of each of a million steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian, without_loops
from screwgraph.motion.simulation.closure_code import jacobian_code
from screwgraph.motion.simulation.contacts.steps import shorter_steps
from tests.motion.simulation.contacts.bodies import free_body
from tests.motion.simulation.contacts.contact_points import (
    DT,
    Case,
    Contacts,
    FirstSolutions,
    compile_without,
    start_axes,
)
from tests.robots import robot_file, shared_file
from tests.suites import in_suites, record

G, MU = 9.81, 0.6
SOFT = 1.0 / (DT * 2e3)
"""What a contact of 1e6 N/m and 1e3 N s/m yields to its normal impulse (m/s by N s); 2e3 is h k + d."""
PUSH_OUT, SLIPS, PRESSES = 0.5, 1e-5, 1e-4
SOLVED = 1e-10
"""Residual (m/s) of a step that is solved; of others it is reported."""
BALL = 0.02
PACE = 20.0
"""Pace (rad/s) at which motors of the heavier robots bring joints back."""
STILL = 1e-6
"""What joints that loops hold yield to torques, of the most that any does."""


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


def stiffened(robot: sg.Robot, contacts: list[sg.Contact], q: np.ndarray, drop: float = 0.05) -> Case:
    """Return a case whose motors bring back each joint at `PACE`, by the inertia that a torque of its own feels."""
    case, M = Case(robot, contacts, q), np.asarray(sg.mass_matrix(without_loops(robot))(q))
    W = np.linalg.inv(M)
    if robot.is_closed:
        K = constraint_jacobian(robot, q)
        W -= W @ K.T @ np.linalg.pinv(K @ W @ K.T, rcond=1e-11) @ K @ W
    yields = np.diag(W)[case.driven]
    inertia = np.where(yields > STILL * yields.max(), 1.0 / np.maximum(yields, STILL * yields.max()), 0.0)
    return Case(robot, contacts, q, (PACE**2 * inertia, 2.0 * PACE * inertia), drop)


def g1() -> Case:
    robot = sg.load(robot_file("g1_29dof_rev_1_0.urdf"), base="floating")
    places = [(-0.05, y, -0.03) for y in (-0.025, 0.025)] + [(0.12, y, -0.03) for y in (-0.03, 0.03)]
    feet = [sg.Contact(f"{s}_ankle_roll_link", friction=MU, at=at) for s in ("left", "right") for at in places]
    return stiffened(robot, feet, robot.neutral())


def cassie() -> Case:
    robot = sg.load(robot_file("cassie_v2.sdf"), base="floating")
    q, toes = robot.close_loops(np.load(shared_file("reference", "contact", "cassie_q0.npy"))), list[sg.Contact]()
    for foot in ("left-foot", "right-foot"):
        R = np.asarray(sg.forward_kinematics(robot, foot)(q))[:3, :3]
        toes += [sg.Contact(foot, friction=MU, at=tuple((R.T @ [x, 0.0, -0.03]).tolist())) for x in (-0.08, 0.08)]
    return stiffened(robot, toes, q)


def spinning_ball() -> Case:
    robot = free_body(1.0, 0.004)
    return Case(robot, [sg.Contact("body", 0.1, friction=MU)], robot.neutral(), drop=0.2)


CASES: dict[str, Callable[[], Case]] = {
    "box": tumbling_box,
    "ball": spinning_ball,
    "A1": a1,
    "mini cheetah": mini_cheetah,
    "G1": g1,
    "Cassie": cassie,
}


def worst_of_steps(case: Case, motions: int, steps: int) -> dict[str, float]:
    """Return the largest parts by which laws were not obeyed, over all steps of all motions."""
    rng, robot, places, driven = np.random.default_rng(0), case.robot, Contacts(case), case.driven
    firsts, undivided = FirstSolutions(case, places), compile_without(case, -1.0, (shorter_steps, "UNSOLVED"))
    q, qd = np.tile(case.posture, (motions, 1)), rng.normal(size=(motions, robot.nv))
    tilt = 0.3 * rng.normal(size=(motions, 3)) if case.holds else 3.0 * rng.normal(size=(motions, 3))
    size = np.linalg.norm(tilt, axis=1, keepdims=True)
    q[:, 3:7] = np.concatenate([np.sin(size / 2) * tilt / size, np.cos(size / 2)], axis=1)
    if robot.is_closed:
        qd = np.array([_allowed(robot, a, b) for a, b in zip(q, qd, strict=True)])
    q[:, 2] -= places.heights(q).min(axis=1) - rng.uniform(0.0, case.drop, motions)
    simulator = sg.Simulator(robot, DT, q, qd, contacts=case.contacts)
    mass, centre = firsts.mass, sg.center_of_mass(robot)

    def energy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return robot.mass * G * np.asarray(centre(q))[:, 2] + 0.5 * np.einsum(
            "bi,bij,bj->b", qd, np.asarray(mass(q)), qd
        )

    first, work, (k, d) = None, np.zeros(motions), case.gains
    worst, loads = dict[str, float](), np.zeros((motions, len(case.contacts)))
    for _ in range(steps):
        tau = np.zeros((motions, robot.nv))
        noise = 0.1 * k * rng.normal(size=(motions, len(driven)))
        tau[:, driven] = k * (case.posture[driven + 1] - q[:, driven + 1]) - d * qd[:, driven] + noise
        left = np.asarray(undivided(q, qd, tau, *simulator._last)[-1])[:, 0]
        swung, pressed, is_second = firsts.arcs(q, qd, tau, loads, *simulator._last)
        simulator.step(tau)
        after, F, gaps = simulator.q.copy(), simulator.forces, simulator.gaps
        moved = start_axes(q, after, simulator.qd)
        u = places.velocities(q, moved) + 0.5 * DT * places.slip_rates(q, swung, pressed, qd)
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
        # Forces of divided steps are means, their gaps those of the first shorter step: laws hold in each of these.
        fastest = np.abs(np.concatenate([qd[:, firsts.free], moved[:, firsts.free]], axis=1)).max(axis=1)
        is_divided = (DT * fastest > shorter_steps.FAST) | (left > 0.5 * SOLVED)
        solved = (simulator.residual <= SOLVED) & ~is_divided
        found = {
            "cone": (rubs - MU * x[..., 2] * (1 + 1e-9))[solved],
            "complementarity": x[solved, :, 2] * np.abs(opening[solved]),
            "opening": np.maximum(-opening, -x[..., 2])[solved],
            "slipping": against[solved],
            "gain": gain,
            "residual": simulator.residual,
        }
        if robot.loops:
            found["loops"] = opening_of_loops(robot, after, simulator.qd)[solved]
        worst |= {name: max(worst.get(name, 0.0), float(values.max(initial=0.0))) for name, values in found.items()}
        worst["twice"] = worst.get("twice", 0.0) + float(is_second.sum()) / (motions * steps)
        worst["unsolved"] = worst.get("unsolved", 0.0) + float((simulator.residual > SOLVED).sum()) / (motions * steps)
        worst["divided"] = worst.get("divided", 0.0) + float(is_divided.sum()) / (motions * steps)
        q, qd, loads = after, simulator.qd.copy(), F[..., 2].copy()
    return worst


def opening_of_loops(robot: sg.Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the largest velocity (rad/s, m/s) with which loops of states open, by rows of one code."""
    rows = jacobian_code(robot)(q).reshape(len(q), -1, robot.nv)
    return np.abs(np.einsum("bij,bj->bi", rows, qd)).max(axis=1)


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
    for law in ("cone", "complementarity", "opening", *(["loops"] if "loops" in worst else [])):
        assert worst[law] < 1e-9, law
    assert worst["slipping"] < 1e-6
    assert worst["unsolved"] < 1e-2
    assert worst["gain"] < 1e-3
