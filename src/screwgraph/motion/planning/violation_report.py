"""The largest violation of a plan in the words of its task: which joint or frame, by how much, with its unit, when."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.between_points import find_instants, unwrap_demand
from screwgraph.motion.planning.goals.direction import DirectionError, TiltViolation, measure_angle, say_angle
from screwgraph.motion.planning.goals.point import PointError
from screwgraph.motion.planning.goals.pose import PoseError
from screwgraph.motion.planning.goals.position import CoordinateError, PositionError
from screwgraph.motion.planning.limits.bernstein import ControlPointLimit
from screwgraph.motion.planning.limits.position import list_flat_places
from screwgraph.motion.planning.models import name_effort
from screwgraph.motion.planning.template_wrappers import BoundViolation, EntryError
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Result

KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "jerk": "jerk"}
CONTACTS = {
    "friction": "contact forces are outside of their friction cone, by {:.3g} (N, N m)",
    "no slip": "the foot slips, by {:.3g} (m, m/s)",
    "held": "the foot slips, by {:.3g} m/s²",
    "on the ground": "the foot is {:.3g} m from the ground",
    "foothold": "the foot is {:.3g} m from its foothold",
    "no sliding": "the axle slides by {:.3g} m/s",
    "clearance": "the foot is {:.3g} m lower than ground and swing allow",
}
"""By what a contact asks for."""
RAW = (" is off by ", " remains violated by ")
"""What reasons of searches say of rows of residuals."""


def describe_violation(steps: TrajectoryUnknowns, result: Result) -> str:
    """Return which demand holds least, or nothing where all hold."""
    broken = result.problem.assembly.broken(result.iterate.x)
    name = max(broken, key=lambda key: float(broken[key].max()), default="")
    if not name or not broken[name].max() > 0.0:
        return ""
    factors, number = result.problem[name], int(broken[name].argmax())
    return f"{demand(steps, factors, result.residuals[name][number])} {when(steps, factors, number)}".strip()


def replace_reason(reason: str, description: str) -> str:
    """Return the reason of a search with a description in place of rows of residuals."""
    parts = [part for part in reason.split("; ") if not any(raw in part for raw in RAW)]
    return "; ".join([*parts, description] if description else parts)


def demand(steps: TrajectoryUnknowns, f: Factors, r: Float[np.ndarray, " m"]) -> str:
    """Say by how much one of the factors, of the residual r, does not hold: whose, with its unit."""
    (item, _, part), template = f.name.partition(": "), unwrap_demand(f.template)
    mechanics, most = steps.mechanics, float(np.abs(r).max())
    if isinstance(template, PoseError):
        away, turned = np.linalg.norm(r[3:]), np.linalg.norm(r[:3])
        return f"{item}: frame {template.frame!r} is {away:.3g} m and {turned:.3g} rad from its pose"
    if isinstance(template, PointError):
        return f"{item}: frame {template.frame!r} is {np.linalg.norm(r):.3g} m from its point"
    if isinstance(template, DirectionError):
        angle = measure_angle(f.shared["at"], r)
        return f"{item}: {say_angle(template.frame, angle)}"
    if isinstance(template, TiltViolation):
        most, angle = np.arccos([f.shared["within"], max(f.shared["within"] - r[0], -1.0)])
        return f"{item}: {say_angle(template.frame, angle)}, {most:.3g} are allowed"
    family = f.arguments[0].variables.name
    if isinstance(template, EntryError | PositionError | CoordinateError) and family in KINDS:
        column = template.columns[int(np.abs(r).argmax())]
        return f"{item}: joint {mechanics.labels[column]!r} is {most:.3g} {mechanics.units(KINDS[family])[column]} off"
    if isinstance(template, BoundViolation) and family in (*KINDS, "tau"):
        chosen = [*template.above, *template.below]
        quantity, owner, unit = _describe_limit(steps, family, chosen[int(r.argmax())])
        return f"{item}: {quantity} of {owner} exceeds its limit by {r.max():.3g} {unit}"
    if isinstance(template, ControlPointLimit):
        chosen = [*template.above[0], *template.below[0]]
        quantity, owner, unit = _describe_limit(steps, template.kind, chosen[int(r.argmax()) % len(chosen)])
        where = "" if template.kind == "jerk" else "between points "
        return f"{item}: {where}{quantity} of {owner} exceeds its limit by {r.max():.3g} {unit}"
    if f.name.startswith("dynamics") and len(r) == mechanics.robot.nv:
        worst = int(np.abs(r).argmax())
        return f"{most:.3g} {mechanics.units('force')[worst]} are missing at joint {mechanics.labels[worst]!r}"
    if f.name.startswith("collocation"):
        return f"positions and velocities do not fit each other, by {most:.3g}"
    if f.name.startswith("obstacle"):
        return f"{item}: spheres are {r.max():.3g} m too near"
    if part in CONTACTS:
        return f"{item}: {CONTACTS[part].format(most)}"
    return f"{f.name} is violated by {most:.3g} (SI units)"


def when(steps: TrajectoryUnknowns, f: Factors, number: int) -> str:
    """Say at which time one of the factors is."""
    if f.arguments[0].variables.name not in (*KINDS, "tau"):
        return ""
    times = find_instants(steps, f, steps.times)
    return f"at t = {times[number if len(times) > 1 else 0]:.3g} s"


def _describe_limit(steps: TrajectoryUnknowns, family: str, column: int) -> tuple[str, str, str]:
    """Return what a bounded column of a family is: quantity, whose, and unit."""
    mechanics, drive = steps.mechanics, steps.drive
    if family == "tau":
        return name_effort(drive.units[column]), f"{drive.what} {drive.labels[column]!r}", drive.units[column]
    if family == "q":
        column = next(c for c, place in list_flat_places(mechanics).items() if place == column)
    return KINDS[family], f"joint {mechanics.labels[column]!r}", mechanics.units(KINDS[family])[column]
