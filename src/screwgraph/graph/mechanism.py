"""From a mechanism to the factor graph of its dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import constraint_acceleration, force_balance
from screwgraph.graph.live_parameters import MANY, make_symbolic, with_live_mechanism
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.graph.variable_kinds import Role
from screwgraph.model.mechanism import (
    ConstraintRows,
    ForceBalance,
    Mechanism,
    find_assembled_states,
    find_slots,
    live_mechanism,
    make_balances,
    select_constraints,
    without_metadata,
)
from screwgraph.tape import WIDE


@dataclass(frozen=True)
class AssembledCoordinate:
    """Values of one coordinate of a mechanism at assembled positions."""

    mechanism: Mechanism
    slot: int

    @property
    def states(self) -> Float[np.ndarray, "states 1"]:
        """Values at assembled positions, the same positions for all coordinates."""
        return find_assembled_states(self.mechanism, WIDE)[:, [self.slot]]

    @property
    def many(self) -> Float[np.ndarray, "states 1"]:
        """Values at more positions."""
        return find_assembled_states(self.mechanism, MANY)[:, [self.slot]]


@dataclass(frozen=True, eq=False)
class MechanismParts:
    """Parts of a mechanism's graphs: its constraints that count, and the balance of each coordinate.

    Raises:
        InputError: some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """

    mechanism: Mechanism
    weights: tuple[float, ...] | None = None

    @cached_property
    def constraints(self) -> tuple[ConstraintRows, ...]:
        """The constraints that count, with `weights` by row, if other ones than points without mass need."""
        return select_constraints(self.mechanism, self.weights)

    @cached_property
    def balances(self) -> tuple[ForceBalance, ...]:
        """The balance of forces of each coordinate."""
        return make_balances(self.mechanism, self.constraints)

    @cached_property
    def multipliers(self) -> Mapping[ConstraintRows, Key]:
        """Names of multipliers: the part that a constraint stems from, numbered from the second one of a part on."""
        count: dict[str, int] = {}
        keys = {}
        for rows in self.constraints:
            part = rows.constraint.part.replace("'", "")
            count[part] = count.get(part, 0) + 1
            keys[rows] = Key("lambda", part if count[part] == 1 else f"{part} #{count[part]}")
        return keys

    def variables(self, kind: str) -> list[Variable]:
        """Return one variable a coordinate; positions know assembled ones."""
        names = self.mechanism.coordinates
        if kind != "q":
            return [vector_variable(kind, name, 1, i + 1, None) for i, name in enumerate(names)]
        bare = without_metadata(self.mechanism.nominal)
        known = [AssembledCoordinate(bare, i) for i in range(len(names))]
        return [Variable(Key("q", name), 1, i + 1, assembled=known[i]) for i, name in enumerate(names)]

    def multiplier_variables(self, prefix: str = "") -> list[Variable]:
        """Return the multipliers of all constraints, `prefix` before their names."""
        listed = enumerate(self.constraints, 1)
        return [
            vector_variable("lambda", prefix + self.multipliers[rows].name, len(rows.kept), i, None)
            for i, rows in listed
        ]

    def keys(self, kind: str, slots: Sequence[int]) -> tuple[Key, ...]:
        """Return the variables of some coordinates."""
        return tuple(Key(kind, self.mechanism.coordinates[i]) for i in slots)

    def acting(self, balance: ForceBalance, prefix: str = "") -> tuple[Key, ...]:
        """Return the multipliers of the constraints in a balance."""
        return tuple(Key("lambda", prefix + self.multipliers[rows].name) for rows in balance.constraints)

    def find_defined(self, rows: ConstraintRows, kind: str) -> tuple[list[int], dict[str, Argument]]:
        """Return the coordinates of a constraint but for the angle that it defines, and that as an argument."""
        angle = rows.constraint.defines
        others = [i for i in rows.coordinates if i != angle]
        return others, {} if angle is None else {"defined": self.keys(kind, [angle])[0]}


def mechanism_graph(
    mechanism: Mechanism, external_forces: Sequence[str] = (), parameters: Sequence[str] = ()
) -> FactorGraph:
    """Make all variables and factors of a mechanism's dynamics.

    Variables: `q`, `qd`, `qdd`, one number a coordinate, named as in `mechanism.coordinates`; `tau` of each motor,
    named by its angle (N m); `lambda` of each constraint (N/m, N; those of gears N m), a number for each of its rows
    that do not follow from others: -Phi_q' lambda are the forces of the constraint on the coordinates; `force` (N, N m)
    on each coordinate in `external_forces`, names of points, angles or coordinates; `parameter` (SI units) of each in
    `parameters`, named as in the file, values by key and part: "mass:coupler".

    Raises:
        InputError: a name means nothing or is named twice; some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """
    if parameters:
        mechanism = make_symbolic(live_mechanism(mechanism, tuple(parameters)))
    parts = MechanismParts(mechanism)
    graph = _make_balance_graph(parts, external_forces)
    graph = graph.with_factors(*(_acceleration(parts, rows, i) for i, rows in enumerate(parts.constraints, 1)))
    return with_live_mechanism(graph, mechanism) if parameters else graph


def refuse_payload(payload: str | None) -> None:
    """Raise InputError where a mechanism is to carry a payload."""
    if payload is not None:
        raise InputError(
            "a mechanism carries no payload",
            why="its graph has coordinates of points, and no frames",
            fix='add a body to its file, and name its mass: parameters=["mass:body"]',
        )


def _dynamics_graph(
    mechanism: Mechanism,
    external_wrenches: Sequence[str] = (),
    *,
    parameters: Sequence[str] = (),
    payload: str | None = None,
    poses: Sequence[str] = (),
) -> FactorGraph:
    """Return a mechanism's graph for the arguments of robots. Raises InputError for what only these have."""
    if poses:
        raise InputError(
            "a mechanism's graph has no poses", why="positions of its points are coordinates", fix="leave out poses="
        )
    refuse_payload(payload)
    return mechanism_graph(mechanism, external_wrenches, parameters)


