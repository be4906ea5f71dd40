"""Controllers of humanoids on soles beside DAQP, which has all accelerations and wrenches and the equations of motion.

Equations are taken into the null space by NumPy; cones are facets of convex hulls of wrenches of forces at corners.
"""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.motion.control import (
    CenterOfMassTask,
    ControlLimits,
    FrameTask,
    PostureTask,
    Sole,
    stack_gains,
)
from screwgraph.motion.control.small_weights import FORCE_REST, TASK_REST
from tests.motion.control.full_program import ALIGNED
from tests.motion.control.test_soles import generators
from tests.robots import robot_file

LIMITS = ControlLimits(velocity=False, position=False, glide_damping=10.0)
FRICTION, TICKS, NEAR = 0.6, 10, 1e-7
SIDES = ("left", "right")
HUMANOIDS = {
    "g1_29dof_rev_1_0": (
        "{}_ankle_roll_link",
        ("{}_hip_pitch_joint", "{}_knee_joint", "{}_ankle_pitch_joint"),
        SIDES,
        0.6,
    ),
    "talos_reduced": ("leg_{}_6_link", ("leg_{}_3_joint", "leg_{}_4_joint", "leg_{}_5_joint"), SIDES, 0.8),
    "simple_humanoid": ("{}_ankle", ("{}LEG_HIP_P", "{}LEG_KNEE", "{}LEG_ANKLE_P"), "lr", 0.8),
    "icub_reduced": ("{}_ankle_2", ("{}_hip_pitch", "{}_knee", "{}_ankle_pitch"), "lr", -0.8),
}
"""Links of feet, joints of knees beside those above and below, their sides, the angle (rad) of a knee."""


