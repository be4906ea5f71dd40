"""Keys of task YAML files, section by section."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, SWITCH, VECTOR, Entry, Keys

JOINTS = "number, [..] or {joint: number, joint[2]: number}"
TIME = "number, start, end, always or [from, to]"

FRAME = Entry("link or frame", default=REQUIRED)
SIGMA = Entry("standard deviation: soft; left out, it is hard", NUMBER, "of what is asked for")
THRESHOLD = Entry("a soft one costs something from so much before it", NUMBER, "of the limit", "0")

TASK: Keys = {
    "name": Entry("name of the task", default="the file's name"),
    "robot": Entry("a file beside this one, a built-in robot, or a section", "text or mapping", default=REQUIRED),
    "mechanism": Entry("in its place: a planar mechanism, a file or a built-in one"),
    "parameters": Entry("numbers that expressions may use", "{name: number}", default="{}"),
    "horizon": Entry("equal steps", "mapping", default=REQUIRED),
    "phases": Entry("in its place: steps one after the other, whose durations may be free", "list"),
    "path": Entry("in its place: an exact path, whose fastest timing within the limits is found", "mapping"),
    "actuated": Entry(
        "joints, coordinates or actuators that are driven",
        "[name, joint[2], ...]",
        default="all actuators, else all joints",
    ),
    "start": Entry("state at the beginning", "mapping", default="free"),
    "goals": Entry("what must hold at some time", "list", default="[]"),
    "costs": Entry("what is to be small", "{kind: ...} or list", default="[]"),
    "limits": Entry("what must be kept all the time", "list of kinds or {kind: ...}", default="[]"),
    "obstacles": Entry("what must not be touched", "list", default="[]"),
    "contacts": Entry("what the robot stands on, and when", "list", default="[]"),
    "collocation": Entry(
        "radau, held, trapezoidal, hermite_simpson, radau_5, linear_acceleration, held_9, euler or none",
        default="radau",
    ),
    "guess": Entry("where the search begins: linear or stay", default="linear"),
    "dynamics": Entry("yes, no (plans without torques), graph or condensed", default="yes"),
    "accuracy": Entry("error of a step up to which a plan is solved", NUMBER, "of the whole way", "1e-3"),
    "regularisation": Entry("acceleration that costs as much as holding the robot, or no", NUMBER, "rad/s²", "100"),
}
ROBOT: Keys = {
    "file": Entry("a file beside this one, or a built-in robot", default=REQUIRED),
    "base": Entry("fixed or floating", default="fixed"),
    "lock": Entry("joints that stand still, at 0 or at values", "[joint, ...] or {joint: number}", "rad, m", "[]"),
    "gravity": Entry("acceleration of free fall", VECTOR, "m/s²", "the file's"),
    "damping": Entry("whether the file's damping counts", SWITCH, default="yes"),
    "frames": Entry("further frames, as in files of robots, on links or frames", "[{frame, link, at, rpy}, ...]"),
    "xacro": Entry("values for the arguments of a xacro file", "{name: value}", default="the file's"),
    "packages": Entry(
        "folders of ROS packages, beside this file", "{name: folder} or [folder, ...]", default="the environment's"
    ),
}
HORIZON: Keys = {
    "steps": Entry("number of steps", "whole number", default=REQUIRED),
    "dt": Entry("time step", NUMBER, "s"),
    "duration": Entry("in its place: all steps together", NUMBER, "s"),
}
PHASE: Keys = {
    "name": Entry("name of the phase", default="its number"),
    "steps": Entry("number of steps", "whole number", default=REQUIRED),
    "duration": Entry("duration; where it is free, what the search begins with", NUMBER, "s", REQUIRED),
    "shortest": Entry("shortest duration", NUMBER, "s", "the duration"),
    "longest": Entry("longest duration", NUMBER, "s", "the duration"),
}
EXACT_PATH: Keys = {
    "positions": Entry("positions that it passes, joined by a cubic spline", "[[q, ...], ...]", "rad, m", REQUIRED),
    "steps": Entry("parts at whose ends limits are kept, and between", "whole number", default="200"),
}
START: Keys = {
    "position": Entry("positions; others are neutral", "[..] or {joint: number, joint[2]: number}", "rad, m", "free"),
    "velocity": Entry("velocities, or free", JOINTS, "rad/s, m/s", "0"),
}
GOAL: Keys = {
    "time": Entry("when it holds", TIME, "s", "end"),
    "sigma": SIGMA,
    "position": Entry("positions of joints or coordinates", "[..] or {joint: number, joint[2]: number}", "rad, m"),
    "velocity": Entry("velocities of joints", JOINTS, "rad/s, m/s"),
    "acceleration": Entry("accelerations of joints", JOINTS, "rad/s², m/s²"),
    "pose": Entry("pose of a frame", "mapping"),
    "point": Entry("place of a frame's origin", "mapping"),
    "direction": Entry("direction of an axis of a frame", "mapping"),
    "frame_velocity": Entry("velocity of a frame", "mapping"),
}
"""Of one time, one or more of the kinds of `GOALS`."""
POSE: Keys = {
    "frame": FRAME,
    "of": Entry("the pose that it has at this position", "[q, ...]", "rad, m"),
    "xyz": Entry("else its origin in the base", VECTOR, "m", "[0, 0, 0]"),
    "rpy": Entry("roll, pitch and yaw", "[r, p, y]", "rad", "[0, 0, 0]"),
    "quaternion": Entry("in the place of rpy", "[x, y, z, w]"),
}
POINT: Keys = {
    "frame": FRAME,
    "at": Entry("place in the base, one number for each of axes", "[x, ...]", "m", REQUIRED),
    "axes": Entry("coordinates that count: some of x, y, z", default="xyz"),
}
DIRECTION: Keys = {
    "frame": FRAME,
    "at": Entry("direction in the base's axes, of any length", VECTOR, default=REQUIRED),
    "axis": Entry("axis of the frame, in its own axes; rotation about it is free", VECTOR, default="[0, 0, 1]"),
    "within": Entry("angle between them that is allowed", NUMBER, "rad", "0"),
}
FRAME_VELOCITY: Keys = {
    "frame": FRAME,
    "linear": Entry("linear velocity of its origin, in the base's axes", VECTOR, "m/s", "free"),
    "angular": Entry("angular velocity, in the base's axes", VECTOR, "rad/s", "free"),
}
PATH: Keys = {
    "frame": Entry("link or frame", default="the centre of mass"),
    "times": Entry("times of the points", "[t, ...]", "s", REQUIRED),
    "points": Entry("points in the base", "[[x, y, z], ...]", "m", REQUIRED),
    "weight": Entry("weight of the squared distance", NUMBER, "1/(m² s)", "1"),
}
POSTURE: Keys = {
    "weight": Entry("weight of the squared distance", JOINTS, "1/(rad² s)", "1"),
    "at": Entry("position", JOINTS, "rad, m", "neutral"),
}
SMOOTHNESS: Keys = {
    "Qc": Entry("spectral density of white noise", JOINTS, "rad²/s³, rad²/s⁵", REQUIRED),
    "order": Entry("on what the noise acts: acceleration or jerk", default="acceleration"),
}
COSTS: Keys = {
    "effort": Entry("weight of squared torques, or of actuators' efforts", JOINTS, "1/((N m)² s)"),
    "acceleration": Entry("weight of squared accelerations", JOINTS, "s³/rad²"),
    "velocity": Entry("weight of squared velocities", JOINTS, "s/rad²"),
    "smoothness": Entry("a density, or a section", f"{JOINTS} or mapping"),
    "time": Entry("weight of free durations", NUMBER, "1/s"),
    "posture": Entry("nearness to a position", "mapping"),
    "potential": Entry("weight of the potential energy", NUMBER, "1/(J s)"),
    "path": Entry("nearness of a frame or the centre of mass to a path", "mapping"),
}
"""Kinds of costs, as `COSTS` of `screwgraph.motion.planning.costs` has them."""
LIMITS: Keys = {
    "position": Entry("lowest and highest positions", "section, or [low, high] or {joint: ...}", "rad, m"),
    "velocity": Entry("largest speeds", "section, number or {joint: ...}", "rad/s, m/s"),
    "acceleration": Entry("largest accelerations", "section, number or {joint: ...}", "rad/s², m/s²"),
    "jerk": Entry("largest rates of accelerations", "section, number or {joint: ...}", "rad/s³, m/s³"),
    "effort": Entry("largest torques and forces", "section, number or {joint: ...}", "N m, N"),
}
"""Kinds of limits; without a value they are those of the robot's file."""
LIMIT: Keys = {
    "bounds": Entry("bounds, as without a section", "number, [low, high] or {joint: ...}", default="the file's"),
    "sigma": SIGMA,
    "threshold": THRESHOLD,
}
OBSTACLES: Keys = {
    "avoid": Entry("shapes that the robot does not touch", "mapping"),
    "avoid_itself": Entry("links that do not touch one another", "mapping"),
}
CLEARANCE: Keys = {
    "spheres": Entry("spheres that cover the robot, or auto", "list or auto", default=REQUIRED),
    "margin": Entry("clearance to keep", NUMBER, "m", "0"),
    "threshold": THRESHOLD,
    "sigma": SIGMA,
    "between": Entry("positions between two points of time at which it is kept, too", "whole number", default="1"),
    "order": Entry("2: motions of constant velocity between points; 3: of constant acceleration", default="2"),
}
AVOID: Keys = {
    "shapes": Entry("obstacles in the base's frame, or in one that moves", "list", default=REQUIRED),
    "motion": Entry("how the frame of the shapes moves", "mapping", default="it stands"),
    **CLEARANCE,
}
MOTION: Keys = {
    "times": Entry("times of the waypoints; before and after it stands", "[t, ...]", "s", REQUIRED),
    "points": Entry("its origin in the base", "[[x, y, z], ...]", "m", REQUIRED),
    "rpy": Entry("roll, pitch and yaw", "[[r, p, y], ...]", "rad", "[[0, 0, 0], ...]"),
}
AVOID_ITSELF: Keys = {"allowed": Entry("pairs that may touch", "[[link, link], ...]", default="[]"), **CLEARANCE}
SPHERE: Keys = {
    "link": Entry("link or frame that carries it", default=REQUIRED),
    "centre": Entry("centre in its frame", VECTOR, "m", "[0, 0, 0]"),
    "radius": Entry("radius", NUMBER, "m", REQUIRED),
}
SIZES: Keys = {
    "centre": Entry("centre", VECTOR, "m", REQUIRED),
    "size": Entry("edges", VECTOR, "m", REQUIRED),
    "rpy": Entry("roll, pitch and yaw of the shape, whose own axis is z", "[r, p, y]", "rad", "[0, 0, 0]"),
    "start": Entry("one end of the axis", VECTOR, "m", REQUIRED),
    "end": Entry("the other end", VECTOR, "m", REQUIRED),
    "radius": Entry("radius", NUMBER, "m", REQUIRED),
    "length": Entry("length along the axis", NUMBER, "m", REQUIRED),
    "point": Entry("a point of its surface", VECTOR, "m", "[0, 0, 0]"),
    "normal": Entry("direction outwards", VECTOR, "", "[0, 0, 1]"),
}
"""Sizes of shapes: of each kind those that are its fields."""
DISTANCE_GRID: Keys = {
    "file": Entry("arrays of distances (.npz)", default=REQUIRED),
    "method": Entry("interpolation: tricubic or trilinear", default="tricubic"),
}
HEIGHT_MAP: Keys = {
    "file": Entry("arrays heights, origin and spacing (.npz)", default=REQUIRED),
    "above": Entry("how far distances reach above the highest height", NUMBER, "m", "0.5"),
    "below": Entry("likewise, below the lowest", NUMBER, "m", "0.1"),
    "cell": Entry("spacing of the grid of distances", NUMBER, "m", "half that of the heights"),
}
CONTACTS: Keys = {
    "point": Entry("points of a link that stand on the ground", "mapping"),
    "flat": Entry("a sole that stands on a plane", "mapping"),
    "axle": Entry("an axle whose wheels do not slide along it", "mapping"),
}
AXLE: Keys = {
    "frame": Entry("link or frame, its origin between the wheels", default=REQUIRED),
    "axis": Entry("axis of the wheels in the frame", VECTOR, default="[0, 1, 0]"),
    "phases": Entry("phases in which they stand on the ground", "[phase, ...]", default="all"),
}
CONTACT: Keys = {
    "frame": FRAME,
    "phases": Entry("phases in which it stands, by name or number", "[phase, ...]", default="all"),
    "friction": Entry("coefficient of friction", NUMBER, default="0.7"),
    "ground": Entry("height of the ground along the normal", NUMBER, "m", "0"),
    "normal": Entry("normal of the ground", VECTOR, default="[0, 0, 1]"),
    "at": Entry("where it is set down, a point for each time", "[x, y, z] or list of such", "m", "free"),
    "sigma": Entry("standard deviation of soft friction cones", NUMBER, "N", "hard"),
    "threshold": THRESHOLD,
    "level": Entry("what is held: position, velocity, acceleration or auto", default="auto"),
    "settling": Entry("time in which errors of the position decay, at level acceleration", NUMBER, "s", "0.02"),
    "clearance": Entry("whether it stays above the ground at other times", SWITCH, default="yes"),
    "swing": Entry("how high it rises at least, in the middle of its time in the air", NUMBER, "m", "0"),
}
POINT_CONTACT: Keys = {
    **CONTACT,
    "points": Entry("points in the frame", "[[x, y, z], ...]", "m", "[[0, 0, 0]]"),
    "radius": Entry("radius of a round foot, or of a wheel", NUMBER, "m", "0"),
    "axis": Entry("axis of a wheel in the frame; left out, a round foot is a ball", VECTOR),
    "cone": Entry("pyramid or round", default="pyramid"),
    "faces": Entry("faces of a pyramid", "whole number", default="4"),
}
FLAT_CONTACT: Keys = {
    **CONTACT,
    "length": Entry("of the sole, along x", NUMBER, "m", REQUIRED),
    "width": Entry("of the sole, along y", NUMBER, "m", REQUIRED),
    "centre": Entry("of the sole, in the frame", VECTOR, "m", "[0, 0, 0]"),
}

SECTIONS: Mapping[str, Keys] = {
    "The task": TASK,
    "robot": ROBOT,
    "horizon": HORIZON,
    "An item of phases": PHASE,
    "path of a task": EXACT_PATH,
    "start": START,
    "An item of goals": GOAL,
    "pose of a goal": POSE,
    "point of a goal": POINT,
    "direction of a goal": DIRECTION,
    "frame_velocity of a goal": FRAME_VELOCITY,
    "costs": COSTS,
    "path": PATH,
    "posture": POSTURE,
    "smoothness": SMOOTHNESS,
    "limits": LIMITS,
    "A limit as a section": LIMIT,
    "obstacles": OBSTACLES,
    "avoid": AVOID,
    "motion of avoid": MOTION,
    "avoid_itself": AVOID_ITSELF,
    "An item of spheres": SPHERE,
    "box, capsule, cylinder, half_space, sphere of shapes": SIZES,
    "distance_grid": DISTANCE_GRID,
    "height_map": HEIGHT_MAP,
    "contacts": CONTACTS,
    "point contact": POINT_CONTACT,
    "flat contact": FLAT_CONTACT,
    "axle": AXLE,
}
"""All sections, for people."""
