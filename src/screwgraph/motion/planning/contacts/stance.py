"""When a contact is closed: runs of phases, their points and samples; where contacts begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.phases import Phase
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns


@dataclass(frozen=True, eq=False)
class Stance:
    """One run of phases, one after the other, in which a contact stays closed: its points, both ends, and samples."""

    points: Int[np.ndarray, " k"]
    samples: Int[np.ndarray, " m"]

    @property
    def first(self) -> int:
        """The point at which the contact closes."""
        return int(self.points[0])


def find_stances(steps: TrajectoryUnknowns, phases: Sequence[str | int] | str | None) -> list[Stance]:
    """Return the runs of the named or numbered phases; None for all.

    Raises:
        InputError: there is no such phase, or one is named twice.
    """
    found = []
    for run in split_runs(sorted(find_phases(steps.phases, phases))):
        points = np.arange(steps.states[run[0]].start, steps.states[run[-1]].stop)
        found.append(Stance(points, np.arange(steps.samples[run[0]].start, steps.samples[run[-1]].stop)))
    return found


def list_open_points(steps: TrajectoryUnknowns, runs: Sequence[Stance]) -> Int[np.ndarray, " k"]:
    """Return the points at which a contact is open."""
    closed = np.concatenate([run.points for run in runs])
    return np.setdiff1d(np.arange(len(steps.times)), closed)


def split_runs(numbers: Sequence[int]) -> list[list[int]]:
    """Return ascending numbers as runs without gaps."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return runs


def find_phases(horizon: Sequence[Phase], phases: Sequence[str | int] | str | None) -> list[int]:
    """Return which phases of a horizon are named or numbered; None for all. Raises InputError, see `find_stances`."""
    if phases is None:
        return list(range(len(horizon)))
    names = [p.name for p in horizon]
    found: list[int] = []
    for phase in [phases] if isinstance(phases, str) else phases:
        if isinstance(phase, str):
            if phase not in names or not phase:
                known = ", ".join(n for n in names if n) or "no phase has a name"
                raise InputError(f"there is no phase {phase!r}", why=f"phases: {known}")
            numbers = [i for i, n in enumerate(names) if n == phase]
        elif isinstance(phase, bool) or not isinstance(phase, int | np.integer) or not 0 <= phase < len(names):
            raise InputError(f"there is no phase {phase!r}", why=f"phases are numbered 0..{len(names) - 1}")
        else:
            numbers = [int(phase)]
        if set(numbers) & set(found):
            raise InputError(f"phase {phase!r} is named twice")
        found += numbers
    if not found:
        raise InputError("the contact is closed in no phase", fix="name phases, or leave the contact out")
    return found
