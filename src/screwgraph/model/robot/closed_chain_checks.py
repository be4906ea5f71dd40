"""What loops and couplings must be like, whatever file they come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.parts import Joint, Link, Loop


def check_closed_chains(
    links: Sequence[Link],
    joints: Sequence[Joint],
    loops: Sequence[Loop],
    couplings: Sequence[Coupling],
    independent: Sequence[str] | None,
    where: Callable[[Any], object],
) -> None:
    """Check names and ends of loops, terms of couplings, and names of independent joints. Raises ModelError."""
    check_unique([*loops, *couplings], "two loops or couplings are", where)
    known = {link.name for link in links}
    for loop in loops:
        _check_loop(loop, known, where)
    by_name = {joint.name: joint for joint in joints}
    for coupling in couplings:
        _check_coupling(coupling, by_name, where)
    for name in independent or ():
        if parse_independent_name(name, by_name)[0] not in by_name:
            raise ModelError(
                f"the independent joint {name!r} does not exist", at=where(None), fix="name joints of the robot"
            )


def check_unique(parts: Iterable[Any], twins: str, where: Callable[[Any], object], taken: Container[str] = ()) -> None:
    """Check that each part has a name of its own, which is none of those `taken`; `twins` begins the error.

    Raises:
        ModelError: the name of a part is that of one before it, or taken.
    """
    seen = set[str]()
    for part in parts:
        if part.name in seen or part.name in taken:
            raise ModelError(
                f"{twins} called {part.name!r}", at=where(part), why="names tell them apart", fix="rename one"
            )
        seen.add(part.name)


def parse_independent_name(name: str, joints: Container[str]) -> tuple[str, int | None]:
    """Return joint and coordinate that a name of `independent_joints` means; None for all coordinates."""
    joint, bracket, number = name.removesuffix("]").rpartition("[")
    if name in joints or not bracket or not name.endswith("]") or not number.isdecimal():
        return name, None
    return joint, int(number)


def make_rigid_loop_error(loop: Loop, error: float) -> ModelError:
    """Make the error for a loop within one rigid body that is open by an error (rad, m)."""
    return ModelError(
        f"loop {loop.name!r} is open by {error:.3g} (rad, m), and its ends cannot move against each other",
        why=f"both lie on the rigid body of link {loop.predecessor!r}",
        fix="remove the loop, or correct its frames",
    )


def _check_loop(loop: Loop, links: set[str], where: Callable[[Any], object]) -> None:
    for role, link in (("predecessor", loop.predecessor), ("successor", loop.successor)):
        if link not in links:
            raise ModelError(
                f"loop {loop.name!r} has the {role} {link!r}, and no link has that name",
                at=where(loop),
                fix=f"add the link {link!r} or correct the loop's {role}",
            )
    if loop.predecessor == loop.successor:
        raise ModelError(
            f"loop {loop.name!r} joins link {loop.predecessor!r} to itself",
            at=where(loop),
            why="its ends cannot move against each other",
            fix="remove the loop, or name two links that move",
        )
    if loop.rows == 0:
        raise ModelError(
            f"loop {loop.name!r} lets its ends move freely",
            at=where(loop),
            why="so it has no effect",
            fix="remove it",
        )


def _check_coupling(coupling: Coupling, joints: dict[str, Joint], where: Callable[[Any], object]) -> None:
    who = f"coupling {coupling.name!r}"
    if not coupling.joints:
        raise ModelError(f"{who} couples no joint", at=where(coupling), fix="name at least one joint")
    for name in coupling.joints:
        if name not in joints:
            raise ModelError(
                f"{who} ties {name!r}, and no joint has that name", at=where(coupling), fix="name a joint of the robot"
            )
        if joints[name].type.nq > 1:
            raise ModelError(
                f"{who} ties {name!r}",
                at=where(coupling),
                why="a joint with several coordinates cannot be coupled",
                fix="name joints of one coordinate",
            )
    if not all(math.isfinite(c) for c in (coupling.offset, *coupling.terms.values())):
        raise ModelError(f"{who} has a coefficient that is not a finite number", at=where(coupling))
