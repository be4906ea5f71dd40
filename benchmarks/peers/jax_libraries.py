"""Libraries that write dynamics in JAX, each with the functions it offers, and ours; one state a call, for `vmap`.

Each reads the same URDF. Arguments are brought into a library's conventions before the time is taken, and its answers
into ours afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.peers.sdf_text import sdf_text
from screwgraph.spatial import quaternions
from screwgraph.ui.bench import NotMeasuredError, States, import_peer

GRAVITY = 9.81
INVERSE, FORWARD, MATRIX = "inverse", "forward", "mass_matrix"


@dataclass(frozen=True, eq=False)
class Case:
    """A robot, its file, and states; torques of a floating base, which comes first, are zero in forward dynamics."""

    robot: sg.Robot
    path: Path
    states: States

    @property
    def free(self) -> bool:
        """Whether the base floats."""
        return self.robot.nq > self.robot.nv

    @property
    def joints(self) -> list[str]:
        """Names of the joints that have a coordinate each."""
        return [joint.name for joint in self.robot.joints if joint.type.nv == 1]


@dataclass(frozen=True, eq=False)
class Way:
    """How a library answers: a function of one state, its arguments (N, ...), and how its answers become ours."""

    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    read: Callable[[np.ndarray], np.ndarray]
    name: str


def screwgraph_way(case: Case, question: str) -> Way:
    """Return ours: `f.jax()`."""
    makers = {INVERSE: sg.inverse_dynamics, FORWARD: sg.forward_dynamics, MATRIX: sg.mass_matrix}
    f = makers[question](sg.load(case.path, base="floating" if case.free else "fixed"))
    return Way(f.jax(), tuple(case.states.arguments(f)), np.asarray, f"f.jax(), {f.operations.total} operations")


def frax_way(case: Case, question: str) -> Way:
    """Return frax': linear velocities of a base are in the world's axes, quaternions begin with the real part."""
    frax: Any = import_peer("frax.core.robot", "frax")
    robot = frax.Robot(str(case.path), joint_ordering=case.joints, floating_base="quaternion" if case.free else None)
    q, qd, given = case.states.q, case.states.qd, case.states.given
    if not case.free:
        calls = {
            INVERSE: (lambda q, v, a: robot.rnea(q, v, a, _up(), None), (q, qd, given)),
            FORWARD: (lambda q, v, tau: robot.forward_dynamics(q, v, tau, None), (q, qd, given)),
            MATRIX: (robot.crba, (q,)),
        }
        function, arguments = calls[question]
        return Way(function, arguments, np.asarray, "rnea, forward_dynamics, crba")
    turn = _turned(q)  # linear before angular, in the world's axes
    theirs_q = np.concatenate([q[:, :3], q[:, 6:7], q[:, 3:6], q[:, 7:]], axis=1)
    v, tau = _times(turn, qd), _times(turn, given)  # T is orthogonal: forces turn as velocities do
    bend = np.zeros_like(qd)  # d/dt (R v) = R (dv/dt + omega x v)
    bend[:, 3:6] = np.cross(qd[:, :3], qd[:, 3:6])
    a = _times(turn, given + bend)
    back = np.swapaxes(turn, 1, 2)
    calls = {
        INVERSE: (lambda q, v, a: robot.rnea(q, v, a, _up(), None), (theirs_q, v, a), lambda y: _times(back, y)),
        FORWARD: (
            lambda q, v, tau: robot.forward_dynamics(q, v, tau, None),
            (theirs_q, v, tau),
            lambda y: _times(back[: len(y)], y) - bend[: len(y)],
        ),
        MATRIX: (robot.crba, (theirs_q,), lambda y: back[: len(y)] @ y @ turn[: len(y)]),
    }
    function, arguments, read = calls[question]
    return Way(function, arguments, read, "rnea, forward_dynamics, crba")


def adam_way(case: Case, question: str) -> Way:
    """Return adam's: all robots float, so that arms take their joints' part of mass matrix and bias forces."""
    adam: Any = import_peer("adam.jax", "adam-robotics")
    core: Any = import_peer("adam", "adam-robotics")
    import jax.numpy as jnp

    robot = adam.KinDynComputations(str(case.path), case.joints, gravity=np.array([0, 0, -GRAVITY, 0, 0, 0]))
    _leave_out_devices(robot)
    robot.set_frame_velocity_representation(core.Representations.BODY_FIXED_REPRESENTATION)
    swap, first = _linear_first(case), 6 if case.free else 0
    pose, base, joints = _apart(case, swap)
    given = case.states.given[:, swap]
    own = slice(0, None) if case.free else slice(6, None)

    def matrix(pose: Any, joints: Any) -> Any:
        return robot.mass_matrix(pose, joints)[own, own]

    def bias(pose: Any, joints: Any, base: Any, rates: Any) -> Any:
        return robot.bias_force(pose, joints, base, rates)[own]

    def inverse(pose: Any, joints: Any, base: Any, rates: Any, a: Any) -> Any:
        return matrix(pose, joints) @ a + bias(pose, joints, base, rates)

    def forward(pose: Any, joints: Any, base: Any, rates: Any, tau: Any) -> Any:
        return jnp.linalg.solve(matrix(pose, joints), tau - bias(pose, joints, base, rates))

    rates = case.states.qd[:, first:]
    moving = (pose, joints, base, rates)
    pushed = (robot.aba, (*moving, given[:, 6:]), "aba")
    calls = {
        INVERSE: (inverse, (*moving, given), "mass_matrix, bias_force"),
        FORWARD: pushed if case.free else (forward, (*moving, given), "mass_matrix, bias_force, solve"),
        MATRIX: (matrix, (pose, joints), "mass_matrix"),
    }
    function, arguments, name = calls[question]
    return Way(function, arguments, _unswapped(swap), name)


def jaxsim_way(case: Case, question: str) -> Way:
    """Return jaxsim's, in body-fixed velocities. It reads URDF through a program that is not Python: it gets SDF."""
    import_peer("jaxsim", "jaxsim")
    js: Any = import_peer("jaxsim.api", "jaxsim")
    import jax.numpy as jnp

    text = sdf_text(case.path.read_text(encoding="utf-8"), fixed=not case.free)
    model = js.model.JaxSimModel.build_from_model_description(text, is_urdf=False, gravity=GRAVITY)
    order = [case.joints.index(name) for name in model.joint_names()]
    swap, first = _linear_first(case), 6 if case.free else 0
    _, base, joints = _apart(case, swap)
    places = np.concatenate([swap[:first], first + np.array(order)]).astype(int)
    quaternion = case.states.q[:, [6, 3, 4, 5]] if case.free else np.tile([1.0, 0, 0, 0], (len(joints), 1))
    given = case.states.given[:, places]

    def data(quaternion: Any, joints: Any, base: Any, rates: Any) -> Any:
        return js.data.JaxSimModelData.build(
            model,
            base_quaternion=quaternion,
            joint_positions=joints,
            base_linear_velocity=base[:3],
            base_angular_velocity=base[3:],
            joint_velocities=rates,
            velocity_representation=js.common.VelRepr.Body,
        )

    def forward(quaternion: Any, joints: Any, base: Any, rates: Any, tau: Any) -> Any:
        found = js.model.forward_dynamics_aba(model, data(quaternion, joints, base, rates), joint_forces=tau[first:])
        return jnp.concatenate(found) if first else found[1]

    def inverse(quaternion: Any, joints: Any, base: Any, rates: Any, a: Any) -> Any:
        found = js.model.inverse_dynamics(
            model,
            data(quaternion, joints, base, rates),
            joint_accelerations=a[first:],
            base_acceleration=a[:6] if first else None,
        )
        return jnp.concatenate(found) if first else found[1]

    def matrix(quaternion: Any, joints: Any, base: Any, rates: Any) -> Any:
        whole = js.model.free_floating_mass_matrix(model, data(quaternion, joints, base, rates))
        return whole if first else whole[-len(order) :, -len(order) :]

    state = (quaternion, joints[:, order], base, case.states.qd[:, first:][:, order])
    calls = {
        INVERSE: (inverse, (*state, given), "inverse_dynamics"),
        FORWARD: (forward, (*state, given), "forward_dynamics_aba"),
        MATRIX: (matrix, state, "free_floating_mass_matrix"),
    }
    function, arguments, name = calls[question]
    return Way(function, arguments, _unswapped(places), name)


