"""Functions of the manifold on which a robot's positions lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument, Function, compile_expression, make_numbered_argument
from screwgraph.model.robot import Robot


def position_argument(name: str, robot: Robot) -> Argument:
    """Return an argument that is a position."""
    spaces = tuple(joint.type.manifold for joint in robot.joints if joint.type.nq)
    return replace(make_numbered_argument(name, robot.nq), spaces=spaces)


def displacement_argument(robot: Robot) -> Argument:
    """Return an argument that is a displacement, one number a velocity coordinate."""
    return make_numbered_argument("dq", robot.nv)


def compile_on_manifold(
    name: str, robot: Robot, arguments: tuple[Argument, ...], expression: Callable[..., Sequence[Any]]
) -> Function:
    """Return an expression that branches where rotations are small as a function; robots' bodies are of no account."""
    spaces = tuple(joint.type.manifold for joint in robot.joints)
    return compile_expression(name, spaces, arguments, expression, branches=True)


MOST = 10**8
"""Positions of a batch."""


def validate_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return the shape of a batch. Raises InputError where it is none."""
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0 for n in sizes):
        raise InputError(f"the shape of a batch is {shape!r}", fix="give whole numbers that are not negative")
    if math.prod(int(n) for n in sizes) > MOST:
        raise InputError(f"the shape of a batch is {shape!r}", why=f"more than {MOST:g} positions are refused")
    return tuple(int(n) for n in sizes)


def make_generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator of random numbers. Raises InputError where the seed is negative."""
    if isinstance(seed, int | np.integer) and seed < 0:
        raise InputError(f"seed = {seed!r} is negative", fix="give a whole number from 0 on")
    return np.random.default_rng(seed)
