"""Graphs and values of GTSAM as problems: a line in `READERS` for each type of factor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.imu import read_imu_factor
from screwgraph.api.interop.gtsam.noise_models import FactorNoise, read_noise_model
from screwgraph.api.interop.gtsam.value_types import BIAS, BIASES, KINDS, ValueType, read_values
from screwgraph.api.interop.keyed_problem import Keyed
from screwgraph.api.interop.pose_graph import Between, Prior
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, Problem, Variables, each, equality, soft
from screwgraph.spatial.manifolds import SE2, SE3, SO3, Manifold, Vector


@dataclass(frozen=True, eq=False)
class ReadFactor:
    """A factor of GTSAM: its template, its unknowns' families and keys, parameters, noise."""

    template: Any
    families: tuple[str, ...]
    keys: tuple[int, ...]
    parameters: Mapping[str, np.ndarray]
    noise: FactorNoise


Value = Callable[[Any], np.ndarray]
Reader = Callable[[Any, Any, str], tuple[Any, tuple[tuple[str, Manifold], ...], dict[str, Any]]]
"""From a factor, values and a name for messages to a template, families and kinds of unknowns, and parameters."""


def _array(x: Any) -> np.ndarray:
    return np.atleast_1d(np.asarray(x, dtype=float))


def _matrix(x: Any) -> np.ndarray:
    return np.asarray(x.matrix())


def _place(x: Any) -> np.ndarray:
    return np.array([x.x(), x.y(), x.theta()])


def _bias(x: Any) -> np.ndarray:
    return np.asarray(x.vector())


def _group(family: str, manifold: Manifold | None, number: Value) -> dict[str, Reader]:
    """Return readers of relative and known values of one type; of vectors the measurement tells the size."""

    def kind(z: np.ndarray) -> tuple[str, Manifold]:
        return (family, manifold) if manifold is not None else (f"{family}{len(z)}", Vector(len(z)))

    def read_between(
        factor: Any, values: Any, name: str
    ) -> tuple[Any, tuple[tuple[str, Manifold], ...], dict[str, Any]]:
        z = number(factor.measured())
        return Between(kind(z)[1]), (kind(z), kind(z)), {"z": z}

    def prior(factor: Any, values: Any, name: str) -> tuple[Any, tuple[tuple[str, Manifold], ...], dict[str, Any]]:
        z = number(factor.prior())
        return Prior(kind(z)[1]), (kind(z),), {"z": z}

    return {"Between": read_between, "Prior": prior}


def _inertial(factor: Any, values: Any, name: str) -> tuple[Any, tuple[tuple[str, Manifold], ...], dict[str, Any]]:
    template, parameters = read_imu_factor(factor, name)
    pose, velocity = ("pose3", SE3()), ("vector3", Vector(3))
    return template, (pose, velocity, pose, velocity, (BIASES, Vector(6))), parameters


GROUPS: dict[str, dict[str, Reader]] = {
    "Pose3": _group("pose3", SE3(), _matrix),
    "Pose2": _group("pose2", SE2(), _place),
    "Rot3": _group("rot3", SO3(), _matrix),
    "Point2": _group("vector", None, _array),
    "Point3": _group("vector", None, _array),
    "Vector": _group("vector", None, _array),
    "ConstantBias": _group(BIASES, Vector(6), _bias),
}
READERS: dict[str, Reader] = {
    **{f"BetweenFactor{name}": readers["Between"] for name, readers in GROUPS.items()},
    **{f"PriorFactor{name}": readers["Prior"] for name, readers in GROUPS.items()},
    "ImuFactor": _inertial,
}
"""By the type of the factor."""


@check_arguments
def from_gtsam(graph: Any, values: Any) -> Keyed:
    """Return a `gtsam.NonlinearFactorGraph` of standard factors as a problem that costs the same, and its values.

    Factors are those of `READERS`; families are pose3, pose2, rot3, vector2, vector3, ..., bias (accelerometer, then
    gyroscope), each in the order of their keys. Constrained factors become hard ones, which cost nothing. Values that
    no factor touches are left out.

    Raises:
        InputError: a factor is of another type, a value is missing, or GTSAM is not installed.
    """
    import_gtsam()
    read = [_read_factor(graph.at(i), values, f"factor {i}") for i in range(graph.size()) if graph.exists(i)]
    if not read:
        raise InputError("a graph without factors")
    found: dict[str, dict[int, Manifold]] = {}
    for r, kinds in read:
        for (family, manifold), key in zip(kinds, r.keys, strict=True):
            found.setdefault(family, {})[key] = manifold
    keys = {family: tuple(sorted(own)) for family, own in found.items()}
    families = {name: Variables(name, next(iter(found[name].values())), len(own)) for name, own in keys.items()}
    numbers = {name: {key: i for i, key in enumerate(own)} for name, own in keys.items()}
    groups: dict[Any, list[ReadFactor]] = {}
    for r, _ in read:
        groups.setdefault((r.template, r.families, r.noise.argument, r.noise.loss), []).append(r)
    factors = [_factors(group, families, numbers) for group in groups.values()]
    start = {name: read_values(_kind(v), name, values, keys[name]) for name, v in families.items()}
    return Keyed(Problem(factors, list(families.values())), start, keys)


def _kind(v: Variables) -> ValueType:
    return BIAS if v.name == BIASES else KINDS[type(v.manifold)]


def _read_factor(factor: Any, values: Any, name: str) -> tuple[ReadFactor, tuple[tuple[str, Manifold], ...]]:
    called = f"{name}, {type(factor).__name__}"
    if type(factor).__name__ not in READERS:
        raise InputError(f"{called}: no such factor is known here", fix=f"known are {', '.join(READERS)}")
    template, kinds, parameters = READERS[type(factor).__name__](factor, values, called)
    noise = read_noise_model(factor.noiseModel(), called)
    numbers = {n: np.asarray(x, dtype=float) for n, x in parameters.items()}
    return ReadFactor(template, tuple(n for n, _ in kinds), tuple(factor.keys()), numbers, noise), kinds


def _factors(
    group: Sequence[ReadFactor], families: Mapping[str, Variables], numbers: Mapping[str, Mapping[int, int]]
) -> Factors:
    first = group[0]
    names = zip(first.families, zip(*(r.keys for r in group), strict=True), strict=True)
    unknowns = [families[n][[numbers[n][key] for key in own]] for n, own in names]
    parameters = {n: each(np.array([r.parameters[n] for r in group])) for n in first.parameters}
    name = type(first.template).__name__.lower()
    if first.noise.is_hard:
        return equality(first.template, *unknowns, name=name, **parameters)
    noise = {first.noise.argument: each(np.array([r.noise.value for r in group]))}
    return soft(first.template, *unknowns, loss=first.noise.loss, name=name, **noise, **parameters)
