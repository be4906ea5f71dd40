"""The built-in slider-crank in exudyn: rigid bodies in the plane, revolute joints, a point on a line."""

import numpy as np


def slider_crank(exudyn, time, turn=None):
    """Angle of the crank after a time (s), and the torque that turns it.

    Figures as in zoo/mechanisms/slider_crank.yaml. `turn` is how far it is turned, of the time; None where it falls.
    """
    from exudyn.itemInterface import (
        LoadMassProportional,
        MarkerBodyMass,
        MarkerBodyPosition,
        MarkerNodeCoordinate,
        NodePoint2D,
        NodePointGround,
        NodeRigidBody2D,
        ObjectConnectorCoordinate,
        ObjectGround,
        ObjectJointRevolute2D,
        ObjectMassPoint2D,
        ObjectRigidBody2D,
    )

    r, length, start, piston, g = 0.1, 0.35, np.pi / 4, 0.6, 9.81
    system = exudyn.SystemContainer()
    mbs = system.AddSystem()
    pin = np.array([r * np.cos(start), r * np.sin(start)])
    end = np.array([pin[0] + np.sqrt(length**2 - pin[1] ** 2), 0.0])
    ground = mbs.AddObject(ObjectGround())

    def body(mass, inertia_about_end, com, origin, toward):
        """A rod whose centre of mass is `com` from `origin`."""
        way = (toward - origin) / np.linalg.norm(toward - origin)
        angle, centre = np.arctan2(way[1], way[0]), origin + com * way
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*centre, angle]))
        about_com = inertia_about_end - mass * com**2
        made = mbs.AddObject(ObjectRigidBody2D(physicsMass=mass, physicsInertia=about_com, nodeNumber=node))
        weight = mbs.AddMarker(MarkerBodyMass(bodyNumber=made))
        mbs.AddLoad(LoadMassProportional(markerNumber=weight, loadVector=[0, -g, 0]))
        return made, node, com

    crank, crank_node, c = body(1.2, 1.2 * r**2 / 3, 0.4 * r, np.zeros(2), pin)
    mass, com = 0.5 + piston, (0.25 + piston) / (0.5 + piston) * length
    rod, _, d = body(mass, (0.5 / 3 + piston) * length**2, com, pin, end)

    def at(number, x):
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=number, localPosition=[x, 0, 0]))

    fixed = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[fixed, at(crank, -c)]))
    mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[at(crank, r - c), at(rod, -d)]))
    # The piston is a tiny mass whose height is held.
    node = mbs.AddNode(NodePoint2D(referenceCoordinates=list(end)))
    tip = mbs.AddObject(ObjectMassPoint2D(physicsMass=1e-9, nodeNumber=node))
    mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[at(rod, length - d), at(tip, 0)]))
    still = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    height = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
    mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=[still, height]))
    drive = None
    if turn is not None:
        angle = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=crank_node, coordinate=2))
        connector = ObjectConnectorCoordinate(
            markerNumbers=[still, angle], offset=1.0, offsetUserFunction=lambda mbs, t, itemNumber, lOffset: turn(t)
        )
        drive = mbs.AddObject(connector)
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 5000, time
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0 if turn is None else 0.8
    settings.solutionSettings.writeSolutionToFile = False
    mbs.SolveDynamic(settings)
    angle = start + mbs.GetNodeOutput(crank_node, exudyn.OutputVariableType.Coordinates)[2]
    return angle, 0.0 if drive is None else mbs.GetObjectOutput(drive, exudyn.OutputVariableType.Force)
