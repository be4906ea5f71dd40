"""Driven coordinates of networks: values, rates and accelerations that functions of time tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.motion.estimation.bayes.known_names import Known, make_known
from screwgraph.motion.estimation.bayes.network_model import NetworkModel

ORDERS = ("q", "qd", "qdd")
"""Kinds in the order of what a function of time returns: value, rate, acceleration."""


def list_driven(model: NetworkModel, steps: int, known: Sequence[Known], kinds: Collection[str]) -> tuple[Known, ...]:
    """Return what is known of driven coordinates, of some kinds, at steps where `known` does not name it.

    Raises:
        InputError: the effort of a driven coordinate is known.
    """
    found = []
    for name in _functions(model):
        _refuse_effort(model, name, known)
        for kind in (kind for kind in ORDERS if kind in kinds):
            parts = model.select_parts(kind, name)
            (row,) = parts[0].rows
            named = {k for own in known if own.kind == kind and row in own.entries for k in own.steps}
            at = tuple(k for k in range(steps) if k not in named)
            if at:
                found.append(make_known(f"driven {kind}:{name}", kind, at, parts, False))
    return tuple(found)


def evaluate_driven(
    model: NetworkModel, driven: Sequence[Known], dt: float
) -> dict[str, Float[np.ndarray, "steps columns"]]:
    """Return values of what `list_driven` found, by name, at steps dt (s) apart, from t = 0 on.

    Raises:
        InputError: a function is not known at one of the times.
    """
    functions = _functions(model)
    return {
        own.name: functions[own.name.partition(":")[2]](dt * np.array(own.steps))[ORDERS.index(own.kind)][:, None]
        for own in driven
    }


def _functions(model: NetworkModel) -> Mapping[str, FunctionOfTime]:
    return model.model.driven


def _refuse_effort(model: NetworkModel, name: str, known: Sequence[Known]) -> None:
    (part,) = model.select_parts("Q", name)
    own = next((own for own in known if own.kind == "Q" and part.rows[0] in own.entries), None)
    if own is not None:
        raise InputError(
            f"{own.name} is known, and {name!r} is driven",
            why="its motion is given, and its effort is an answer",
            fix='name efforts of other motors only, "Q:MOTOR"',
        )
