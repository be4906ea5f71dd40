"""What tells how well a motion obeys mechanics: energy, work and loop-closure errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model import Model
from screwgraph.motion.simulation.mechanical_work import integrate_power
from screwgraph.motion.simulation.model_dynamics import dynamics_of


@dataclass(frozen=True, eq=False)
class EnergyBalance:
    """Of N states: kinetic plus potential `energy` (J), `work` (J) done since the beginning, closure errors (rad, m).

    Work is that of torques, forces and external wrenches, less what dampers took; `violation` is the largest error of
    loops, couplings or constraints, zero for trees.
    """

    __repr__ = one_line

    energy: Float[np.ndarray, " N"]
    work: Float[np.ndarray, " N"]
    violation: Float[np.ndarray, " N"]


def compute_energy_balance(
    model: Model,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N nq"],
    qd: Float[np.ndarray, "N nv"],
    tau: Float[np.ndarray, "N m"],
    external_wrenches: Mapping[str, Float[np.ndarray, "N 6"]],
) -> EnergyBalance:
    """Return the energy balance of a motion; the work between its states is that of smooth powers."""
    dynamics = dynamics_of(model)
    T, U, power = dynamics.energy(q, qd, tau)
    wrenches = external_wrenches.items()
    power = sum((dynamics.power_of_wrench(frame, q, qd, F) for frame, F in wrenches), start=power)
    return EnergyBalance(T + U, integrate_power(power, t), dynamics.violation(q))
