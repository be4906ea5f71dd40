"""Steps with contacts beside MuJoCo's, by its cones: time, depth in the ground, and creep together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.subjects import FOLDER, SUBJECTS
from benchmarks.tables import Sheet
from screwgraph.compiler import wait_for_optimised
from screwgraph.model.robot import Robot
from screwgraph.spatial import quaternions
from screwgraph.ui.bench.peers import mujoco as peer
from screwgraph.ui.bench.robot_tree import Tree, make_depth_first_tree

DT, SETTLE, STEPS, ROUNDS = 1e-3, 1000, 500, 4
FRICTION = 0.5
CONES = {"elliptic": ("mjCONE_ELLIPTIC", 0), "pyramid": ("mjCONE_PYRAMIDAL", 0), "noslip": ("mjCONE_ELLIPTIC", 20)}
"""MuJoCo's cones, and its iterations without slip after each step."""
WARM, BATCH = 11_000, 4096
"""Calls after which code is no draft any more, and states of a batch."""
COLUMNS = (
    "model",
    "stepped by",
    "a step, us",
    f"of {BATCH}, us: double, single precision",
    "deepest, um",
    "creep, m/s",
    "weight carried, of 1",
)
NOTES = (
    f"CPU time of steps of {DT:g} s from Python, the best of {ROUNDS} rounds of {STEPS} after {SETTLE} steps from "
    f"rest, torques that hold joints not counted; with friction {FRICTION:g}, nothing should slip on these slopes. "
    "Creep: how fast the fastest point of contact moves along the slope, in the mean of 200 more steps; feet that roll "
    "do not creep. Ours: `Simulator.step`, with a stiffness of 1e6 N/m; MuJoCo: `mj_step` with its default softness "
    "(0.02 s, 1) and Newton's method. A batch is in the state at the end, on one core. Springs hold joints of the "
    "last three robots; MuJoCo is not asked for closed chains.",
)


