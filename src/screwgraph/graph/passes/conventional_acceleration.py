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
    Factor,
    FactorGraph,
    Key,
    Live,
    Role,
    Slot,
    Template,
    factor,
    vector_variable,
)
from screwgraph.graph import factors as laws
from screwgraph.graph.factors.acceleration import joint_acceleration
from screwgraph.graph.factors.loop import loop_residual
from screwgraph.graph.passes.frame_laws import (
    angular_part,
    conventional_frame_acceleration,
    frame_acceleration,
    frame_gravity,
    frame_twist,
    frame_twist_by_parts,
    linear_part,
    linear_velocity,
    seen_gravity,
    shift_conventional,
    spatial_from_conventional,
)
from screwgraph.model.robot import Chain, Joint
from screwgraph.spatial import Array, concatenate, inverse, rotation
from screwgraph.tape import Tape, program


def conventional_acceleration(graph: FactorGraph) -> FactorGraph:
    """Rewrite a graph of dynamics for `acceleration` = (dw/dt, conventional linear acceleration less gravity).

    Wrenches, torques and joint accelerations keep their meaning; accelerations and twists of the links that the laws of
    joints bind do not. Frames whose own motion is asked for get the velocities of origins that this takes.
    """
    if not graph.joints:
        return graph
    links = {graph.joints[0].parent, *(joint.child for joint in graph.joints)}
    gravity = next((f for f in graph.factors if _is_gravity(f)), None)
    moving, seeing = _carriers(graph, *MOTIONS), _carriers(graph, *SEEN)
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


def _carriers(graph: FactorGraph, *templates: Template) -> set[str]:
    """Return the links between the base and those that some laws of frames are bound to, both included."""
    above = {joint.child: joint.parent for joint in graph.joints}
    found: set[str] = set()
    for f in graph.factors:
        link = f.keys[1].name if f.template in templates else None
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


def _is_gravity(f: Factor) -> bool:
    """Whether a factor sets the direction of gravity that the base sees."""
    return f.template.name == "prior" and f.keys[0].role is Role.FIELD and f.index == 0


def _less_gravity(f: Factor, gravity: Factor) -> Factor:
    """Return the law of the base's acceleration with that of gravity taken off: numbers, or slots where it is known."""
    value, g = f.parameters["value"], gravity.parameters["value"]
    if gravity.live is None:
        return replace(f, parameters={"value": value - np.concatenate([np.zeros(3), g])})
    code, tape = gravity.live.program, Tape(merge="form")
    found = code.on([tape.input(name) for name in code.input_names])
    rest = [v - (found[x.place] if isinstance(x, Slot) else x) for v, x in zip(value[3:], g, strict=True)]
    slots = np.array([*value[:3], *map(Slot, range(3))], dtype=object)
    return replace(f, parameters={"value": slots}, live=Live(gravity.live.keys, program(tape, rest, code.input_names)))


def _rewritten(f: Factor, gravity: Factor | None, links: Collection[str], moving: Collection[str]) -> list[Factor]:
    if f.template.name == "prior" and f.keys[0].name in links:
        key, value = f.keys[0], np.asarray(f.parameters["value"])
        if key.role is Role.TWIST:
            rest = replace(f, rows=3, parameters={"value": value[:3]})
            origin = replace(f, rows=3, arguments={"x": _velocity(key)}, parameters={"value": value[3:]})
            return [rest, origin] if key.name in moving else [rest]
        if key.role is Role.ACCELERATION:
            return [f if gravity is None else _less_gravity(f, gravity)]
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


@factor(linear=laws.twist.linear, cites="Lynch & Park (8.45), angular part", solved={"V": lambda n: ""})
def twist(V: Float[Array, "3"], V_parent: Float[Array, "3"], **others: Any) -> Float[Array, "3"]:
    """The law of twists for angular velocities."""
    return laws.twist.function(_turning(V), _turning(V_parent), **others)[:3]


@factor(
    linear=laws.acceleration.linear,
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
    """The law of accelerations for an observer who moves as the child's origin would if the joint stood still."""
    V_child = concatenate(V, (joint.type.screw_axes(q) @ qd)[3:])
    carried = shift_conventional(joint.T_child_parent(q), joint.T_parent_child(q), V_parent, Vdot_parent)
    return spatial_from_conventional(Vdot, V_child) - carried - joint_acceleration(V_child, q, qd, qdd, joint)


@factor(
    linear=laws.wrench.linear,
    conjugate=(Role.ACCELERATION,),
    cites="Khalil & Dombre (2002), 9.3.3",
    solved={"F": lambda n: ""},
)
def wrench(V: Float[Array, "3"], **others: Any) -> Float[Array, "6"]:
    """The law of wrenches for an observer who moves as the origin does."""
    return laws.wrench.function(_turning(V), **others)


@factor(linear=laws.loop.linear, cites="Featherstone (2008), (8.2)-(8.5), at the loop joint's own point")
def loop(
    Vdot_p: Float[Array, "6"],
    Vdot_s: Float[Array, "6"],
    V_p: Float[Array, "3"],
    V_s: Float[Array, "3"],
    q: Sequence[Array],
    qd: Sequence[Array],
    *,
    chain: Chain,
) -> Float[Array, " rows"]:
    """The law of loops for an observer who moves as the predecessor does at the loop joint; gravity cancels."""
    T_fp, T_sf = chain.T_fp(q), chain.loop.T_sf
    at_p, at_s = (T_fp, inverse(T_fp)), (inverse(T_sf), T_sf)
    v_rel = np.zeros(3) if chain.holds_its_point else chain.relative_twist(q, qd)[3:]
    twist_p, twist_s = concatenate(rotation(T_fp) @ V_p, np.zeros(3)), concatenate(rotation(at_s[0]) @ V_s, v_rel)
    moving_s = spatial_from_conventional(shift_conventional(*at_s, V_s, Vdot_s), twist_s)
    return loop_residual(shift_conventional(*at_p, V_p, Vdot_p), moving_s, twist_p, twist_s, q, chain)


def _turning(w: Float[Array, "3"]) -> Float[Array, "6"]:
    return concatenate(w, np.zeros(3))


_CONVENTIONAL: Mapping[str, tuple[Template, int | None]] = {
    "twist": (twist, 3),
    "acceleration": (acceleration, 6),
    "wrench": (wrench, 6),
    "loop": (loop, None),
}
