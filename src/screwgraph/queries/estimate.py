"""Estimation of motions and parameters from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.errors import InputError
from screwgraph.queries.models import is_mechanism, table_of

if TYPE_CHECKING:
    from screwgraph.mechanism import Estimate, Mechanism, ModelNoise
    from screwgraph.simulation import Watch


def estimate(
    model: Mechanism,
    measurements: Mapping[str, Any] | str,
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] | None = None,
    q0: Any = None,
    qd0: Any = None,
    noise: ModelNoise | None = None,
    watch: Watch | None = None,
) -> Estimate:
    """Estimate the motion of a mechanism, torques of motors and parameters from measurements.

    Args:
        model: a mechanism.
        measurements: {"t": (N,) s, column: (N,), ...}, or a .csv file of these columns.
        parameters: names of parameters of the file, and of values by key and part, "mass:coupler".
        inputs: motors whose torques are unknown.
        sensors: by default those of the mechanism's file.
        q0: roughly the initial position (n,), by default the assembled one.
        qd0: roughly the initial velocity (n,), by default that of the file, or rest.
        noise: standard deviations of the model.
        watch: progress callback with the time (s) up to which samples are used; the search ends where it returns true.

    Raises:
        InputError: a bad argument, or a search that fails.
        ModelError: the mechanism cannot be assembled.
    """
    if not is_mechanism(model):
        raise InputError(
            f"{model!r} is a robot, and estimation is for mechanisms",
            fix="sg.estimate(sg.load_mechanism(path), measurements)",
        )
    from screwgraph.mechanism import estimate_motion

    return estimate_motion(
        model,
        table_of(measurements),
        parameters,
        inputs=inputs,
        sensors=sensors,
        q0=q0,
        qd0=qd0,
        noise=noise,
        watch=watch,
    )