@dataclass(frozen=True, eq=False)
class Case:
    """A robot on a slope, the balls or points of it that touch, where it begins, and gains that hold its joints."""

    name: str
    slope: float
    robot: Robot
    contacts: Sequence[sg.Contact]
    q0: np.ndarray
    gains: tuple[Any, Any] = (0.0, 0.0)
    springs: Mapping[str, tuple[float, float]] | None = None

    def torques(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return what holds the joints."""
        stiffness, damping = self.gains
        return np.concatenate([np.zeros(6), stiffness * (self.q0[7:] - q[7:]) - damping * qd[6:]])


def cases() -> Iterator[Case]:
    """Yield a cube, and robots where they are known: an A1, a G1, a mini cheetah with its rotors, a Cassie."""
    half = 0.05
    inertia = 'ixx="0.0016667" iyy="0.0016667" izz="0.0016667" ixy="0" ixz="0" iyz="0"'
    link = f'<link name="cube"><inertial><mass value="1"/><inertia {inertia}/></inertial></link>'
    cube = sg.load(f'<robot name="cube">{link}</robot>', base="floating")
    corners = [(x, y, -half) for x in (-half, half) for y in (-half, half)]
    yield Case(
        "cube", 0.4, cube, [sg.Contact("cube", friction=FRICTION, at=c) for c in corners], _on_slope(cube, 0.4, half)
    )
    a1 = next((subject.load() for subject in SUBJECTS if subject.name == "a1"), None)
    if a1 is not None:
        q0 = _on_slope(a1, 0.1, 0.29)
        q0[7:] = np.tile([0.0, 0.8, -1.6], 4)
        feet = [sg.Contact(f"{leg}_foot", 0.02, friction=FRICTION) for leg in ("FR", "FL", "RR", "RL")]
        yield Case("a1", 0.1, a1, feet, q0, (80.0, 2.0))
    yield from _humanoids()
    yield from _closed_chains()


def _humanoids() -> Iterator[Case]:
    path = FOLDER.parent / "urdf" / "g1_29dof_rev_1_0.urdf"
    if not path.exists():
        return
    g1 = sg.load(path, base="floating")
    g1 = replace(g1, joints=tuple(replace(j, damping=1.0) if j.type.nv == 1 else j for j in g1.joints))
    corners = [(x, y, -0.03) for x in (-0.05, 0.12) for y in (-0.03, 0.03)]
    soles = [sg.Contact(f"{s}_ankle_roll_link", friction=FRICTION, at=at) for s in ("left", "right") for at in corners]
    yield _on_springs("g1", g1, soles, g1.neutral(), 400.0)


def _closed_chains() -> Iterator[Case]:
    path = FOLDER.parent / "closed_chain" / "mini_cheetah.urdf"
    if path.exists():
        robot, legs = sg.load(path, base="floating"), ("FR", "FL", "HR", "HL")
        q0 = robot.neutral()
        for leg in legs:
            q0[robot.q_slices[f"{leg}_abad_to_hip_j"]], q0[robot.q_slices[f"{leg}_hip_to_knee_j"]] = -0.8, 1.6
        feet = [sg.Contact(f"{leg}_knee_link", 0.02, friction=FRICTION, at=(0.0, 0.0, -0.18)) for leg in legs]
        yield _on_springs("mini cheetah", robot, feet, robot.close_loops(q0), 60.0)
    path, posture = (
        FOLDER.parent / "sdf" / "cassie_v2.sdf",
        FOLDER.parents[1] / "reference" / "contact" / "cassie_q0.npy",
    )
    if path.exists() and posture.exists():
        robot = sg.load(path, base="floating")
        q0 = robot.close_loops(np.load(posture))
        toes = list[sg.Contact]()
        for foot in ("left-foot", "right-foot"):
            R = np.asarray(sg.forward_kinematics(robot, foot)(q0))[:3, :3]
            toes += [
                sg.Contact(foot, friction=FRICTION, at=tuple((R.T @ [x, 0.0, -0.03]).tolist())) for x in (-0.08, 0.08)
            ]
        yield _on_springs("cassie", robot, toes, q0, 2000.0)


def _on_springs(name: str, robot: Robot, contacts: Sequence[sg.Contact], q0: np.ndarray, stiffness: float) -> Case:
    """Return a robot on the ground whose joints springs (N m/rad) hold, but for rotors."""
    held = [joint.name for joint in robot.joints if joint.type.nv == 1 and "rotor" not in joint.name]
    springs = {name: (stiffness, float(q0[robot.q_slices[name].start])) for name in held}
    return Case(name, 0.0, robot, contacts, _on_ground(robot, contacts, q0), springs=springs)


def _on_ground(robot: Robot, contacts: Sequence[sg.Contact], q0: np.ndarray) -> np.ndarray:
    """Return the position with the lowest contact on the ground."""
    poses = [np.asarray(sg.forward_kinematics(robot, c.frame)(q0)) for c in contacts]
    lowest = min((T @ [*c.at, 1.0])[2] - c.radius for c, T in zip(contacts, poses, strict=True))
    q = np.array(q0)
    q[2] -= lowest
    return q


def _on_slope(robot: Robot, slope: float, height: float) -> np.ndarray:
    """Return a position at a height above a slope, upright on it."""
    turn, q0 = np.arctan(slope), robot.neutral()
    q0[:3] = height * np.array([-np.sin(turn), 0.0, np.cos(turn)])
    q0[3:7] = 0.0, -np.sin(turn / 2), 0.0, np.cos(turn / 2)
    return q0


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Step; `entries` are of no use here: there is no question."""
    rows = []
    for case in cases():
        tools.say(f"contacts: {case.name}")
        rows += [
            [f"{case.name}, slope {case.slope:g}", *row]
            for row in (ours(case), *(theirs(case, cone) for cone in CONES if not case.robot.is_closed))
        ]
    return Sheet("Contacts: bodies at rest on a slope", COLUMNS, rows, NOTES)


def ours(case: Case, steps: int = STEPS) -> list[str]:
    """Measure our steps."""
    ground = sg.Plane((-case.slope, 0.0, 1.0))
    simulator = sg.Simulator(case.robot, DT, case.q0, contacts=case.contacts, ground=ground, springs=case.springs)

    reading = _time_reading()

    def advance() -> float:
        tau = case.torques(simulator.q, simulator.qd)
        begin = process_time()
        simulator.step(tau)
        return process_time() - begin - reading

    for _ in range(WARM):
        simulator.function(simulator.q, simulator.qd, case.torques(case.q0, simulator.qd), *simulator._last)
    wait_for_optimised()
    spent, creep = _run(advance, lambda: (simulator.q, simulator.qd), case, steps)
    carried = float(simulator.forces[:, 2].sum() / (9.81 * case.robot.mass))
    cells = _cells(spent, -float(simulator.gaps.min()), creep, carried)
    tau = case.torques(simulator.q, simulator.qd)
    batches = ", ".join(_time_batch(simulator, tau, dtype) for dtype in ("float64", "float32"))
    return ["screwgraph", cells[0], batches, *cells[1:]]


def _time_reading() -> float:
    """Return seconds that lie between two readings of the clock."""
    found = list[float]()
    for _ in range(STEPS):
        begin = process_time()
        found.append(process_time() - begin)
    return min(found)


def _time_batch(simulator: sg.Simulator, tau: np.ndarray, dtype: str) -> str:
    """Return microseconds of a step of one state in a batch that begins where a simulator is."""
    call, last = simulator.function.astype(dtype), (simulator.q, simulator.qd, tau, *simulator._last)
    given = [np.ascontiguousarray(np.broadcast_to(x, (BATCH, *np.shape(x))), dtype) for x in last]
    for _ in range(WARM // BATCH + 2):
        call(*given)
    wait_for_optimised()
    spent = list[float]()
    for _ in range(3 * ROUNDS):
        begin = process_time()
        call(*given)
        spent.append(process_time() - begin)
    return f"{1e6 * min(spent) / BATCH:.3f}"


def theirs(case: Case, cone: str, steps: int = STEPS) -> list[str]:
    """Measure MuJoCo's steps with one of its cones."""
    mujoco, bodies = peer._mujoco(), make_depth_first_tree(case.robot)
    model = _model(mujoco, case, bodies, cone)
    data = mujoco.MjData(model)
    data.qpos[:] = case.q0[bodies.q_places]
    data.qpos[3:7] = np.roll(data.qpos[3:7], 1)

    reading = _time_reading()

    def advance() -> float:
        q, qd = _in_ours(case.robot, bodies, data)
        data.qfrc_applied[:] = case.torques(q, qd)[bodies.v_places]
        begin = process_time()
        mujoco.mj_step(model, data)
        return process_time() - begin - reading

    spent, creep = _run(advance, lambda: _in_ours(case.robot, bodies, data), case, steps)
    depth = -min((contact.dist for contact in data.contact), default=0.0)
    carried = float(np.array(data.qfrc_constraint)[2] / (9.81 * case.robot.mass))
    cells = _cells(spent, depth, creep, carried)
    return [f"MuJoCo, {cone}", cells[0], "", *cells[1:]]


def _model(mujoco: Any, case: Case, bodies: Tree, cone: str) -> Any:
    spec, (kind, iterations) = peer.describe_bodies(mujoco, case.robot, bodies), CONES[cone]
    spec.option.timestep, spec.option.cone = DT, getattr(mujoco.mjtCone, kind)
    spec.option.noslip_iterations = iterations
    shape = {"friction": [FRICTION, 0.0, 0.0], "condim": 3}
    half = 0.5 * np.arctan(case.slope)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 1],
        quat=[np.cos(half), 0.0, -np.sin(half), 0.0],
        contype=1,
        conaffinity=2,
        **shape,
    )
    own = {body.name: body for body in spec.bodies}
    for contact in case.contacts:
        frame = case.robot.frame(contact.frame)
        place = frame.T_lf[:3, :3] @ np.array(contact.at) + frame.T_lf[:3, 3]
        own[frame.link].add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[max(contact.radius, 1e-6), 0, 0],
            pos=place,
            contype=2,
            conaffinity=1,
            mass=0.0,
            **shape,
        )
    model = spec.compile()
    for name, (stiffness, rest) in (case.springs or {}).items():
        place = model.joint(name).id
        model.jnt_stiffness[place] = stiffness
        model.qpos_spring[model.jnt_qposadr[place]] = rest
    return model


