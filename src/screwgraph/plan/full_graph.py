"""The laws of motion with all twists, accelerations and wrenches of links as unknowns.

Xie et al. (2020), Fig. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.graph import Factor, Key, dynamics_graph
from screwgraph.graph.factors import prior
from screwgraph.optimize import Factors, Selection, Variables, Vector, equality
from screwgraph.plan.items import Wrench
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.steps import Steps
from screwgraph.spatial import vector

JOINT_KINDS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class Law:
    """One factor of the graph of dynamics at one time, its variables gathered from unknowns called `names`."""

    mechanics: Mechanics
    factor: Factor
    names: tuple[str, ...]
    actuated: tuple[int, ...]
    wrenches: tuple[Wrench, ...] = ()
    base: tuple[tuple[Key, tuple[float, ...]], ...] = ()

    def __call__(self, *unknowns: Any) -> Any:
        """Return the residual of the law."""
        given = dict(zip(self.names, unknowns, strict=True))
        return self.factor.residual({key: self._value(key, given) for key in self.factor.keys})

    def _value(self, key: Key, given: dict[str, Any]) -> Any:
        robot, base = self.mechanics.robot, dict(self.base)
        if key in base:
            return np.array(base[key])
        if key.kind == "q":
            return given["q"][robot.q_slices[key.name]]
        if key.kind in ("qd", "qdd"):
            return given[key.kind][robot.v_slices[key.name]]
        if key.kind == "tau":
            part = robot.v_slices[key.name]
            places = [self.actuated.index(c) if c in self.actuated else -1 for c in range(part.start, part.stop)]
            return vector([given["tau"][i] if i >= 0 else 0.0 for i in places])
        if key.kind == "external":
            pose = self.mechanics.pose_of(key.name)(given["q"])
            acting = [
                w.template(given["q"], pose, given[w.unknowns.name]) for w in self.wrenches if w.frame == key.name
            ]
            return sum(acting[1:], acting[0])
        return given[_family(key)]


def full_graph_factors(steps: Steps, wrenches: Sequence[Wrench]) -> list[Factors]:
    """Return the factors of all laws at all samples, each with the wrenches that act there.

    Raises:
        InputError: the robot has loops or couplings.
    """
    if steps.mechanics.robot.is_closed:
        raise InputError(
            f"robot {steps.mechanics.robot.name!r} has loops",
            why="the full graph supports trees only",
            fix="remove `dynamics`: then multipliers close the loops",
        )
    acting = np.zeros((len(steps.points), len(wrenches)), dtype=bool)
    for i, w in enumerate(wrenches):
        acting[w.samples, i] = True
    found: list[Factors] = []
    for pattern in np.unique(acting, axis=0):
        samples = np.flatnonzero((acting == pattern).all(axis=1))
        found += _laws(steps, samples, tuple(wrenches[i] for i in np.flatnonzero(pattern).tolist()))
    return found


def _laws(steps: Steps, samples: np.ndarray, wrenches: tuple[Wrench, ...]) -> list[Factors]:
    mechanics, frames = steps.mechanics, tuple(dict.fromkeys(w.frame for w in wrenches))
    graph = mechanics.kept(("full graph", frames), lambda: dynamics_graph(mechanics.robot, frames))
    known = [f for f in graph.factors if f.template is prior]
    base = tuple((f.variable("x"), tuple(f.parameters["value"].tolist())) for f in known)
    found = []
    for factor in graph.factors:
        if factor in known:
            continue
        families: dict[str, Selection] = {}
        mine = tuple(w for w in wrenches if Key("external", w.frame) in factor.keys)
        for key in (k for k in factor.keys if k not in dict(base)):
            families |= _unknowns(steps, key, graph.variables[key].dim, samples, mine)
        names = tuple(families)
        template: Callable[..., Any] = Law(mechanics, factor, names, steps.actuated, mine, base)
        found.append(equality(template, *families.values(), name=f"dynamics: {factor.name}"))
    return found


def _unknowns(
    steps: Steps, key: Key, dim: int, samples: np.ndarray, wrenches: tuple[Wrench, ...]
) -> dict[str, Selection]:
    """Return the unknowns that a variable of the graph is made of, by family."""
    q = steps.q[steps.points[samples]]
    if key.kind == "q":
        return {"q": q}
    if key.kind == "qd":
        return {"qd": steps.qd[steps.points[samples]]}
    if key.kind == "qdd":
        return {"qdd": steps.qdd[samples]}
    if key.kind == "tau":
        part = steps.mechanics.robot.v_slices[key.name]
        driven = set(range(part.start, part.stop)) & set(steps.actuated)
        return {"tau": steps.tau[samples]} if driven else {}
    if key.kind == "external":
        return {"q": q} | {w.unknowns.name: w.unknowns[_places(w, samples)] for w in wrenches}
    return {_family(key): Variables(_family(key), Vector(dim), len(steps.points))[samples]}


def _places(wrench: Wrench, samples: np.ndarray) -> np.ndarray:
    return np.searchsorted(wrench.samples, samples)


def _family(key: Key) -> str:
    return f"{key.kind} {key.name}"


def first_directions(steps: Steps, q: Float[np.ndarray, "K nq"]) -> dict[str, Float[np.ndarray, "M 3"]]:
    """Return the directions of gravity in all links' frames at given positions: where a search begins."""
    robot, found = steps.mechanics.robot, {}
    if not any(robot.gravity):
        return found
    for joint in robot.joints:
        pose = steps.mechanics.pose_of(joint.child)
        turned = [np.asarray(pose(row))[:3, :3].T @ np.array(robot.gravity) for row in q[steps.points]]
        found[_family(Key("gravity", joint.child))] = np.array(turned)
    return found
