"""Regressor and base parameters of mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.dynamics.closed_chains import SPANNING
from screwgraph.mechanics.dynamics.mechanism import inverse_dynamics
from screwgraph.mechanics.dynamics.parameter_slopes import fix_parameters
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.assembled_positions import draw_assembled_positions
from screwgraph.model.mechanism.equations import constraint_derivatives
from screwgraph.model.mechanism.live_mechanism import check_source
from screwgraph.model.mechanism.parts import Body
from screwgraph.model.mechanism.read_spatial_bodies import INERTIA
from screwgraph.model.robot import make_unknown_name_error

PLANAR = {"m": ("mass", 1.0), "mx": ("cog_x", 0.0), "my": ("cog_y", 0.0), "I0": ("I0", 1.0)}
ROD = {"m": ("mass", 1.0), "mx": ("cog_x", 0.0), "I0": ("I0", 1.0)}
SPATIAL = {
    **{"m": ("mass", 1.0), "mx": ("cog_x", 0.0), "my": ("cog_y", 0.0), "mz": ("cog_z", 0.0)},
    **{f"I{axes}": (f"I0_{axes}", 1.0) for axes in INERTIA},
}
"""Inertial parameters of a body, the file's values that they are slopes by, and where.

At mass 1 and a centre of mass in the first point, slopes by the mass, the centre of mass and I0 are those by m, mx, my
and I0: torques are linear in these, and mx is m times the centre of mass.
"""
OTHERS = ("damping", "friction", "stiffness")
DEPENDENT = 1e-7
"""Singular values, columns of unit length, below which columns depend on others: positions close to 1e-9."""
STATES = 3
"""Random states for each parameter: torques at these show what all motions show."""


def find_parameters(mechanism: Mechanism, names: Sequence[str] | None) -> dict[str, Mapping[str, tuple[str, float]]]:
    """Return parameters by name, by default all but friction: numbers in which torques are linear, by their labels.

    Of each number, the value of the file that it belongs to, and where slopes are taken.

    Raises:
        InputError: no file, or no body, damping, friction or stiffness of a name, or one that is named twice.
    """
    known: dict[str, Mapping[str, tuple[str, float]]] = {
        body.name: {f"{body.name}.{n}": (f"{v}:{body.name}", at) for n, (v, at) in _list_numbers(body).items()}
        for body in mechanism.bodies
    }
    known |= {name: {name: (name, 0.0)} for name, _ in check_source(mechanism).values if _is_linear(name)}
    every = [name for name in known if not name.startswith("friction:")]
    chosen = list(every if names is None else names)
    for name in chosen:
        if name not in known:
            raise make_unknown_name_error("body, damping, friction or stiffness", name, known)
        if chosen.count(name) > 1:
            raise InputError(f"parameter {name!r} is named twice")
    return {name: known[name] for name in chosen}


def list_parameters(mechanism: Mechanism, names: Sequence[str] | None) -> dict[str, tuple[str, float]]:
    """Return the numbers of parameters by their labels, see `find_parameters`."""
    return {label: number for own in find_parameters(mechanism, names).values() for label, number in own.items()}


def _is_linear(name: str) -> bool:
    return name.partition(":")[0] in OTHERS


def _list_numbers(body: Body) -> Mapping[str, tuple[str, float]]:
    """Return the inertial parameters of a body; a rod whose line is its x axis has one first moment."""
    return PLANAR if len(body.com) == 2 else ROD if body.is_rod else SPATIAL


def regressor(
    mechanism: Mechanism,
    *,
    parameters: Sequence[str] | None = None,
    payload: str | None = None,
    coordinates: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return Y(q, qd, qdd) with tau = Y pi + what forces and torques of the file need, see `sg.regressor`."""
    refuse_payload(payload)
    chosen = list_parameters(mechanism, parameters)
    names = [name for name, _ in chosen.values()]
    whole = inverse_dynamics(mechanism, coordinates=coordinates or SPANNING, parameters=names)
    at = {f"parameter:{name}[0]": value for name, value in chosen.values()}
    return fix_parameters(whole, list(chosen), at).astype(dtype)


def draw_motions(
    mechanism: Mechanism, count: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "N n"], Float[np.ndarray, "N n"], Float[np.ndarray, "N n"]]:
    """Return assembled positions, and velocities and accelerations that constraints allow, else standard normal."""
    kept = list(mechanism.freedom.kept)
    q = draw_assembled_positions(mechanism, count, rng)
    qd, qdd = rng.standard_normal((2, *q.shape))
    for x, v, a in zip(q, qd, qdd, strict=True):
        J = mechanism.closing_program.interpreter(x)[1][kept]
        v -= np.linalg.lstsq(J, J @ v, rcond=None)[0]
        turning = [row.second for row in constraint_derivatives(mechanism, x, v, np.zeros(len(x)))]
        a -= np.linalg.lstsq(J, J @ a + np.array(turning, dtype=float)[kept], rcond=None)[0]
    return q, qd, qdd


def sample_regressor(mechanism: Mechanism, names: Sequence[str] | None) -> Float[np.ndarray, "rows k"]:
    """Return rows of the regressor at random motions."""
    Y = regressor(mechanism, parameters=names)
    width = Y.results[0].shape[-1]
    return Y(*draw_motions(mechanism, STATES * (width + 4), np.random.default_rng(0))).reshape(-1, width)


ANSWERS = {"mechanism": {"regressor": regressor}}
"""Queries of parameters that kinds of models but robots answer in their own way, by kind and name."""
