"""Loops and couplings of a robot as URDF, in the dialect that `urdf_loops` reads."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.mimics import mimic_name
from screwgraph.model.formats.urdf_loops import find_tree_paths
from screwgraph.model.robot import Coupling, Robot

Written = tuple[str, str, float]
"""Predecessor, successor and ratio of a <coupling>; or follower, leader and multiplier of a <mimic>."""


def split_couplings(robot: Robot) -> tuple[dict[str, Written | Coupling], dict[str, tuple[Written, float]]]:
    """Tell how to write each coupling: as a <coupling>, by name, or as a <mimic> with an offset, by follower.

    What is no ratio of two chains of joints, and no mimic by its name, is written term by term.

    Raises:
        ModelError: a coupling that is not linear.
    """
    couplings: dict[str, Written | Coupling] = {}
    mimics: dict[str, tuple[Written, float]] = {}
    for coupling in robot.couplings:
        if not coupling.is_linear:
            raise ModelError(
                f"coupling {coupling.name!r} says {coupling.text()}",
                why="URDF cannot express this",
                fix="save as .yaml",
            )
        mimic = _as_mimic(coupling, {follower: written[1] for follower, (written, _) in mimics.items()})
        if mimic and coupling.name == mimic_name(mimic[0][0]):
            mimics[mimic[0][0]] = mimic
        else:
            couplings[coupling.name] = _as_belt(coupling, robot) or coupling
    return couplings, mimics


def _as_mimic(coupling: Coupling, leader_of: Mapping[str, str]) -> tuple[Written, float] | None:
    """Solve a coupling of two joints for one that follows no other yet, not in a circle."""
    if len(coupling.terms) != 2:
        return None
    for follower, leader in (coupling.joints, coupling.joints[::-1]):
        above = leader
        while above in leader_of and above != follower:
            above = leader_of[above]
        if follower not in leader_of and above != follower:
            own = coupling.terms[follower]
            return (follower, leader, -coupling.terms[leader] / own), coupling.offset / own
    return None


def _as_belt(coupling: Coupling, robot: Robot) -> Written | None:
    """Find two links between which the coupling's joints lie, all of one sign on either side."""
    if coupling.offset or len(set(coupling.terms.values())) > 2:
        return None
    first = next(iter(coupling.terms.values()))
    sides = [{j for j, c in coupling.terms.items() if (c == first) == same} for same in (True, False)]
    if not sides[1]:
        return None
    second = coupling.terms[next(iter(sides[1]))]
    ends = [[j.child for j in robot.joints if j.name in side] for side in sides]
    for successor in ends[0]:
        for predecessor in ends[1]:
            paths = find_tree_paths(robot.joints, predecessor, successor)
            if paths and [{j.name for j in path} for path in paths] == sides[::-1]:
                return predecessor, successor, -second / first
    return None
