"""Which joints of a closed chain drive it: chosen by the file, by the user, or here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.base.summary import one_line
from screwgraph.model.robot.closed_chain_checks import parse_independent_name
from screwgraph.model.robot.closure.closing_newton import characteristic_length
from screwgraph.model.robot.closure.constraints import constraint_jacobian, constraint_residual
from screwgraph.model.robot.closure.mobility import symmetric_states
from screwgraph.model.robot.robot import Robot, make_unknown_name_error
from screwgraph.spatial import has_independent_rows

SINGULAR = 1e-7
FREE = 6
"""Velocities of a joint that lets its child move freely."""
CLOSED = 1e-9
"""Loop-closure error, relative to the robot's size, up to which the neutral position is a closed one."""
CLEAR = ((0.1, 1e-2), (0.1, SINGULAR), (1e-3, SINGULAR), (1e-6, SINGULAR))
"""Which share of a column of K must be new to make its coordinate dependent: at a typical position, and at every one.

Pairs are tried in turn.
"""


def find_independent_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the independent joints, `name[i]` for single coordinates; see `Robot.independent_joints`."""
    if not robot.is_closed:
        return robot.joint_names
    if robot.independent is None:
        report_progress(f"choosing independent joints of {robot.name}")
        return _names(robot, _chosen(robot))
    _check(robot, robot.independent)
    return robot.independent


def independent_coordinates(robot: Robot) -> list[int]:
    """Return the independent velocity coordinates, in order. Raises InputError as `Robot.independent_joints` does."""
    return find_coordinates(robot, robot.independent_joints)


@check_arguments
def with_independent(robot: Robot, names: Iterable[str] | None) -> Robot:
    """Choose the independent joints; see `Robot.with_independent_joints`."""
    if names is None:
        return replace(robot, independent=None)
    chosen = (names,) if isinstance(names, str) else tuple(names)
    coordinates = find_coordinates(robot, chosen)
    result = replace(robot, independent=_names(robot, coordinates))
    _check(result, result.independent or ())
    return result


def find_coordinates(robot: Robot, names: Iterable[str]) -> list[int]:
    """Return the velocity coordinates of joints, or of single coordinates `name[i]`. Raises InputError."""
    found: set[int] = set()
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str):
            raise make_unknown_name_error("joint", name, robot.joint_names)
        joint, number = parse_independent_name(name, robot.v_slices)
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
        joint, number = parse_independent_name(name, robot.v_slices)
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
    freedom, independent = robot.mobility.freedom, find_coordinates(robot, names)
    listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    fix = "with_independent_joints(None) chooses by itself"
    if len(independent) != freedom:
        raise InputError(
            f"the independent joints {listed or '(none)'} have {len(independent)} of the robot's {freedom} "
            f"degrees of freedom",
            fix=fix,
        )
    dependent = np.setdiff1d(np.arange(robot.nv), independent)
    if not any(has_independent_rows(K[:, dependent], SINGULAR) for K in compute_regular_jacobians(robot).every):
        raise InputError(f"the joints {listed} do not determine the motion of the others", fix=fix)


def _chosen(robot: Robot) -> list[int]:
    """Find dependent coordinates one by one, those first that are the least wanted as independent ones.

    A floating base is independent as a whole, if it can be: where its feet are held, each leg follows it by its own
    Jacobian, while of joints of legs that stand alike some do not tell how it moves.
    """
    rank, jacobians, order = robot.mobility.rank, compute_regular_jacobians(robot), _least_wanted_first(robot)
    base = robot.v_slices[robot.joints[0].name] if robot.joints[0].type.nv == FREE else slice(0, 0)
    others = [i for i in order if not base.start <= i < base.stop]
    bent = jacobians.where_regular(others)  # a stretched leg does not tell where the base is
    dependent = set[int]()
    if base.stop and not all(has_independent_rows(K[:, others], SINGULAR) for K in _neutral_jacobians(robot)):
        dependent = _whole_joints(robot, jacobians.every) or find_determined_columns(jacobians, order, rank)
    if not dependent and 2 * len(bent.every) >= len(jacobians.every):
        dependent = find_determined_columns(bent, others, rank)
    dependent = dependent or find_determined_columns(jacobians, order, rank)
    dependent = dependent or _determined_at_most(jacobians, order, rank)
    return [i for i in range(robot.nv) if i not in dependent]


def advise_independent_joints(robot: Robot, q: Float[np.ndarray, " nq"]) -> str:
    """Return advice where the independent joints do not determine the others at a closed position: which ones do."""
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    dependent = _whole_joints(robot, (K,)) or find_determined_columns(
        SampledJacobians((K,), ()), _least_wanted_first(robot), robot.mobility.rank
    )
    names = _names(robot, [i for i in range(robot.nv) if i not in dependent])
    return f"take robot.with_independent_joints({list(names)})"


def _neutral_jacobians(robot: Robot) -> list[Float[np.ndarray, "rank nv"]]:
    """Return the independent rows of K at the robot's neutral position, where loops close there and it is regular."""
    q = robot.neutral()
    if np.abs(constraint_residual(robot, q)).max(initial=0.0) > CLOSED * characteristic_length(robot):
        return []
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    return [K] if has_independent_rows(K, SINGULAR) else []


