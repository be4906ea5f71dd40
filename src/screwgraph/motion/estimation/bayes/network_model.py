"""What networks ask of a model, robot or mechanism: names of its quantities, their manifolds, its laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import forward_dynamics
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.initial_guess import UNKNOWNS
from screwgraph.motion.estimation.robots.motion_graph import get_mechanics
from screwgraph.motion.planning.factors.loop_closure import Closure
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import Drive, find_joint, find_model_kind
from screwgraph.motion.planning.vector_code import compile_on_arrays
from screwgraph.spatial.manifolds import Manifold, Vector, product

MASSLESS = 1e-12
"""Inertia, relative to the largest, below which a coordinate has none."""


class Part(NamedTuple):
    """A coordinate, or coordinates of a joint that only have a meaning together.

    `columns` are its places among values, `rows` among changes of these.
    """

    label: str
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    manifold: Manifold


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A model as networks see it; `sensors` observe it."""

    __repr__ = one_line

    mechanics: Mechanics
    sensors: tuple[Sensor, ...] = ()

    @classmethod
    def from_model(cls, model: Any, sensors: Sequence[Any] | None = None) -> NetworkModel:
        """Return a model with sensors, by default those of its file. Raises InputError where it is none."""
        kind = find_model_kind(model)
        mechanics = get_mechanics(kind.model(kind.as_robot(model)))
        if sensors is None:
            return cls(mechanics, tuple(getattr(model, "sensors", ())))
        return cls(mechanics, UNKNOWNS[model.kind].from_model(model, ()).sensors(sensors, None))

    @property
    def robot(self) -> Any:
        """The model in the terms of robots."""
        return self.mechanics.robot

    @property
    def model(self) -> Model:
        """The model that was given."""
        return find_model_kind(self.robot).model(self.robot)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.robot.nv

    @property
    def positions(self) -> Manifold:
        """The manifold of q."""
        return self.mechanics.positions

    @cached_property
    def rank(self) -> int:
        """Number of constraints that count."""
        return self.robot.mobility.rank if self.robot.is_closed else 0

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return self.nv - self.rank

    @cached_property
    def drive(self) -> Drive:
        """What drives the model: motors, actuators, or joints but floating ones."""
        return self.mechanics.drive(None)

    @cached_property
    def turns(self) -> tuple[bool, ...]:
        """Whether each velocity is an angle's."""
        return tuple(find_model_kind(self.robot).turns(self.robot))

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Velocities of the independent coordinates."""
        return tuple(c for name in self.robot.independent_joints for c in self.mechanics.coordinates(name))

    @cached_property
    def parts(self) -> dict[str, tuple[Part, ...]]:
        """The parts of each kind of quantity that has some at every step. Raises InputError of independent ones."""
        rates = _list_scalars(self.mechanics.labels)
        found = {"q": self._positions, "qd": rates, "qdd": rates, "Q": _list_scalars(self.drive.labels)}
        found |= {"zd": _list_scalars([rates[i].label for i in self.independent])} if self.independent else {}
        found |= {"zdd": found["zd"], "z": self._independent_positions} if self.independent else {}
        return {**found, "lambda": _list_scalars(self._multipliers)}

    @cached_property
    def z_columns(self) -> tuple[int, ...]:
        """Places of the independent positions in q."""
        return tuple(i for part in self._chosen_positions for i in part.columns)

    def manifold(self, kind: str) -> Manifold:
        """Return the manifold of a kind's values."""
        if kind == "q":
            return self.positions
        parts = self.parts[kind]
        return product([part.manifold for part in parts]) if kind == "z" else Vector(len(parts))

    def size(self, kind: str) -> int:
        """Return how many numbers a kind has."""
        return sum(len(part.columns) for part in self.parts[kind])

    def select_parts(self, kind: str, name: str) -> tuple[Part, ...]:
        """Return the parts that a name means: one, or all of a joint. Raises InputError where there are none."""
        parts = self.parts[kind]
        of_joint = [part for part in parts if find_joint(self.robot, part.label) == name]
        found = [part for part in parts if part.label == name] or of_joint
        if not found:
            what = "motor" if kind == "Q" else "multiplier" if kind == "lambda" else "coordinate"
            joint = find_joint(self.robot, name)
            if any(part.label == joint for part in parts):
                raise InputError(f"{kind}:{name} is no quantity of its own", fix=f"name all of {kind}:{joint}")
            raise make_unknown_name_error(what, name, [part.label for part in parts])
        return tuple(found)

    def find_part(self, kind: str, row: int) -> Part:
        """Return the part of a direction in which a kind's values change."""
        return next(part for part in self.parts[kind] if row in part.rows)

    def mark_rows(self, kind: str, known: Bool[np.ndarray, "steps columns"]) -> Bool[np.ndarray, "steps rows"]:
        """Return which directions are known where values are."""
        found = np.zeros((len(known), sum(len(part.rows) for part in self.parts[kind])), dtype=bool)
        for part in self.parts[kind]:
            found[:, list(part.rows)] = known[:, list(part.columns)].all(axis=1, keepdims=True)
        return found

    def unit(self, row: int, quantity: str = "position") -> str:
        """Return the unit of a velocity coordinate's quantity."""
        return self.mechanics.units(quantity)[row]

    def reading(self, sensor: Sensor) -> Any:
        """Return a sensor's template."""
        return self._unknowns.reading(sensor)

    def find_read_column(self, sensor: Sensor) -> int | None:
        """Return the place in q of the coordinate that a sensor reads as it is; None where it reads something else."""
        if sensor.form.of != ("q",) or len(sensor.columns) > 1:
            return None
        q, template = np.asarray(self.robot.neutral(), dtype=float), self.reading(sensor)
        first = np.asarray(template(q, measured=np.zeros(1)), dtype=float).ravel()
        moved = [template(q + unit, measured=np.zeros(1)) for unit in np.eye(len(q))]
        slopes = np.array([np.asarray(x, dtype=float).ravel() - first for x in moved])
        places = np.flatnonzero(~np.isclose(slopes[:, 0], 0.0))
        if len(first) != 1 or len(places) != 1:
            return None
        is_itself = bool(np.isclose(slopes[places[0], 0], 1.0) and np.isclose(first[0], q[places[0]]))
        return int(places[0]) if is_itself else None

    @cached_property
    def acceleration(self) -> EffortAcceleration:
        """Accelerations that efforts cause."""
        return EffortAcceleration(self.mechanics)

    @cached_property
    def closure(self) -> Any:
        """Closure errors and their first two derivatives, (q, qd, qdd) -> (3 rank,), of arrays."""
        return compile_on_arrays(Closure(self.mechanics), (self.robot.nq, self.nv, self.nv), 3 * self.rank)

    @cached_property
    def reach(self) -> Float[np.ndarray, " nv"]:
        """How far coordinates may go: half a turn, or the largest length among coordinates (m)."""
        q = self.robot.neutral()
        scalars = [part for part in self.parts["q"] if len(part.columns) == 1]
        lengths = [abs(float(q[p.columns[0]])) for p in scalars if not self.turns[p.rows[0]]]
        return np.where(self.turns, np.pi, max([*lengths, 0.0]) or 1.0)

    @cached_property
    def inertias(self) -> Float[np.ndarray, " nv"]:
        """Inertia along each coordinate where the model stands; of those without mass that of others."""
        own = np.abs(np.diag(self.mass(self.robot.neutral())))
        has_mass = own > MASSLESS * own.max()
        return np.where(has_mass, own, np.median(own[has_mass]) if has_mass.any() else 1.0)

    def mass(self, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "nv nv"]:
        """Return the mass matrix without constraints."""
        return self.equations(q, np.zeros(self.nv))[0]

    def equations(
        self, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, "nv nv"], Float[np.ndarray, "nv rank"], Float[np.ndarray, " nv"]]:
        """Return M, C and b of the equations of motion M qdd + C lambda + b = B u."""
        n, m = self.nv, self.rank
        units = np.zeros((1 + n + m, n + m))
        units[1:] = np.eye(n + m)
        given = [np.broadcast_to(q, (len(units), len(q))), np.broadcast_to(qd, (len(units), n)), units[:, :n]]
        forces = self.mechanics.efforts()(*given, *([units[:, n:]] if m else []))
        slopes = (forces[1:] - forces[0]).T
        return slopes[:, :n], slopes[:, n:], forces[0]

    def effort_forces(self, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "nv m"]:
        """Return B, the forces along coordinates of unit efforts, without those of no effort (springs of muscles)."""
        units, none = np.eye(len(self.drive.labels)), np.zeros(self.nv)
        rest = self.resting_forces(none, q)
        columns = [rest - self.drive.remaining_forces(none.copy(), q, unit) for unit in units]
        return np.stack(columns, axis=1) if columns else np.zeros((self.nv, 0))

    def resting_forces(self, forces: Float[np.ndarray, " nv"], q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nv"]:
        """Return forces along coordinates less those that actuators cause without effort."""
        return self.drive.remaining_forces(forces.copy(), q, np.zeros(len(self.drive.labels)))

    def closing(self, q: Float[np.ndarray, " nq"]) -> tuple[Float[np.ndarray, " rank"], Float[np.ndarray, "rank nv"]]:
        """Return closure errors and their derivatives by velocities."""
        n, m = self.nv, self.rank
        if not m:
            return np.zeros(0), np.zeros((0, n))
        rows = self.closure(np.broadcast_to(q, (n, len(q))), np.eye(n), np.zeros((n, n)))
        return rows[0, :m], rows[:, m : 2 * m].T

    def is_assembled(self, q: Float[np.ndarray, " nq"]) -> bool:
        """Return whether a closed position is one that the model's parts can take."""
        return find_model_kind(self.robot).is_assembled(self.robot, q)

    def is_free(self, known: Float[np.ndarray, " nq"]) -> bool:
        """Return whether no constraint, and nothing known, holds a position."""
        return not self.rank and bool(np.isnan(known).all())

    def drift(self, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> Float[np.ndarray, " rank"]:
        """Return the second derivatives of closure errors where nothing accelerates."""
        return self.closure(q, qd, np.zeros(self.nv))[2 * self.rank :] if self.rank else np.zeros(0)

    @cached_property
    def _unknowns(self) -> Any:
        return UNKNOWNS[self.model.kind].from_model(self.model, ())

    @cached_property
    def _positions(self) -> tuple[Part, ...]:
        found, robot = [], self.robot
        for joint in robot.joints:
            columns, rows = (range(*s[joint.name].indices(robot.nq)) for s in (robot.q_slices, robot.v_slices))
            if not len(rows):
                continue
            if len(columns) == len(rows):
                pairs = zip(columns, rows, strict=True)
                found += [Part(self.mechanics.labels[r], (c,), (r,), Vector(1)) for c, r in pairs]
            else:
                found.append(Part(joint.name, tuple(columns), tuple(rows), joint.type.manifold))
        return tuple(found)

    @cached_property
    def _chosen_positions(self) -> tuple[Part, ...]:
        parts = tuple(part for part in self._positions if set(part.rows) & set(self.independent))
        for part in parts:
            if not set(part.rows) <= set(self.independent):
                raise InputError(
                    f"joint {part.label!r} has no independent coordinate of its own",
                    why="it is independent in a part only",
                    fix='take coordinates="spanning", or independent joints with all their coordinates',
                )
        return parts

    @property
    def _independent_positions(self) -> tuple[Part, ...]:
        found, c, r = [], 0, 0
        for part in self._chosen_positions:
            columns, rows = (tuple(range(i, i + len(x))) for i, x in ((c, part.columns), (r, part.rows)))
            found.append(Part(part.label, columns, rows, part.manifold))
            c, r = c + len(columns), r + len(rows)
        return tuple(found)

    @property
    def _multipliers(self) -> list[str]:
        """Names of multipliers: of the constraints that count, with numbers where several are alike."""
        if not self.rank:
            return []
        names = find_model_kind(self.robot).constraint_names(self.robot)
        return [name if names.count(name) == 1 else f"{name}[{names[:i].count(name)}]" for i, name in enumerate(names)]


@dataclass(frozen=True)
class EffortAcceleration:
    """Accelerations as a function of q, qd and efforts."""

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, force: Any) -> Any:
        """Return qdd (nv,) of efforts `force` (m,)."""
        drive, model = self.mechanics.drive(None), find_model_kind(self.mechanics.robot).model(self.mechanics.robot)
        if None in drive.slots:
            return self._function(True)(q, qd, force)
        tau = np.zeros(model.effort_limits.shape, dtype=object)
        if len(drive.slots):
            tau[np.array(drive.slots)] = force
        return self._function(False)(q, qd, *([tau] if len(tau) else []))

    def _function(self, has_actuators: bool) -> Any:
        model: Any = find_model_kind(self.mechanics.robot).model(self.mechanics.robot)

        def make() -> Any:
            return forward_dynamics(model, actuators=has_actuators)

        return self.mechanics.get_or_make(("accelerations", has_actuators), make)


def _list_scalars(labels: Sequence[str]) -> tuple[Part, ...]:
    return tuple(Part(label, (i,), (i,), Vector(1)) for i, label in enumerate(labels))