def stand(name):
    """Return a robot with bent legs and its soles, which lie as it stands."""
    foot, joints, sides, bend = HUMANOIDS[name]
    robot = sg.load(robot_file(f"{name}.urdf"), base="floating")
    q = robot.neutral()
    for side in sides:
        for joint, share in zip(joints, (-0.5, 1.0, -0.5), strict=True):
            own = joint.format(side.upper() if "LEG" in joint else side)
            q[robot.q_slices[own]] = share * bend
    soles = []
    for side in sides:
        R = sg.forward_kinematics(robot, foot.format(side))(q)[:3, :3]
        at, x, z = (_turn_back(R, *way) for way in ((0.02, 0.0, -0.05), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        soles.append(Sole(foot.format(side), 0.17, 0.08, at, x, z, friction=FRICTION))
    return robot, q, soles


def _turn_back(R, x, y, z):
    a, b, c = R.T @ [x, y, z]
    return float(a), float(b), float(c)


class Whole:
    """The program of all unknowns (qdd, wrenches in soles' axes) of a state."""

    def __init__(self, robot, soles, q, qd, on, missed):
        n, k, zero = robot.nv, len(soles), np.zeros(robot.nv)
        self.H, self.g, equations, inequalities = np.zeros((n + 6 * k,) * 2), np.zeros(n + 6 * k), [], []
        for J, left, weight in missed:
            wide = np.hstack([J, np.zeros((len(J), 6 * k))])
            self.H += weight * wide.T @ wide
            self.g += weight * wide.T @ left
        jacobians, held = [], set()
        for c, (sole, flag) in enumerate(zip(soles, on, strict=True)):
            R, own = sg.forward_kinematics(robot, sole.frame)(q)[:3, :3], np.eye(n + 6 * k)[n + 6 * c : n + 6 * c + 6]
            J, arm = sg.frame_jacobian(robot, sole.frame, reference=ALIGNED)(q), R @ sole.at
            J = np.vstack([J[:3], J[3:] + np.cross(J[:3].T, arm).T])
            a, w = sg.frame_acceleration(robot, sole.frame, reference=ALIGNED)(q, qd, zero), J[:3] @ qd
            drift = np.concatenate([a[:3], a[3:] + np.cross(a[:3], arm) + np.cross(w, np.cross(w, arm))])
            turn = np.kron(np.eye(2), (R @ sole.axes.T).T)
            jacobians.append(turn @ J)
            if not flag:
                equations.append((own, np.zeros(6)))
                continue
            equations.append((np.hstack([J, np.zeros((6, 6 * k))]), -drift - LIMITS.glide_rate * J @ qd))
            self.H += FORCE_REST / robot.mass**2 * own.T @ own
            hull = ConvexHull(np.vstack([np.zeros(6), generators(sole, FRICTION / np.sqrt(2.0)).T])).equations
            rows = -np.unique(np.round(hull[np.abs(hull[:, -1]) < 1e-12, :-1], 12), axis=0)
            inequalities.append((rows @ own, np.zeros(len(rows)), np.full(len(rows), 1e29)))
            held |= {i for i in range(6, n) if np.abs(J[:, i]).max() > 1e-9}
        free = [i for i in range(6, n) if i not in held]
        self.H[free, free] += TASK_REST
        M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
        efforts, most = np.hstack([M, *(-J.T for J in jacobians)]), robot.limits.effort[6:]
        equations.append((efforts[:6], -h[:6]))
        inequalities.append((efforts[6:], -most - h[6:], most - h[6:]))
        self.E, self.e = np.vstack([E for E, _ in equations]), np.concatenate([e for _, e in equations])
        self.A, self.lower, self.upper = (np.concatenate(x) for x in zip(*inequalities, strict=True))

    def cost(self, x):
        return 0.5 * x @ self.H @ x + self.g @ x

    def solve(self, daqp):
        """Return the least cost."""
        x0 = np.linalg.lstsq(self.E, self.e)[0]
        Z = np.linalg.svd(self.E)[2][len(self.E) :].T
        A, units = self.A @ Z, np.linalg.norm(self.A @ Z, axis=1)
        kept = units > 1e-12
        bounds = (((side - self.A @ x0) / units)[kept].clip(-1e29, 1e29) for side in (self.upper, self.lower))
        given = Z.T @ self.H @ Z, Z.T @ (self.H @ x0 + self.g), A[kept] / units[kept, None], *bounds
        rows = np.zeros(int(kept.sum()), dtype=np.int32)
        z, _, flag, _ = daqp.solve(*(x.copy() for x in given), rows, primal_tol=1e-10, dual_tol=1e-10)
        assert flag == 1
        return self.cost(x0 + Z @ z)


@pytest.mark.suite
@pytest.mark.parametrize("name", HUMANOIDS)
def test_tasks_are_missed_as_little_as_daqp_misses_them(name):
    daqp = pytest.importorskip("daqp")
    (robot, stands, soles), rng = stand(name), np.random.default_rng(0)
    base, n, solved = robot.link_names[1], robot.nv, 0
    tasks = (
        CenterOfMassTask(stiffness=100.0),
        FrameTask(base, of="orientation", stiffness=200.0),
        PostureTask(stiffness=50.0, weight=1e-2),
    )
    control, gains = sg.controller(robot, tasks, contacts=soles, limits=LIMITS), stack_gains(tasks)
    for k in range(TICKS):
        q, qd, on = stands.copy(), 0.1 * rng.standard_normal(n), [(1, 1), (1, 0), (0, 1)][k % 3]
        q[7:] += 0.03 * rng.standard_normal(n - 6)
        com = sg.center_of_mass(robot)(q)
        goal = com + 0.02 * rng.standard_normal(3)
        named = {"q": q, "qd": qd, "center_of_mass": goal, f"{base}_orientation": np.eye(3), "posture": stands[7:]}
        named |= {"gains": gains, "contacts": np.array([(flag, FRICTION) for flag in on], dtype=float)}
        given = (named.get(argument.name, np.zeros(argument.shape)) for argument in control.arguments)
        found = dict(zip((result.name for result in control.results), control(*given), strict=True))
        if found["solution"][0] != 0.0:
            continue
        C, J = sg.center_of_mass_jacobian(robot)(q), sg.frame_jacobian(robot, base, reference=ALIGNED)(q)[:3]
        turn = Rotation.from_matrix(sg.forward_kinematics(robot, base)(q)[:3, :3].T).as_rotvec()
        drifts = [
            f(q, qd, np.zeros(n))
            for f in (sg.center_of_mass_acceleration(robot), sg.frame_acceleration(robot, base, reference=ALIGNED))
        ]
        rows = ((C, drifts[0], goal - com), (J, drifts[1][:3], turn), (np.eye(n)[6:], 0.0, stands[7:] - q[7:]))
        missed = [(S, a - g[0] * e + g[1] * S @ qd, g[2]) for (S, a, e), g in zip(rows, gains, strict=True)]
        program, x = Whole(robot, soles, q, qd, on, missed), [found["qdd"]]
        for sole, force, moment in zip(soles, found["forces"], found["moments"], strict=True):
            turned = sole.axes @ sg.forward_kinematics(robot, sole.frame)(q)[:3, :3].T
            x += [turned @ moment, turned @ force]
        own, best = np.concatenate(x), program.solve(daqp)
        assert np.abs(program.E @ own - program.e).max() < 1e-9
        assert abs(program.cost(own) - best) < NEAR * (1.0 + abs(best))
        solved += 1
    assert solved > 0.7 * TICKS
