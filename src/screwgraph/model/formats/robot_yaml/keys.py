"""Keys of robot YAML files, section by section."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.formats.yaml_keys import NUMBER, POSE, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.robot.actuators import ACTUATORS
from screwgraph.model.robot.shapes import SHAPES

VALUES: dict[tuple[int, ...], str] = {(1,): NUMBER, (3,): VECTOR}
"""Values of shapes of one length, of three along the axes."""

ROBOT: Keys = {
    "name": Entry("name of the robot", default="the file's name"),
    "source": Entry("where the values come from"),
    "parameters": Entry("numbers that expressions may use", "{name: number}", default="{}"),
    "gravity": Entry("acceleration of free fall", VECTOR, "m/s²", "[0, 0, -9.81]"),
    "base": Entry("the link that stands still, or its section", "text or mapping", default="base"),
    "bodies": Entry("links with the joints that move them", "list", default=REQUIRED),
    "frames": Entry("further frames on links", "list", default="[]"),
    "loops": Entry("joints that close loops", "list", default="[]"),
    "couplings": Entry("equations between joint positions", "list", default="[]"),
    "independent": Entry("joints that drive closed chains", "[joint, ...]", default="chosen"),
    "actuators": Entry("motors that act through transmissions", "list", default="[]"),
}
MASS: Keys = {
    "mass": Entry("mass", NUMBER, "kg", "0"),
    "com": Entry("centre of mass in the link's frame", VECTOR, "m", "[0, 0, 0]"),
    "inertia": Entry(
        "rotational inertia about the centre of mass, in the link's axes",
        "[ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz]",
        "kg m²",
        "[0, 0, 0]",
    ),
    "inertial": Entry(
        "in the place of these: parameters about the link's origin, also those of no rigid body",
        "[m, mx, my, mz, ixx, iyy, izz, ixy, ixz, iyz]",
        "kg, kg m, kg m²",
    ),
}
DRAWN: Keys = {
    "shapes": Entry("shapes for pictures", "list", default="[]"),
    "collisions": Entry("shapes that may touch something", "list", default="those for pictures"),
}
COEFFICIENTS: Keys = {
    "damping": Entry("viscous damping of the joint", NUMBER, "N m s/rad, N s/m", "0"),
    "friction": Entry("Coulomb friction of the joint", NUMBER, "N m, N", "0"),
    "armature": Entry("inertia of the joint's rotor, reflected", NUMBER, "kg m², kg", "0"),
}
BODY: Keys = {
    "link": Entry("name of the link", default=REQUIRED),
    "parent": Entry("link that the joint hangs on", default="the link of the body before"),
    "joint": Entry("name of the joint", default="the link's name and _joint"),
    "type": Entry("type of the joint", default="revolute"),
    **POSE,
    **MASS,
    "limits": Entry("limits of the joint", "mapping", default="{}"),
    **COEFFICIENTS,
    "neutral": Entry("position at which a floating joint begins", "[x, y, z, qx, qy, qz, qw]", "m", "zero"),
    "mimic": Entry("joint that this one follows", "mapping"),
    **DRAWN,
}
SETTINGS: Keys = {
    "axis": Entry("axis of the joint in its frame", "x, -y, ... or [x, y, z]", default="z"),
    "axis2": Entry("second axis, of universal joints", "x, -y, ... or [x, y, z]", default="y"),
    "offset": Entry("angle of revolute joints at position 0", NUMBER, "rad", "0"),
    "pitch": Entry("advance of helical joints", NUMBER, "m/rad", "0"),
}
"""Settings of joint types; those of types that are added are described by the type itself."""
LIMITS: Keys = {
    "lower": Entry("lowest position", NUMBER, "rad, m"),
    "upper": Entry("highest position", NUMBER, "rad, m"),
    "velocity": Entry("highest speed", NUMBER, "rad/s, m/s"),
    "effort": Entry("largest torque or force", NUMBER, "N m, N"),
}
MIMIC: Keys = {
    "joint": Entry("joint that is followed", default=REQUIRED),
    "multiplier": Entry("position = multiplier * that joint's + offset", NUMBER, default="1"),
    "offset": Entry("see multiplier", NUMBER, "rad, m", "0"),
}
BASE: Keys = {
    "link": Entry("name of the base", default="base"),
    "at": Entry("origin of the base in the world; a floating base begins there", VECTOR, "m", "[0, 0, 0]"),
    "rpy": Entry(
        "roll, pitch and yaw of the base in the world; gravity is in the base's frame", "[r, p, y]", "rad", "[0, 0, 0]"
    ),
    **MASS,
    **DRAWN,
}
FRAME: Keys = {
    "frame": Entry("name of the frame", default=REQUIRED),
    "link": Entry("link that carries it", default=REQUIRED),
    **POSE,
}
LOOP: Keys = {
    "loop": Entry("name of the loop", default=REQUIRED),
    "type": Entry("type of the joint that closes it, with its settings", default="revolute"),
    "predecessor": Entry("one end: a link, or its section", "text or mapping", default=REQUIRED),
    "successor": Entry("the other end", "text or mapping", default=REQUIRED),
}
END: Keys = {"link": Entry("link at this end", default=REQUIRED), **POSE}
COUPLING: Keys = {
    "coupling": Entry("name of the coupling", default=REQUIRED),
    "terms": Entry("coefficients of joint positions: their sum is the offset", "{joint: number}"),
    "offset": Entry("what the terms sum up to", NUMBER, "rad, m", "0"),
    "equation": Entry("in the place of terms: arithmetic of positions, with sin, sqrt, atan2, hypot, abs, ..."),
    "joints": Entry("words of the equation that stand for joints", "{word: joint}", default="{}"),
}
ACTUATOR: Keys = {
    "actuator": Entry("name of the actuator", default=REQUIRED),
    **{key: Entry(*about) for kind in dict.fromkeys(ACTUATORS.values()) for key, about in kind.keys.items()},
    "bounds": Entry("the least and the largest effort; of cables 0, inf", "[lower, upper]", "N m, N", "infinite"),
    "force": Entry("its effort as a function of its input u and its displacement l", default="u", unit="N m, N"),
    "unit": Entry("of the input, where a force is given"),
}
SHAPE_KEYS: Keys = {
    word: Entry(kind.about, VALUES.get(tuple(kind.settings.values()), f"[{', '.join(kind.settings)}]"), "m")
    for word, kind in SHAPES.items()
}
MESH: Keys = {"mesh": Entry("file of a mesh: a path beside this file, or package://NAME/...")}
SHAPE: Keys = {
    **SHAPE_KEYS,
    **MESH,
    "scale": Entry("of a mesh: stretch along its axes", VECTOR, default="[1, 1, 1]"),
    **POSE,
    "colour": Entry("colour", '"#rrggbb"', default="by place in the tree"),
}

SECTIONS: Mapping[str, Keys] = {
    "The robot": ROBOT,
    "base": BASE,
    "An item of bodies": {**BODY, **SETTINGS},
    "limits of a body": LIMITS,
    "mimic of a body": MIMIC,
    "An item of shapes": SHAPE,
    "An item of frames": FRAME,
    "An item of loops": {**LOOP, **SETTINGS},
    "predecessor and successor of a loop": END,
    "An item of couplings": COUPLING,
    "An item of actuators": ACTUATOR,
}
"""All sections, for people."""
