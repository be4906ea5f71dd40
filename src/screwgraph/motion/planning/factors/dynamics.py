"""The laws of motion as factors: inverse dynamics at every sample, collocation over every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import StepDefect
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.factors.loop_closure import make_loop_multipliers
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import Drive
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Selection, equality
from screwgraph.optimize.substitution import SubstitutionPiece


@dataclass(frozen=True)
class DynamicsResidual:
    """Inverse dynamics less the forces along coordinates that a drive causes; without one there are none."""

    mechanics: Mechanics
    drive: Drive | None
    frames: tuple[str, ...] = ()
    wrenches: tuple[Callable[[Any, Any, Any], Any], ...] = ()

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any) -> Any:
        """Return what vanishes where the robot moves by `more`, (nv,): its torques, forces of its loops, wrenches."""
        split = 1 if self.drive is not None else 0
        closing = 1 if self.mechanics.robot.is_closed else 0
        tau, loops, acting = more[:split], more[split : split + closing], self._acting(q, more[split + closing :])
        wrenches = [np.stack(list(acting.values()))] if acting else []
        found = self.mechanics.efforts(tuple(acting))(q, qd, qdd, *wrenches, *loops)
        return found if self.drive is None else self.drive.remaining_forces(found, q, *tau)

    def _acting(self, q: Any, unknowns: Sequence[Any]) -> dict[str, Any]:
        """Return the sum of the wrenches on each frame."""
        acting: dict[str, Any] = {}
        for frame, template, x in zip(self.frames, self.wrenches, unknowns, strict=True):
            wrench = template(q, self.mechanics.pose_of(frame)(q), x)
            acting[frame] = acting[frame] + wrench if frame in acting else wrench
        return acting


def make_collocation_factors(steps: TrajectoryUnknowns) -> list[Factors]:
    """Return the factors that join the points of every step."""
    if steps.collocation == UNTIED:
        return []
    rule, unknowns = steps.collocation, list[Any]()
    for i in range(steps.per_step + 1):
        unknowns += [steps.q[steps.first + i], steps.qd[steps.first + i]]
        if i in rule.accelerated:
            unknowns.append(steps.qdd[steps.sample_at(i)])
    template = StepDefect(rule, steps.mechanics.positions, rule.accelerated)
    made, arguments, timing = steps.scale_by_duration(
        template, *unknowns, phases=steps.phase_of_step, scale=steps.lengths
    )
    return [equality(made, *arguments, name="collocation", **timing)]


def make_dynamics_factors(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> list[Factors]:
    """Return the factors of the laws of motion at all samples, each with the wrenches that act there."""
    found = []
    for kind in _kinds(steps, wrenches):
        drive = steps.drive if steps.drive.labels else None
        template = DynamicsResidual(steps.mechanics, drive, kind.frames, kind.templates)
        efforts = [] if drive is None else [steps.tau[steps.effort_of_sample[kind.samples]]]
        found.append(equality(template, *kind.states, *efforts, *kind.forces, name="dynamics"))
    return found


def compile_required_forces(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> Callable[..., np.ndarray]:
    """Return the forces (N, nv) along coordinates that motions (q, qd, qdd) take without loops and contacts.

    The code is that of the laws of motion, with any of their wrenches, which are zero.
    """
    laws = steps.mechanics.get_or_make(("required", steps.drive), lambda: make_dynamics_factors(steps, wrenches)[0])

    def compute_required(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        others = [np.zeros((len(q), *a.variables.manifold.shape)) for a in laws.arguments[3:]]
        return laws.kernels.residual(q, qd, qdd, *others)

    return compute_required


def make_effort_pieces(
    steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]
) -> tuple[list[Factors], list[SubstitutionPiece]]:
    """Return the laws of motion of coordinates without torques, and the torques of the others as functions.

    Raises:
        InputError: actuators drive the robot.
    """
    if steps.drive.labels and steps.drive.what == "actuator":
        raise InputError(
            "dynamics 'condensed' is for torques of joints",
            why="efforts of actuators are not read off the equations of motion, but solved from several of them",
            fix="leave it out, or name the joints that are actuated",
        )
    if steps.drive.labels and steps.collocation.holds:
        raise InputError(
            "dynamics 'condensed' has a torque at each sample",
            why=f"collocation {steps.collocation.name!r} holds one over all samples of a step",
            fix="leave out one of the two; euler holds torques, too",
        )
    found, pieces = [], []
    free = tuple(i for i in range(steps.mechanics.robot.nv) if i not in steps.actuated)
    for kind in _kinds(steps, wrenches):
        balance = DynamicsResidual(steps.mechanics, None, kind.frames, kind.templates)
        if free:
            found.append(equality(SelectedRows(balance, free), *kind.states, *kind.forces, name="dynamics"))
        if steps.actuated:
            efforts = equality(SelectedRows(balance, steps.actuated), *kind.states, *kind.forces, name="efforts")
            pieces.append(SubstitutionPiece(kind.samples, efforts))
    return found, pieces


@dataclass(frozen=True)
class SelectedRows:
    """Some rows of a template's residual."""

    template: Callable[..., Any]
    rows: tuple[int, ...]

    def __call__(self, *unknowns: Any) -> Any:
        """Return them."""
        return self.template(*unknowns)[list(self.rows)]


@dataclass(frozen=True, eq=False)
class _Kind:
    """Samples at which the same wrenches act: their states, and all forces there."""

    samples: np.ndarray
    states: tuple[Selection, ...]
    forces: tuple[Selection, ...]
    frames: tuple[str, ...]
    templates: tuple[Callable[[Any, Any, Any], Any], ...]


def find_acting_wrenches(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> Bool[np.ndarray, "M w"]:
    """Return which wrenches act at each sample."""
    found = np.zeros((len(steps.points), len(wrenches)), dtype=bool)
    for i, w in enumerate(wrenches):
        found[w.samples, i] = True
    return found


def _kinds(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> list[_Kind]:
    kinds, kind_of = np.unique(find_acting_wrenches(steps, wrenches), axis=0, return_inverse=True)
    found, loops = [], make_loop_multipliers(steps)
    for number, kind in enumerate(kinds):
        samples = np.flatnonzero(kind_of.ravel() == number)
        chosen = [wrenches[i] for i in np.flatnonzero(kind).tolist()]
        states = (steps.q[steps.points[samples]], steps.qd[steps.points[samples]], steps.qdd[samples])
        forces = [] if loops is None else [loops[samples]]
        forces += [w.unknowns[_places(w, samples)] for w in chosen]
        frames, templates = tuple(w.frame for w in chosen), tuple(w.template for w in chosen)
        found.append(_Kind(samples, states, tuple(forces), frames, templates))
    return found


def _places(wrench: Wrench, samples: np.ndarray) -> np.ndarray:
    """Return which of a wrench's unknowns belong to samples."""
    place = {int(m): i for i, m in enumerate(wrench.samples)}
    return np.array([place[int(m)] for m in samples])
