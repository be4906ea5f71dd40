"""Conventional accelerations: linear velocities drop out of the equations, and gravity becomes the base's acceleration.

The unknown of a link is (dw/dt, dv/dt + w x v - g): what an accelerometer at its origin feels. Its twist shrinks
to the angular velocity, and gravity is a prior on the base's acceleration (Luh, Walker & Paul, 1980).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.graph import (
    Affine,
    End,
    Factor,
    FactorGraph,
    Key,
    Role,
    Template,
    factor,
    loop_wrenches,
    vector_variable,
)
from screwgraph.lowering.closed import loop
from screwgraph.lowering.frame_laws import (
    angular_part,
    conventional_frame_acceleration,
    frame_acceleration,
    frame_gravity,
    frame_twist,
    frame_twist_by_parts,
    linear_part,
    linear_velocity,
    seen_gravity,
)
from screwgraph.lowering.second_moments import has_products
from screwgraph.robot import Joint
from screwgraph.spatial import Ad, Array, concatenate, matrix, rotation, skew, translation


def conventional_acceleration(graph: FactorGraph) -> FactorGraph:
    """Rewrite a graph of dynamics for `acceleration` = (dw/dt, conventional linear acceleration less gravity).

    Wrenches, torques and joint accelerations keep their meaning; accelerations and twists of the links that the laws of
    joints bind do not. Frames whose own motion is asked for get the velocities of origins that this takes.
    """
    links = {graph.joints[0].parent, *(joint.child for joint in graph.joints)} if graph.joints else set()
    gravity, moving, seeing = _gravity(graph), _carriers(graph, *MOTIONS), _carriers(graph, *SEEN)
    variables = dict(graph.variables)
    factors: list[Factor] = []
    for key, v in graph.variables.items():
        if key.name in links and key.role is Role.TWIST:
            variables[key] = vector_variable(key.kind, key.name, 3, v.index, v.parent)
            if key.name in moving:
                variables[_velocity(key)] = vector_variable(VELOCITY, key.name, 3, v.index, v.parent)
        if key.name in links and key.role is Role.FIELD and key.name not in seeing:
            del variables[key]
    for f in graph.factors:
        if f.template.name == "gravity" or _is_gravity(f):
            seen = f if _is_gravity(f) else replace(f, template=seen_gravity)
            factors += [seen] if f.keys[0].name in seeing else []
        elif f.template in BY_FRAMES:
            factors += _of_frame(f, graph)
        else:
            factors += _rewritten(f, gravity, links, moving)
    return replace(graph, variables=variables, factors=tuple(factors))


VELOCITY = "velocity"
"""Kind of the velocities of links' origins."""
MOTIONS = (frame_twist, frame_acceleration)
SEEN = (frame_acceleration, frame_gravity)
"""Laws that need velocities of origins, and the direction of gravity, of all links between them and the base."""
BY_FRAMES = (frame_twist, frame_acceleration)


def _carriers(graph: FactorGraph, *laws: Template) -> set[str]:
    """Return the links between the base and those that some laws of frames are bound to, both included."""
    above = {joint.child: joint.parent for joint in graph.joints}
    found: set[str] = set()
    for f in graph.factors:
        link = f.keys[1].name if f.template in laws else None
        while link is not None and link not in found:
            found.add(link)
            link = above.get(link)
    return found


def _velocity(twist_key: Key) -> Key:
    return Key(VELOCITY, twist_key.name)


def _of_frame(f: Factor, graph: FactorGraph) -> list[Factor]:
    """Return a law of a frame's motion for angular velocities, velocities of origins, conventional accelerations."""
    link = f.keys[1]
    w, v, g = (Key(kind, link.name) for kind in ("twist", VELOCITY, "gravity"))
    if f.template is frame_twist:
        frame = f.arguments["V_frame"]
        has_law = graph.variables[link].parent is not None or any(_is_prior_of(p, link) for p in graph.factors)
        if not has_law:  # a base whose motion is given from outside
            parts = ((angular_part, {"V_frame": frame, "w": w}), (linear_part, {"V_frame": frame, "v": v}))
            return [replace(f, template=template, rows=3, arguments=arguments) for template, arguments in parts]
        return [replace(f, template=frame_twist_by_parts, arguments={"V_frame": frame, "w": w, "v": v})]
    arguments = {**f.arguments, "w": w, "v": v} | ({"g": g} if g in graph.variables else {})
    return [replace(f, template=conventional_frame_acceleration, arguments=arguments)]


