"""The momentum that all links have together."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factors import acceleration
from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.model.robot import Robot, link_twists
from screwgraph.spatial import Array, ad, concatenate, rotation, skew, translation

Vectors = dict[str, Float[Array, "6"]]
"""A twist, acceleration or wrench of each link, in its own frame."""


def accelerations(robot: Robot, V: Vectors, q: Array, qd: Array, qdd: Array) -> Vectors:
    """Return the time derivative of every link's twist, in its own frame: Lynch & Park (8.46)."""
    law, Vdot = acceleration.function, {robot.links[0].name: np.zeros(6)}
    for joint in robot.joints:
        own, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        given = (Vdot[joint.parent], V[joint.child], q[own], qd[v], qdd[v])
        Vdot[joint.child] = -law(np.zeros(6), *given, joint=joint)
    return Vdot


def total_momentum(robot: Robot, q: Array, qd: Array) -> Float[Array, "6"]:
    """Return the momentum (angular, linear) of all links about the world's origin: the sum of G V."""
    V = link_twists(robot, q, qd)
    return _sum_wrenches(robot, q, {link.name: link.inertia.matrix() @ V[link.name] for link in robot.links[1:]})


def total_momentum_rate(robot: Robot, q: Array, qd: Array, qdd: Array) -> Float[Array, "6"]:
    """Return its time derivative: the sum of G dV/dt - [ad_V]' G V. Lynch & Park (8.40)."""
    V = link_twists(robot, q, qd)
    Vdot = accelerations(robot, V, q, qd, qdd)
    wrenches: Vectors = {}
    for link in robot.links[1:]:
        G, own = link.inertia.matrix(), V[link.name]
        wrenches[link.name] = G @ Vdot[link.name] - ad(own).T @ (G @ own)
    return _sum_wrenches(robot, q, wrenches)


def shift_reference_point(point: Float[Array, "3"], F: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return a momentum or wrench about another point than the origin of its frame, in the same axes."""
    return concatenate(F[:3] - skew(point) @ F[3:], F[3:])


def _sum_wrenches(robot: Robot, q: Array, wrenches: Vectors) -> Float[Array, "6"]:
    """Return the sum of momenta of links about the world's origin, passed from the tips to the base."""
    base = robot.links[0].name
    sums = {link.name: wrenches.get(link.name, np.zeros(6)) for link in robot.links}
    for joint in reversed(robot.joints):
        turned = transform_momentum(joint.type.transform(q[robot.q_slices[joint.name]]), sums[joint.child])
        sums[joint.parent] = sums[joint.parent] + transform_momentum(joint.origin, turned)
    return transform_momentum(base_pose_in_world(robot), sums[base])


def transform_momentum(T: Float[Array, "4 4"], F: Float[Array, "6"]) -> Float[Array, "6"]:
    """Return a momentum or wrench in a frame in which its own stands at T: Lynch & Park (3.98)."""
    n, f = rotation(T) @ F[:3], rotation(T) @ F[3:]
    return concatenate(n + skew(translation(T)) @ f, f)
