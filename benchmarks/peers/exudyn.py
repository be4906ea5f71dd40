"""The four-bar of Blanco-Claraco et al. (2021) in exudyn: rigid bodies in the plane, implicit integration."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from screwgraph.mechanics.mechanism import Mechanism
from screwgraph.ui.bench import import_peer


@dataclass(frozen=True, eq=False)
class Motion:
    """Points P1 and P2 over time (N, 4), and the CPU time (s) that the solver took."""

    points: np.ndarray
    seconds: float


def version() -> str:
    """Return name and version. Raises NotMeasuredError where it is not installed."""
    from importlib.metadata import version as of

    _exudyn()
    return f"exudyn {of('exudyn')}"


def four_bar(mechanism: Mechanism, time: float, dt: float) -> Motion:
    """Let the rods of the four-bar fall, with the trapezoidal rule at index 2: the same steps as ours.

    Raises NotMeasuredError where exudyn is not installed.
    """
    exudyn = _exudyn()
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    sensors = _assemble(exudyn, mbs, mechanism)
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(time / dt), time
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = dt
    settings.linearSolverType = exudyn.LinearSolverType.EXUdense
    began = process_time()
    mbs.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.TrapezoidalIndex2)
    seconds = process_time() - began
    return Motion(np.hstack([mbs.GetSensorStoredData(s)[:, 1:3] for s in sensors]), seconds)


def _assemble(exudyn: Any, mbs: Any, mechanism: Mechanism) -> list[int]:
    """Add rods, weights, joints; return sensors at P1 and P2."""
    items = import_peer("exudyn.itemInterface", "exudyn")
    ground = mbs.AddObject(items.ObjectGround())
    at = {i: np.array([float(p.x), float(p.y), 0.0]) for i, p in enumerate(mechanism.points)}
    ends: dict[int, list[int]] = {
        i: [mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=list(at[i])))]
        for i, p in enumerate(mechanism.points)
        if p.fixed
    }
    sensors = []
    for rod in mechanism.bodies:
        first, last = rod.points
        way = at[last] - at[first]
        half, mass = float(np.linalg.norm(way)) / 2.0, float(rod.mass)
        centre, angle = (at[first] + at[last]) / 2.0, np.arctan2(way[1], way[0])
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*centre[:2], angle]))
        inertia = mass * half**2 / 3.0
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        gravity = [float(g) for g in mechanism.gravity]
        mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[*gravity, 0.0]))
        for point, x in ((first, -half), (last, half)):
            marker = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0.0, 0.0]))
            ends.setdefault(point, []).append(marker)
        if not mechanism.points[last].fixed:
            position = exudyn.OutputVariableType.Position
            sensor = items.SensorBody(
                bodyNumber=body, localPosition=[half, 0.0, 0.0], storeInternal=True, outputVariableType=position
            )
            sensors.append(mbs.AddSensor(sensor))
    for markers in ends.values():
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))
    return sensors


def _exudyn() -> Any:
    return import_peer("exudyn", "exudyn")
