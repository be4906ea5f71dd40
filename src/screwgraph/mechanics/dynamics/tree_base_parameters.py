"""Base parameters of trees, without a single motion: what of each body its joint shows, and what its parent takes over.

Torques vanish at all motions exactly if kinetic energy vanishes and potential energy is constant. Of the body at a tip,
with twists V = Ad(q) V_p + A qd, this asks, for all twists V and directions a of gravity that reach it,

    A' G A = -armature,    A' G V = 0,    A' G a = 0,    d/dq (V' G V) = 0,

and what these four leave of G moves with the parent, as if it were welded to it. Each asks only for the spans of V, of
V V' and of a, which rotations about the joint's axis do not leave; so all is linear algebra of a file's lengths.
Rules of Khalil & Kleinfinger (1987) and Mayeda, Yoshida & Osuka (1990) follow for revolute and prismatic joints,
parallel and vertical axes. Wensing, Niemeyer & Slotine (2024) find the same spaces by singular values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.dynamics.exact_arithmetic import (
    ONE,
    ZERO,
    EchelonRows,
    Number,
    clear_rounding,
    exact_direction,
    exact_length,
    exact_pose,
    reduce_to_echelon,
)
from screwgraph.mechanics.dynamics.rational_functions import Length
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter, particle
from screwgraph.spatial import Ad, Array, SpatialInertia, ad, inverse

TWISTS = tuple(combinations_with_replacement(range(6), 2))
"""Places of the 21 entries of a symmetric V V'."""
Row = dict[int, Number]


@dataclass(frozen=True, eq=False)
class _Motion:
    """Motions that reach a body: spans of twists (r, 6), of V V' (s, 21) and of gravity (g, 6)."""

    twists: Float[Array, "r 6"]
    squares: Float[Array, "s 21"]
    gravity: Float[Array, "g 6"]


Named = Mapping[str, Mapping[int, Length]]
"""Lengths that stay formulas: by joint or frame, and axis of its origin."""


def find_tree_combinations(robot: Robot, parameters: Sequence[Parameter], named: Named | None = None) -> dict[int, Row]:
    """Return the combinations that torques of all joints show, loops left aside: rows of numbers by leading parameter.

    A row is {place: coefficient} of its parameters; the leading one, the first, has 1 and is in no other row. Lengths
    that are `named` are formulas of coefficients, which hold for nearly all values of these. Where the type of a joint
    names no groups of motions nothing is known here: each number of a parameter is a row of its own.
    """
    if has_unknown_motion(robot):
        return {i: {i: ONE} for i in range(sum(len(p.labels(robot)) for p in parameters))}
    places, named = index_parameters(robot, parameters), named or {}
    bodies = [_body(robot, parameters, places, link.name, named) for link in robot.links]
    reduced = EchelonRows()
    for joint, conditions, T in reversed(list(_joints(robot, named))):
        child, parent = robot.link_index(joint.child), robot.link_index(joint.parent)
        rotors = places.get(("armature", joint.name), range(0))
        for numbers, own in conditions:
            row = _combine_rows(numbers, bodies[child])
            if own is not None and rotors:
                row = _sum(row, {rotors[own]: ONE})
            reduced.add(row)
        moved = _inertia_transform(T)
        bodies[parent] = [
            _sum(own, _combine_rows(m, bodies[child])) for own, m in zip(bodies[parent], moved, strict=True)
        ]
        for kind in ("damping", "friction"):
            if (kind, joint.name) in places:
                reduced.add({places[kind, joint.name][0]: ONE})
    return dict(sorted(reduced.rows.items()))


def has_unknown_motion(robot: Robot) -> bool:
    """Whether the type of a joint does not name its groups of motions: what torques show is then found in numbers."""
    return any(joint.motion_groups is None for joint in robot.joints)


