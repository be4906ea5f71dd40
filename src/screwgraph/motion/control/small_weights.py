"""Small weights of what a controller chooses, beside those of tasks: programs of few tasks have one solution."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.control.tasks import EFFORTS
from screwgraph.tape import Number

TASK_REST, FORCE_REST = 1e-6, 1e-4
"""Weights of squares of accelerations (rad/s^2, m/s^2), and of forces by the robot's mass (m/s^2), beside tasks'."""
ASKED = 1e-6
"""Part of the small weights that is left where a task is of forces, or of efforts."""
NEXT = 0.1
"""Part of the small weights that is left where a level of tasks follows, which determines what is free."""


def list_small_weights(motion: ReducedMotion, on: Sequence[Number], asked: set[str], goes_on: bool) -> list[Number]:
    """Return the weights of unknowns that no task needs to determine; smaller ones where a level follows.

    `on` are the flags of contacts, `asked` what tasks are of: contacts' forces, efforts.
    """
    share, mass = NEXT if goes_on else 1.0, motion.controlled_model.mass
    own = FORCE_REST / mass**2 if motion.chooses_efforts else TASK_REST
    rest = own * share * (ASKED if EFFORTS in asked else 1.0)
    found: list[Number] = [rest] * motion.unknowns
    for flag, leg in zip(on, motion.legs, strict=True):
        force = share * FORCE_REST / mass**2 * (ASKED if leg.contact.frame in asked else 1.0)
        for i in leg.own:
            found[motion.place[i]] = flag * force + (1.0 - flag) * rest
    return found
