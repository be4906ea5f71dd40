"""Factors that keep spheres clear at points of time and between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collision.clearance_templates import SphereCentres, get_sphere_links
from screwgraph.motion.planning.collision.fields import DistanceGrid, FieldTaylor
from screwgraph.motion.planning.collision.moving_frames import FramePose, evaluate_poses
from screwgraph.motion.planning.collision.spheres import Spheres
from screwgraph.motion.planning.factors.priors import GpInterpolation, interpolation_weights, select_neighbours
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, each, hinge, inequality, refresh_parameters, soft


class Clearance(Protocol):
    """How clear spheres must be."""

    @property
    def margin(self) -> float:
        """Clearance to keep (m)."""
        ...

    @property
    def sigma(self) -> float | None:
        """None for a hard limit; else what depth (m) costs 1/2."""
        ...

    @property
    def threshold(self) -> float:
        """Distance (m) before the margin at which soft limits begin."""
        ...

    @property
    def between(self) -> int:
        """Positions between two points."""
        ...

    @property
    def order(self) -> int:
        """Derivatives that determine the motion between points, the position counted."""
        ...


def make_clearance_factors(
    how: Clearance,
    steps: TrajectoryUnknowns,
    spheres: Spheres,
    template: Callable[[SphereCentres], Any],
    numbers: Mapping[str, np.ndarray],
    fields: tuple[DistanceGrid, ...],
    name: str,
    motion: FramePose | None = None,
) -> Iterable[Factors]:
    """Return factors at points of time, and `between` of them.

    `template` makes the template of spheres' centres, `numbers` are its parameters, `fields` tables that it reads,
    `motion` that of the frame of what is not to be touched.

    Raises:
        InputError: a number is wrong, or accelerations are wanted where there are none.
    """
    check_clearance(how)
    bodies = get_sphere_links(steps.mechanics, spheres.links)
    places: dict[str, Any] = {"spheres": spheres.numbers}
    others: dict[str, Any] = {"margin": how.margin, **numbers}
    at, centres = steps.q[steps.free_points], SphereCentres(bodies, motion=motion)
    here = places | _place_frame(steps, motion, steps.times[steps.free_points])
    refresh = FieldTaylor(fields, soft(centres, at, **here)) if fields else None
    yield _make_factors(how, template(centres), (at,), {**here, **others}, refresh, name)
    if not how.between:
        return
    chosen, phases, scale = select_neighbours(steps, how.order)
    n, parts = len(phases), np.arange(1, how.between + 1) / (how.between + 1)
    pairs = np.tile(np.arange(n), how.between)
    w = each(np.repeat([interpolation_weights(how.order, part) for part in parts], n, axis=0))
    first = chosen[0].indices
    times = steps.times[first] + parts[:, None] * (steps.times[first + 1] - steps.times[first])
    there = places | _place_frame(steps, motion, times.ravel())
    chosen = [s.variables[s.indices[pairs]] for s in chosen]
    centres = SphereCentres(bodies, GpInterpolation(steps.mechanics.positions, how.order), motion)
    when = {"phases": phases[pairs], "scale": scale[pairs]}
    if fields:
        made, unknowns, timing = steps.scale_by_duration(centres, *chosen, **when)
        refresh = FieldTaylor(fields, soft(made, *unknowns, w=w, **timing, **there))
    made, unknowns, timing = steps.scale_by_duration(template(centres), *chosen, **when)
    yield _make_factors(how, made, unknowns, {**there, **others, "w": w, **timing}, refresh, f"{name}: between")


def _place_frame(steps: TrajectoryUnknowns, motion: FramePose | None, times: Float[np.ndarray, " n"]) -> dict[str, Any]:
    """Return the parameter `frame` of factors at times (s). Raises InputError where times are not given."""
    if motion is None:
        return {}
    if steps.duration is not None:
        raise InputError(
            "obstacles move with the clock, and durations are free",
            why="where an obstacle is at a point of the plan is not known",
            fix="give the durations, or several plans with different ones",
        )
    return {"frame": each(evaluate_poses(motion, times))}


def check_clearance(how: Clearance) -> None:
    """Raise InputError where a number is none that can be kept."""
    for what, value in (("margin", how.margin), ("threshold", how.threshold)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise InputError(f"the {what} is {value!r}", why="it must be a number of metres")
    if how.sigma is not None and not how.sigma > 0.0:
        raise InputError(f"sigma is {how.sigma!r}", why="it must be positive")
    if isinstance(how.between, bool) or not isinstance(how.between, int) or how.between < 0:
        raise InputError(f"{how.between!r} positions between points", fix="give 0, 1, 2, ...")
    if how.order not in (2, 3):
        raise InputError(f"the order of interpolation is {how.order!r}", fix="give 2, or 3 with accelerations")


def _make_factors(
    how: Clearance,
    template: Any,
    unknowns: tuple[Any, ...],
    parameters: dict[str, Any],
    refresh: FieldTaylor | None,
    name: str,
) -> Factors:
    if refresh is not None:
        count = len(unknowns[0])
        parameters = {**parameters, "field": each(np.zeros((count, *refresh.shape)))}
    if how.sigma is None:
        made = inequality(template, *unknowns, name=name, **parameters)
    else:
        made = hinge(template, *unknowns, sigma=how.sigma, threshold=how.threshold, name=name, **parameters)
    return made if refresh is None else refresh_parameters(made, refresh)