def index_parameters(robot: Robot, parameters: Sequence[Parameter]) -> dict[tuple[str, str], range]:
    """Return the places of each parameter's numbers, by its kind and part."""
    ends = np.cumsum([0, *(len(p.labels(robot)) for p in parameters)]).tolist()
    return {(p.kind, p.part): range(a, b) for p, a, b in zip(parameters, ends[:-1], ends[1:], strict=True)}


def _body(robot: Robot, parameters: Sequence[Parameter], places: dict, link: str, named: Named) -> list[Row]:
    """Return the ten numbers of a link as sums of parameters: its own and those of a payload that it carries."""
    own, mass = places.get(("inertia", link)), places.get(("mass", link))
    found: list[Row] = [{own[i]: ONE} if own else {} for i in range(10)]
    if mass:
        com = np.array([exact_length(x) for x in robot.link(link).inertia.com], dtype=object)
        found = [{mass[0]: ONE * x} if x else {} for x in particle(com)]
    for p in parameters:
        if p.kind == "payload" and robot.frame(p.part).link == link:
            at = [{i: ONE} for i in places[p.kind, p.part]]
            moved = _inertia_transform(exact_pose(robot.frame(p.part).T_lf, named.get(p.part)))
            found = [_sum(a, _combine_rows(m, at)) for a, m in zip(found, moved, strict=True)]
    return found


def _joints(
    robot: Robot, named: Named
) -> Iterator[tuple[Any, list[tuple[Float[Array, "10"], int | None]], Float[Array, "4 4"]]]:
    """Yield each joint with its conditions on the body that it carries, and the pose of this body in its parent.

    A condition is ten numbers, and the coordinate whose armature stands beside them.
    """
    g = np.array([exact_length(x) for x in np.asarray(robot.gravity, dtype=float)], dtype=object)
    down = [*np.array([ZERO] * 3), *g]
    gravity = np.array([down] if g.any() else [], dtype=object).reshape(-1, 6)
    motions = {robot.links[0].name: _Motion(np.zeros((0, 6), object), np.zeros((0, 21), object), gravity)}
    for joint in robot.joints:
        T = exact_pose(joint.origin, named.get(joint.name))
        motion, found = (
            _transform_motion(motions[joint.parent], Ad(inverse(T))),
            list[tuple[Float[Array, "10"], int | None]](),
        )
        count = 0
        for group in joint.motion_groups or ():
            axes = _exact_axes(group)
            motion, conditions = _pass_axes(motion, axes)
            found += [(row, None if own is None else own + count) for row, own in conditions]
            count += len(axes)
        motions[joint.child] = motion
        yield joint, found, T


def _transform_motion(motion: _Motion, X: Float[Array, "6 6"]) -> _Motion:
    squares = [_entries(X @ _matrix(row) @ X.T) for row in motion.squares]
    return _Motion(motion.twists @ X.T, _rows(squares, 21), motion.gravity @ X.T)


def _pass_axes(
    motion: _Motion, axes: Float[Array, "n 6"]
) -> tuple[_Motion, list[tuple[Float[Array, "10"], int | None]]]:
    """Return the motions beyond axes that form a group, and the conditions on what they carry."""
    turns = [ad(a) for a in axes]
    twists = _find_invariant_basis(motion.twists, [lambda x, A=A: A @ x for A in turns])
    gravity = _find_invariant_basis(motion.gravity, [lambda x, A=A: A @ x for A in turns])
    squares = _find_invariant_basis(motion.squares, [lambda x, A=A: _lyapunov_product(A, x) for A in turns])
    rows = [_seen(_product(a, v)) for a in axes for v in (*twists, *gravity)]
    rows += [_seen(_product(a, b)) for a, b in combinations(axes, 2)]
    across = [_product(a, b) for a in axes for b in axes] if len(axes) > 1 else []
    rows += [_seen(_lyapunov_product(A, x)) for A in turns for x in (*squares, *across)]
    conditions: list[tuple[Any, int | None]] = [(row, None) for row in reduce_to_echelon(_rows(rows, 10))]
    conditions += [(clear_rounding(_seen(_product(a, a)), 1.0), i) for i, a in enumerate(axes)]
    own = [_product(a, b) for a in axes for b in (*axes, *twists)]
    whole = _Motion(
        reduce_to_echelon(_rows([*twists, *axes], 6)), reduce_to_echelon(_rows([*squares, *own], 21)), gravity
    )
    return whole, conditions


