"""Logs of closed chains that their loops contradict: open positions are refused, other motions are warned of."""

from __future__ import annotations

import warnings

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.model import Model
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.filtering import MotionSamples
from screwgraph.motion.identification.recording import Recording
from screwgraph.motion.simulation import coordinate_names

OPEN = 0.02
"""Displacement (rad, m) of all coordinates of a loop that its closure may need: offsets of encoders and play."""
NOISES = 5.0
"""Standard deviations of noise that it may need beyond that."""
MEDIAN = 0.954
"""Median size of the difference of two normal numbers of standard deviation one."""

ABOVE = 2.0
"""Dependent velocities and accelerations over the largest that loops give, from which on they are warned of.

Noise beside singular positions makes those that loops give larger, and not those of the log.
"""


def check_positions(closure: ClosedChainMotion, samples: MotionSamples, run: Recording, start: int) -> None:
    """Raise InputError where most positions leave a loop open by more than their noise.

    Gaps are relative to the sum of |K| of their row: no displacement of the coordinates that is smaller closes them,
    also at singular positions. Noise is estimated from steps between samples.
    """
    reach = np.abs(closure.jacobian(samples.q)).reshape(len(samples.q), len(closure.follow), -1).sum(axis=2)
    needed = closure.residual(samples.q) / np.where(reach > 0.0, reach, 1.0)
    noise = np.median(np.abs(np.diff(needed, axis=0)), axis=0) / MEDIAN if len(needed) > 1 else 0.0
    size = np.abs(needed)
    if (np.median(size, axis=0) > OPEN + NOISES * noise).any():
        worst = int(np.argmax(size.max(axis=1)))
        raise InputError(
            f"the positions of {run.where} do not close the loops, by {size.max():.2g} rad or m at sample "
            f"{start + worst}",
            why="torques are projected on the motions that closed loops allow",
            fix="check units, signs and columns of dependent joints, or find them with sg.closed_positions",
        )


def warn_of_motion(
    model: Model, closure: ClosedChainMotion, samples: MotionSamples, run: Recording, start: int
) -> None:
    """Warn where dependent velocities or accelerations are larger than all that loops give by independent ones."""
    made = closure.complete_motion(samples.q, samples.qd, samples.qdd, closure.velocities(samples.q))
    given = samples.qd, samples.qdd
    for what, unit, x, own in zip(("velocities", "accelerations"), ("", "^2"), given, made, strict=True):
        most = np.nanmax(np.abs(own), initial=0.0)
        i, j = np.unravel_index(int(np.argmax(np.abs(x))), x.shape)
        if np.abs(x[i, j]) > ABOVE * most:
            warnings.warn(
                f"{what} of {run.where} do not satisfy the loops: at sample {start + i}, that of "
                f"{coordinate_names(model)['qd'][j].removesuffix('[0]')} is {x[i, j]:.3g}, and those that follow from "
                f"independent joints are at most {most:.3g} rad/s{unit} (m/s{unit})",
                RuntimeWarning,
                stacklevel=2,
            )