ANSWERS = {"mechanism": {"dynamics_graph": _dynamics_graph}}
"""Graphs of kinds of models but robots, by kind and query."""


def with_right_hand_sides(mechanism: Mechanism, parameters: Sequence[str] = ()) -> FactorGraph:
    """Return the graph of a mechanism without motors in which each equation has a right-hand side, meant to be given.

    `force` acts on each coordinate, and `drift` (m^2/s^2, rad/s^2) is the second time derivative of each constraint.
    Raises as `mechanism_graph`.
    """
    passive = replace(mechanism, motors=())
    graph, factors = mechanism_graph(passive, passive.coordinates, parameters), []
    drifts = [Variable(Key("drift", v.key.name), v.dim, v.index) for v in graph.variables.values() if _is_multiplier(v)]
    for factor in graph.factors:
        own = factor.multiplier
        drift = {"drift": Key("drift", own.name)} if own is not None and own.role is Role.MULTIPLIER else {}
        factors.append(replace(factor, arguments={**factor.arguments, **drift}))
    return replace(graph, factors=tuple(factors), variables={**graph.variables, **{v.key: v for v in drifts}})


def _is_multiplier(variable: Variable) -> bool:
    return variable.key.role is Role.MULTIPLIER


def unconstrained_graph(
    mechanism: Mechanism, external_forces: Sequence[str] = (), parameters: Sequence[str] = ()
) -> FactorGraph:
    """Return the same graph without the laws of constraints: accelerations and multipliers are meant to be given.

    Raises as `mechanism_graph`.
    """
    weights = (0.0,) * len(mechanism.freedom.kept)
    if parameters:
        mechanism = make_symbolic(live_mechanism(mechanism, tuple(parameters)))
    graph = _make_balance_graph(MechanismParts(mechanism, weights), external_forces)
    return with_live_mechanism(graph, mechanism) if parameters else graph


def _make_balance_graph(parts: MechanismParts, external_forces: Sequence[str]) -> FactorGraph:
    mechanism, names = parts.mechanism, parts.mechanism.coordinates
    motors = dict(zip(mechanism.motor_slots, mechanism.motors, strict=True))
    pushed = find_slots(mechanism, external_forces, "external forces")
    variables = [v for kind in ("q", "qd", "qdd") for v in parts.variables(kind)]
    variables += [vector_variable("tau", name, 1, slot + 1, None) for slot, name in motors.items()]
    variables += [vector_variable("force", names[slot], 1, slot + 1, None) for slot in pushed]
    variables += parts.multiplier_variables()
    factors = []
    for balance in parts.balances:
        given = {"tau": motors.get(balance.slot), "force": names[balance.slot] if balance.slot in pushed else None}
        pushes = {kind: Key(kind, name) for kind, name in given.items() if name is not None}
        factors.append(_balance(parts, balance, pushes))
    return FactorGraph({v.key: v for v in variables}, tuple(factors))


def _balance(parts: MechanismParts, balance: ForceBalance, pushes: Mapping[str, Key]) -> Factor:
    arguments: dict[str, Argument] = {
        "qdd": parts.keys("qdd", balance.accelerations),
        "multipliers": parts.acting(balance),
        "q": parts.keys("q", balance.positions),
        "qd": parts.keys("qd", balance.velocities),
        **pushes,
    }
    own = parts.keys("qdd", [balance.slot])[0]
    return Factor(force_balance, arguments, 1, balance.slot + 1, {"balance": balance}, own)


def _acceleration(parts: MechanismParts, rows: ConstraintRows, index: int) -> Factor:
    others, defined = parts.find_defined(rows, "qdd")
    states = {kind: parts.keys(kind, rows.coordinates) for kind in ("q", "qd")}
    arguments: dict[str, Argument] = {"qdd": parts.keys("qdd", others), **states, **defined}
    bound = {"rows": rows}
    return Factor(constraint_acceleration, arguments, len(rows.kept), index, bound, parts.multipliers[rows])
