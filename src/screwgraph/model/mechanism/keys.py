"""Keys of mechanism YAML files, section by section."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, Entry, Keys
from screwgraph.model.sensors import SENSORS

PLACE, LINE = "[x, y], in space [x, y, z]", "[point, point], in space also a vector"
PART = "name of the part"
TARGETS = {"angle": "angle or [point, point]", "pin": "[body, point]", "motor": "angle", "bar": "body"}
"""What sensors are on, where that is no part of one name."""

MECHANISM: Keys = {
    "name": Entry("name of the mechanism", default="the file's name"),
    "source": Entry("where the values come from"),
    "parameters": Entry("numbers that expressions may use, powers as ** or ^", "{name: number}", default="{}"),
    "gravity": Entry("acceleration of free fall", PLACE, "m/s²", "[0, -9.81], in space [0, 0, -9.81]"),
    "points": Entry("points, numbered from 0, as they stand at the beginning", "list", default=REQUIRED),
    "vectors": Entry("unit vectors of mechanisms in space, of joints' axes for instance", "list", default="[]"),
    "bodies": Entry("rigid bodies through points, in space also along vectors", "list", default=REQUIRED),
    "planar_bodies": Entry("another name of bodies", "list"),
    "angles": Entry("relative coordinates, added to those of the points", "list", default="[]"),
    "relative_coordinates": Entry("angles as other programs write them, called angle0_1 after their points", "list"),
    "sliders": Entry("points that slide along lines; in space, their distances are coordinates", "list", default="[]"),
    "constant_angles": Entry("lines in space whose angle is constant", "list", default="[]"),
    "gears": Entry("ratios between angles", "list", default="[]"),
    "springs": Entry("springs", "list", default="[]"),
    "dampers": Entry("dampers", "list", default="[]"),
    "forces": Entry("constant forces", "list", default="[]"),
    "torques": Entry("constant torques", "list", default="[]"),
    "contacts": Entry("points that touch the ground, where a simulation asks for contacts", "list", default="[]"),
    "ground": Entry("the ground that they touch", "mapping", default="y = 0, in space z = 0"),
    "sensors": Entry("sensors of estimates", "list", default="[]"),
    "motors": Entry("coordinates whose torques or forces inverse dynamics finds", "[coordinate, ...]", default="[]"),
    "driven": Entry(
        "motors whose motion simulations follow: functions of t, or samples", "{coordinate: function}", "rad, m", "{}"
    ),
    "independent": Entry("coordinates that drive it: angles, x:P1, y:2", "[coordinate, ...]", default="chosen"),
    "velocities": Entry(
        "velocities at the beginning, of as many coordinates", "{coordinate: number}", "rad/s, m/s", "{}"
    ),
}
POINT: Keys = {
    "name": Entry("name of the point", default="its number"),
    "x": Entry("place at the beginning, or near it; may use x0, y0, ... of points before", NUMBER, "m", REQUIRED),
    "y": Entry("likewise", NUMBER, "m", REQUIRED),
    "z": Entry("likewise, of all points in space; in the plane, there is none", NUMBER, "m"),
    "fixed": Entry("whether it stands still", "true or false", default="false"),
}
VECTOR: Keys = {
    "name": Entry("name of the vector", default=REQUIRED),
    "x": Entry("direction at the beginning, or near it, of any length", NUMBER, default=REQUIRED),
    "y": Entry("likewise", NUMBER, default=REQUIRED),
    "z": Entry("likewise", NUMBER, default=REQUIRED),
    "fixed": Entry("whether it keeps its direction", "true or false", default="false"),
}
BODY: Keys = {
    "name": Entry("name of the body", default="its number"),
    "points": Entry(
        "origin of its frame, direction of x, others: two or more, or one and vectors", "[point, ...]", default=REQUIRED
    ),
    "vectors": Entry("in space, vectors that it carries; the first that is not along x is toward y", "[vector, ...]"),
    "length": Entry("distance of two points, or auto", NUMBER, "m", "as drawn"),
    "shape": Entry(
        "places of its points, then its vectors, in its frame; in space that frame is as you like",
        "[[0, 0], [length, 0], ...]",
        "m",
        "as drawn",
    ),
    "mass": Entry("mass; expressions may use length, and length12, length13, ... of its points", NUMBER, "kg", "0"),
    "I0": Entry(
        "inertia about its first point; in space a rod's across it, of others [xx, yy, zz] or [xx, yy, zz, xy, xz, yz];"
        " expressions may use length and mass",
        NUMBER,
        "kg m²",
        "0",
    ),
    "cog": Entry("centre of mass in its frame; required where there is a mass", PLACE, "m", "[0, 0]"),
    "visual": Entry("how other programs draw it; passed over", "mapping"),
}
ANGLE: Keys = {
    "angle": Entry("name of the coordinate", default=REQUIRED),
    "of": Entry("the line that turns", LINE, default=REQUIRED),
    "from": Entry("the line that it is measured from", LINE, default="the x axis"),
    "about": Entry("in space: the axis that it is measured about", LINE),
    "start": Entry("value at the beginning", NUMBER, "rad", "as drawn"),
}
RELATIVE: Keys = {
    "type": Entry("RelativeAngleAbsoluteDOF: the angle of a line from the x axis", default=REQUIRED),
    "points": Entry("the line that turns", LINE, default=REQUIRED),
}
SLIDER: Keys = {
    "slider": Entry(PART, default=REQUIRED),
    "point": Entry("point that slides", "point", default=REQUIRED),
    "along": Entry(
        "points of the guide, in space also a point and a vector", "[point, point or vector]", default=REQUIRED
    ),
}
CONSTANT_ANGLE: Keys = {
    "constant_angle": Entry(PART, default=REQUIRED),
    "between": Entry("two lines", "[line, line]", default=REQUIRED),
    "angle": Entry("their angle, not 0 or pi", NUMBER, "rad", "pi/2"),
}
GEAR: Keys = {
    "gear": Entry(PART, default=REQUIRED),
    "angles": Entry("a and b of a = ratio * b + offset", "[angle, angle]", default=REQUIRED),
    "ratio": Entry("ratio of the angles", NUMBER, default=REQUIRED),
    "offset": Entry("offset of the angles", NUMBER, "rad", "as drawn"),
}
ENDS: Keys = {
    "between": Entry("the points that it joins", LINE),
    "angle": Entry("in their place: the angle that it acts on", "angle"),
}
SPRING: Keys = {
    "spring": Entry(PART, default=REQUIRED),
    **ENDS,
    "stiffness": Entry("stiffness", NUMBER, "N/m, N m/rad", REQUIRED),
    "rest": Entry("length or angle without force", NUMBER, "m, rad", REQUIRED),
}
DAMPER: Keys = {
    "damper": Entry(PART, default=REQUIRED),
    **ENDS,
    "damping": Entry("damping", NUMBER, "N s/m, N m s/rad", REQUIRED),
    "friction": Entry("level F of Coulomb friction F tanh(rate / 0.01)", NUMBER, "N, N m", "0"),
}
FORCE: Keys = {
    "force": Entry(PART, default=REQUIRED),
    "at": Entry("point that it acts on", "point", default=REQUIRED),
    "value": Entry("force", PLACE, "N", REQUIRED),
}
TORQUE: Keys = {
    "torque": Entry(PART, default=REQUIRED),
    "body": Entry("body that it acts on", "body"),
    "angle": Entry("in its place: the angle that it acts on", "angle"),
    "value": Entry("torque; on bodies in space [x, y, z]", NUMBER, "N m", REQUIRED),
}
CONTACT: Keys = {
    "contact": Entry(PART, default=REQUIRED),
    "at": Entry("point that touches the ground", "point", default=REQUIRED),
    "radius": Entry("of a ball about the point, which turns with its body", NUMBER, "m", "0"),
    "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
    "restitution": Entry("rebound over impact velocity", NUMBER, default="0"),
    "stiffness": Entry("of the normal direction, inf of a rigid contact", NUMBER, "N/m", "1e6"),
    "damping": Entry("of the normal direction", NUMBER, "N s/m", "1e3"),
}
GROUND: Keys = {
    "normal": Entry("normal of the ground", PLACE, default="[0, 1], in space [0, 0, 1]"),
    "height": Entry("height of the ground along the normal", NUMBER, "m", "0"),
}
SAMPLES: Keys = {
    "t": Entry("times, which grow", "[number, ...]", "s", REQUIRED),
    "values": Entry(
        "the coordinate at these, four or more: a spline of degree 5 goes through", "[number, ...]", "rad, m", REQUIRED
    ),
}
"""In the place of an expression in t."""
SENSOR: Keys = {
    "sensor": Entry(PART, default=REQUIRED),
    **{
        name: Entry(form.text, TARGETS.get(form.on, form.on), form.unit)
        for name, kind in SENSORS.items()
        if (form := kind.mechanism)
    },
    "at": Entry("place of an accelerometer on its body", PLACE, "m", "[0, 0]"),
    "sigma": Entry("standard deviation", NUMBER, "of what it reads", REQUIRED),
    "delay": Entry("time before its own at which what it reads was so", NUMBER, "s", "0"),
    "bias": Entry("standard deviation of a constant error, 0: none", NUMBER, "of what it reads", "0"),
    "walk": Entry("change of that error in the root of a second", NUMBER, "of what it reads", "0"),
    "huber": Entry("standard deviations beyond which residuals weigh less, 0: all count fully", NUMBER, default="0"),
}
"""One of the kinds of sensors, its place, its noise."""

SECTIONS: Mapping[str, Keys] = {
    "The mechanism": MECHANISM,
    "An item of points": POINT,
    "An item of vectors": VECTOR,
    "An item of bodies": BODY,
    "An item of angles": ANGLE,
    "An item of relative_coordinates": RELATIVE,
    "An item of sliders": SLIDER,
    "An item of constant_angles": CONSTANT_ANGLE,
    "An item of gears": GEAR,
    "An item of springs": SPRING,
    "An item of dampers": DAMPER,
    "An item of forces": FORCE,
    "An item of torques": TORQUE,
    "An item of contacts": CONTACT,
    "The ground": GROUND,
    "Samples of a driven coordinate": SAMPLES,
    "An item of sensors": SENSOR,
}
"""All sections, for people."""
