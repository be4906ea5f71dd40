"""Predictive control of large robots that stand and are pushed, by calls from Python, beside Crocoddyl."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.call_parts import CLOSE, COLUMNS, TICKS, call_until_settled, split_call
from benchmarks.peers import crocoddyl
from benchmarks.standing_horizons import StandingHorizon, list_standing
from benchmarks.tables import Remarks, Sheet
from screwgraph.ui.bench import NotMeasuredError, fast_code

ROUNDS = 5
NOTES = (
    "One core. Robots stand on soles, balls and line feet, their base moves by 0.1 m/s forwards and sideways; they are "
    "called from Python, as machine code that LLVM made: calls until nothing changes by more than "
    f"{CLOSE:g}, each a linearisation and one barrier step, then {TICKS} calls. Linearising is what a call that "
    "linearises twice takes more, a barrier step what a call with one more takes more, and the rest of a call: the "
    "search of a step's length, what the last call left, copies, Python's part. Crocoddyl's FDDP has other costs: "
    "squares of torques, and cones of friction as barriers; rotors are locked. It is its wheel, whose code is for any "
    "processor of x86-64.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Solve and time robots whose files are known; the subjects play no part."""
    rows, remarks = list[list[str]](), Remarks()
    for standing in list_standing():
        tools.say(f"horizon of {standing.name}")
        rows.append(stand_here(standing))
        if standing.urdf is not None:
            rows.append(stand_by_crocoddyl(standing, remarks))
    return Sheet("Predictive control of robots that stand", COLUMNS, rows, (*NOTES, *remarks.notes()))


def stand_here(horizon: StandingHorizon) -> list[str]:
    """Return the row of a robot that stands: its calls to the optimum, and times of one, from Python."""
    with fast_code():
        count, solution, _ = call_until_settled(horizon)
        seconds, *parts = split_call(horizon)
    least, middle, most = min(seconds), *np.quantile(seconds, [0.5, 0.99])
    said = "" if solution[4] <= CLOSE and not solution[0] else " (not solved)"
    figures = [f"{solution[1]:.9g}{said}", f"{solution[2]:.1e}", str(count), f"{1e-3 * count * least:.2f}"]
    times = [f"{least:.1f}", *parts, f"{middle:.1f}", f"{most:.1f}"]
    return [f"{horizon.name}, {horizon.knots}", "screwgraph, machine code", *figures, *times]


def stand_by_crocoddyl(horizon: StandingHorizon, remarks: Remarks) -> list[str]:
    """Return the row of Crocoddyl's FDDP."""
    named, who = f"{horizon.name}, {horizon.knots}", "Crocoddyl"
    try:
        found = crocoddyl.stand(horizon, ROUNDS)
    except NotMeasuredError as error:
        return [named, who, *[remarks.cell(who, named, str(error))] * 9]
    said = "" if found["status"] == "converged" else " (not solved)"
    count, seconds = found["iterations"], found["seconds"]
    figures = [f"{found['cost']:.9g}{said}", "", str(count), f"{1e3 * seconds:.2f}", f"{1e6 * seconds / count:.1f}"]
    return [named, who, *figures, "", "", "", "", ""]