def _in_ours(robot: Robot, bodies: Tree, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's state in our order and axes."""
    q, qd, rates = np.zeros(robot.nq), np.zeros(robot.nv), np.array(data.qvel)
    q[bodies.q_places] = data.qpos
    q[3:7] = np.roll(data.qpos[3:7], -1)
    rates[:3] = quaternions.to_rotation(q[3:7]).T @ rates[:3]
    qd[bodies.v_places] = rates
    return q, qd


def _run(
    advance: Callable[[], float], state: Callable[[], tuple[np.ndarray, np.ndarray]], case: Case, steps: int
) -> tuple[float, float]:
    """Return microseconds of a step, and how fast (m/s) the fastest point of contact moves in the mean."""
    for _ in range(SETTLE):
        advance()
    spent = min(sum(advance() for _ in range(steps)) / steps for _ in range(ROUNDS))
    velocities, found = _point_velocities(case), []
    for _ in range(200):
        advance()
        found.append(velocities(*state()))
    return 1e6 * spent, float(np.linalg.norm(np.mean(found, axis=0), axis=1).max())


def _point_velocities(case: Case) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return the velocities (k, 3) along the slope of the points of contact, as a function of q and qd."""
    frames = [contact.frame for contact in case.contacts]
    jacobians = [sg.frame_jacobian(case.robot, frame, reference="local_world_aligned") for frame in frames]
    poses = [sg.forward_kinematics(case.robot, frame) for frame in frames]
    normal = np.array([-case.slope, 0.0, 1.0]) / np.hypot(1.0, case.slope)

    def velocities(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        found = []
        for contact, jacobian, pose in zip(case.contacts, jacobians, poses, strict=True):
            V, T = np.asarray(jacobian(q)) @ qd, np.asarray(pose(q))
            v = V[3:] + np.cross(V[:3], T[:3, :3] @ np.array(contact.at) - contact.radius * normal)
            found.append(v - (v @ normal) * normal)
        return np.array(found)

    return velocities


def _cells(spent: float, depth: float, creep: float, carried: float) -> list[str]:
    return [f"{spent:.1f}", f"{1e6 * depth:.3g}", f"{creep:.1e}", f"{carried:.6f}"]