LIBRARIES: Mapping[str, Callable[[Case, str], Way]] = {
    "screwgraph": screwgraph_way,
    "frax": frax_way,
    "adam": adam_way,
    "jaxsim": jaxsim_way,
}


def _leave_out_devices(robot: Any) -> None:
    """Let adam 0.5 leave arrays where they are: JAX from 0.7 on refuses, while it traces, the device of an array."""
    math = robot.rbdalgos.math
    if hasattr(math.factory, "_device"):
        math.factory._device = None


def _up() -> np.ndarray:
    return np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])


def _turned(q: np.ndarray) -> np.ndarray:
    """Return (N, nv, nv): our velocities to those with the base's linear one first, in the world's axes."""
    count, nv = len(q), q.shape[1] - 1
    turn = np.zeros((count, nv, nv))
    turn[:, :3, 3:6] = [quaternions.to_rotation(x) for x in q[:, 3:7]]
    turn[:, 3:6, :3] = np.eye(3)
    turn[:, 6:, 6:] = np.eye(nv - 6)
    return turn


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", matrices[: len(vectors)], vectors)


def _linear_first(case: Case) -> np.ndarray:
    nv = case.robot.nv
    return np.r_[3:6, 0:3, 6:nv] if case.free else np.arange(nv)


def _apart(case: Case, swap: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return poses (N, 4, 4) and velocities (N, 6) of the base, and positions of joints."""
    count = len(case.states.q)
    pose, base = np.tile(np.eye(4), (count, 1, 1)), np.zeros((count, 6))
    if not case.free:
        return pose, base, case.states.q
    pose[:, :3, :3] = [quaternions.to_rotation(x) for x in case.states.q[:, 3:7]]
    pose[:, :3, 3] = case.states.q[:, :3]
    return pose, case.states.qd[:, swap[:6]], case.states.q[:, 7:]


def _unswapped(places: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    back = np.argsort(places)
    return lambda y: y[:, back] if y.ndim == 2 else y[:, back][:, :, back]


__all__ = ["LIBRARIES", "Case", "NotMeasuredError", "Way"]