def _is_prior_of(f: Factor, key: Key) -> bool:
    return f.template.name == "prior" and f.keys[0] == key


def _gravity(graph: FactorGraph) -> Float[np.ndarray, "3"]:
    return next((f.parameters["value"] for f in graph.factors if _is_gravity(f)), np.zeros(3))


def _is_gravity(f: Factor) -> bool:
    """Whether a factor sets the direction of gravity that the base sees."""
    return f.template.name == "prior" and f.keys[0].role is Role.FIELD and f.index == 0


def _rewritten(f: Factor, gravity: np.ndarray, links: Collection[str], moving: Collection[str]) -> list[Factor]:
    if f.template.name == "prior" and f.keys[0].name in links:
        key, value = f.keys[0], np.asarray(f.parameters["value"])
        if key.role is Role.TWIST:
            rest = replace(f, rows=3, parameters={"value": value[:3]})
            origin = replace(f, rows=3, arguments={"x": _velocity(key)}, parameters={"value": value[3:]})
            return [rest, origin] if key.name in moving else [rest]
        if key.role is Role.ACCELERATION:
            return [replace(f, parameters={"value": value - np.concatenate([np.zeros(3), gravity])})]
    template, rows = _CONVENTIONAL.get(f.template.name, (f.template, f.rows))
    arguments: Mapping[str, Any] = {name: a for name, a in f.arguments.items() if name != "g"}
    if template is f.template:
        return [f]
    found = []
    if f.template.name == "twist" and f.variable("V").name in moving:
        ends = {"v": _velocity(f.variable("V")), "v_parent": _velocity(f.variable("V_parent"))}
        bound = {**ends, "w_parent": arguments["V_parent"], "q": arguments["q"], "qd": arguments["qd"]}
        found.append(replace(f, template=linear_velocity, rows=3, arguments=bound))
    if f.template.name == "acceleration":
        arguments = {**arguments, "V_parent": Key("twist", f.parameters["joint"].parent)}
    if f.template.name == "loop":
        arguments = {**arguments, "qd": tuple(Key("qd", joint.name) for joint in f.parameters["chain"].joints)}
    return [replace(f, template=template, rows=rows or f.rows, arguments=arguments), *found]


@factor(linear=("V", "V_parent", "qd"), cites="Lynch & Park (8.45), angular part", solved={"V": lambda n: ""})
def twist(V: Float[Array, "3"], V_parent: Float[Array, "3"], q: Array, qd: Array, *, joint: Joint) -> Float[Array, "3"]:
    """Angular velocity of the child, in its own frame."""
    return V - _to_child(joint, q, V_parent) - joint.type.screw_axes(q)[:3, :] @ qd


@factor(
    linear=("Vdot", "Vdot_parent", "qdd"),
    conjugate=(Role.WRENCH,),
    cites="Khalil & Dombre (2002), 9.3.2",
    solved={"Vdot": lambda n: ""},
)
def acceleration(
    Vdot: Float[Array, "6"],
    Vdot_parent: Float[Array, "6"],
    V: Float[Array, "3"],
    V_parent: Float[Array, "3"],
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    joint: Joint,
) -> Float[Array, "6"]:
    """Rigid motion with the parent, plus the joint's own acceleration, plus what turns it."""
    if isinstance(Vdot_parent[0], Affine):
        carried = Ad(joint.T_child_parent(q)) @ Vdot_parent
        return Vdot - carried - joint.type.screw_axes(q) @ qdd - velocity_terms(V_parent, q, qd, joint)
    at_joint = Vdot_parent[3:] + _spin(V_parent, Vdot_parent[:3]) @ translation(joint.T_parent_child(q))
    carried = concatenate(_to_child(joint, q, Vdot_parent[:3]), _to_child(joint, q, at_joint))
    return Vdot - carried - joint.type.screw_axes(q) @ qdd - _relative_terms(V_parent, q, qd, joint)


