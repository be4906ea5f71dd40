"""Joints that follow another, as URDF's `mimic`, SDF's and ours say it; to a robot they are couplings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.robot import Coupling, Joint


@dataclass(frozen=True, eq=False)
class Mimic:
    """The follower's position is multiplier * the leader's + offset; `at` is where the file says so."""

    follower: str
    leader: str
    multiplier: float
    offset: float
    at: Place


def mimic_name(follower: str) -> str:
    """Return how the coupling of a follower is called."""
    return f"{follower}_mimic"


def make_mimic_couplings(
    mimics: Iterable[Mimic], joints: Iterable[Joint], taken: Iterable[str], warnings: Warnings
) -> list[Coupling]:
    """Make a coupling of each mimic, called so that no name is `taken` twice; a fixed follower follows nothing.

    Raises:
        ModelError: an unknown leader, a joint of several coordinates, or joints that mimic in a circle.
    """
    by_follower = {mimic.follower: mimic for mimic in mimics}
    by_name = {joint.name: joint for joint in joints}
    couplings, names = [], set(taken)
    for mimic in by_follower.values():
        _check(mimic, by_follower, by_name)
        if by_name[mimic.follower].is_fixed:
            warnings.add(f"joint {mimic.follower!r} mimics {mimic.leader!r}", at=mimic.at, why="it is fixed")
            continue
        name = mimic_name(mimic.follower)
        while name in names:
            name += "_"
        names.add(name)
        terms = {mimic.follower: 1.0, mimic.leader: -mimic.multiplier}
        couplings.append(Coupling(name, terms, mimic.offset))
    return couplings


def _check(mimic: Mimic, by_follower: dict[str, Mimic], by_name: dict[str, Joint]) -> None:
    path, step = [mimic.follower], mimic
    while True:
        if step.leader not in by_name:
            raise ModelError(
                f"joint {step.follower!r} mimics {step.leader!r}, and no joint has that name",
                at=step.at,
                fix="name a joint of the robot",
            )
        if step.leader in path:
            raise ModelError(
                f"joint {step.follower!r} mimics {step.leader!r}, which follows it",
                at=step.at,
                why="joints cannot mimic in a circle",
                fix="remove one mimic",
            )
        if max(by_name[step.leader].type.nq, by_name[step.follower].type.nq) > 1:
            raise ModelError(
                f"joint {step.follower!r} mimics {step.leader!r}",
                at=step.at,
                why="a joint with several coordinates cannot",
                fix="remove the mimic",
            )
        path.append(step.leader)
        if step.leader not in by_follower:
            return
        step = by_follower[step.leader]
