"""Robots as models of MuJoCo: bodies, joints, loops and couplings as equalities, balls that touch the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module
from screwgraph.model.robot import Coupling, Joint, Link, Loop, Robot, make_unknown_name_error
from screwgraph.motion.control import HeldContact
from screwgraph.motion.simulation import Contact, Plane
from screwgraph.spatial import quaternions, rotation, transform, translation

POINT = 1e-3
"""Radius (m) of the ball that stands for a point."""
REACH = 9.0
"""Half the side (m) of the ground as it is drawn; it goes on without end."""
APART = 0.1
"""Where along the axis of a loop's hinge its second point is (m)."""
WORLD = "world"
"""Name of MuJoCo's ground."""


@check_arguments
def mujoco_model(
    robot: Robot,
    contacts: Sequence[Contact | HeldContact] = (),
    *,
    ground: Plane | None = None,
    dt: float = 1e-3,
    stops: bool = False,
    friction: bool = False,
    sliding: float | None = None,
) -> Any:
    """Return a `mujoco.MjModel` of a robot, on balls at the points of its contacts: a plant for controllers.

    Links, joints, damping, armature and gravity are the robot's; loops and couplings are MuJoCo's equalities, which
    are soft. Shapes of the file are left out: nothing but contacts touches, and these only the ground, by elliptic
    cones, with the friction of each, and as softly as MuJoCo has it: no restitution, stiffness and damping. Efforts of
    all coordinates are `qfrc_applied`; `mujoco_states` converts them.

    Args:
        robot: any with fixed, revolute, prismatic, spherical joints and floating bases.
        contacts: points and balls of links or frames, or those that controllers hold (soles: their corners).
        ground: a plane; by default z = 0.
        dt: time (s) of a step.
        stops: ranges of joints are limits, soft ones.
        friction: joints have the dry friction of the file.
        sliding: time constant (s) of friction (`solreffriction`), for contacts that slide: by that of their normals,
            which is the default, they push apart, the more the quicker they slide; the longer, the less slow slip is
            braked.

    Raises:
        InputError: MuJoCo is not installed, or has no joint, loop or coupling of a kind; a time is not positive; a
            contact has a shape, touches another body, or differs from motion to motion, so does the ground; a
            link other than the first is called "world"; MuJoCo refuses the model.
    """
    mujoco, plane = extra_module("mujoco", "MuJoCo", "'screwgraph[mjcf]'"), _place_plane(ground or Plane())
    for what, time in (("the step of MuJoCo's model", dt), ("the time constant of friction", sliding)):
        if time is not None and not 0.0 < time < np.inf:
            raise InputError(f"{what} is {time!r}", why="it must be finite and positive (s)")
    if any(link.name == WORLD for link in robot.links[1:]):
        raise InputError(
            f"a link is called {WORLD!r}", why="that is the body of MuJoCo's ground", fix="rename the link"
        )
    spec = mujoco.MjSpec()
    spec.modelname, spec.option.timestep, spec.option.gravity = robot.name, dt, robot.gravity
    spec.compiler.degree, spec.option.cone = False, mujoco.mjtCone.mjCONE_ELLIPTIC
    bodies = {robot.links[0].name: spec.worldbody}
    for joint in robot.joints:  # parents come first
        bodies[joint.child] = _add_body(bodies[joint.parent], robot.link(joint.child), joint)
        _add_joint(mujoco, bodies[joint.child], joint, stops, friction)
    for loop in robot.loops:
        _add_loop(mujoco, spec, bodies, loop)
    for coupling in robot.couplings:
        _add_coupling(mujoco, spec, coupling)
    points = [p for c in contacts for p in (c.corners if isinstance(c, HeldContact) else [c])]
    if points:
        spec.worldbody.add_geom(
            name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[REACH, REACH, 0.1], contype=0,
            conaffinity=0, **plane,
        )  # fmt: skip
    for number, point in enumerate(points):
        _add_ball(mujoco, bodies, robot, point, f"contact{number}")
        spec.add_pair(
            geomname1="ground", geomname2=f"contact{number}", condim=3, friction=[point.friction] * 2 + [0.0] * 3,
            solreffriction=[0.0, 0.0] if sliding is None else [sliding, 1.0],
        )  # fmt: skip
    try:
        model = spec.compile()
    except ValueError as error:  # a range or a size that it refuses
        raise InputError(f"MuJoCo has no model of {robot.name!r}", why=" ".join(str(error).split())) from error
    for link in robot.links[1:]:  # after compilation, which refuses moments of inertia of no rigid body
        body = model.body(link.name).id
        model.body_mass[body], model.body_inertia[body] = link.inertia.mass, _find_moments(link)[0]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _add_body(parent: Any, link: Link, joint: Joint) -> Any:
    """Return the body of a joint's child, in axes of its own moments of inertia; their values follow later."""
    pose = joint.origin @ joint.type.transform(joint.type.manifold.identity())
    inertial = {"mass": 1.0, "inertia": [1.0] * 3, "explicitinertial": True}
    inertial |= {"ipos": link.inertia.com, "iquat": np.roll(quaternions.from_rotation(_find_moments(link)[1]), 1)}
    return parent.add_body(name=joint.child, **inertial, **_place(pose))


