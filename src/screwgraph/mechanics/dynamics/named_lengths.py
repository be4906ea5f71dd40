"""Which lengths of a robot stay formulas in its base parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics.rational_functions import Length
from screwgraph.mechanics.dynamics.tree_base_parameters import Named
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.model.robot.parameters import KINDS
from screwgraph.model.robot.parameters.base import ROUNDING

AXES = ("x", "y", "z")
ORIGIN = "origin"
SEED = 7


def find_named_lengths(robot: Robot, lengths: Sequence[str] | Mapping[str, str]) -> Named:
    """Return the lengths that are asked for: "joint3.x", or "joint3.origin" for those of x, y, z that are not zero.

    A mapping has names of its own: {"a2": "joint3.x"}.

    Raises:
        InputError: no joint or frame is called so, or a name stands for two lengths.
    """
    pairs = list(lengths.items()) if isinstance(lengths, Mapping) else [(text, text) for text in lengths]
    rng, found, used = np.random.default_rng(SEED), dict[str, dict[int, Length]](), set[str]()
    parts = list(KINDS[ORIGIN].parts(robot))
    for name, text in pairs:
        if not (isinstance(name, str) and isinstance(text, str)):
            raise InputError(f"lengths: expected names, got {text!r} for {name!r}", fix='{"a2": "joint2.x"}')
        part, _, what = text.rpartition(".")
        if part not in parts:
            raise make_unknown_name_error("joint or frame", part or text, parts)
        if what not in (*AXES, ORIGIN):
            raise InputError(f"{text!r} is no length", fix=f"name {part}.x, {part}.y, {part}.z or {part}.origin")
        own = KINDS[ORIGIN].nominal(robot, part)[:3].tolist()
        axes = [i for i, x in enumerate(own) if abs(x) > ROUNDING] if what == ORIGIN else [AXES.index(what)]
        for axis in axes:
            alone = name if what != ORIGIN else f"{name.removesuffix('.' + ORIGIN)}.{AXES[axis]}"
            if alone in used or axis in found.get(part, {}):
                raise InputError(f"the length {alone!r} is named twice", fix="name it once")
            used.add(alone)
            typical = (own[axis] or 0.3) * rng.uniform(0.7, 1.3)
            found.setdefault(part, {})[axis] = Length(alone, own[axis], typical)
    return found