def velocity_terms(V_parent: Float[Array, "3"], q: Array, qd: Array, joint: Joint) -> Float[Array, "6"]:
    """Return the child's acceleration beyond the parent's, carried over, and beyond the joint's own."""
    p = translation(joint.T_parent_child(q))
    centripetal = _to_child(joint, q, _spin(V_parent, np.zeros(3)) @ p)
    return _relative_terms(V_parent, q, qd, joint) + concatenate(np.zeros(3), centripetal)


def _relative_terms(V_parent: Float[Array, "3"], q: Array, qd: Array, joint: Joint) -> Float[Array, "6"]:
    """Return what the joint's velocity adds to the child's acceleration."""
    own = joint.type.screw_axes(q) @ qd
    turned = _to_child(joint, q, V_parent)
    linear = 2.0 * (skew(turned) @ own[3:]) + skew(own[:3]) @ own[3:]
    bias = concatenate(skew(turned) @ own[:3], linear)
    return bias if joint.type.constant_axes else bias + joint.type.axes_rate_times(q, qd)


@factor(
    linear=("Vdot", "F", "F_children", "external_wrenches", "multipliers"),
    conjugate=(Role.ACCELERATION,),
    cites="Khalil & Dombre (2002), 9.3.3",
    solved={"F": lambda n: ""},
)
def wrench(
    V: Float[Array, "3"],
    Vdot: Float[Array, "6"],
    F: Float[Array, "6"],
    F_children: Sequence[Float[Array, "6"]],
    q_children: Sequence[Array],
    external_wrenches: Sequence[Float[Array, "6"]] = (),
    multipliers: Sequence[Array] = (),
    q_loops: Sequence[Array] = (),
    *,
    G: Float[np.ndarray, "6 6"],
    joints: Sequence[Joint],
    T_fl: Sequence[Float[np.ndarray, "4 4"]] = (),
    ends: Sequence[End] = (),
) -> Float[Array, "6"]:
    """Newton and Euler about the link's origin."""
    mass, first_moment = G[3, 3], np.array([G[2, 4], G[0, 5], G[1, 3]])
    moment = _moment(V, Vdot[:3], G[:3, :3]) + skew(first_moment) @ Vdot[3:]
    force = mass * Vdot[3:] + _spin(V, Vdot[:3]) @ first_moment
    balance = concatenate(moment, force) - F
    for joint, q, F_child in zip(joints, q_children, F_children, strict=True):
        balance = balance + Ad(joint.T_child_parent(q)).T @ F_child
    for T, W in zip(T_fl, external_wrenches, strict=True):
        balance = balance - Ad(T).T @ W
    return balance - loop_wrenches(ends, multipliers, q_loops)


_CONVENTIONAL: Mapping[str, tuple[Template, int | None]] = {
    "twist": (twist, 3),
    "acceleration": (acceleration, 6),
    "wrench": (wrench, 6),
    "loop": (loop, None),
}


def _to_child(joint: Joint, q: Array, x: Float[Array, "3"]) -> Float[Array, "3"]:
    return rotation(joint.T_child_parent(q)) @ x


def _spin(w: Float[Array, "3"], rate: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Return [dw/dt] + [w][w]: times a point of the body, its acceleration beyond the origin's."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = rate[0], rate[1], rate[2]
    return matrix([[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]])


def _moment(w: Float[Array, "3"], rate: Float[Array, "3"], J: Float[np.ndarray, "3 3"]) -> Float[Array, "3"]:
    """Return J dw/dt + w x (J w): by second moments of mass where that takes fewer operations."""
    if has_products(J) and not isinstance(rate[0], Affine):
        turned = _spin(w, rate) @ (0.5 * np.trace(J) * np.eye(3) - J)
        return np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
    return J @ rate + _gyroscopic(w, J)


def _gyroscopic(w: Float[Array, "3"], J: Float[np.ndarray, "3 3"]) -> Float[Array, "3"]:
    """Return w x (J w), written in the products of velocities."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array(
        [
            (J[2, 2] - J[1, 1]) * yz + J[1, 2] * (yy - zz) + J[0, 2] * xy - J[0, 1] * xz,
            (J[0, 0] - J[2, 2]) * xz + J[0, 2] * (zz - xx) + J[0, 1] * yz - J[1, 2] * xy,
            (J[1, 1] - J[0, 0]) * xy + J[0, 1] * (xx - yy) + J[1, 2] * xz - J[0, 2] * yz,
        ]
    )
