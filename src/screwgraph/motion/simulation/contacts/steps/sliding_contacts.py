"""Which contacts slide, as forces of the step before tell: their steps are searched for, those of others are not."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler import Argument
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE, Plane
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, Program, Tape, dot, program

EDGE = 0.98
"""Part of the largest friction from which on a contact counts as sliding: normals turn a little from step to step."""

LEAST = 1e-6
"""Friction that is none: a contact without it does not slide, its force has what rounding leaves along the ground."""


def expect_search(arguments: Sequence[Argument], plane: Plane | None) -> Program:
    """Return the code, of all numbers of a step's arguments, of how many contacts slid in the step before.

    They touch a `plane`, or planes among the arguments.
    """
    tape = Tape(merge="form")
    given = {argument.name: [tape.input(name) for name in argument.names] for argument in arguments}
    slides = 0.0
    for c in range(len(given["forces"]) // 3):
        force = given["forces"][3 * c : 3 * c + 3]
        normal = given["ground"][PLANE * c : PLANE * c + 3] if plane is None else plane.normal
        pressed = dot(normal, force)
        slides = tell_sliding(pressed, dot(force, force) - pressed * pressed, given["contacts"][4 * c]) + slides
    return program(tape, [slides], tuple(name for argument in arguments for name in argument.names))


def tell_sliding(pressed: Number, square: Number, friction: Number) -> Number:
    """Return 1 where a normal force and the square of that along the ground are those of a contact that slides."""
    most = maximum(EDGE * friction, LEAST) * pressed
    return choose(pressed > 0.0, choose(square > most * most, 1.0, 0.0), 0.0)
