"""Bias accelerations: unknown accelerations are counted from those of the same motion without joint accelerations.

All that velocities and gravity contribute is then known before elimination; what is eliminated is homogeneous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.graph import Derived, Factor, FactorGraph, Key, Role, factor, vector_variable
from screwgraph.graph import factors as laws
from screwgraph.graph.newton_euler import momentum_rate
from screwgraph.graph.passes import conventional_acceleration
from screwgraph.graph.passes.frame_laws import conventional_frame_acceleration
from screwgraph.model.robot import Chain, Joint
from screwgraph.spatial import Array


def bias_accelerations(graph: FactorGraph) -> FactorGraph:
    """Let `acceleration` be what joint accelerations cause; what of it a child has of its parent is `propagated`.

    For graphs of conventional accelerations, with their knowns declared. Links whose accelerations are known stay as
    they are. Elimination takes up a joint's motion in the child's frame, where inertias are sparse, and only then turns
    inertias and wrenches into the parent's: that is what the propagated accelerations are for.
    """
    variables, factors, derived = dict(graph.variables), [], list(graph.derived)
    for f in graph.factors:
        if f.template.name == "acceleration":
            bias, *relative = _split(f, graph)
            v = graph.variables[f.variable("Vdot")]
            made = [Key(kind, v.key.name) for kind in ("bias_acceleration", "propagated_acceleration")]
            for key in made[: len(relative)]:
                variables[key] = vector_variable(key.kind, key.name, v.dim, v.index, v.parent)
            derived.append(Derived(made[0], bias))
            factors += relative
        elif f.template.name == "wrench" and f.variable("Vdot") not in graph.known:
            arguments = {**f.arguments, "bias": _bias(f.variable("Vdot"))}
            factors.append(replace(f, template=wrench, arguments=arguments))
        elif f.template is conventional_frame_acceleration and f.variable("Vdot") not in graph.known:
            arguments = {**f.arguments, "bias": _bias(f.variable("Vdot"))}
            factors.append(replace(f, arguments=arguments))
        elif f.template.name == "loop":
            factors.append(_of_loop(f, graph))
        else:
            factors.append(f)
    known = graph.known | {d.key for d in derived}
    return replace(graph, variables=variables, factors=tuple(factors), derived=tuple(derived), known=known)


def _of_loop(f: Factor, graph: FactorGraph) -> Factor:
    """Return a loop's law for ends whose accelerations are counted from bias accelerations, or known."""
    ends = {end: f.variable(f"Vdot_{end}") for end in "ps"}
    unknown = [end for end, key in ends.items() if key not in graph.known]
    if not unknown:
        return f
    arguments = {**f.arguments, **{f"bias_{end}": _bias(ends[end]) for end in unknown}}
    if len(unknown) == 2:
        return replace(f, template=loop_beyond, arguments=arguments)
    (at_rest_end,) = {"p", "s"} - set(unknown)
    del arguments[f"Vdot_{at_rest_end}"]
    arguments[f"bias_{at_rest_end}"] = ends[at_rest_end]
    return replace(f, template=loop_beyond, arguments=arguments)


def _bias(key: Key) -> Key:
    return Key("bias_acceleration", key.name)


def _split(f: Factor, graph: FactorGraph) -> list[Factor]:
    """Return the law of the bias acceleration, then those of what joint accelerations add.

    These are one law where the parent's acceleration is known, else two: of what is propagated, and of the child.
    """
    key, parent = f.variable("Vdot"), f.variable("Vdot_parent")
    parent_known = parent in graph.known
    still = {name: f.arguments[name] for name in ("V", "V_parent", "q", "qd")}
    still |= {"Vdot": _bias(key), "Vdot_parent": parent if parent_known else _bias(parent)}
    bias = replace(f, template=at_rest, arguments=still)
    moves = {"Vdot": key, "q": f.arguments["q"], "qdd": f.arguments["qdd"]}
    if key in graph.known:  # the joint, or the parent, has to follow
        ends = {"bias": _bias(key)} | ({} if parent_known else {"Vdot_parent": parent})
        return [bias, replace(f, template=given, arguments={**moves, **ends})]
    if parent_known:
        return [bias, replace(f, template=first, arguments=moves)]
    propagated = Key("propagated_acceleration", key.name)
    relative = replace(f, template=acceleration, arguments={**moves, "propagated": propagated})
    link = {"propagated": propagated, "Vdot_parent": parent, "q": f.arguments["q"]}
    return [bias, relative, replace(f, template=carry, arguments=link)]


