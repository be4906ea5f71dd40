"""Robots that are controlled: heavier than their models, in two simulators of contacts, whose forces are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from tests.suites import record

import screwgraph as sg
from screwgraph.api.interop import mujoco_states

STEP = 1e-3
"""Time (s) of a step of a plant."""
FELT = 10.0
"""Normal force (N) from which on a foot's ratio of forces counts."""


def heavier(robot: sg.Robot, part: float) -> dict[str, np.ndarray]:
    """Return the parameters of links whose masses are larger by a part."""
    masses = {name: np.array(robot.link(name).inertia.parameters) for name in robot.link_names[1:]}
    return {name: (1.0 + part) * values for name, values in masses.items() if values[0] > 0.0}


class OwnPlant:
    """A robot in the simulator of this project; `forces` (points, 3) are those of the last step, in the world."""

    def __init__(self, robot: sg.Robot, q: Any, contacts: Any = (), part: float = 0.0) -> None:
        self.robot = robot
        self.own = sg.Simulator(robot, STEP, q, contacts=contacts, parameters=heavier(robot, part))

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        return self.own.q.copy(), self.own.qd.copy()

    @property
    def forces(self) -> np.ndarray:
        return np.asarray(self.own.forces)

    def set(self, q: Any, qd: Any) -> None:
        self.own.reset(q, qd)

    def step(self, tau: Any) -> None:
        self.own.step(tau)


class MujocoPlant:
    """A robot in MuJoCo, on balls at the points of its contacts."""

    def __init__(self, robot: sg.Robot, q: Any, folder: Any, contacts: Any = (), part: float = 0.0) -> None:
        self.robot = robot
        file = folder / "robot.urdf"
        sg.save(robot, file)
        spec = mujoco.MjSpec.from_file(str(file))
        spec.option.timestep, spec.compiler.balanceinertia = STEP, False
        spec.compiler.boundinertia = 1e-9  # carts have no moments of inertia in their files
        spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
        ball, plane = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_PLANE
        if contacts:
            spec.worldbody.add_geom(type=plane, size=[9, 9, 0.1], friction=[1, 0, 0], condim=3, name="floor")
        for i, foot in enumerate(contacts):
            frame = robot.frame(foot.frame)
            at = frame.T_lf[:3, :3] @ np.asarray(foot.at, dtype=float) + frame.T_lf[:3, 3]
            size = [max(float(np.max(foot.radius)), 1e-3), 0, 0]
            body = spec.body(frame.link)
            body.add_geom(
                type=ball, size=size, pos=at, mass=0, friction=[foot.friction, 0, 0], condim=3, priority=1, name=f"c{i}"
            )
        self.model = spec.compile()
        for geom in range(self.model.ngeom):  # balls touch the floor alone, all other shapes nothing
            name = self.model.geom(geom).name
            own = (1, 2) if name == "floor" else (2, 1) if name.startswith("c") and contacts else (0, 0)
            self.model.geom_contype[geom], self.model.geom_conaffinity[geom] = own
        self.model.body_mass[:] *= 1.0 + part
        self.model.body_inertia[:] *= 1.0 + part
        self.data, self.states = mujoco.MjData(self.model), mujoco_states(robot, self.model)
        self.balls = {self.model.geom(f"c{i}").id: i for i in range(len(contacts))}
        self.set(q, np.zeros(robot.nv))

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        q = self.states.q_back(self.data.qpos)
        return q, self.states.qd_back(q, self.data.qvel)

    @property
    def forces(self) -> np.ndarray:
        found, force = np.zeros((len(self.balls), 3)), np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            for geom, side in zip(contact.geom, (-1.0, 1.0), strict=True):
                if int(geom) in self.balls:
                    mujoco.mj_contactForce(self.model, self.data, k, force)
                    found[self.balls[int(geom)]] += side * (contact.frame.reshape(3, 3).T @ force[:3])
        return found

    def set(self, q: Any, qd: Any) -> None:
        self.data.qpos[:], self.data.qvel[:] = self.states.q_out(q), self.states.qd_out(q, qd)
        mujoco.mj_forward(self.model, self.data)

    def step(self, tau: Any) -> None:
        q, _ = self.state
        self.data.qfrc_applied[:] = self.states.tau_out(q, tau)
        mujoco.mj_step(self.model, self.data)


