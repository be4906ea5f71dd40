"""Bodies, joints and sites of a compiled MuJoCo model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.meshes.visual_shapes import collect_shapes, format_colour, make_mesh, make_shape
from screwgraph.model.formats.mjcf.names import Names, make_pose, make_translation
from screwgraph.model.robot import Frame, Joint, JointType, Limits, Link, Shape, Visual
from screwgraph.model.robot.joints import Fixed, Floating, Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, inverse, rotation, translation

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's numbers of joint types."""

Placed = dict[int, Frame]
"""For each body, by number, the link that it is, and the body's own frame on it."""


def read_bodies(model: Any, names: Names) -> tuple[list[Link], list[Joint], list[Frame], Placed]:
    """Return links, joints and frames of a model, and where its bodies are."""
    placed: Placed = {0: Frame(names.bodies[0], names.bodies[0], np.eye(4))}
    links, joints = [_with_shapes(Link(names.bodies[0]), model, 0, placed[0])], []
    taken = set(names.bodies)
    for body in range(1, model.nbody):
        new_links, new_joints, placed[body] = _body(model, body, names, placed[int(model.body_parentid[body])], taken)
        links += new_links
        joints += new_joints
    frames = _frames(model, names, placed, taken)
    return links, joints, frames, placed


def _body(model: Any, body: int, names: Names, parent: Frame, taken: set[str]) -> tuple[list[Link], list[Joint], Frame]:
    """Chain the joints of a body; `T` is always the body's frame on the link that the chain has reached."""
    name, at = names.bodies[body], parent.link
    T = parent.T_lf @ make_pose(model.body_pos[body], model.body_quat[body])
    numbers = range(int(model.body_jntadr[body]), int(model.body_jntadr[body]) + int(model.body_jntnum[body]))
    links, joints = [], []
    for number in numbers:
        kind, anchor = int(model.jnt_type[number]), np.array(model.jnt_pos[number], dtype=float)
        anchor = anchor if kind in (BALL, HINGE) else np.zeros(3)
        joint_type = _type(model, number)
        origin = np.eye(4) if kind == FREE else T @ make_translation(anchor) @ _back_to_zero(model, number, joint_type)
        child = name if number == numbers[-1] else _make_unused_name(f"{names.joints[number]}_link", taken)
        joints.append(_joint(model, number, names.joints[number], joint_type, at, child, origin))
        links.append(Link(child))
        at, T = child, make_translation(-anchor)
    if not joints:
        joints.append(Joint(_make_unused_name(f"{name}_fixed", set(names.joints)), Fixed(), at, name, T))
        links.append(Link(name))
        T = np.eye(4)
    frame = Frame(name, name, T)
    links[-1] = _with_shapes(Link(name, _inertia(model, body).moved(T)), model, body, frame)
    return links, joints, frame


def _with_shapes(link: Link, model: Any, body: int, on: Frame) -> Link:
    seen, touched = read_shapes(model, body, on)
    return replace(link, visuals=seen, collisions=touched)


def _type(model: Any, number: int) -> JointType:
    x, y, z = (float(entry) for entry in model.jnt_axis[number])
    match int(model.jnt_type[number]):
        case 0:
            return Floating()
        case 1:
            return Spherical()
        case 2:
            return Prismatic((x, y, z))
    return Revolute((x, y, z))


def _back_to_zero(model: Any, number: int, joint_type: JointType) -> Float[np.ndarray, "4 4"]:
    """MuJoCo's positions may start from another value than zero, at which the model is as drawn."""
    if joint_type.nq != 1:
        return np.eye(4)
    reference = float(model.qpos0[model.jnt_qposadr[number]])
    return inverse(joint_type.transform(np.array([reference]))) if reference else np.eye(4)


def _joint(
    model: Any, number: int, name: str, joint_type: JointType, parent: str, child: str, origin: np.ndarray
) -> Joint:
    dof = int(model.jnt_dofadr[number])
    lower, upper = (float(bound) for bound in model.jnt_range[number])
    limited = bool(model.jnt_limited[number]) and joint_type.nq == 1
    return Joint(
        name,
        joint_type,
        parent,
        child,
        origin,
        limits=Limits(lower if limited else None, upper if limited else None, effort=_effort(model, number)),
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        armature=float(model.dof_armature[dof]),
        neutral=_read_free_pose(model, number) if int(model.jnt_type[number]) == FREE else None,
    )


