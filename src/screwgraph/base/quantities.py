"""What arguments and results of functions are, by their names: the quantity and its SI units."""

from __future__ import annotations

from collections.abc import Mapping

QUANTITIES: Mapping[str, str] = {
    "q": "positions (rad, m; quaternions x y z w)",
    "qd": "velocities (rad/s, m/s)",
    "qdd": "accelerations (rad/s^2, m/s^2)",
    "tau": "torques and forces of joints, or of motors (N m, N)",
    "effort": "efforts of actuators (N m, N)",
    "force": "forces on coordinates (N, N m)",
    "external_wrenches": "wrenches on links or frames in their own axes, moment (N m) first, then force (N)",
    "given": "accelerations (rad/s^2, m/s^2) and torques (N m, N) that are given",
    "parameters": "numbers of the model (SI units)",
    "dq": "displacement in the tangent space (rad, m)",
    "q_from": "positions (rad, m; quaternions x y z w)",
    "q_to": "positions (rad, m; quaternions x y z w)",
    "start": "positions where the search begins (rad, m; quaternions x y z w)",
}
