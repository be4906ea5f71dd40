"""Graphs and values of GTSAM as problems: a line in `READERS` for each type of factor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.bearings import BEARINGS
from screwgraph.api.interop.gtsam.calibrations import CALIBRATIONS
from screwgraph.api.interop.gtsam.cameras import CAMERAS
from screwgraph.api.interop.gtsam.equalities import EQUALITIES
from screwgraph.api.interop.gtsam.factor_reading import POSE2, POSE3, ROT3, Kind, Reader, Reading
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.imu import read_imu_factor
from screwgraph.api.interop.gtsam.noise_models import FactorNoise, read_noise_model
from screwgraph.api.interop.gtsam.pose_parts import POSE_PARTS
from screwgraph.api.interop.gtsam.ranges import RANGES
from screwgraph.api.interop.gtsam.value_types import BIASES, NAMED, find_value_type, read_values
from screwgraph.api.interop.pose_graph import Between, Keyed, Prior
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, Loss, Problem, Variables, each, equality, soft
from screwgraph.optimize.factors import Template
from screwgraph.spatial.manifolds import SE2, SE3, SO3, Manifold, Vector

KINDS: tuple[Kind, ...] = (POSE3, POSE2, ROT3, *((name, manifold) for name, (manifold, _) in NAMED.items()))


@dataclass(frozen=True, eq=False)
class ReadFactor:
    """A factor of GTSAM: its template, its unknowns' families and keys, parameters, noise."""

    template: Any
    families: tuple[str, ...]
    keys: tuple[int, ...]
    parameters: Mapping[str, np.ndarray]
    noise: FactorNoise


def _array(x: Any) -> np.ndarray:
    return np.atleast_1d(np.asarray(x, dtype=float))


def _matrix(x: Any) -> np.ndarray:
    return np.asarray(x.matrix())


def _place(x: Any) -> np.ndarray:
    return np.array([x.x(), x.y(), x.theta()])


def _bias(x: Any) -> np.ndarray:
    return np.asarray(x.vector())


def _group(family: str, manifold: Manifold | None, number: Callable[[Any], np.ndarray]) -> dict[str, Reader]:
    """Return readers of relative and known values of one type; of vectors the measurement tells the size."""

    def kind(z: np.ndarray) -> Kind:
        return (family, manifold) if manifold is not None else (f"{family}{len(z)}", Vector(len(z)))

    def read_between(factor: Any, name: str) -> Reading:
        z = number(factor.measured())
        return Between(kind(z)[1]), (kind(z), kind(z)), {"z": z}

    def prior(factor: Any, name: str) -> Reading:
        z = number(factor.prior())
        return Prior(kind(z)[1]), (kind(z),), {"z": z}

    return {"Between": read_between, "Prior": prior}


def _calibration(name: str) -> dict[str, Reader]:
    """Return the reader of known calibrations."""
    return {"Prior": _group(name.lower(), Vector(CALIBRATIONS[name].size), CALIBRATIONS[name].numbers)["Prior"]}


GROUPS: dict[str, dict[str, Reader]] = {
    "Pose3": _group("pose3", SE3(), _matrix),
    "Pose2": _group("pose2", SE2(), _place),
    "Rot3": _group("rot3", SO3(), _matrix),
    "Point2": _group("vector", None, _array),
    "Point3": _group("vector", None, _array),
    "Vector": _group("vector", None, _array),
    "ConstantBias": _group(BIASES, Vector(6), _bias),
    "Double": _group("scalar", Vector(1), _array),
    **{name: _calibration(name) for name in CALIBRATIONS},
}

READERS: dict[str, Reader] = {
    **{f"{kind}Factor{name}": read for name, readers in GROUPS.items() for kind, read in readers.items()},
    "ImuFactor": read_imu_factor,
    "CombinedImuFactor": read_imu_factor,
    **RANGES,
    **BEARINGS,
    **POSE_PARTS,
    **CAMERAS,
    **EQUALITIES,
}
"""By the type of the factor."""


