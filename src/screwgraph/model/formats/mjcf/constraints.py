"""Equality constraints of a compiled MuJoCo model as loops and couplings."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.mjcf.bodies import Placed
from screwgraph.model.formats.mjcf.names import Names, import_mujoco, make_pose, make_translation
from screwgraph.model.robot import Constant, Coupling, Expression, Loop, Operation, Position, Power
from screwgraph.model.robot.joints import Fixed, Spherical

CONNECT, WELD, JOINT = range(3)
"""MuJoCo's numbers of equality constraints."""


def read_loops(model: Any, names: Names, placed: Placed, warnings: Warnings, at: Place) -> list[Loop]:
    """Return a spherical loop for each `connect`, a fixed one for each `weld`; constraints of other kinds are named."""
    loops = []
    for number in range(model.neq):
        kind, who = int(model.eq_type[number]), f"equality {names.equalities[number]!r}"
        if not model.eq_active0[number]:
            warnings.add(f"{who} is not active", at=at, why="so it is left out")
        elif kind in (CONNECT, WELD):
            loops.append(_loop(model, number, names, placed))
        elif kind != JOINT:
            warnings.add(f"{who} is not modelled", at=at, why="only connect, weld and joint are")
    return loops


def read_couplings(model: Any, names: Names, at: Place) -> list[Coupling]:
    """Return a coupling for each active `joint` constraint: q1 - ref1 = a0 + a1 (q2 - ref2) + a2 (q2 - ref2)^2 ...

    Raises:
        ModelError: a joint of several coordinates.
    """
    numbers = (i for i in range(model.neq) if model.eq_type[i] == JOINT and model.eq_active0[i])
    return [_coupling(model, number, names, at) for number in numbers]


def _loop(model: Any, number: int, names: Names, placed: Placed) -> Loop:
    data, weld = model.eq_data[number], int(model.eq_type[number]) == WELD
    ends = (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
    if _joins_sites(model, number):
        bodies = [int(model.site_bodyid[site]) for site in ends]
        local = [make_pose(model.site_pos[site], model.site_quat[site]) for site in ends]
    elif weld:  # the anchor in the second body comes first, then the second body's pose, at the anchor, in the first
        bodies, local = list(ends), [make_pose(data[3:6], data[6:10]), make_translation(data[:3])]
    else:
        bodies, local = list(ends), [make_translation(data[:3]), make_translation(data[3:6])]
    (first, second), (T_p, T_s) = (placed[body] for body in bodies), local
    turns_freely = not weld or data[10] == 0.0  # a weld whose torques count for nothing only connects
    kind = Spherical() if turns_freely else Fixed()
    return Loop(names.equalities[number], kind, first.link, second.link, first.T_lf @ T_p, second.T_lf @ T_s)


def _joins_sites(model: Any, number: int) -> bool:
    return int(model.eq_objtype[number]) == int(import_mujoco().mjtObj.mjOBJ_SITE)


def _coupling(model: Any, number: int, names: Names, at: Place) -> Coupling:
    first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    for joint in (first, second):
        if joint >= 0 and model.jnt_type[joint] < 2:
            raise ModelError(
                f"equality {names.equalities[number]!r} ties joint {names.joints[joint]!r}",
                at=at,
                why="a joint with several coordinates cannot be coupled",
            )
    a: Float[np.ndarray, "5"] = np.array(model.eq_data[number][:5], dtype=float)
    reference = [float(model.qpos0[model.jnt_qposadr[joint]]) if joint >= 0 else 0.0 for joint in (first, second)]
    name, leads = names.equalities[number], names.joints[first]
    if second < 0:
        return Coupling(name, {leads: 1.0}, reference[0] + float(a[0]))
    follows = names.joints[second]
    offset = reference[0] + float(a[0]) - float(a[1]) * reference[1]
    return Coupling(name, {leads: 1.0, follows: -float(a[1])}, offset, _powers(a, follows, reference[1]))


def _powers(a: Float[np.ndarray, "5"], joint: str, reference: float) -> Expression | None:
    """Return -(a2 x^2 + a3 x^3 + a4 x^4), None where all are zero."""
    x: Expression = Operation("-", (Position(joint), Constant(reference))) if reference else Position(joint)
    total: Expression | None = None
    for exponent in (2, 3, 4):
        if a[exponent]:
            term = Operation("*", (Constant(-float(a[exponent])), Power(x, exponent)))
            total = term if total is None else Operation("+", (total, term))
    return total
