"""What a frame on a link sees of the link's motion, of gravity and of the wrench of its joint.

Passes choose link frames, leave out linear velocities and count accelerations from others. Variables of the robot's own
links that somebody asks for, or binds to factors, are tied to theirs by these laws.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph import Affine, factor
from screwgraph.graph.factors import gravity
from screwgraph.graph.newton_euler import point_acceleration_matrix
from screwgraph.model.robot import Joint
from screwgraph.spatial import Ad, Array, concatenate, inverse, rotation, skew, translation

Pose = Float[np.ndarray, "4 4"]


@factor(linear=("V_frame", "V"), cites="Lynch & Park (3.83)")
def frame_twist(V_frame: Float[Array, "6"], V: Float[Array, "6"], *, T: Pose) -> Float[Array, "6"]:
    """The frame, at T in the link, moves with it."""
    return V_frame - Ad(inverse(T)) @ V


@factor(linear=("Vdot_frame", "Vdot"), cites="Lynch & Park (3.83), differentiated")
def frame_acceleration(Vdot_frame: Float[Array, "6"], Vdot: Float[Array, "6"], *, T: Pose) -> Float[Array, "6"]:
    """The frame accelerates with the link."""
    return Vdot_frame - Ad(inverse(T)) @ Vdot


@factor(linear=("F_frame", "F"), cites="Lynch & Park (3.98)")
def frame_wrench(F_frame: Float[Array, "6"], F: Float[Array, "6"], *, T: Pose) -> Float[Array, "6"]:
    """The wrench of the link's joint, in the frame."""
    return F_frame - Ad(T).T @ F


@factor(linear=("g_frame", "g"), cites="a constant vector under a change of frame, Lynch & Park (3.28)")
def frame_gravity(g_frame: Float[Array, "3"], g: Float[Array, "3"], *, T: Pose) -> Float[Array, "3"]:
    """Gravity, in the frame."""
    return g_frame - rotation(T).T @ g


@factor(linear=("V_frame", "w", "v"), cites="Lynch & Park (3.83)")
def frame_twist_by_parts(
    V_frame: Float[Array, "6"], w: Float[Array, "3"], v: Float[Array, "3"], *, T: Pose
) -> Float[Array, "6"]:
    """The same, where angular and linear velocity of the link are variables of their own."""
    return frame_twist.function(V_frame, concatenate(w, v), T=T)


@factor(linear=("V_frame", "w"), cites="Lynch & Park (3.83), angular part")
def angular_part(V_frame: Float[Array, "6"], w: Float[Array, "3"], *, T: Pose) -> Float[Array, "3"]:
    """The link's angular velocity from the frame's twist."""
    return w - (Ad(T) @ V_frame)[:3]


@factor(linear=("V_frame", "v"), cites="Lynch & Park (3.83), linear part")
def linear_part(V_frame: Float[Array, "6"], v: Float[Array, "3"], *, T: Pose) -> Float[Array, "3"]:
    """The velocity of the link's origin from the frame's twist."""
    return v - (Ad(T) @ V_frame)[3:]


# Linear in the parent's velocity, too: but what leads to a velocity that has to be known has to be known.
@factor(linear=("v",), cites="Lynch & Park (8.45), linear part")
def linear_velocity(
    v: Float[Array, "3"], v_parent: Float[Array, "3"], w_parent: Float[Array, "3"], q: Array, qd: Array, *, joint: Joint
) -> Float[Array, "3"]:
    """The velocity of the child's origin, in its own frame."""
    return joint.twist_residual(concatenate(w_parent, v), concatenate(w_parent, v_parent), q, qd)[3:]


@factor(linear=("g",), cites="a constant vector under a change of frame, Lynch & Park (3.28)")
def seen_gravity(
    g: Float[Array, "3"], g_parent: Float[Array, "3"], q: Float[Array, " nq"], *, joint: Joint
) -> Float[Array, "3"]:
    """The child sees the gravity that its parent sees."""
    return gravity.function(g, g_parent, q, joint=joint)


@factor(linear=("Vdot_frame", "Vdot"), cites="Featherstone (2008), section 2.11")
def conventional_frame_acceleration(
    Vdot_frame: Float[Array, "6"],
    Vdot: Float[Array, "6"],
    w: Float[Array, "3"],
    v: Float[Array, "3"],
    g: Float[Array, "3"] | None = None,
    bias: Float[Array, "6"] | None = None,
    *,
    T: Pose,
) -> Float[Array, "6"]:
    """The spatial acceleration of the frame from the conventional one of the link, less gravity (g, m/s^2).

    With a bias acceleration, the link's is that and what joint accelerations add.
    """
    total = Vdot if bias is None else Vdot + bias
    seen = spatial_from_conventional(total, concatenate(w, v))
    return frame_acceleration.function(Vdot_frame, seen if g is None else seen + concatenate(np.zeros(3), g), T=T)


def spatial_from_conventional(Vdot: Float[Array, "6"], V: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return the spatial acceleration dV/dt from the conventional one: Featherstone (2008), section 2.11."""
    return concatenate(Vdot[:3], Vdot[3:] - skew(V[:3]) @ V[3:])


def shift_conventional(
    T_fl: Float[Array, "4 4"], T_lf: Float[Array, "4 4"], w: Float[Array, "3"], Vdot: Float[Array, "6"]
) -> Float[Array, "6"]:
    """Return the conventional acceleration, in a frame's axes, of the frame at T_lf on a link that turns by w."""
    R, p, still = rotation(T_fl), translation(T_lf), np.zeros(3)
    if isinstance(Vdot[0], Affine):  # products of velocities are added up before unknowns are
        return Ad(T_fl) @ Vdot + concatenate(still, R @ (point_acceleration_matrix(w, still) @ p))
    return concatenate(R @ Vdot[:3], R @ (Vdot[3:] + point_acceleration_matrix(w, Vdot[:3]) @ p))
