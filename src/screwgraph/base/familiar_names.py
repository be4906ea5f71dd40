"""Names of algorithms and functions in other libraries and textbooks, and the public functions that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FAMILIAR: Mapping[str, str] = {
    **dict.fromkeys(("rnea", "id", "newton_euler", "recursive_newton_euler"), "inverse_dynamics"),
    **dict.fromkeys(("aba", "fd", "articulated_body"), "forward_dynamics"),
    **dict.fromkeys(("crba", "mass", "inertia_matrix"), "mass_matrix"),
    **dict.fromkeys(("gravity", "nle", "nonlinear_effects", "bias"), "bias_forces"),
    **dict.fromkeys(("fk", "framesforwardkinematics", "pose"), "forward_kinematics"),
    **dict.fromkeys(("ik", "inversekinematics"), "inverse_kinematics"),
    **dict.fromkeys(("jacobian", "jac", "framejacobian"), "frame_jacobian"),
    **dict.fromkeys(("com", "centre_of_mass", "centerofmass"), "center_of_mass"),
    **dict.fromkeys(("jacobian_com", "com_jacobian", "centre_of_mass_jacobian"), "center_of_mass_jacobian"),
    "coriolis": "coriolis_matrix",
    "centre_of_mass_velocity": "center_of_mass_velocity",
    "centre_of_mass_acceleration": "center_of_mass_acceleration",
    **dict.fromkeys(("cmm", "ccrba"), "centroidal_momentum_matrix"),
    **dict.fromkeys(("optimize_trajectory", "trajopt"), "plan"),
    **dict.fromkeys(("load_urdf", "load_mjcf", "load_sdf", "load_robot", "from_urdf"), "load"),
}
"""Public functions by names that other programs give them, in lower case without underscores or with."""
REMARKS: Mapping[str, str] = {"gravity": " at qd = 0"}
"""What else the answer takes."""


def find_familiar_name(name: str) -> str:
    """Return the public function that a name of another library stands for; "" where it is not known."""
    small = name.lower()
    return FAMILIAR.get(small) or FAMILIAR.get(small.replace("_", ""), "")


def describe_familiar_name(name: str, public: Iterable[str]) -> str:
    """Return what to write for a name of another library, or in other letters; "" where it is not known.

    Such as "screwgraph.mass_matrix" for "crba", "screwgraph.world" for "World".
    """
    small = name.lower()
    known = next((own for own in public if own.lower() == small), "") or find_familiar_name(name)
    return f"screwgraph.{known}{REMARKS.get(name.lower(), '')}" if known else ""
