"""In which axes, and about which point, velocities of frames are given."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial import Array, concatenate, rotation, skew, translation

LOCAL, WORLD, ALIGNED = "local", "world", "local_world_aligned"
REFERENCES = (LOCAL, WORLD, ALIGNED)


def validate_reference(reference: str) -> str:
    """Return the name of a reference. Raises InputError where it is none of `REFERENCES`."""
    if reference not in REFERENCES:
        raise make_unknown_name_error("reference", reference, REFERENCES)
    return reference


def express_twist(reference: str, T: Float[Array, "4 4"], V: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return a body twist V of a frame at T as a reference wants it: Lynch & Park (3.83).

    In its own axes, about the world's origin, or about its own origin in the world's axes.
    """
    if reference == LOCAL:
        return V
    R = rotation(T)
    w, v = R @ V[:3], R @ V[3:]
    return concatenate(w, v if reference == ALIGNED else v + skew(translation(T)) @ w)


def express_twist_rate(
    reference: str, T: Float[Array, "4 4"], V: Float[Array, "6"], Vdot: Float[Array, "6"]
) -> Float[Array, "6"]:
    """Return the time derivative of `express_twist`, where Vdot is that of V."""
    if reference != ALIGNED:
        return express_twist(reference, T, Vdot)  # [Ad_T] V changes by [Ad_T] (Vdot + [ad_V] V), and [V, V] = 0
    conventional = Vdot[3:] + skew(V[:3]) @ V[3:]
    return express_twist(reference, T, concatenate(Vdot[:3], conventional))