def _find_invariant_basis(rows: Float[Array, "r k"], actions: Sequence[Any]) -> Float[Array, "s k"]:
    """Return a basis of the smallest space with these rows that no action leaves."""
    found, count = reduce_to_echelon(rows), -1
    while count < len(found) < rows.shape[1]:
        count = len(found)
        found = reduce_to_echelon(np.concatenate([found, *([action(x)] for x in found for action in actions)]))
    return found


def _exact_axes(axes: Float[np.ndarray, "n 6"]) -> Float[Array, "n 6"]:
    """Return exact axes through the origin of a joint's frame: of rotations, screws and translations."""
    found = []
    for twist in axes:
        turn, slide = twist[:3], twist[3:]
        if not turn.any():
            found.append([*np.array([ZERO] * 3), *exact_direction(slide)])
            continue
        axis = exact_direction(turn)
        found.append([*axis, *(axis * exact_length(float(turn @ slide)))])
    return np.array(found, dtype=object).reshape(-1, 6)


def _inertia_transform(T: Float[Array, "4 4"]) -> list[Float[Array, "10"]]:
    """Return the ten numbers in a parent's frame by those of the child at pose T, row by row."""
    unit = [[ONE if i == j else ZERO for j in range(10)] for i in range(10)]
    columns = [SpatialInertia.of_parameters(u).moved(T).parameters for u in unit]
    return list(np.array(columns, dtype=object).T)


def _combine_rows(numbers: Float[Array, "10"], body: Sequence[Row]) -> Row:
    found: Row = {}
    for x, row in zip(numbers, body, strict=True):
        if x:
            found = _sum(found, {c: x * y for c, y in row.items()})
    return found


def _sum(a: Row, b: Row) -> Row:
    found = dict(a)
    for c, x in b.items():
        found[c] = found.get(c, ZERO) + x
    return {c: x for c, x in found.items() if x}


def _product(u: Float[Array, "6"], v: Float[Array, "6"]) -> Float[Array, "21"]:
    """Return the entries of u v' + v u'."""
    return np.array([u[i] * v[j] + u[j] * v[i] for i, j in TWISTS], dtype=object)


def _matrix(entries: Float[Array, "21"]) -> Float[Array, "6 6"]:
    B = np.zeros((6, 6), dtype=object)
    for (i, j), x in zip(TWISTS, entries, strict=True):
        B[i, j] = B[j, i] = x
    return B


def _entries(B: Float[Array, "6 6"]) -> Float[Array, "21"]:
    return np.array([B[i, j] for i, j in TWISTS], dtype=object)


def _lyapunov_product(A: Float[Array, "6 6"], entries: Float[Array, "21"]) -> Float[Array, "21"]:
    AB = A @ _matrix(entries)
    return _entries(AB + AB.T)


def _seen(entries: Float[Array, "21"]) -> Float[Array, "10"]:
    """Return tr(G B) / 2 as ten numbers, to be multiplied by the parameters of G."""
    B = _matrix(entries)
    C = B[:3, 3:]
    first = [C[2, 1] - C[1, 2], C[0, 2] - C[2, 0], C[1, 0] - C[0, 1]]
    about = [*(0.5 * B[i, i] for i in range(3)), B[0, 1], B[0, 2], B[1, 2]]
    return np.array([0.5 * (B[3, 3] + B[4, 4] + B[5, 5]), *first, *about], dtype=object)


def _rows(found: Sequence[Any], width: int) -> Float[Array, "n k"]:
    return np.array(found, dtype=object).reshape(-1, width)
