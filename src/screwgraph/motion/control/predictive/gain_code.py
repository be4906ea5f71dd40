"""The feedback gain of a tick: how efforts change with displacements of positions and with velocities, by rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.local_steps import BentJoint
from screwgraph.optimize.chain_program.columns import make_block, make_columns
from screwgraph.tape import Memory, Number, Part, dot
from screwgraph.tape.parts import Copies


def list_gain_parts(memory: Memory, own: Horizon, C: Sequence[int]) -> Iterator[Part]:
    """Yield what writes `gain` (m, 2 nv), from that of inputs, rows of efforts at C, and velocities at_v of stage 0."""
    K, gain = memory.places("chain.gain"), memory.places("gain")
    if own.model.commands_efforts:
        yield Copies(tuple(K), tuple(gain))
    else:
        yield from _add_rows(own, K, C, gain)
    nx, m = 2 * own.model.robot.nv, own.motors
    for joint in own.steps.bent:
        places = [gain[r * nx + j] for r in range(m) for j in range(nx)[joint.v]]

        def turn(slopes: Any, v: Any, joint: BentJoint = joint) -> Sequence[Number]:
            return list(np.ravel(own.steps.turn_joint_back(joint, np.reshape(slopes, (m, -1)), v)))

        yield make_block("turn", [places, memory.places("at_v")], [places], turn)


def _add_rows(own: Horizon, K: range, C: Sequence[int], gain: range) -> Iterator[Part]:
    """Yield what writes E_x + E_u K of the rows E of efforts, columns side by side; C has columns that are not zero."""
    nx, nu, m = 2 * own.model.robot.nv, own.model.nu, own.motors
    place, count = [*accumulate(own.columns, initial=0)], sum(own.columns)
    scalars = [C[r * count + place[nx + i]] for r in range(m) for i in range(nu)]
    for first, end in _find_runs(own.columns[:nx]):

        def add(E: Any, vectors: Any) -> list[Number]:
            rows, start = vectors[:nu], [*vectors[nu:]] or [0.0] * m
            return [x + dot(E[r * nu : r * nu + nu], rows) for r, x in enumerate(start)]

        vectors = [K[i * nx + first] for i in range(nu)]
        vectors += [C[r * count + place[first]] for r in range(m)] if own.columns[first] else []
        yield make_columns("gain", end - first, scalars, vectors, [gain[r * nx + first] for r in range(m)], add)


def _find_runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield where neighbours with one flag begin and end."""
    first = 0
    for i in range(1, len(flags) + 1):
        if i == len(flags) or flags[i] != flags[first]:
            yield first, i
            first = i