@dataclass
class Disturbance:
    """What a loop bears: masses larger by a part, commands a tick late, noise, a velocity that is added at a time (s).

    `noise` is of positions (m, rad); velocities have ten times as much.
    """

    part: float = 0.0
    delay: bool = False
    noise: float = 0.0
    at: float = np.inf
    blow: Any = 0.0

    def pushed(self, at: float, blow: Any) -> Disturbance:
        """Return the same with a blow."""
        return replace(self, at=at, blow=blow)


def make_plant(kind: str, robot: sg.Robot, q: Any, folder: Any, contacts: Any = (), part: float = 0.0) -> Any:
    """Return a plant of a kind, "own" or "MuJoCo"."""
    if kind == "own":
        return OwnPlant(robot, q, contacts, part)
    return MujocoPlant(robot, q, folder, contacts, part)


@dataclass
class Log:
    """Positions, velocities at ticks, largest efforts, ratios of forces, statuses.

    A ratio is that of tangent and normal forces, means of a tick, of feet that have stood through the last tick, too.
    """

    q: np.ndarray
    qd: np.ndarray
    efforts: np.ndarray
    ratios: np.ndarray
    status: np.ndarray


def record_loop(loop: str, kind: str, own: Disturbance, kept: str, log: Log, limits: Any) -> None:
    """Keep a row of the table of loops; `limits` are of efforts (nv,)."""
    ratio = f"{log.ratios.max():.2f}" if log.ratios.any() else ""
    masses, delay = f"{100 * own.part:.0f} %", "a tick" if own.delay else "none"
    cells = {"loop": loop, "plant": kind, "masses": masses, "delay": delay, "noise": f"{own.noise:g}", "kept": kept}
    used = np.divide(log.efforts, limits, out=np.zeros_like(log.efforts), where=log.efforts > 0.0)
    record(
        "loops",
        **cells,
        torque=f"{used.max():.2f}" if used.any() else "",
        ratio=ratio,
        shortened=f"{100 * log.status.mean():.0f} %",
    )


def run_loop(plant: Any, model: Any, command: Any, dt: float, seconds: float, own: Disturbance) -> Log:
    """Drive a plant by command(k, q, qd) -> (tau (nv,), status); `model` predicts where a waiting command leads."""
    rng, n = np.random.default_rng(0), plant.robot.nv
    waiting, fine, rows = np.zeros(n), round(dt / STEP), list[Any]()
    kicked, stood = round(own.at / dt) if np.isfinite(own.at) else -1, np.zeros(0)
    for k in range(round(seconds / dt)):
        q, qd = plant.state
        if k == kicked:
            plant.set(q, qd + own.blow)
            q, qd = plant.state
        seen, rate = _measure(plant.robot, q, qd, own.noise, rng) if own.noise else (q, qd)
        if own.delay and k:
            model.set(seen, rate)
            for _ in range(fine):
                model.step(waiting)
            seen, rate = model.state
        tau, status = command(k, seen, rate)
        acts, waiting = (waiting if own.delay and k else tau), tau
        pushes = np.array([_advance(plant, acts) for _ in range(fine)])
        mean, stands = pushes.mean(axis=0), pushes[:, :, 2].min(axis=0, initial=np.inf) > FELT
        both = stands & (stood if stood.size else False)
        ratio, stood = [float(np.hypot(f[0], f[1]) / f[2]) for f in mean[both]], stands
        rows.append((*plant.state, np.abs(tau), max(ratio, default=0.0), status))
    return Log(*(np.array(x) for x in zip(*rows, strict=True)))


def _measure(robot: sg.Robot, q: Any, qd: Any, noise: float, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a state with noise of the independent joints, which all others follow."""
    seen = robot.manifold.retract(q, noise * rng.standard_normal(robot.nv))
    rate = qd + 10.0 * noise * rng.standard_normal(robot.nv)
    if not robot.is_closed:
        return seen, rate
    names = [name for name in robot.joint_names if name in robot.independent_joints]
    seen = robot.close_loops(seen, names)
    along = [i for name in names for i in range(robot.nv)[robot.v_slices[name]]]
    return seen, robot.complete_velocity(seen, rate[along])


def _advance(plant: Any, tau: Any) -> np.ndarray:
    plant.step(tau)
    return np.reshape(plant.forces, (-1, 3)).copy()
