"""The largest violation of a plan in the words of its task: which joint or frame, by how much, with its unit, when."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.base.protocols import keeps
from screwgraph.motion.planning.factors.between_points import find_instants, unwrap_demand
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.violation import KINDS, DescribedTemplate, Violation
from screwgraph.optimize import Factors, Result

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
    violation = Violation(r, f.arguments[0].variables.name, f.shared, mechanics, steps.drive)
    if keeps(template, DescribedTemplate) and (words := template.describe(violation)):
        return f"{item}: {words}"
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