def _find_moments(link: Link) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3 3"]]:
    """Return the principal moments (kg m^2) about the centre of mass, and their axes by columns."""
    about = np.asarray(link.inertia.about_com, dtype=float)
    if not np.triu(about, 1).any():
        return np.diag(about), np.eye(3)
    moments, axes = np.linalg.eigh(about)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def _add_joint(mujoco: Any, body: Any, joint: Joint, stops: bool, friction: bool) -> None:
    """Give a body the joint that moves it."""
    if joint.is_fixed:
        return
    if joint.has_pose:
        body.add_freejoint(name=joint.name)
        return
    turns, slides, kinds = joint.turning_axis, joint.sliding_axis, mujoco.mjtJoint
    made: dict[str, Any] = {"name": joint.name, "damping": joint.damping, "armature": joint.armature}
    if turns is not None or slides is not None:
        made |= {"type": kinds.mjJNT_SLIDE if turns is None else kinds.mjJNT_HINGE}
        made |= {"axis": slides if turns is None else turns}
        lower, upper = joint.limits.lower, joint.limits.upper
        if stops and (lower is not None or upper is not None):
            made |= {"limited": 1, "range": [-1e9 if lower is None else lower, 1e9 if upper is None else upper]}
    elif joint.holds_its_point and joint.type.nq == 4:
        made |= {"type": kinds.mjJNT_BALL}
    else:
        raise InputError(
            f"joint {joint.name!r} is a {type(joint.type).__name__.lower()} joint",
            why="MuJoCo has none of that kind",
            fix="hinges and slides in its place, light links between: of a planar joint two slides and a hinge",
        )
    body.add_joint(**made, frictionloss=joint.friction if friction else 0.0)


def _add_loop(mujoco: Any, spec: Any, bodies: dict[str, Any], loop: Loop) -> None:
    """Close a loop: by a weld, at one point, or at two points of an axis."""
    joint = Joint(loop.name, loop.type, loop.predecessor, loop.successor)
    kind, places = mujoco.mjtEq.mjEQ_CONNECT, [np.zeros(3)]
    if joint.is_fixed:
        kind = mujoco.mjtEq.mjEQ_WELD
    elif joint.turning_axis is not None:
        places.append(APART * joint.turning_axis)
    elif not (joint.holds_its_point and joint.type.nv == 3):
        raise InputError(
            f"loop {loop.name!r} has a {type(loop.type).__name__.lower()} joint",
            why="MuJoCo closes loops by welds, balls and hinges",
        )
    for number, at in enumerate(places):
        names = [f"{loop.name}/{number}/{side}" for side in ("p", "s")]
        for name, link, T in zip(names, (loop.predecessor, loop.successor), (loop.T_pf, loop.T_sf), strict=True):
            bodies[link].add_site(name=name, **_place(T @ transform(np.eye(3), at)))
        spec.add_equality(
            name=f"{loop.name}/{number}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=names[0], name2=names[1]
        )


def _add_coupling(mujoco: Any, spec: Any, coupling: Coupling) -> None:
    """Tie joints: one to another, or more by a tendon of fixed coefficients."""
    if not coupling.is_linear:
        raise InputError(f"coupling {coupling.name!r} is {coupling.text()}", why="MuJoCo has linear ones")
    terms, data = list(coupling.terms.items()), np.zeros(mujoco.mjNEQDATA)
    if len(terms) > 2:
        tendon = spec.add_tendon(name=coupling.name)
        for name, coefficient in terms:
            tendon.wrap_joint(name, coefficient)
        data[0] = coupling.offset
        spec.add_equality(
            name=coupling.name, type=mujoco.mjtEq.mjEQ_TENDON, objtype=mujoco.mjtObj.mjOBJ_TENDON,
            name1=coupling.name, data=data,
        )  # fmt: skip
        return
    (first, a), second = terms[0], terms[1:]
    data[0], data[1] = coupling.offset / a, -second[0][1] / a if second else 0.0
    spec.add_equality(
        name=coupling.name, type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=first, name2=second[0][0] if second else "", data=data,
    )  # fmt: skip


def _add_ball(mujoco: Any, bodies: dict[str, Any], robot: Robot, point: Contact, name: str) -> None:
    """Put a ball where a contact is."""
    if point.frame not in robot.frame_names:
        raise make_unknown_name_error("frame", point.frame, robot.frame_names)
    who = f"the contact of {point.frame!r}"
    if point.shape is not None or point.against is not None:
        raise InputError(f"{who} has a shape, or touches a body", why="points and balls on the ground are taken")
    if np.ndim(point.friction) or np.ndim(point.radius):
        raise InputError(f"{who} has numbers for many motions", fix="give one number")
    frame = robot.frame(point.frame)
    pose = frame.T_lf @ transform(np.eye(3), np.asarray(point.at, dtype=float))
    bodies[frame.link].add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[max(float(point.radius), POINT), 0.0, 0.0], mass=0.0,
        contype=0, conaffinity=0, **_place(pose),
    )  # fmt: skip


def _place_plane(plane: Plane) -> dict[str, Any]:
    """Return the pose of a plane whose z is its normal, as MuJoCo's arguments."""
    if plane.fixed is None:
        raise InputError("the ground has numbers for many motions", fix="give one plane")
    n = np.asarray(plane.normal)
    u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    u /= np.linalg.norm(u)
    return _place(transform(np.column_stack([u, np.cross(n, u), n]), float(plane.height) * n))


def _place(pose: Float[np.ndarray, "4 4"]) -> dict[str, Any]:
    """Return a pose as MuJoCo's arguments, w first."""
    T = np.asarray(pose, dtype=float)
    return {"pos": translation(T), "quat": np.roll(quaternions.from_rotation(rotation(T)), 1)}