def _read_free_pose(model: Any, number: int) -> tuple[float, ...]:
    """Return the pose of a free body in the file, (x y z, qx qy qz qw)."""
    start = int(model.jnt_qposadr[number])
    x, y, z, w, *xyz = (float(entry) for entry in model.qpos0[start : start + 7])
    return (x, y, z, *xyz, w)


def _effort(model: Any, number: int) -> float | None:
    """Return the largest effort of a joint: its own limit, else what limited motors on it can do together."""
    if model.jnt_actfrclimited[number]:
        return float(np.abs(model.jnt_actfrcrange[number]).max())
    own = [i for i in range(model.nu) if model.actuator_trntype[i] == 0 and model.actuator_trnid[i, 0] == number]
    limits = []
    for i in own:
        if model.actuator_forcelimited[i]:
            largest = float(np.abs(model.actuator_forcerange[i]).max())
        elif model.actuator_ctrllimited[i] and model.actuator_biastype[i] == 0:
            largest = float(np.abs(model.actuator_ctrlrange[i]).max() * abs(model.actuator_gainprm[i, 0]))
        else:
            return None
        limits.append(largest * abs(float(model.actuator_gear[i, 0])))
    return sum(limits) if limits else None


def _inertia(model: Any, body: int) -> SpatialInertia:
    T = make_pose(model.body_ipos[body], model.body_iquat[body])
    principal = np.diag(np.asarray(model.body_inertia[body], dtype=float))
    return SpatialInertia.of_body(float(model.body_mass[body]), translation(T), principal, rotation(T))


def _frames(model: Any, names: Names, placed: Placed, taken: set[str]) -> list[Frame]:
    """Return the frames of bodies that are not their links' own, and those of sites that have a name."""
    frames = []
    for frame in placed.values():
        if translation(frame.T_lf).any():
            frames.append(Frame(_make_unused_name(f"{frame.name}_origin", taken), frame.link, frame.T_lf))
    for site, name in enumerate(names.sites):
        on = placed[int(model.site_bodyid[site])]
        if name:
            T = on.T_lf @ make_pose(model.site_pos[site], model.site_quat[site])
            frames.append(Frame(_make_unused_name(name, taken), on.link, T))
    return frames


def _make_unused_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# Geoms of a compiled MuJoCo model as shapes.

PLANE = 0
"""MuJoCo's number of planes, which have no end; those of finite geoms stand below."""
_UNSET = (0.5, 0.5, 0.5)
"""MuJoCo's colour where the file gives none."""


def read_shapes(model: Any, body: int, on: Frame) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Return the shapes of a body that are seen only, and those that touch; `on` is the body's frame on its link."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = [i for i in range(first, first + count) if model.geom_type[i] != PLANE and model.geom_rgba[i, 3] > 0.0]
    seen = [i for i in geoms if not model.geom_contype[i] and not model.geom_conaffinity[i]]
    touched = [i for i in geoms if i not in seen]
    own = [collect_shapes(partial(_visual, model, i, on) for i in group) for group in (seen, touched)]
    return own[0], own[1]


def _visual(model: Any, geom: int, on: Frame) -> Visual | None:
    a, b, c = (float(entry) for entry in model.geom_size[geom])
    T = np.eye(4)
    match int(model.geom_type[geom]):
        case 2:
            shape = make_shape("sphere", (a,))
        case 3:
            shape = make_shape("capsule", (a, 2.0 * b))
        case 4:
            shape = make_shape("ellipsoid", (a, b, c))
        case 5:
            shape = make_shape("cylinder", (a, 2.0 * b))
        case 6:
            shape = make_shape("box", (2.0 * a, 2.0 * b, 2.0 * c))
        case 7:
            shape, T = _mesh(model, int(model.geom_dataid[geom]))
        case _:
            return None
    rgba = model.geom_rgba[geom]
    colour = "" if np.allclose(rgba[:3], _UNSET) else format_colour(rgba)
    placed = on.T_lf @ make_pose(model.geom_pos[geom], model.geom_quat[geom]) @ T
    return None if shape is None else Visual(shape, placed, colour)


def _mesh(model: Any, number: int) -> tuple[Shape | None, Float[np.ndarray, "4 4"]]:
    """Return a mesh, and the pose of its file's frame in the one of its principal axes, which MuJoCo gives it."""
    start = int(model.mesh_pathadr[number])
    file = None if start < 0 else model.paths[start : model.paths.index(b"\0", start)].decode("utf-8", "replace")
    return make_mesh(file, model.mesh_scale[number]), inverse(
        make_pose(model.mesh_pos[number], model.mesh_quat[number])
    )