@check_arguments
def from_gtsam(
    graph: Any, values: Any, custom: Mapping[int, Template] | None = None, *, losses: Mapping[int, Loss] | None = None
) -> Keyed:
    """Return a `gtsam.NonlinearFactorGraph` as a problem that costs the same, and its values.

    Families are pose3, pose2, rot3, vector2, vector3, ..., bias (accelerometer, then gyroscope), scalar, cal3_s2, ...,
    camera_cal3_s2, ..., each in the order of their keys. Constrained factors become hard ones, which cost nothing.
    Values that no factor touches are left out.

    Args:
        graph: of factors of the types of `READERS`, and others that have templates.
        values: of all unknowns.
        custom: by place in the graph, templates of ours that return the same as `gtsam.CustomFactor`, whose residual is
            a function in Python, or as factors of unknown types; `functools.partial` gives parameters.
        losses: by place in the graph, losses of ours that are the same as `mEstimator.Custom`, whose loss and weights
            are functions in Python.

    Raises:
        InputError: a factor is of another type, a value is missing, a template or loss returns something else, or GTSAM
            is not installed.
    """
    import_gtsam()
    own, lost, places = custom or {}, losses or {}, [i for i in range(graph.size()) if graph.exists(i)]
    if not places:
        raise InputError("a graph without factors")
    for name, given in (("custom", own), ("losses", lost)):
        if set(given) - set(places):
            missing = min(set(given) - set(places))
            raise InputError(f"{name}: there is no factor {missing}", fix="give places in the graph")
    read = [_read_factor(graph.at(i), i, values, own.get(i), lost.get(i)) for i in places]
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
    start = {
        name: read_values(find_value_type(name, v.manifold), name, values, keys[name]) for name, v in families.items()
    }
    return Keyed(Problem(factors, list(families.values())), start, keys)


def _read_factor(
    factor: Any, place: int, values: Any, template: Template | None, loss: Loss | None
) -> tuple[ReadFactor, tuple[Kind, ...]]:
    name, type_name = f"factor {place}, {type(factor).__name__}", type(factor).__name__
    if template is not None:
        reading = read_custom_factor(factor, name, template, values)
    elif type_name in READERS:
        reading = READERS[type_name](factor, name)
    else:
        what = "its residual is a function in Python" if type_name == "CustomFactor" else "no such factor is known here"
        raise InputError(f"{name}: {what}", fix=f"write it as a template f of ours, and give custom={{{place}: f}}")
    function, kinds, parameters = reading
    noise = read_noise_model(factor.noiseModel(), name, loss)
    numbers = {n: np.asarray(x, dtype=float) for n, x in parameters.items()}
    return ReadFactor(function, tuple(n for n, _ in kinds), tuple(factor.keys()), numbers, noise), kinds


def read_custom_factor(factor: Any, name: str, template: Callable[..., Any], values: Any) -> Reading:
    """Return a factor as a template of ours, parameters included where it is a `functools.partial`.

    Raises:
        InputError: a value is missing or of no known type, or the template's residual there is not GTSAM's.
    """
    if not isinstance(factor, import_gtsam().NoiseModelFactor):
        raise InputError(f"{name} has no residual", fix="leave it out")
    function, parameters = (template.func, template.keywords) if isinstance(template, partial) else (template, {})
    read = [_read_value(key, name, values) for key in list(factor.keys())]
    theirs = np.asarray(factor.unwhitenedError(values), dtype=float)
    try:
        ours = np.atleast_1d(np.asarray(template(*(x for _, x in read)), dtype=float))
    except (TypeError, ValueError, IndexError) as error:
        kinds = ", ".join(family for (family, _), _ in read)
        raise InputError(f"{name}: the template does not take {kinds}", why=str(error)) from None
    if ours.shape != theirs.shape or not np.abs(ours - theirs).max() < 1e-9 * (1.0 + np.abs(theirs).max()):
        raise InputError(f"{name}: the template returns {ours} where GTSAM has {theirs}", fix="mend the template")
    return function, tuple(kind for kind, _ in read), dict(parameters)


def _read_value(key: int, name: str, values: Any) -> tuple[Kind, np.ndarray]:
    """Return what kind a value is of, and the value."""
    for family, manifold in KINDS:
        try:
            return (family, manifold), read_values(find_value_type(family, manifold), family, values, [key])[0]
        except InputError:
            pass
    try:
        x = np.asarray(values.atVector(key), dtype=float)
    except (RuntimeError, ValueError, TypeError) as error:
        known = ", ".join([*(family for family, _ in KINDS), "vectors"])
        raise InputError(f"{name}: the value {key} is of no known type", why=str(error), fix=f"use {known}") from None
    return (f"vector{len(x)}", Vector(len(x))), x


def _factors(
    group: Sequence[ReadFactor], families: Mapping[str, Variables], numbers: Mapping[str, Mapping[int, int]]
) -> Factors:
    first = group[0]
    names = zip(first.families, zip(*(r.keys for r in group), strict=True), strict=True)
    unknowns = [families[n][[numbers[n][key] for key in own]] for n, own in names]
    parameters = {n: each(np.array([r.parameters[n] for r in group])) for n in first.parameters}
    name = getattr(first.template, "__name__", type(first.template).__name__.lower())
    if first.noise.is_hard:
        return equality(first.template, *unknowns, name=name, **parameters)
    noise = {first.noise.argument: each(np.array([r.noise.value for r in group]))}
    return soft(first.template, *unknowns, loss=first.noise.loss, name=name, **noise, **parameters)