def _whole_joints(robot: Robot, jacobians: Sequence[Float[np.ndarray, "rank nv"]]) -> set[int]:
    """Return the coordinates of whole joints that rows of K determine at all positions; none where none do.

    Joints are taken in order while their columns bring something new, once with a joint of many coordinates before the
    others, once after them.
    """
    owners = [joint for joint in robot.joints for _ in range(joint.type.nv)]
    order = list(dict.fromkeys(owners[column].name for column in _least_wanted_first(robot)))
    for is_first in (False, True):
        accepted: list[int] = []
        for name in sorted(order, key=lambda name: (robot.joint(name).type.nv == FREE) != is_first):
            place = robot.v_slices[name]
            columns = [*accepted, *range(place.start, place.stop)]
            if len(columns) <= robot.mobility.rank and all(_is_new(K[:, columns]) for K in jacobians):
                accepted = columns
        if len(accepted) == robot.mobility.rank:
            return set(accepted)
    return set()


def _is_new(columns: Float[np.ndarray, "rank n"]) -> bool:
    return has_independent_rows(columns.T, SINGULAR)


def _determined_at_most(jacobians: SampledJacobians, order: Sequence[int], wanted: int) -> set[int]:
    """Return so many columns that rows of K determine at as many positions as any choice does that one of them makes.

    Linkages of equal sides have branches on which different joints move: a folded rhombus turns about either of its
    pins, and no joint moves on all of its branches. Where the chosen ones do not, other orders answer.
    """
    choices = [find_determined_columns(SampledJacobians((K,), ()), order, wanted) for K in jacobians.every]
    counts = [len(jacobians.where_regular(sorted(columns)).every) if columns else 0 for columns in choices]
    return choices[int(np.argmax(counts))]


@dataclass(frozen=True, eq=False)
class SampledJacobians:
    """Independent rows of K at closed positions: typical ones, and symmetric ones."""

    __repr__ = one_line

    typical: tuple[Float[np.ndarray, "rank nv"], ...]
    symmetric: tuple[Float[np.ndarray, "rank nv"], ...]

    @property
    def every(self) -> tuple[Float[np.ndarray, "rank nv"], ...]:
        """All of them."""
        return (*self.typical, *self.symmetric)

    def where_regular(self, columns: Sequence[int] | np.ndarray) -> SampledJacobians:
        """Return those whose rows are independent in some columns."""
        kinds = (self.typical, self.symmetric)
        return SampledJacobians(
            *(tuple(K for K in kind if has_independent_rows(K[:, columns], SINGULAR)) for kind in kinds)
        )

    def of_rows(self, rows: Sequence[int]) -> SampledJacobians:
        """Return some rows of each."""
        return SampledJacobians(tuple(K[rows] for K in self.typical), tuple(K[rows] for K in self.symmetric))


def find_determined_columns(jacobians: SampledJacobians, order: Sequence[int], wanted: int) -> set[int]:
    """Return so many columns that rows of K determine at all positions, the first of an order; none where none do."""
    for typical, least in CLEAR if jacobians.typical else ():
        dependent = _independent_columns(jacobians, order, wanted, typical, least)
        if len(dependent) == wanted:
            return dependent
    return set()


def compute_regular_jacobians(robot: Robot) -> SampledJacobians:
    """Return the independent rows of K at the regular ones of the closed positions that mobility met, and symmetric."""
    kept, every = list(robot.mobility.kept), list(range(robot.nv))
    at = (robot.mobility.states, symmetric_states(robot))
    met = SampledJacobians(*(tuple(constraint_jacobian(robot, q)[kept] for q in states) for states in at))
    regular = met.where_regular(every)
    return regular if regular.typical else met


def compute_followed_jacobians(robot: Robot) -> SampledJacobians:
    """Return those of `compute_regular_jacobians` at which independent joints determine the motion of the others."""
    found = compute_regular_jacobians(robot)
    followed = found.where_regular(np.setdiff1d(np.arange(robot.nv), independent_coordinates(robot)))
    return followed if followed.typical else found


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
    jacobians: SampledJacobians, order: Sequence[int], wanted: int, typical: float, least: float
) -> set[int]:
    """Accept columns in order while each brings something new, so much at the typical state, so much at every one."""
    bases: list[list[Float[np.ndarray, " rank"]]] = [[] for _ in jacobians.every]
    accepted: set[int] = set()
    for column in order:
        rests = [_rest(K[:, column], basis) for K, basis in zip(jacobians.every, bases, strict=True)]
        shares = [share for share, _ in rests]
        if len(accepted) < wanted and np.median(shares[: len(jacobians.typical)]) > typical and min(shares) > least:
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