@factor(linear=("Vdot", "Vdot_parent"), cites="Khalil & Dombre (2002), 9.3.2", solved={"Vdot": lambda n: ""})
def at_rest(*, joint: Joint, **others: Any) -> Float[Array, "6"]:
    """The acceleration of the child if its joint has none."""
    return conventional_acceleration.acceleration.function(**others, qdd=np.zeros(joint.type.nv), joint=joint)


@factor(linear=("Vdot", "qdd"), cites="Lynch & Park (8.46)", solved={"Vdot": lambda n: ""})
def first(Vdot: Float[Array, "6"], q: Array, qdd: Array, *, joint: Joint) -> Float[Array, "6"]:
    """Bias acceleration of the joint alone, where the parent has its own."""
    return _acceleration_residual(Vdot, np.zeros(6), q, qdd, joint)


@factor(
    linear=("Vdot", "propagated", "qdd"),
    conjugate=(Role.WRENCH,),
    cites="Lynch & Park (8.46)",
    solved={"Vdot": lambda n: ""},
)
def acceleration(
    Vdot: Float[Array, "6"], propagated: Float[Array, "6"], q: Array, qdd: Array, *, joint: Joint
) -> Float[Array, "6"]:
    """Bias acceleration of the child: the parent's, propagated, and the joint's."""
    return _acceleration_residual(Vdot - propagated, np.zeros(6), q, qdd, joint)


@factor(linear=("Vdot_parent", "qdd"), conjugate=(Role.WRENCH,), cites="Lynch & Park (8.46)")
def given(
    Vdot: Float[Array, "6"],
    bias: Float[Array, "6"],
    q: Array,
    qdd: Array,
    Vdot_parent: Float[Array, "6"] | None = None,
    *,
    joint: Joint,
) -> Float[Array, "6"]:
    """The whole acceleration of the child is known: what its joint and its parent add to the bias is, too."""
    return _acceleration_residual(Vdot - bias, np.zeros(6) if Vdot_parent is None else Vdot_parent, q, qdd, joint)


@factor(linear=("propagated", "Vdot_parent"), cites="Lynch & Park (8.46)", solved={"propagated": lambda n: ""})
def carry(
    propagated: Float[Array, "6"], Vdot_parent: Float[Array, "6"], q: Array, *, joint: Joint
) -> Float[Array, "6"]:
    """The parent's acceleration, in the child's frame."""
    return _acceleration_residual(propagated, Vdot_parent, q, np.zeros(joint.type.nv), joint)


def _acceleration_residual(
    Vdot: Float[Array, "6"], Vdot_parent: Float[Array, "6"], q: Array, qdd: Array, joint: Joint
) -> Float[Array, "6"]:
    """Return the law's residual without velocities: what accelerations have beyond those at qdd = 0."""
    still = {"V": np.zeros(3), "V_parent": np.zeros(3), "qd": np.zeros(joint.type.nv)}
    return conventional_acceleration.acceleration.function(Vdot, Vdot_parent, q=q, qdd=qdd, joint=joint, **still)


@factor(
    linear=laws.wrench.linear,
    conjugate=(Role.ACCELERATION,),
    cites="Khalil & Dombre (2002), 9.3.3",
    solved={"F": lambda n: ""},
)
def wrench(
    Vdot: Float[Array, "6"], bias: Float[Array, "6"], *, G: Float[np.ndarray, "6 6"], **others: Any
) -> Float[Array, "6"]:
    """The law of wrenches for the motion without joint accelerations and what is beyond."""
    return momentum_rate(G, np.zeros(3), Vdot) + conventional_acceleration.wrench.function(Vdot=bias, G=G, **others)


@factor(linear=("Vdot_p", "Vdot_s"), cites="Featherstone (2008), (8.2)-(8.5)")
def loop_beyond(
    bias_p: Float[Array, "6"],
    bias_s: Float[Array, "6"],
    V_p: Float[Array, "3"],
    V_s: Float[Array, "3"],
    q: Sequence[Array],
    qd: Sequence[Array],
    Vdot_p: Float[Array, "6"] | None = None,
    Vdot_s: Float[Array, "6"] | None = None,
    *,
    chain: Chain,
) -> Float[Array, " rows"]:
    """The same, for bias accelerations and what joint accelerations add to them; an end of known one adds none."""
    still = np.zeros(3), np.zeros(3), q, [np.zeros(joint.type.nv) for joint in chain.joints]
    added = (np.zeros(6) if Vdot is None else Vdot for Vdot in (Vdot_p, Vdot_s))
    bias = conventional_acceleration.loop.function(bias_p, bias_s, V_p, V_s, q, qd, chain=chain)
    return bias + conventional_acceleration.loop.function(*added, *still, chain=chain)
