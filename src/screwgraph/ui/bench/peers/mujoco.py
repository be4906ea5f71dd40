"""MuJoCo, called from Python: the smooth dynamics of the same bodies, nothing to collide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.model.robot import Robot
from screwgraph.spatial import rotation, translation
from screwgraph.ui.bench.benchmark_query import States
from screwgraph.ui.bench.measure import Budget, measure_nanoseconds
from screwgraph.ui.bench.peers.base import CHECKED, Case, NotMeasuredError, PeerResult, import_peer
from screwgraph.ui.bench.robot_tree import Body, Tree, make_depth_first_tree


@dataclass(frozen=True)
class Mujoco:
    """`mj_forward` and `mj_inverse`, whose inputs are in place before the time is taken."""

    name: str = "MuJoCo"

    def version(self) -> str:
        """Return name and version."""
        return f"MuJoCo {_mujoco().__version__}"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one call; answer at the first states."""
        mujoco = _mujoco()
        ways = {"inverse": mujoco.mj_inverse, "forward": mujoco.mj_forward}
        way = ways.get(case.question.name)
        if way is None:
            raise NotMeasuredError("it has no function of its own for this")
        bodies = make_depth_first_tree(case.robot)
        model = _model(mujoco, case.robot, bodies)
        data = mujoco.MjData(model)
        states, inverse = case.states.first(CHECKED), case.question.name == "inverse"
        frames = _Frames(bodies, states)
        given, found = (data.qacc, data.qfrc_inverse) if inverse else (data.qfrc_applied, data.qacc)
        answers = []
        for data.qpos[:], data.qvel[:], given[:] in frames.states(states.given, accelerations=inverse):
            way(model, data)
            answers.append(found.copy())
        in_our_terms = frames.answers(np.array(answers), accelerations=not inverse)
        return PeerResult(measure_nanoseconds(effort, way, model, data), in_our_terms, way.__name__)


def _mujoco() -> Any:
    return import_peer("mujoco", "mujoco")


def describe_bodies(mujoco: Any, robot: Robot, bodies: Tree) -> Any:
    """Return MuJoCo's description of a robot, an MjSpec with bodies that are called as links, without geometries."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = robot.gravity
    made: list[Any] = []
    for body in bodies.bodies:
        made.append(_add(mujoco, spec.worldbody if body.parent < 0 else made[body.parent], body))
    return spec


def _model(mujoco: Any, robot: Robot, bodies: Tree) -> Any:
    spec = describe_bodies(mujoco, robot, bodies)
    # Nothing collides and nothing constrains here, so it need not look for any.
    for flag in ("mjDSBL_CONSTRAINT", "mjDSBL_CONTACT", "mjDSBL_SENSOR"):
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, flag)
    try:
        return spec.compile()
    except ValueError as error:
        said = re.search(r"error '(.+?)'", str(error))
        raise NotMeasuredError(f"it refuses the robot: {said.group(1) if said else error}") from error


def _add(mujoco: Any, parent: Any, body: Body) -> Any:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, rotation(body.joint.origin).flatten())
    about = body.inertia.about_com
    added = parent.add_body(
        name=body.joint.child,
        pos=translation(body.joint.origin),
        quat=quaternion,
        mass=body.inertia.mass,
        ipos=body.inertia.com,
        fullinertia=about[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
        explicitinertial=True,
    )
    kinds = {"revolute": "mjJNT_HINGE", "prismatic": "mjJNT_SLIDE", "floating": "mjJNT_FREE"}
    more = {} if body.kind == "floating" else {"axis": body.axis}
    added.add_joint(
        name=body.joint.name,
        type=getattr(mujoco.mjtJoint, kinds[body.kind]),
        armature=body.joint.armature,
        damping=body.joint.damping,
        **more,
    )
    return added


class _Frames:
    """Conversions: MuJoCo's floating base moves by linear velocity in the world's axes; quaternions are w first."""

    def __init__(self, bodies: Tree, states: States) -> None:
        if any(b.kind == "floating" for b in bodies.bodies[1:]):
            raise NotMeasuredError("MuJoCo gets only one floating base")
        base = bodies.bodies[0].joint
        self.free = bodies.bodies[0].kind == "floating"
        if self.free and not np.array_equal(base.origin, np.eye(4)):
            raise NotMeasuredError("MuJoCo gets no floating base with an offset")
        self.bodies = bodies
        self.q = states.q[:, bodies.q_places]
        self.qd = states.qd[:, bodies.v_places]
        self.R = np.array([rotation(base.type.transform(q[:7])) for q in self.q]) if self.free else np.zeros(0)

    def states(self, given: np.ndarray, accelerations: bool) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return q, qd, and what is given, accelerations or torques, state by state."""
        q, qd, given = self.q.copy(), self.qd.copy(), given[:, self.bodies.v_places]
        if self.free:
            if accelerations:
                given[:, :3] += self._turning()
            given[:, :3] = np.einsum("nij,nj->ni", self.R, given[:, :3])
            qd[:, :3] = np.einsum("nij,nj->ni", self.R, qd[:, :3])
            q[:, 3:7] = np.roll(q[:, 3:7], 1, axis=1)
        return zip(q, qd, given, strict=True)

    def answers(self, answers: np.ndarray, accelerations: bool) -> np.ndarray:
        """Return MuJoCo's answers in our conventions."""
        if self.free:
            answers[:, :3] = np.einsum("nji,nj->ni", self.R, answers[:, :3])
            if accelerations:
                answers[:, :3] -= self._turning()
        return self.bodies.back(answers)

    def _turning(self) -> np.ndarray:
        """Return omega x v: by how much the acceleration of the base's origin differs from the rate of v."""
        return np.cross(self.qd[:, 3:6], self.qd[:, :3])
