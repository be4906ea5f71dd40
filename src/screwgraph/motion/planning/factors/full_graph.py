"""The equations of motion with all twists, accelerations and wrenches as unknowns: Xie et al. (2020), Fig. 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.graph import FactorGraph, Key, Role, dynamics_graph
from screwgraph.motion.integration_rules.graph_at_nodes import (
    SelectedEntries,
    VariableBinding,
    list_constants,
    replicate_factors,
    select_balances,
)
from screwgraph.motion.planning.factors.dynamics import find_acting_wrenches
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, Vector


@dataclass(frozen=True)
class ExternalWrenchSum:
    """The sum of the wrenches of contacts on a frame."""

    mechanics: Mechanics
    frame: str
    templates: tuple[Any, ...]

    def __call__(self, q: Any, *unknowns: Any) -> Any:
        """Return it (6,), in the frame."""
        pose = self.mechanics.pose_of(self.frame)(q)
        acting = [template(q, pose, x) for template, x in zip(self.templates, unknowns, strict=True)]
        return sum(acting[1:], acting[0])


def make_full_graph_factors(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> list[Factors]:
    """Return the factors of the graph at all samples, each with the wrenches that act there.

    Of closed chains, the multipliers of loops and couplings are unknowns, too. Their own laws of velocities and
    accelerations are those of `plan.loops`, which also close the positions.
    """
    patterns, found = find_acting_wrenches(steps, wrenches), list[Factors]()
    for pattern in np.unique(patterns, axis=0):
        samples = np.flatnonzero((patterns == pattern).all(axis=1))
        chosen = tuple(wrenches[i] for i in np.flatnonzero(pattern).tolist())
        frames = tuple(dict.fromkeys(w.frame for w in chosen))
        graph = _graph(steps, frames)
        found += replicate_factors(
            select_balances(graph), _bindings(steps, graph, samples, chosen) | list_constants(graph)
        )
    return found


def _graph(steps: TrajectoryUnknowns, frames: tuple[str, ...]) -> FactorGraph:
    mechanics, drive = steps.mechanics, steps.drive
    key = ("full graph", drive, frames)
    return mechanics.get_or_make(key, lambda: drive.driven(dynamics_graph(mechanics.robot, frames)))


def _bindings(
    steps: TrajectoryUnknowns, graph: FactorGraph, samples: np.ndarray, wrenches: tuple[Wrench, ...]
) -> dict[Key, VariableBinding]:
    """Return the graph's variables as functions of the unknowns at samples."""
    robot, q = steps.mechanics.robot, steps.q[steps.points[samples]]
    families = {Role.POSITION: q, Role.VELOCITY: steps.qd[steps.points[samples]]}
    families |= {Role.COORDINATE_ACCELERATION: steps.qdd[samples]}
    found: dict[Key, VariableBinding] = {}
    own_efforts = steps.effort_of_sample[samples]
    for key, variable in graph.variables.items():
        if key.role in families:
            part = (robot.q_slices if key.role is Role.POSITION else robot.v_slices)[key.name]
            found[key] = VariableBinding((families[key.role],), SelectedEntries(tuple(range(part.start, part.stop))))
        elif key.role is Role.EFFORT:
            found[key] = VariableBinding((steps.tau[own_efforts],), SelectedEntries(steps.drive.places(key.name)))
        elif key.role is Role.COORDINATE_FORCE and steps.drive.what == "joint":
            part = robot.v_slices[key.name]
            places = [steps.actuated.index(c) if c in steps.actuated else None for c in range(part.start, part.stop)]
            driven = any(place is not None for place in places)
            found[key] = VariableBinding((steps.tau[own_efforts],) if driven else (), SelectedEntries(tuple(places)))
        elif key.role is Role.EXTERNAL_WRENCH:
            own = [w for w in wrenches if w.frame == key.name]
            acting = ExternalWrenchSum(steps.mechanics, key.name, tuple(w.template for w in own))
            found[key] = VariableBinding((q, *(w.unknowns[np.searchsorted(w.samples, samples)] for w in own)), acting)
        else:
            family = Variables(_family(key), Vector(variable.dim), len(steps.points))
            found[key] = VariableBinding((family[samples],), SelectedEntries(tuple(range(variable.dim))))
    return found


def _family(key: Key) -> str:
    return f"{key.kind} {key.name}"


def guess_gravity_directions(
    steps: TrajectoryUnknowns, q: Float[np.ndarray, "K nq"]
) -> dict[str, Float[np.ndarray, "M 3"]]:
    """Return the directions of gravity in all links' frames at given positions: where a search begins."""
    robot, found = steps.mechanics.robot, {}
    if not any(robot.gravity):
        return found
    for joint in robot.joints:
        pose = steps.mechanics.pose_of(joint.child)
        turned = [np.asarray(pose(row))[:3, :3].T @ np.array(robot.gravity) for row in q[steps.points]]
        found[_family(Key("gravity", joint.child))] = np.array(turned)
    return found
