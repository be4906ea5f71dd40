"""Which joints of a closed chain drive it: chosen by the file, by the user, or here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.robot.closed import split_name
from screwgraph.robot.closure.constraints import constraint_jacobian
from screwgraph.robot.robot import Robot, unknown

CLEAR = (0.1, 1e-3, 1e-6)
"""Which share of a column of K must be new, at a typical position, to make its coordinate dependent: tried in turn."""
SINGULAR = 1e-7


def independent_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the independent joints, `name[i]` for single coordinates; see `Robot.independent_joints`."""
    if not robot.is_closed:
        return robot.joint_names if robot.independent is None else robot.independent
    if robot.independent is None:
        return _names(robot, _chosen(robot))
    _check(robot, robot.independent)
    return robot.independent


def independent_coordinates(robot: Robot) -> list[int]:
    """Return the independent velocity coordinates, in order. Raises InputError as `Robot.independent_joints` does."""
    return coordinates_of(robot, robot.independent_joints)


def with_independent(robot: Robot, names: Iterable[str] | None) -> Robot:
    """Choose the independent joints; see `Robot.with_independent_joints`."""
    if names is None:
        return replace(robot, independent=None)
    chosen = (names,) if isinstance(names, str) else tuple(names)
    coordinates = coordinates_of(robot, chosen)
    result = replace(robot, independent=_names(robot, coordinates))
    _check(result, result.independent or ())
    return result


def coordinates_of(robot: Robot, names: Iterable[str]) -> list[int]:
    """Return the velocity coordinates of joints, or of single coordinates `name[i]`. Raises InputError."""
    found: set[int] = set()
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str):
            raise unknown("joint", name, robot.joint_names)
        joint, number = split_name(name, robot.v_slices)
        place = robot.v_slices[robot.joint(joint).name]
        coordinates = range(place.start, place.stop)
        if number is not None and number >= len(coordinates):
            raise InputError(f"joint {joint!r} has no coordinate {number}", fix=f"it has {len(coordinates)}, from 0")
        found.update(coordinates if number is None else coordinates[number : number + 1])
    return sorted(found)


def position_slices(robot: Robot) -> list[range]:
    """Return, for each of `independent_joints`, its places in q; none for one coordinate of a ball joint."""
    places = []
    for name in robot.independent_joints:
        joint, number = split_name(name, robot.v_slices)
        place = robot.q_slices[joint]
        whole = range(place.start, place.stop)
        single = robot.joint(joint).type.nq == robot.joint(joint).type.nv
        places.append(whole if number is None else whole[number : number + 1] if single else range(0))
    return places


def _names(robot: Robot, coordinates: Iterable[int]) -> tuple[str, ...]:
    chosen, names = set(coordinates), []
    for joint in robot.joints:
        place = robot.v_slices[joint.name]
        own = [i for i in range(place.start, place.stop) if i in chosen]
        whole = len(own) == joint.type.nv
        names += [joint.name] if whole and own else [f"{joint.name}[{i - place.start}]" for i in own]
    return tuple(names)


def _check(robot: Robot, names: tuple[str, ...]) -> None:
    freedom, independent = robot.mobility.freedom, coordinates_of(robot, names)
    listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    fix = "with_independent_joints(None) chooses by itself"
    if len(independent) != freedom:
        raise InputError(
            f"the independent joints {listed or '(none)'} have {len(independent)} coordinates, and the robot has "
            f"{freedom} degrees of freedom",
            fix=fix,
        )
    dependent = np.setdiff1d(np.arange(robot.nv), independent)
    if all(_is_singular(K[:, dependent]) for K in regular_jacobians(robot)):
        raise InputError(f"the joints {listed} do not determine the motion of the others", fix=fix)


def _chosen(robot: Robot) -> list[int]:
    """Find dependent coordinates one by one, those first that are the least wanted as independent ones."""
    rank = robot.mobility.rank
    dependent = determined(regular_jacobians(robot), _least_wanted_first(robot), rank)
    if len(dependent) == rank:
        return [i for i in range(robot.nv) if i not in dependent]
    raise InputError(
        "no choice of independent joints determines the motion of the others at all positions met",
        fix="choose them with robot.with_independent_joints(names)",
    )


def determined(jacobians: Sequence[Float[np.ndarray, "rank nv"]], order: Sequence[int], wanted: int) -> set[int]:
    """Return so many columns that rows of K determine at all positions, the first of an order; none where none do."""
    for clear in CLEAR:
        dependent = _independent_columns(jacobians, order, wanted, clear)
        if len(dependent) == wanted:
            return dependent
    return set()


def regular_jacobians(robot: Robot) -> list[Float[np.ndarray, "rank nv"]]:
    """Return the independent rows of K at the regular ones of the closed positions that mobility met."""
    found, kept = robot.mobility, list(robot.mobility.kept)
    jacobians = [constraint_jacobian(robot, q)[kept] for q in found.states]
    regular = [K for K in jacobians if not _is_singular(K)]
    return regular or jacobians


def _least_wanted_first(robot: Robot) -> list[int]:
    """Followers of couplings, joints without effort limits, joints of many coordinates, later ones before earlier."""
    followers = {coupling.joints[0] for coupling in robot.couplings}
    wish = []
    for index, joint in enumerate(robot.joints):
        place = robot.v_slices[joint.name]
        key = (joint.name not in followers, bool(joint.limits.effort), joint.type.nv == 1, index)
        wish += [(key, coordinate) for coordinate in range(place.start, place.stop)]
    return [coordinate for _, coordinate in sorted(wish, key=lambda pair: (*pair[0][:3], -pair[0][3], pair[1]))]


def _independent_columns(
    jacobians: Sequence[Float[np.ndarray, "rank nv"]], order: Sequence[int], wanted: int, clear: float
) -> set[int]:
    """Accept columns in order while each brings something new, clearly so at the typical state, at all at every one."""
    bases: list[list[Float[np.ndarray, " rank"]]] = [[] for _ in jacobians]
    accepted: set[int] = set()
    for column in order:
        rests = [_rest(K[:, column], basis) for K, basis in zip(jacobians, bases, strict=True)]
        shares = [share for share, _ in rests]
        if len(accepted) < wanted and np.median(shares) > clear and min(shares) > SINGULAR:
            accepted.add(column)
            for basis, (_, direction) in zip(bases, rests, strict=True):
                basis.append(direction)
    return accepted


def _rest(
    column: Float[np.ndarray, " rank"], basis: list[Float[np.ndarray, " rank"]]
) -> tuple[float, Float[np.ndarray, " rank"]]:
    """Return which share of a column is orthogonal to a basis, and the direction of that part."""
    whole = float(np.linalg.norm(column))
    if whole < 1e-12:
        return 0.0, column
    rest = column / whole
    for _ in range(2):  # twice is enough for full precision
        for direction in basis:
            rest = rest - (direction @ rest) * direction
    share = float(np.linalg.norm(rest))
    return share, rest / max(share, 1e-300)


def _is_singular(K: Float[np.ndarray, "rank columns"]) -> bool:
    s = np.linalg.svd(K, compute_uv=False)
    return bool(s.size < K.shape[0] or s.min(initial=np.inf) < SINGULAR * s.max(initial=0.0))
