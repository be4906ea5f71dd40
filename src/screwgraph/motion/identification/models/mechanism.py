"""Mechanisms, as identification sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.dynamics import base_parameters, inverse_dynamics, regressor
from screwgraph.mechanics.dynamics.closed_chains import SPANNING
from screwgraph.mechanics.dynamics.mechanism_regressor import find_parameters
from screwgraph.mechanics.dynamics.motors import find_driving_coordinates, with_motors
from screwgraph.mechanics.mechanism import compile_mechanism
from screwgraph.mechanics.mechanism.branch_tracking import follow_branch, follow_path
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.assembled_positions import draw_assembled_positions
from screwgraph.model.mechanism.closure import characteristic_length
from screwgraph.model.mechanism.live_mechanism import check_source, with_values
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.identification.applied_torques import AppliedTorques, Contact
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.manifold_curves import Motion
from screwgraph.motion.identification.models.base import CoordinateLimits, TorqueLaw, Unknown
from screwgraph.motion.identification.recording import Columns, Rows

FORCES = ("fx", "fy", "fz")
STEPS = 60
"""By which a coordinate goes to where the mechanism is blocked."""
ALIVE = 0.9
"""Part of the way to a dead point: there dependent coordinates move infinitely fast."""
NEAR = 0.05
"""Change of a coordinate (rad, m) up to which positions are closed from those before."""


@dataclass(frozen=True, eq=False)
class IdentifiedMechanism:
    """A mechanism: torques are those of its motors, or of independent coordinates where motors are fewer, or more."""

    subject: Mechanism

    @property
    def wrench_axes(self) -> tuple[str, ...]:
        """Names of the components of a force on a point, in the directions of the ground."""
        return FORCES[: self.subject.dimension]

    @property
    def needed_columns(self) -> str:
        """What of positions, velocities or accelerations a log must have, in words."""
        return f"give those of {', '.join(self.free)}, which all others follow, or of all coordinates"

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The coordinates that others follow, along which torques are compared."""
        return find_driving_coordinates(self.subject)

    def find_place(self, name: str) -> str:
        """Return the name of a point that moves. Raises InputError where there is none."""
        mechanism = self.subject
        point = mechanism.points[mechanism.point(name)]
        if point.fixed:
            raise InputError(f"point {name!r} stands still", why="a force there does no work", fix="leave it out")
        return point.name

    def find_contact(self, name: str) -> Contact:
        """Return a contact at a point, whose force is unknown. Raises InputError."""
        return Contact(self.find_place(name), (True,) * self.subject.dimension)

    def wrench_jacobian(self, place: str) -> Callable[..., Float[np.ndarray, "N d n"]]:
        """Return which coordinates are those of a point: forces act along these."""
        mechanism = self.subject
        picked = np.eye(mechanism.n)[[int(slot) for slot in mechanism.point_slots[mechanism.point(place)]]]
        return lambda q: np.broadcast_to(picked, (len(q), *picked.shape))

    def motors(self, constants: Mapping[str, float]) -> MechanismMotors:
        """Return its motors. Raises InputError where it has none."""
        self.subject.check_motors()
        return MechanismMotors(self, constants)

    def complete(self, kind: str, given: Mapping[str, np.ndarray]) -> Rows | None:
        """Return all coordinates where as many as there are degrees of freedom were measured: others follow."""
        mechanism, count = self.subject, self.subject.dof
        chosen = self.free if all(name in given for name in self.free) else tuple(given)
        if len(chosen) != count or (kind != "q" and chosen != self.free):
            return None
        if kind != "q":
            length = len(given[chosen[0]])
            return Columns(tuple(given[name] if name in chosen else 0.0 for name in mechanism.coordinates), length)
        places = tuple(mechanism.index(name) for name in chosen)
        wanted = np.column_stack([given[name] for name in chosen])
        if not np.isfinite(wanted).all():
            return Columns(tuple(given.get(name, 0.0) for name in mechanism.coordinates), len(wanted))
        try:
            path = follow_path(mechanism, mechanism.home, places, wanted)
        except ModelError as error:
            raise InputError(
                f"mechanism {mechanism.name!r} cannot follow the positions of {', '.join(chosen)} in the log",
                why=error.what,
                fix="check their units, and where they are zero; the file says where the mechanism stands at first",
            ) from error
        path[:, list(places)] = wanted
        closed, is_closed = self.closure(places).close(path)
        if not is_closed.all():
            path[~is_closed] = follow_branch(mechanism, path[0], places, wanted)[~is_closed]
            closed = np.where(is_closed[:, None], closed, path)
        return closed

    def closure(self, free: Sequence[int]) -> ClosedChainMotion:
        """Return the motions that constraints leave, rows as long as they are where the mechanism stands at first."""
        mechanism, closing = self.subject, compile_mechanism(self.subject).closing
        kept = list(mechanism.freedom.kept)
        scale = 1.0 / np.linalg.norm(closing(mechanism.home)[1][kept], axis=1)
        return ClosedChainMotion(
            lambda q: closing(q)[1][:, kept] * scale[:, None],
            lambda q: closing(q)[0][:, kept] * scale,
            lambda q, d: q + d,
            tuple(free),
            tuple(i for i in range(mechanism.n) if i not in free),
        )

    def law(self, names: Sequence[str] | None, payload: str | None) -> TorqueLaw:
        refuse_payload(payload)
        mechanism, free = self.subject, [self.subject.index(name) for name in self.free]
        driven, values = with_motors(mechanism, self.free), dict(check_source(mechanism).values)
        base, slopes = base_parameters(driven, parameters=names), regressor(driven, parameters=names)
        whole = inverse_dynamics(driven, coordinates=SPANNING)
        unknowns, files = list[Unknown](), list[tuple[str, int | None]]()
        for name, own in find_parameters(mechanism, names).items():
            mass = values.get(f"mass:{name}", 1.0)
            moments = [file.startswith("cog_") for file, _ in own.values()]
            numbers = [values[file] * (mass if m else 1.0) for (file, _), m in zip(own.values(), moments, strict=True)]
            first = len(files)
            files += [(file, first if m else None) for (file, _), m in zip(own.values(), moments, strict=True)]
            unknowns.append(Unknown(name, tuple(own), np.array(numbers, dtype=float), sum(moments)))
        nominal = np.concatenate([unknown.nominal for unknown in unknowns])

        def spread(rows: np.ndarray) -> np.ndarray:
            found = np.zeros((len(rows), mechanism.n, *rows.shape[2:]))
            found[:, free] = rows
            return found

        def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, pi: np.ndarray) -> np.ndarray:
            Y = slopes(q, qd, qdd)
            return spread(whole(q, qd, qdd) + np.einsum("Nik,Nk->Ni", Y, pi - nominal))

        def make_identified(pi: Float[np.ndarray, " k"]) -> Mechanism:
            """A centre of mass is the first moment over the mass."""
            found = {file: float(x if m is None else x / pi[m]) for (file, m), x in zip(files, pi, strict=True)}
            return with_values(mechanism, found)

        return TorqueLaw(
            tuple(unknowns),
            base,
            free,
            lambda *motion: spread(slopes(*motion)),
            torques,
            self.closure(free),
            make_identified,
        )

    def limits(self) -> CoordinateLimits:
        """Return how far each motor moves its coordinate alone, at most a turn, a tenth away from dead points."""
        mechanism, n = self.subject, len(self.free)
        mechanism.check_motors()
        if self.free != mechanism.motors:
            raise InputError(
                f"no excitation is planned for {mechanism.name!r}",
                why=f"its motors are not as many as its {mechanism.dof} degrees of freedom, and move them not at will",
                fix="name other motors: in its file",
            )
        places = [mechanism.index(name) for name in self.free]
        ends = np.array([[self._find_end(place, way) for way in (-1.0, 1.0)] for place in places])
        names = tuple(f"motor {name!r}" for name in self.free)
        return CoordinateLimits(names, ends[:, 0], ends[:, 1], np.full(n, np.inf), np.full(n, np.inf))

    def _find_end(self, place: int, way: float) -> float:
        """Return how far a coordinate goes alone, from where the mechanism stands at first."""
        mechanism, angles = self.subject, self.subject.angle_slots
        most = np.pi if place in angles else characteristic_length(mechanism)
        q, start = mechanism.home, float(mechanism.home[place])
        for k in range(1, STEPS + 1):
            try:
                q = follow_branch(mechanism, q, (place,), np.array([[start + way * most * k / STEPS]]))[-1]
            except ModelError:
                return start + way * most * ALIVE * (k - 1) / STEPS
        return start + way * most

    def follower(self) -> Callable[..., Motion]:
        """Return what closes positions from those that it closed last, where these are as many."""
        places = [self.subject.index(name) for name in self.free]
        closure, last = self.closure(places), list[np.ndarray]()

        def follow(z: np.ndarray, zd: np.ndarray, zdd: np.ndarray) -> Motion:
            q = self._close(closure, z, last[-1]) if last and len(last[-1]) == len(z) else None
            if q is None:
                q = np.array(self.complete("q", dict(zip(self.free, z.T, strict=True))))
            last[:] = [q]
            qd, qdd = np.zeros(q.shape), np.zeros(q.shape)
            qd[:, places], qdd[:, places] = zd, zdd
            return q, *closure.complete_motion(q, qd, qdd, closure.velocities(q))

        return follow

    def _close(self, closure: ClosedChainMotion, z: np.ndarray, guess: np.ndarray) -> np.ndarray | None:
        """Return positions near others; None where they are too far for Newton's steps to stay on the branch."""
        step = z - guess[:, list(closure.free)]
        if np.abs(step).max(initial=0.0) > NEAR:
            return None
        q = guess + np.einsum("Nij,Nj->Ni", closure.velocities(guess), step)
        q, is_closed = closure.close(q)
        return q if is_closed.all() else None

    def closed_states(self, count: int) -> Float[np.ndarray, "N n"]:
        return draw_assembled_positions(self.subject, count, np.random.default_rng(0))

    def lift(self, s: Float[np.ndarray, "N n"], s1: np.ndarray, s2: np.ndarray) -> Motion:
        return s, s1, s2

    def normalise(self, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
        return q

    def difference(self) -> Callable[..., Float[np.ndarray, "N n"]]:
        return lambda start, end: end - start

    def displacement(self, free: Sequence[int]) -> Callable[..., Motion]:
        return lambda q, qd, qdd, d, d1, d2: (q + d, qd + d1, qdd + d2)

    def rates(self) -> list[tuple[str, int, int]]:
        return [(name, i, i) for i, name in enumerate(self.subject.coordinates)]

    def frictions(self, row: str) -> Mapping[str, str]:
        """Return the damper of an angle, else another of the file; where there is none, one called as the angle."""
        mechanism = self.subject
        own = [d.name for d in mechanism.dampers if d.angle is not None and mechanism.angles[d.angle].name == row]
        own = own or [d.name for d in mechanism.dampers]
        return {kind: f"{kind}:{own[0] if own else row}" for kind in ("damping", "friction")}


@dataclass(frozen=True, eq=False)
class MechanismMotors:
    """Motors along coordinates, and their constants."""

    model: IdentifiedMechanism
    constants: Mapping[str, float]
    are_actuators: bool = False

    @property
    def names(self) -> Mapping[str, list[str]]:
        motors = list(self.model.subject.motors)
        return {"tau": motors, "u": [], "i": motors}

    @property
    def scale(self) -> Float[np.ndarray, " m"]:
        motors = self.model.subject.motors
        for name in self.constants:
            if name not in motors:
                raise make_unknown_name_error("motor", name, motors)
        return np.array([self.constants.get(name, np.nan) for name in motors])

    @property
    def needed(self) -> Bool[np.ndarray, " m"]:
        return np.ones(len(self.model.subject.motors), dtype=bool)

    def is_idle(self, name: str) -> bool:
        return False

    def spread(self, array: Float[np.ndarray, "N n"]) -> None:
        """Return nothing: a log has all motors."""

    def acting(self, by_actuators: bool, wrenches: Iterable[str]) -> AppliedTorques:
        mechanism = self.model.subject
        return AppliedTorques(
            lambda q, effort: mechanism.motor_forces(effort),
            {name: self.model.wrench_jacobian(name) for name in wrenches},
        )
